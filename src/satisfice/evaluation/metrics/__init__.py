"""Metrics: pure functions over reports."""
