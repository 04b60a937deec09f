"""Vectors for text."""
