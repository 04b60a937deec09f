"""Limits above a run."""
