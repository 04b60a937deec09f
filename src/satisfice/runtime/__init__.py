"""The shell: performs what the core decides and records what happened."""
