"""What a fact changes. Folding a log gives the state; nothing else may change one."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from satisfice.core.amounts import Charge
from satisfice.core.budget import ROOT, open_root, slice_of
from satisfice.core.changing import changed
from satisfice.core.choosing import open_weights, target_of, tried_key
from satisfice.core.closing import tried_as
from satisfice.core.facts import (
    Abandoned,
    BranchClosed,
    BranchOpened,
    CancelRequested,
    DeadlinePassed,
    DeniedBy,
    Driver,
    Envelope,
    Failed,
    Finished,
    OrderDenied,
    Outcome,
    PersonAnswered,
    PersonVerdict,
    Proposed,
    RouteUpgraded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    Started,
    StopDecided,
    kind,
)
from satisfice.core.ids import MAIN, PassageId
from satisfice.core.orders import (
    BranchProposal,
    Denied,
    Effect,
    LookUp,
    ReadCache,
    RefusalKind,
    Rerank,
    Search,
    Think,
)
from satisfice.core.outcomes import apply, hold_key, round_ended
from satisfice.core.planning import claims_for, reviewed, with_claims, with_first_looks
from satisfice.core.rounds import Flight, Round
from satisfice.core.state import RESERVE, Branch, Denial, QueryStatus, RunState, Sent, SourceState, one_step
from satisfice.errors import IllegalFact


def fold(envelopes: Iterable[Envelope]) -> RunState:
    """The state after a whole log.

    Raises
    ------
    IllegalFact
        The log is empty, does not start with `RunStarted`, has a gap, or holds a fact that cannot stand where it is.
    """
    state: RunState | None = None
    for envelope in envelopes:
        state = begin(envelope) if state is None else evolve(state, envelope)
    if state is None:
        raise IllegalFact(1, "nothing", "a log starts with RunStarted")
    return state


def begin(envelope: Envelope) -> RunState:
    """The state after the first fact."""
    fact = envelope.fact
    if not isinstance(fact, RunStarted) or envelope.seq != 1:
        raise IllegalFact(envelope.seq, kind(fact), "a log starts with RunStarted as fact 1")
    state = RunState(
        started=fact,
        accounts=open_root(fact.task.limits()),
        epoch=envelope.epoch,
        now_ms=envelope.at_ms,
        branches={MAIN: Branch(MAIN, ROOT)},
        sources={profile.id: SourceState(profile) for profile in fact.sources},
        notes=fact.notices,
    )
    state = _reserve(state)
    claims = fact.task.claims
    if not claims and fact.driver is Driver.HOST:
        claims = claims_for(state, ())
    return with_claims(state, claims)


def evolve(state: RunState, envelope: Envelope) -> RunState:
    """The state after one more fact.

    Raises
    ------
    IllegalFact
        The fact cannot stand here: nothing follows `RunStopped`, outcomes need their intent, holds must fit.
    """
    fact = envelope.fact
    if state.stopped is not None:
        raise IllegalFact(envelope.seq, kind(fact), "nothing follows RunStopped")
    if envelope.seq != state.seq + 1:
        raise IllegalFact(envelope.seq, kind(fact), f"fact {state.seq + 1} is missing")
    if envelope.epoch < state.epoch:
        raise IllegalFact(envelope.seq, kind(fact), f"epoch {envelope.epoch} was fenced off by {state.epoch}")
    state = changed(state, seq=envelope.seq, epoch=envelope.epoch, now_ms=max(state.now_ms, envelope.at_ms))
    if isinstance(fact, Started):
        return _started(state, envelope, fact)
    if isinstance(fact, Finished | Failed | Abandoned):
        return _arrived(state, envelope, fact)
    return _plain(state, envelope, fact)


Plain = (
    RunStarted | RunResumed | Proposed | OrderDenied | BranchOpened | BranchClosed | RouteUpgraded
    | CancelRequested | DeadlinePassed | StopDecided | RunPaused | PersonAnswered | RunStopped
)  # fmt: skip
"""Facts that are no intent and no outcome. A new kind of fact has no place until it is named here or there."""


def _plain(state: RunState, envelope: Envelope, fact: Plain) -> RunState:
    match fact:
        case RunResumed():
            return _resumed(state)
        case Proposed():
            branch = state.branches[envelope.branch]
            return state.with_branch(changed(branch, pending=(*branch.pending, fact.proposal)))
        case OrderDenied():
            return _denied(state, envelope, fact)
        case BranchOpened():
            return _opened(state, envelope, fact)
        case BranchClosed():
            return _closed(state, envelope)
        case RouteUpgraded():
            return _upgraded(state, envelope)
        case CancelRequested():
            return changed(state, cancelled=True)
        case DeadlinePassed():
            return changed(state, deadline_passed=True)
        case StopDecided():
            return _stop_decided(state, envelope, fact)
        case RunPaused():
            return _paused(state, fact)
        case PersonAnswered():
            return _answered(state, envelope, fact)
        case RunStopped():
            if state.stop is None:
                raise IllegalFact(envelope.seq, kind(fact), "StopDecided comes before it")
            return changed(state, stopped=fact.reason, answer=fact.answer, flags=fact.flags)
        case RunStarted():
            raise IllegalFact(envelope.seq, kind(fact), "a run starts once")
        case _:
            assert_never(fact)


# --- orders and their outcomes -------------------------------------------------------------------------------------


def _started(state: RunState, envelope: Envelope, fact: Started) -> RunState:
    order, number = fact.order, envelope.order
    if number != state.orders + 1:
        raise IllegalFact(envelope.seq, kind(fact), f"order {number} is not {state.orders + 1}")
    if state.round.sealed or (state.stop is not None and not isinstance(order, Think)):
        raise IllegalFact(envelope.seq, kind(fact), "the round is sealed, or the run is closing")
    held = state.accounts.hold(order.account, hold_key(number), order.ceiling)
    if isinstance(held, Denied):
        raise IllegalFact(envelope.seq, kind(fact), f"its ceiling does not fit: {held}")
    state = changed(state, accounts=held, orders=number, round=state.round.started(Flight(number, order.branch, order)))
    if isinstance(order, Think):
        return _thinking(state, order)
    if isinstance(order, Search):
        state = _sent(state, number, order)
    return _taken(state, order)


def _thinking(state: RunState, order: Think) -> RunState:
    branch = state.branches[order.branch]
    branch = _without_retry(branch, order)
    if order.by == "extractive":
        branch = changed(branch, standin=())
    if state.stop is not None:
        state = changed(state, write_tried=(*state.write_tried, tried_as(order)))
    return state.with_branch(branch)


def _without_retry(branch: Branch, order: Effect) -> Branch:
    if order not in branch.retries:
        return branch
    at = branch.retries.index(order)
    return changed(branch, retries=(*branch.retries[:at], *branch.retries[at + 1 :]))


def _taken(state: RunState, order: Search | LookUp | Rerank | ReadCache) -> RunState:
    """An action runs now: it leaves the branch's list and is counted for its claim."""
    branch = state.branches[order.branch]
    if order.attempt > 1:
        return state.with_branch(_without_retry(branch, order))
    wanted = order.proposal if isinstance(order, Search | LookUp) else None
    chosen = next((p for p in branch.pending if p.id == wanted), None)
    if chosen is None:
        return state
    key = tried_key(chosen)
    tried = {**branch.tried, key: branch.tried.get(key, 0) + 1}
    pending = tuple(p for p in branch.pending if p.id != chosen.id)
    return state.with_branch(changed(branch, pending=pending, tried=tried))


def _sent(state: RunState, number: int, order: Search) -> RunState:
    sent = dict(state.sent)
    first = state.number_of(order.query)
    if first is None:
        sent[number] = Sent(order.query, order.query.identity(), order.lineage)
    else:
        earlier = sent[first]
        sent[first] = replace(earlier, status=QueryStatus.RUNNING, attempts=earlier.attempts + 1)
    return changed(state, sent=sent)


def _arrived(state: RunState, envelope: Envelope, fact: Outcome) -> RunState:
    flight = state.round.flights.get(envelope.order)
    if flight is None or flight.outcome is not None:
        raise IllegalFact(envelope.seq, kind(fact), f"order {envelope.order} is not in flight")
    if not kind(fact).startswith(_outcome_stem(flight)):
        raise IllegalFact(envelope.seq, kind(fact), f"order {envelope.order} is a {type(flight.order).__name__}")
    state = changed(state, round=state.round.arrived(envelope.order, fact))
    for ready in state.round.ready():
        state = apply(changed(state, round=state.round.landed(ready.number)), ready)
    return state if state.round.flights else round_ended(state)


def _outcome_stem(flight: Flight) -> str:
    name = type(flight.order).__name__
    return "CacheRead" if name == "ReadCache" else name


# --- what was refused, opened, closed ------------------------------------------------------------------------------


def _denied(state: RunState, envelope: Envelope, fact: OrderDenied) -> RunState:
    """A refusal costs a step while there is one; a repeat counts as a round without progress."""
    branch = state.branches[envelope.branch]
    refusal, proposal = fact.refusal, fact.proposal
    paid = one_step(state.accounts, branch.account, envelope.seq)
    if not isinstance(paid, Denied):
        state = changed(state, accounts=paid)
    if proposal is not None:
        branch = changed(branch, pending=tuple(p for p in branch.pending if p.id != proposal.id))
    if refusal.kind is RefusalKind.DUPLICATE:
        branch = changed(branch, progress=branch.progress.repeated(), unproposed=True)
    if fact.by is DeniedBy.QUOTA:
        state = changed(state, quota=refusal.denied)
    if isinstance(fact.order, Think) and state.stop is not None:
        state = changed(state, write_tried=(*state.write_tried, tried_as(fact.order)))
    denial = Denial(envelope.seq, branch.id, refusal, proposal)
    return changed(state.with_branch(branch), denials=(*state.denials, denial))


def _opened(state: RunState, envelope: Envelope, fact: BranchOpened) -> RunState:
    order = fact.order
    parent = state.branches[order.branch]
    paid = one_step(state.accounts, parent.account, envelope.seq)
    sliced = (
        paid
        if isinstance(paid, Denied)
        else paid.slice(parent.account, order.account, slice_of(order.slice.amounts), branch=True)
    )
    if isinstance(sliced, Denied):
        raise IllegalFact(envelope.seq, kind(fact), f"its slice does not fit: {sliced}")
    mine = tuple(p for p in parent.pending if target_of(p) in order.claims and not isinstance(p, BranchProposal))
    taken = {p.id for p in mine} | {order.proposal}
    parent = changed(
        parent,
        claims=tuple(c for c in parent.claims if c not in order.claims),
        pending=tuple(p for p in parent.pending if p.id not in taken),
    )
    child = Branch(order.opened, order.account, parent.id, order.claims, order.goal, pending=mine, judged=parent.judged)
    child = with_first_looks(state, child)
    return changed(state, accounts=sliced).with_branch(parent).with_branch(child)


def _closed(state: RunState, envelope: Envelope) -> RunState:
    """What the branch left undone goes back to its parent, which may have more left to do it with."""
    branch = state.branches[envelope.branch]
    if branch.parent is None or state.round.of(branch.id):
        raise IllegalFact(envelope.seq, "BranchClosed", "the main line stays open, and so does a branch in flight")
    state = changed(state, accounts=state.accounts.close(branch.account))
    parent = state.branches[branch.parent]
    parent = changed(
        parent,
        claims=(*parent.claims, *branch.claims),
        pending=(*parent.pending, *branch.pending),
        unjudged=tuple(dict.fromkeys((*parent.unjudged, *_left_to_judge(state, branch)))),
        unproposed=parent.unproposed or branch.unproposed,
        retries=(*parent.retries, *(replace(o, account=parent.account, branch=parent.id) for o in branch.retries)),
    )
    closed = changed(branch, open=False, pending=(), unjudged=(), retries=(), standin=())
    return state.with_branch(closed).with_branch(parent)


def _left_to_judge(state: RunState, branch: Branch) -> tuple[PassageId, ...]:
    """What waits, and for claims that are still open whatever other branches found: it was judged against theirs only."""
    if not open_weights(state, branch):
        return branch.unjudged
    return tuple(p for p in state.ledger.passages if p not in branch.judged)


def _upgraded(state: RunState, envelope: Envelope) -> RunState:
    """The narrower slice goes back; the main line draws on the task class's own account again."""
    accounts = state.accounts.close(state.main.account)
    paid = one_step(accounts, ROOT, envelope.seq)
    accounts = accounts if isinstance(paid, Denied) else paid
    retries = tuple(replace(order, account=ROOT) for order in state.main.retries)
    main = changed(state.main, account=ROOT, retries=retries)
    return changed(state, accounts=accounts, narrowed=False, deadline_passed=False).with_branch(main)


# --- legs, people and the end --------------------------------------------------------------------------------------


def _resumed(state: RunState) -> RunState:
    """A new leg: orders in flight are written off by the facts that follow; a pause keeps its reserve released."""
    state = changed(state, round=state.round.seal())
    if RESERVE not in state.accounts.holds and state.stop is None and state.unreserved is None:
        state = _reserve(state)
    return state


def _reserve(state: RunState) -> RunState:
    """Hold what answering takes: two steps, and one call of the writer's route when that is a model."""
    amounts = state.thought_ceiling(state.started.writer).amounts
    ceiling = Charge(replace(amounts, steps=state.started.policy.reserve_steps))
    held = state.accounts.hold(ROOT, RESERVE, ceiling)
    if isinstance(held, Denied):
        return changed(state, unreserved=held)
    return changed(state, accounts=held, unreserved=None)


def _stop_decided(state: RunState, envelope: Envelope, fact: StopDecided) -> RunState:
    """Searching is over: branches and slices go back to the root, and the reserve is free for the answer."""
    if state.stop is not None or state.round.out():
        raise IllegalFact(envelope.seq, kind(fact), "a run stops once, with nothing in flight")
    accounts = state.accounts
    for branch in state.branches.values():
        if branch.open and branch.account != ROOT:
            accounts = accounts.close(branch.account) if not accounts.accounts[branch.account].closed else accounts
    if RESERVE in accounts.holds:
        accounts = accounts.release(RESERVE)
    unjudged = tuple(dict.fromkeys(p for branch in state.open_branches() for p in _left_to_judge(state, branch)))
    branches = {
        b.id: changed(b, open=b.id == MAIN, pending=(), retries=(), standin=(), unjudged=())
        for b in state.branches.values()
    }
    branches[MAIN] = changed(branches[MAIN], account=ROOT, claims=tuple(state.ledger.claims), unjudged=unjudged)
    return changed(state, stop=fact, accounts=accounts, branches=branches, round=Round())


def _paused(state: RunState, fact: RunPaused) -> RunState:
    accounts = state.accounts.release(RESERVE) if RESERVE in state.accounts.holds else state.accounts
    return changed(state, paused=fact.reason, accounts=accounts)


def _answered(state: RunState, envelope: Envelope, fact: PersonAnswered) -> RunState:
    """A chosen reading re-plans as the caller's own text; a verdict on an escalation ends the run."""
    if state.paused is None:
        raise IllegalFact(envelope.seq, kind(fact), "nobody was asked")
    state = changed(state, paused=None, person=fact.verdict)
    if fact.verdict is PersonVerdict.READING and fact.text.strip():
        main = Branch(MAIN, state.main.account, unjudged=tuple(state.ledger.passages))
        state = changed(state, reading=fact.text, classification=None, ledger=state.ledger.without_claims())
        return reviewed(state.with_branch(main))
    return state
