"""Figures, each from one command: `python -m benchmarks.NAME [--data DIR] [--quick] [--json FILE]`."""
