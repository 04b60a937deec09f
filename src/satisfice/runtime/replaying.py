"""Decide again over a stored log. The same code must give the same orders; every difference is a bug."""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.core.decide import decide
from satisfice.core.evolve import begin, evolve
from satisfice.core.facts import (
    BranchClosed,
    BranchOpened,
    DeniedBy,
    Envelope,
    Failed,
    Finished,
    OrderDenied,
    RouteUpgraded,
    RunPaused,
    RunStopped,
    Started,
    StopDecided,
)
from satisfice.core.orders import (
    Await,
    Cancel,
    CloseBranch,
    Finish,
    Order,
    Pause,
    Refuse,
    Stop,
    Upgrade,
)
from satisfice.errors import Diverged, IllegalFact


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying a log found. `differences` is empty for a sound one."""

    facts: int
    decisions: int
    differences: tuple[Diverged, ...]


def verify(envelopes: Sequence[Envelope]) -> Verified:
    """Decide again before every fact that records a decision. Raises `IllegalFact` for a log that cannot be folded."""
    if not envelopes:
        raise IllegalFact(1, "nothing", "a log starts with RunStarted")
    state = begin(envelopes[0])
    decisions = 0
    differences: list[Diverged] = []
    for envelope in envelopes[1:]:
        recorded = _recorded(envelope)
        if recorded is not None:
            decisions += 1
            decided = decide(state)
            if not _same(recorded, decided):
                differences.append(Diverged(state.started.run, envelope.seq, repr(recorded)[:200], repr(decided)[:200]))
        state = evolve(state, envelope)
    return Verified(len(envelopes), decisions, tuple(differences))


def _recorded(envelope: Envelope) -> Order | None:
    """The order a fact records; None for what the world decided."""
    fact = envelope.fact
    match fact:
        case OrderDenied() if fact.by is DeniedBy.POLICY and fact.proposal is not None:
            return Refuse(fact.proposal, fact.refusal, envelope.branch)
        case OrderDenied():
            return fact.order
        case BranchOpened():
            return fact.order
        case BranchClosed():
            return CloseBranch(envelope.branch)
        case RouteUpgraded():
            return Upgrade(envelope.branch, fact.reason)
        case StopDecided():
            return Stop(fact.reason, fact.detail, fact.denied, fact.also)
        case RunPaused():
            return Pause(fact.reason, fact.question)
        case RunStopped():
            return Finish(fact.reason, fact.answer, fact.flags)
        case _ if isinstance(fact, Started):
            return fact.order
        case _ if isinstance(fact, Finished | Failed):
            return Await(0)
        case _:
            return None


def _same(recorded: Order, decided: Order) -> bool:
    """Equal orders; for an outcome it is enough that the run was waiting for one."""
    if isinstance(recorded, Await):
        return isinstance(decided, Await | Cancel)
    return recorded == decided
