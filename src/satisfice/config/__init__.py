"""Settings: one frozen value, read once at the edge. Every value knows where it came from; all mistakes come together."""

from satisfice.config.reading import Given, Loaded, load
from satisfice.config.tables import DEFAULT_TASK, Settings, SourceTable

__all__ = ["DEFAULT_TASK", "Given", "Loaded", "Settings", "SourceTable", "load"]
