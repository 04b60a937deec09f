"""Where facts are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from satisfice.core.facts import Envelope
from satisfice.core.ids import DocumentId, RunId


@dataclass(frozen=True, slots=True)
class Owner:
    """Who drives a run: the host, the process and when that process started (pids are used again)."""

    host: str
    pid: int
    started: str
    token: str
    """Tells two owners inside one process apart."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of `runs list`. `stop` is empty while the run is open."""

    run: RunId
    tenant: str
    principal: str
    question: str
    task: str
    started_at: str
    facts: int
    stop: str


class EventStore(Protocol):
    """Append-only logs, one per run. A run has one owner at a time, fenced by its epoch."""

    async def take(self, run: RunId, owner: Owner, ttl_ms: int) -> int:
        """Become the owner and get an epoch higher than every earlier one.

        Taking what one already owns renews the lease. A lease that ended, or whose process is dead on this same host,
        is taken over at once. Raises `RunBusy` while another owner's lease holds.
        """
        ...

    async def append(self, run: RunId, facts: Sequence[Envelope], expected: int, epoch: int) -> None:
        """Add facts after the first `expected` ones; durable on return, all or none.

        Raises `Conflict` when the log is longer or the epoch is no longer the newest.
        """
        ...

    async def read(self, run: RunId, after: int = 0) -> Sequence[Envelope]:
        """The facts with `seq > after`, in order. Raises `RunNotFound` or `Corrupt`."""
        ...

    async def release(self, run: RunId, epoch: int) -> None:
        """Give the run up; a stale epoch changes nothing."""
        ...

    async def list(self, *, tenant: str | None = None, limit: int = 50) -> Sequence[RunSummary]:
        """The newest runs first."""
        ...

    async def remove(self, run: RunId) -> bool:
        """Forget a run; False when there was none."""
        ...

    async def redact(self, document: DocumentId) -> int:
        """Blank a document's text in every log, keeping the facts' shape; how many runs were touched."""
        ...
