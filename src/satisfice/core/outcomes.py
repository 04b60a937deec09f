"""What an outcome changes once it applies: settle what it cost, keep what it brought, note what it taught."""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.core.access import may_read
from satisfice.core.amounts import SUMS, Charge, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.changing import changed
from satisfice.core.closing import checked, sound, tried_as
from satisfice.core.facts import (
    CacheReadFinished,
    Failed,
    LookUpFinished,
    Outcome,
    RerankFinished,
    RetrievalAction,
    SearchFinished,
    ThinkFinished,
    Thought,
)
from satisfice.core.ids import AccountName
from satisfice.core.orders import Denied, Effect, LookUp, ReadCache, Rerank, Search, Step, Think
from satisfice.core.passages import Passage
from satisfice.core.planning import claims_for, left_out, proposed, reviewed, with_claims, with_first_looks
from satisfice.core.progress import progressed
from satisfice.core.rounds import Flight
from satisfice.core.routing import granted
from satisfice.core.state import Branch, QueryStatus, RunState
from satisfice.core.tasks import ROWS, Complexity


def hold_key(number: int) -> str:
    """The key under which an order's ceiling is held."""
    return f"order:{number}"


def charge_of(order: Effect, outcome: Outcome) -> Charge:
    """What an outcome cost: the whole ceiling when nobody knows what became of the order."""
    return order.ceiling if outcome.charge is None else outcome.charge


def apply(state: RunState, flight: Flight) -> RunState:
    """The state once a flight's outcome applies."""
    state = _settled(state, flight)
    order, outcome = flight.order, flight.outcome
    match outcome:
        case ThinkFinished() if isinstance(order, Think):
            return _thought(state, flight.number, order, outcome)
        case SearchFinished() if isinstance(order, Search):
            return _found(state, order, outcome)
        case LookUpFinished() | CacheReadFinished():
            state, _ = _kept(state, outcome.passages)
            return _returned(state, order.branch, outcome.passages)
        case RerankFinished():
            return _reranked(state, order.branch, outcome)
        case None:
            raise AssertionError("a flight applies with its outcome")
        case _ if isinstance(outcome, Failed):
            return _failed(state, order, outcome)
        case _:
            return _abandoned(state, order)


def round_ended(state: RunState) -> RunState:
    """Called when every order of a round was applied: what returned only passages already held brought no progress."""
    for branch in state.open_branches():
        if branch.returned and not branch.unjudged:
            progress = branch.progress.after_round(progressed=False)
            state = state.with_branch(changed(branch, returned=False, progress=progress))
    return state


def _settled(state: RunState, flight: Flight) -> RunState:
    """Real charges for an outcome that has one; the whole ceiling when nobody knows what became of the order."""
    outcome = flight.outcome
    charge = charge_of(flight.order, outcome) if outcome is not None else flight.order.ceiling
    accounts = state.accounts.settle(hold_key(flight.number), charge)
    flags = state.flags
    if accounts.accounts[ROOT].overrun and "overrun" not in flags:
        flags = (*flags, "overrun")
    return changed(state, accounts=accounts, flags=flags, quota=None)


# --- passages ------------------------------------------------------------------------------------------------------


def _found(state: RunState, order: Search, outcome: SearchFinished) -> RunState:
    source = state.sources[order.query.source]
    # A narrower query says nothing about what the caller's whole scope holds.
    whole = order.query.filters == state.started.filters
    source = replace(source, answered=True, readable=outcome.readable if whole else source.readable)
    state = changed(state, sources={**state.sources, order.query.source: source}, notes=_noted(state, outcome.warnings))
    state, new = _kept(state, outcome.passages)
    number = state.number_of(order.query)
    if number is not None:
        sent = replace(
            state.sent[number],
            status=QueryStatus.FINISHED,
            handles=outcome.handles,
            passages=tuple(passage.id for passage in outcome.passages),
            new=len(new),
        )
        state = changed(state, sent={**state.sent, number: sent})
    return _returned(state, order.branch, outcome.passages)


def _kept(state: RunState, passages: Sequence[Passage]) -> tuple[RunState, tuple[Passage, ...]]:
    """The state with the passages that the caller may read, and which of them are new. Access is checked here again."""
    principal = state.started.principal
    new = tuple(
        passage
        for passage in {p.id: p for p in passages}.values()
        if passage.id not in state.ledger.passages and may_read(principal, passage.provenance.permission)
    )
    if not new:
        return state, ()
    before = state.ledger
    ledger = before.with_passages(new, state.started.policy.near_duplicate)
    state = changed(state, ledger=ledger)
    # What nobody judged yet changes the verdict only by showing that two voices heard before were one.
    same_voices = before.lineage.items() <= ledger.lineage.items()
    return (state if same_voices else reviewed(state)), new


def _returned(state: RunState, branch_id: str, passages: Sequence[Passage]) -> RunState:
    """Held passages wait to be judged by every branch that finds them, each against its own claims."""
    branch = _open_or_main(state, branch_id)
    found = dict.fromkeys(p.id for p in passages if p.id in state.ledger.passages and p.id not in branch.judged)
    fresh = tuple(passage for passage in found if passage not in branch.unjudged)
    progress = branch.progress.found_something() if passages else branch.progress.empty()
    return state.with_branch(
        changed(
            branch,
            unjudged=(*branch.unjudged, *fresh),
            progress=progress.after_result(fresh=bool(fresh)),
            returned=branch.returned or bool(passages),
            unproposed=branch.unproposed or not fresh,
        )
    )


def _reranked(state: RunState, branch_id: str, outcome: RerankFinished) -> RunState:
    branch = _open_or_main(state, branch_id)
    place = {passage: i for i, passage in enumerate(outcome.ranking)}
    unjudged = tuple(sorted(branch.unjudged, key=lambda p: place.get(p, len(place))))
    return state.with_branch(changed(branch, unjudged=unjudged))


def _open_or_main(state: RunState, branch_id: str) -> Branch:
    return next((b for b in state.branches.values() if b.id == branch_id), state.main)


def _noted(state: RunState, notes: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*state.notes, *notes)))


# --- thoughts ------------------------------------------------------------------------------------------------------


def _thought(state: RunState, number: int, order: Think, outcome: ThinkFinished) -> RunState:
    thought = outcome.thought
    state = changed(state, notes=_noted(state, (*thought.notes, *left_out(state, thought.proposals))))
    if Step.CLASSIFY in order.steps:
        state = _classified(state, number, thought)
    if Step.PLAN in order.steps:
        state = _planned(state, number, thought)
    if Step.JUDGE in order.steps:
        state = _judged(state, order, thought)
    if Step.PROPOSE in order.steps and state.stop is None:
        branch = changed(state.branches[order.branch], unproposed=False)
        state = state.with_branch(proposed(state, branch, number, thought.proposals))
    if Step.WRITE in order.steps and thought.answer is not None:
        state = changed(state, written=checked(state, thought.answer))
    return state


def _classified(state: RunState, number: int, thought: Thought) -> RunState:
    found = granted(state.question(), state.started.task, thought.classification)
    state = changed(state, classification=found)
    if found.action is RetrievalAction.NO_RETRIEVE:
        return changed(state, draft=thought.answer)
    order = tuple(Complexity)
    if order.index(found.complexity) < order.index(state.started.task.complexity):
        return _narrowed(state, number, found.complexity)
    return state


def _narrowed(state: RunState, number: int, complexity: Complexity) -> RunState:
    """The main line on a slice: the narrower row, and never more than is left."""
    left = state.accounts.left(state.main.account)
    row = {d: min(n, left[d]) if d in SUMS else n for d, n in ROWS[complexity].items()}
    if all(row[d] == left[d] for d in SUMS) and row[Dimension.WALL_CLOCK_MS] >= state.deadline_ms():
        return state
    name = AccountName(f"{ROOT}/{complexity}-{number}")
    sliced = state.accounts.slice(state.main.account, name, row)
    if isinstance(sliced, Denied):
        return state
    return changed(state, accounts=sliced, narrowed=True).with_branch(changed(state.main, account=name))


def _planned(state: RunState, number: int, thought: Thought) -> RunState:
    if state.classification is not None and state.classification.action is RetrievalAction.NO_RETRIEVE:
        return state
    state = with_claims(state, claims_for(state, thought.claims))
    main = proposed(state, state.main, number, thought.proposals)
    return state.with_branch(with_first_looks(state, main))


def _judged(state: RunState, order: Think, thought: Thought) -> RunState:
    """Evidence in: only what is tied to a claim and an exact span the ledger holds."""
    before = state
    branch = state.branches[order.branch]
    evidence = tuple(item for item in thought.evidence if sound(state, item))
    ledger = state.ledger.with_evidence(evidence).with_judgements(
        tuple(j for j in thought.judgements if j.claim_id in state.ledger.claims)
    )
    state = reviewed(changed(state, ledger=ledger))
    # A thought that names none of them has seen them all the same: it would only be asked again.
    judged = set(branch.unjudged).intersection(thought.judged) or set(branch.unjudged)
    unjudged = tuple(p for p in branch.unjudged if p not in judged)
    progress, tried = branch.progress, branch.tried
    if branch.returned and not unjudged:
        better = progressed(before.ledger, before.verdict, state.ledger, state.verdict)
        progress = progress.after_round(progressed=better)
        tried = dict[str, int]() if better else tried
    branch = changed(branch, unjudged=unjudged, judged=branch.judged | judged, progress=progress, tried=tried)
    return state.with_branch(changed(branch, returned=False))


# --- failures ------------------------------------------------------------------------------------------------------


def _failed(state: RunState, order: Effect, outcome: Failed) -> RunState:
    """Again while that may help and there is time; a thought that failed for good is taken over by the extractive one."""
    branch = _open_or_main(state, order.branch)
    closing = state.stop is not None
    again_ms = state.now_ms + outcome.retry_after_ms
    if (
        outcome.retryable
        and order.attempt < state.started.policy.max_attempts
        and again_ms < state.soft_deadline_ms()
        and not closing
    ):
        retry = replace(order, attempt=order.attempt + 1, not_before_ms=again_ms)
        return _status(state, order, QueryStatus.FAILED).with_branch(changed(branch, retries=(*branch.retries, retry)))
    if isinstance(order, Think):
        if order.by == "extractive":
            return changed(state, failure=outcome.why) if not closing else state
        note = f"{order.by} failed ({outcome.why}); the extractive reasoner stood in"
        state = changed(state, notes=_noted(state, (note,)))
        return state if closing else state.with_branch(changed(branch, standin=order.steps))
    return _source_failed(_status(state, order, QueryStatus.FAILED), order, outcome)


def _source_failed(state: RunState, order: Search | LookUp | Rerank | ReadCache, outcome: Failed) -> RunState:
    source_id = order.source if isinstance(order, LookUp) else order.query.source
    source = state.sources.get(source_id)
    if source is None or isinstance(order, Rerank | ReadCache):
        return state
    forbidden = bool(getattr(outcome, "forbidden", False))
    source = replace(source, failed=source.failed + (not forbidden), forbidden=source.forbidden or forbidden)
    note = f"{source_id}: {outcome.why}"
    state = changed(state, sources={**state.sources, source_id: source}, notes=_noted(state, (note,)))
    return reviewed(state) if forbidden else state


def _status(state: RunState, order: Effect, status: QueryStatus) -> RunState:
    number = state.number_of(order.query) if isinstance(order, Search) else None
    if number is None:
        return state
    return changed(state, sent={**state.sent, number: replace(state.sent[number], status=status)})


def _abandoned(state: RunState, order: Effect) -> RunState:
    """Nobody knows what became of it. If the run goes on, doing it again is an attempt and not a repeat."""
    if isinstance(order, Think):
        if order.by == "extractive":
            return changed(state, write_tried=tuple(r for r in state.write_tried if r != tried_as(order)))
        return state
    branch = _open_or_main(state, order.branch)
    state = _status(state, order, QueryStatus.ABANDONED)
    if order.attempt >= state.started.policy.max_attempts or state.stop is not None:
        return state
    retry = replace(order, attempt=order.attempt + 1, not_before_ms=0)
    return state.with_branch(changed(branch, retries=(*branch.retries, retry)))
