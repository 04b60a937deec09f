"""Document stores that can be searched."""
