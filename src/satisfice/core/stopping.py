"""Why a run ends: one ordered rule, evaluated on applied facts."""

from satisfice.core.amounts import Dimension
from satisfice.core.facts import PersonVerdict, RetrievalAction
from satisfice.core.ids import ClaimId
from satisfice.core.orders import Denied, RefusalKind, Stop, StopReason
from satisfice.core.state import QueryStatus, RunState
from satisfice.core.sufficiency import Gap, GapKind
from satisfice.core.tasks import Complexity

_NOTHING_QUALIFIES = frozenset({GapKind.NO_EVIDENCE, GapKind.WRONG_CLASS, GapKind.LOW_AUTHORITY, GapKind.STALE})
_VERDICTS = frozenset({PersonVerdict.APPROVE, PersonVerdict.REJECT})


def interrupt(state: RunState) -> Stop | None:
    """Rules 1 to 4: what ends a run whatever could still be done."""
    if state.failure:
        return Stop(StopReason.FAILED, state.failure)
    if state.cancelled:
        return Stop(StopReason.CANCELLED)
    if state.person in _VERDICTS:
        return Stop(StopReason.ESCALATED, state.person)
    if _not_needed(state):
        return Stop(StopReason.NOT_NEEDED, state.classification.reason if state.classification else "")
    if _contract_passes(state):
        if _wants_person(state):
            return Stop(StopReason.ESCALATED, "the contract passed; a person decides")
        return Stop(StopReason.SUFFICIENT, also=_deadline_too(state))
    if not state.deadline_ms():
        denied = Denied(Dimension.WALL_CLOCK_MS, 1, 0, state.main.account)
        return Stop(StopReason.BUDGET_EXHAUSTED, "no time is allowed at all", denied)
    if past_deadline(state):
        return Stop(StopReason.DEADLINE_EXCEEDED, f"{state.deadline_ms()} ms")
    return None


def exhausted(state: RunState, blocked: Denied | None) -> Stop:
    """Rules 5 and 6, once nothing can be started: `blocked` is what barred the best action that is worth doing."""
    if _wants_person(state):
        return Stop(StopReason.ESCALATED, "no action remains; a person decides")
    if blocked is not None:
        late = blocked.dimension is Dimension.WALL_CLOCK_MS
        reason = StopReason.DEADLINE_EXCEEDED if late else StopReason.BUDGET_EXHAUSTED
        return Stop(reason, _barred(state, blocked), blocked, _causes(state))
    causes = _causes(state)
    return Stop(causes[0], _detail(state), also=causes[1:])


def _barred(state: RunState, blocked: Denied) -> str:
    """What stood in the way: a limit, or shared limits that could not be asked."""
    last = state.denials[-1].refusal if state.denials else None
    if last is not None and last.kind is RefusalKind.QUOTA_UNAVAILABLE and last.denied == blocked:
        return last.detail
    return f"{blocked.dimension}: asked {blocked.asked}, left {blocked.left} in {blocked.account!r}"


def past_deadline(state: RunState) -> bool:
    """Whether searching time is over, by the clock or by the timer."""
    return state.deadline_passed or state.now_ms >= state.soft_deadline_ms()


def _not_needed(state: RunState) -> bool:
    found = state.classification
    return found is not None and found.action is RetrievalAction.NO_RETRIEVE and not state.sent


def _contract_passes(state: RunState) -> bool:
    return bool(state.ledger.claims) and state.classification is not None and state.verdict.sufficient


def _wants_person(state: RunState) -> bool:
    return state.started.task.complexity is Complexity.SUPERVISED and not state.person


def _deadline_too(state: RunState) -> tuple[StopReason, ...]:
    return (StopReason.DEADLINE_EXCEEDED,) if past_deadline(state) else ()


def _causes(state: RunState) -> tuple[StopReason, ...]:
    """The cause of each open must-gap, heaviest first, repeats left out; never empty."""
    causes = [_cause(state, gap) for gap in _must_gaps(state)]
    return tuple(dict.fromkeys(causes)) or (StopReason.NO_PROGRESS,)


def _must_gaps(state: RunState) -> list[Gap]:
    claims = state.ledger.claims
    gaps = [gap for gap in state.verdict.gaps if claims[gap.claim_id].requirement.must]
    gaps.sort(key=lambda gap: -claims[gap.claim_id].weight)
    return gaps


def _cause(state: RunState, gap: Gap) -> StopReason:
    judged = state.ledger.judgements.get(gap.claim_id)
    if judged is not None and judged.ambiguous and not state.reading:
        return StopReason.USER_CLARIFICATION_REQUIRED
    if gap.kind is GapKind.CONFLICTED:
        return StopReason.CONTRADICTION_UNRESOLVED
    if gap.kind is GapKind.NOT_PERMITTED:
        return StopReason.PERMISSION_BLOCKED
    if gap.kind is GapKind.NO_EVIDENCE and _down(state, gap.claim_id):
        return StopReason.SOURCE_UNAVAILABLE
    if gap.kind in _NOTHING_QUALIFIES:
        return StopReason.NO_AUTHORITY_FOUND
    return StopReason.NO_PROGRESS


def _down(state: RunState, claim: ClaimId) -> bool:
    """Whether a source failed, for good or so far, and never answered; or failed every search for this claim."""
    failed = [sent for sent in state.sent.values() if sent.status is QueryStatus.FAILED]
    silent = {sent.query.source for sent in failed}
    if any((s.failed or s.profile.id in silent) and not s.answered for s in state.sources.values()):
        return True
    mine = [sent for sent in state.sent.values() if sent.lineage.claim == claim]
    return bool(mine) and all(sent in failed for sent in mine)


def _detail(state: RunState) -> str:
    gaps = _must_gaps(state)
    if not gaps:
        return ""
    return f"{gaps[0].kind}: {state.ledger.claims[gaps[0].claim_id].text}"
