"""The command line, as a module: `python -m satisfice`."""
