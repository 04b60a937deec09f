"""Agentic retrieval on a search budget: cited answers from your own sources, and a reason for every stop."""
