"""Measuring many runs."""
