"""What to do next: a pure function of the state. Same state, same order."""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.core.admit import admit, fits
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.choosing import Option, open_weights, options
from satisfice.core.closing import close
from satisfice.core.facts import Driver
from satisfice.core.ids import MAIN, ClaimId, SourceId
from satisfice.core.orders import (
    Await,
    Cancel,
    CloseBranch,
    Denied,
    Effect,
    LookUp,
    Order,
    Pause,
    Proposal,
    ReadCache,
    Refusal,
    RefusalKind,
    Refuse,
    Rerank,
    Search,
    SearchProposal,
    Step,
    Stop,
    StopReason,
    Think,
    Upgrade,
)
from satisfice.core.state import Branch, RunState
from satisfice.core.stopping import exhausted, interrupt

_PAUSES = frozenset({StopReason.USER_CLARIFICATION_REQUIRED, StopReason.ESCALATED})


@dataclass(frozen=True, slots=True)
class _Blocked:
    """The best action of a branch that only a limit barred."""

    denied: Denied
    value: float


def decide(state: RunState) -> Order:
    """The next order of a run that has not stopped.

    While a round is sealed only `Await`, `Cancel` or `Stop` are possible. Before that, orders are gathered: one order a
    call, branches polled in opening order, until there is nothing to add.

    Raises
    ------
    ValueError
        The run has stopped: nothing follows `RunStopped`.
    """
    if state.stopped is not None:
        raise ValueError("the run has stopped; nothing can follow")
    out = state.round.out()
    if state.paused is not None:
        return Await(state.soft_deadline_ms())
    if state.stop is not None:
        return (
            Await(state.deadline_ms())
            if out and not _late(state)
            else _cancel(state) or close(state, state.stop.reason)
        )
    stop = interrupt(state)
    if stop is not None:
        return _cancel(state) or _stop(state, stop)
    if state.round.sealed:
        return Await(state.soft_deadline_ms())
    return _gather(state)


def _late(state: RunState) -> bool:
    """Whether even the answer has no time left."""
    return state.now_ms >= state.deadline_ms() or state.cancelled


def _cancel(state: RunState) -> Cancel | None:
    out = state.round.out()
    return Cancel(tuple(flight.number for flight in out)) if out else None


def _stop(state: RunState, stop: Stop) -> Order:
    """The stop itself, or the recorded upgrade or pause that stands before it."""
    if state.narrowed and _slice_is_why(state, stop):
        last = tuple(state.open_branches())[-1]
        return Upgrade(MAIN, stop.reason) if last.id == MAIN else CloseBranch(last.id)
    if stop.reason in _PAUSES and state.started.attended and not state.person:
        return Pause(stop.reason, stop.detail)
    return stop


def _slice_is_why(state: RunState, stop: Stop) -> bool:
    """Whether the task class allows what the narrower slice does not: time for a deadline, more room for the rest."""
    limits = state.accounts.accounts[ROOT].limits
    if stop.reason is StopReason.DEADLINE_EXCEEDED:
        return limits[Dimension.WALL_CLOCK_MS] > state.deadline_ms() and not state.cancelled
    return stop.denied is not None and stop.denied.account != ROOT


# --- gathering a round ---------------------------------------------------------------------------------------------


def _gather(state: RunState) -> Order:
    if "overrun" in state.flags:
        return _cancel(state) or Stop(StopReason.BUDGET_EXHAUSTED, "a provider went past the cap it was sent")
    if state.quota is not None:
        # Settling what is in flight may leave more; until then what was denied stays barred.
        return Await(state.soft_deadline_ms()) if state.round.flights else exhausted(state, state.quota)
    if state.unreserved is not None:
        return exhausted(state, state.unreserved)
    blocked: list[_Blocked] = []
    for branch in state.open_branches():
        order = _next(state, branch)
        if isinstance(order, _Blocked):
            blocked.append(order)
        elif order is not None:
            return order
    if state.round.flights:
        return Await(state.soft_deadline_ms())
    if state.started.driver is Driver.HOST:
        return Await(state.soft_deadline_ms())
    best = max(blocked, key=lambda b: b.value) if blocked else None
    return _stop(state, exhausted(state, best.denied if best else None))


def _next(state: RunState, branch: Branch) -> Order | _Blocked | None:
    """What this branch would start now; None when it has nothing to add to the round."""
    flights = state.round.of(branch.id)
    if len(state.round.flights) >= state.started.policy.max_in_flight:
        return None
    thinking = any(isinstance(flight.order, Think) for flight in flights)
    if thinking:
        return None
    order = _wanted(state, branch, idle=not flights)
    if branch.id == MAIN or not (order is None or isinstance(order, _Blocked)):
        return order
    # At its cap, or with nothing left to do, a branch gives back what it has; its parent may have room for more.
    return None if flights or _parent_of_open(state, branch) else CloseBranch(branch.id)


def _wanted(state: RunState, branch: Branch, *, idle: bool) -> Order | _Blocked | None:
    """The first thing there is to do on this branch. Thoughts wait until nothing of it is in flight."""
    reasoner = state.started.reasoner
    if branch.standin and idle:
        return _think(state, branch, branch.standin, "extractive")
    again = _retry(state, branch)
    if again is not None and not isinstance(again, _Blocked):
        return again
    if branch.id == MAIN and state.classification is None and state.started.driver is Driver.ENGINE:
        return _think(state, branch, (Step.CLASSIFY, Step.PLAN, Step.DRAFT), reasoner)
    if branch.unjudged and idle:
        return _think(state, branch, (Step.JUDGE, Step.PROPOSE), reasoner)
    order = _best_action(state, branch)
    if order is None and idle and branch.unproposed and _worth_asking(state, branch):
        return _think(state, branch, (Step.PROPOSE,), reasoner)
    # What was tried before is worth more than anything new; barred by a limit, it bars nothing else.
    return again if again is not None and (order is None or isinstance(order, _Blocked)) else order


def _think(state: RunState, branch: Branch, steps: tuple[Step, ...], by: str) -> Think | _Blocked:
    route = state.route(by)
    order = Think(steps, by, branch.id, branch.account, state.thought_ceiling(by))
    denied = fits(state, order.ceiling, order.account, route.min_ms if route else 0)
    return _Blocked(denied, float("inf")) if denied else order


def _worth_asking(state: RunState, branch: Branch) -> bool:
    """Whether another wording could still find something, and could be paid for by what the task class has left."""
    policy = state.started.policy
    tired = branch.progress.fired(policy) or branch.progress.dry > policy.max_empty_results
    if state.started.driver is not Driver.ENGINE or tired or not open_weights(state, branch):
        return False
    if not any(source.readable != 0 and not source.forbidden and source.answered for source in state.sources.values()):
        return False
    left = state.accounts.left(ROOT if state.narrowed else branch.account)
    return left[Dimension.STEPS] > 1 and left[Dimension.QUERIES] > 0 and left[Dimension.UNIQUE_QUERIES] > 0


def _retry(state: RunState, branch: Branch) -> Order | _Blocked | None:
    """The first attempt that waits to be repeated and fits; else what bars the first."""
    barred: Denied | None = None
    for order in branch.retries:
        denied = fits(state, order.ceiling, order.account, max(0, order.not_before_ms - state.now_ms))
        if denied is None:
            return order
        barred = barred or denied
    return _Blocked(barred, float("inf")) if barred else None


def _best_action(state: RunState, branch: Branch) -> Order | _Blocked | None:
    busy = {getattr(flight.order, "proposal", None) for flight in state.round.of(branch.id)}
    working = [(_claim_of(flight.order), _looks_at(flight.order)) for flight in state.round.of(branch.id)]
    blocked: _Blocked | None = None
    for option in options(state, branch):
        if option.proposal.id in busy or _is_worked_on(option, working):
            continue
        granted = admit(state, option.proposal, branch)
        if not isinstance(granted, Refusal):
            return granted
        if granted.kind is not RefusalKind.BUDGET or granted.denied is None:
            return Refuse(option.proposal, granted, branch.id)
        if blocked is None:
            blocked = _Blocked(granted.denied, option.value)
    return blocked


def _is_worked_on(option: Option, working: Sequence[tuple[ClaimId | None, SourceId | None]]) -> bool:
    """One action a claim and round, but for the first look: that goes to every source at the same time."""
    look = _looks_at(option.proposal)
    return any(
        claim == option.claim and (look is None or source is None or source == look) for claim, source in working
    )


def _claim_of(order: Effect) -> ClaimId | None:
    match order:
        case Search() | ReadCache():
            return order.lineage.claim
        case LookUp():
            return order.claim
        case Think() | Rerank():
            return None


def _looks_at(action: Effect | Proposal) -> SourceId | None:
    """The source, for a search with the words of the question; None for every other action."""
    if isinstance(action, Search | SearchProposal) and action.lineage.depth == 0:
        return action.query.source
    return None


def _parent_of_open(state: RunState, branch: Branch) -> bool:
    return any(other.open and other.parent == branch.id for other in state.branches.values())
