"""Watching a run."""

from typing import Protocol

from satisfice.core.facts import Envelope
from satisfice.core.ids import RunId


class Observer(Protocol):
    """Receives every fact once it is durable. Must return at once and must not raise."""

    def observe(self, run: RunId, envelope: Envelope) -> None: ...
