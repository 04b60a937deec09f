"""Reasoners."""
