"""One suite per port: an adapter is done when its suite is green."""
