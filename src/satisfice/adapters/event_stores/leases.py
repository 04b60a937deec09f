"""Who owns a run: the one rule by which a lease is granted, renewed, taken over or refused."""

from dataclasses import dataclass, replace

from satisfice.adapters.event_stores.processes import has_ended
from satisfice.core.ids import RunId
from satisfice.errors import RunBusy
from satisfice.ports.event_store import Owner


@dataclass(frozen=True, slots=True)
class Lease:
    """The newest epoch of a run, who got it (nobody after a release) and until when on the wall clock."""

    epoch: int
    owner: Owner | None
    until_ms: int


def granted(lease: Lease | None, owner: Owner, now_ms: int, ttl_ms: int, *, run: RunId, adapter: str) -> Lease:
    """The lease after `owner` asked for the run.

    Renewing keeps the epoch, so that appends under way stay valid; every other grant raises it. Raises `RunBusy`.
    """
    until_ms = now_ms + ttl_ms
    if lease is None:
        return Lease(1, owner, until_ms)
    if lease.owner == owner:
        return replace(lease, until_ms=until_ms)
    if lease.owner is None or now_ms >= lease.until_ms or has_ended(lease.owner):
        return Lease(lease.epoch + 1, owner, until_ms)
    raise RunBusy(
        adapter,
        f"run {run!r} is driven by process {lease.owner.pid} on {lease.owner.host!r}, whose lease ends in "
        f"{lease.until_ms - now_ms} ms; wait, or stop that process",
        retryable=True,
        retry_after_ms=lease.until_ms - now_ms,
    )
