"""Where facts are kept."""
