"""Logs in memory: gone with the process, and otherwise as strict as the ones on disk."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from satisfice.adapters.event_stores.appending import checked, moved_on, stale, summary
from satisfice.adapters.event_stores.leases import Lease, granted
from satisfice.adapters.event_stores.redacting import redacted
from satisfice.core.facts import Envelope, RunStarted
from satisfice.core.ids import DocumentId, RunId
from satisfice.errors import RunNotFound
from satisfice.ports.clock import Clock
from satisfice.ports.event_store import Owner, RunSummary

_NAME = "memory"


@dataclass(slots=True)
class _Log:
    lease: Lease
    facts: list[Envelope] = field(default_factory=list[Envelope])
    started: RunStarted | None = None
    stop: str = ""


class MemoryEventStore:
    """`EventStore` for one process and for tests."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logs: dict[RunId, _Log] = {}

    async def take(self, run: RunId, owner: Owner, ttl_ms: int) -> int:
        log = self._logs.get(run)
        lease = granted(log.lease if log else None, owner, self._clock.wall_ms(), ttl_ms, run=run, adapter=_NAME)
        if log is None:
            self._logs[run] = _Log(lease)
        else:
            log.lease = lease
        return lease.epoch

    async def append(self, run: RunId, facts: Sequence[Envelope], expected: int, epoch: int) -> None:
        batch = checked(_NAME, run, facts, expected)
        log = self._logs.get(run)
        if log is None or log.lease.owner is None or log.lease.epoch != epoch:
            raise stale(_NAME, run, epoch, log.lease.epoch if log else 0)
        if len(log.facts) != expected:
            raise moved_on(_NAME, run, expected, len(log.facts))
        log.facts.extend(facts)
        log.started = batch.started or log.started
        log.stop = batch.stop or log.stop

    async def read(self, run: RunId, after: int = 0) -> Sequence[Envelope]:
        log = self._logs.get(run)
        if log is None or not log.facts:
            raise RunNotFound(_NAME, f"no run is called {run!r}")
        return tuple(log.facts[after:])

    async def release(self, run: RunId, epoch: int) -> None:
        log = self._logs.get(run)
        if log is not None and log.lease.epoch == epoch:
            log.lease = replace(log.lease, owner=None)

    async def list(self, *, tenant: str | None = None, limit: int = 50) -> Sequence[RunSummary]:
        lines = (
            summary(run, log.started, len(log.facts), log.stop)
            for run, log in reversed(self._logs.items())
            if log.started is not None and tenant in (None, log.started.principal.tenant)
        )
        return [line for line, _ in zip(lines, range(limit), strict=False)]

    async def remove(self, run: RunId) -> bool:
        return self._logs.pop(run, None) is not None

    async def redact(self, document: DocumentId) -> int:
        touched = 0
        for log in self._logs.values():
            facts = [envelope.fact for envelope in log.facts]
            blanked = redacted(facts, document)
            if blanked != facts:
                log.facts = [replace(old, fact=fact) for old, fact in zip(log.facts, blanked, strict=True)]
                touched += 1
        return touched
