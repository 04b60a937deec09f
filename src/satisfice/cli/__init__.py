"""Says it to a person at a terminal."""
