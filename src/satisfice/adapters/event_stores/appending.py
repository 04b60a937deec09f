"""What every store checks before it keeps facts, and how it says no."""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.adapters.event_stores.codec import Unreadable, encode
from satisfice.core.facts import Envelope, RunStarted, RunStopped, kind
from satisfice.core.ids import RunId
from satisfice.errors import Conflict, IllegalFact, StoreError
from satisfice.ports.event_store import RunSummary


@dataclass(frozen=True, slots=True)
class Batch:
    """Facts that may be kept, as they are written, and what they say about the whole run."""

    rows: tuple[tuple[Envelope, bytes], ...]
    started: RunStarted | None
    stop: str


def checked(adapter: str, run: RunId, facts: Sequence[Envelope], expected: int) -> Batch:
    """The facts in wire form.

    Raises
    ------
    IllegalFact
        A `seq` does not follow the one before it.
    StoreError
        A fact could not be read back later.
    """
    rows: list[tuple[Envelope, bytes]] = []
    started, stop = None, ""
    for seq, envelope in enumerate(facts, expected + 1):
        fact = envelope.fact
        if envelope.seq != seq:
            raise IllegalFact(envelope.seq, kind(fact), f"its place in the log of run {run!r} is {seq}")
        try:
            rows.append((envelope, encode(fact)))
        except Unreadable as error:
            raise StoreError(adapter, f"fact {seq} ({kind(fact)}) of run {run!r} cannot be kept: {error}") from error
        if isinstance(fact, RunStarted):
            started = fact
        elif isinstance(fact, RunStopped):
            stop = fact.reason
    return Batch(tuple(rows), started, stop)


def stale(adapter: str, run: RunId, epoch: int, newest: int) -> Conflict:
    """The error of an owner that no longer is one: `newest` is the run's epoch, 0 when nobody ever took it."""
    why = "was given up" if epoch == newest else f"is not the newest, which is {newest}"
    return Conflict(
        adapter,
        f"epoch {epoch} of run {run!r} {why}; take the run and read what was added",
        expected=epoch,
        found=newest,
    )


def moved_on(adapter: str, run: RunId, expected: int, found: int) -> Conflict:
    """The error of an append that does not know the whole log."""
    return Conflict(
        adapter,
        f"run {run!r} has {found} facts where {expected} were expected; read what was added",
        expected=expected,
        found=found,
    )


def summary(run: RunId, started: RunStarted, facts: int, stop: str) -> RunSummary:
    """The line a run has in a list."""
    return RunSummary(
        run=run,
        tenant=started.principal.tenant,
        principal=started.principal.name,
        question=started.question,
        task=started.task.name,
        started_at=started.as_of,
        facts=facts,
        stop=stop,
    )
