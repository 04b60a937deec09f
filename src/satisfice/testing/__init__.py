"""Public stand-ins, log builders and a conformance suite per port."""
