"""What satisfice needs from the world, in its own verbs. An adapter is done when its conformance suite is green."""
