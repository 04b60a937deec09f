"""Taking documents in: loading, cutting, storing."""
