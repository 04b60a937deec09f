"""Everything that talks to a vendor or the machine, one family per port."""
