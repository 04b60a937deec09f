"""Binds adapters to ports; the only place that knows them."""
