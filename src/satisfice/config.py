"""Settings: one frozen value, read once at the edge."""
