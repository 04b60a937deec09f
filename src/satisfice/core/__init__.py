"""What we know and decide: pure values and pure functions."""
