"""What the caller gets: derived from the state, whole whatever the reason for stopping."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from satisfice.core.access import Principal, Use, may_read, may_use
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.conflicts import Conflict
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.facts import Classification
from satisfice.core.ids import BranchId, ClaimId, PassageId, RunId
from satisfice.core.orders import Answer, Denied, Refusal, StopReason
from satisfice.core.passages import Passage, Span, quote
from satisfice.core.queries import ReasonCode
from satisfice.core.state import Denial, QueryStatus, RunState, Sent
from satisfice.core.sufficiency import Gap, Status


class Outcome(StrEnum):
    """What a run came to, in the caller's words."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    REFUSED = "refused"
    CLARIFY = "clarify"
    ESCALATED = "escalated"
    CANCELLED = "cancelled"
    FAILED = "failed"


_OUTCOMES: Mapping[StopReason, Outcome] = {
    StopReason.SUFFICIENT: Outcome.ANSWERED,
    StopReason.NOT_NEEDED: Outcome.ANSWERED,
    StopReason.USER_CLARIFICATION_REQUIRED: Outcome.CLARIFY,
    StopReason.ESCALATED: Outcome.ESCALATED,
    StopReason.CANCELLED: Outcome.CANCELLED,
    StopReason.FAILED: Outcome.FAILED,
}


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered place in a document. The number stands for this very span, however citations are sorted."""

    number: int
    span: Span
    quote: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of the answer with the numbers of its citations; none means uncited."""

    text: str
    citations: tuple[int, ...]
    claims: tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class ClaimReport:
    """A claim, what became of it, and what stands for and against it."""

    claim: Claim
    status: Status
    support: float
    evidence: tuple[Evidence, ...]
    contradictions: tuple[Evidence, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one dimension came to. What is only held is not in it."""

    dimension: Dimension
    spent: int
    limit: int


@dataclass(frozen=True, slots=True)
class QueryTried:
    """A query that was sent, and what it brought."""

    text: str
    source: str
    reason: ReasonCode
    status: QueryStatus
    returned: int
    new: int
    attempts: int
    passages: tuple[PassageId, ...] = ()
    """Those this reader may read, held before or not: every query that brought a passage is one of its origins."""


@dataclass(frozen=True, slots=True)
class BranchSpend:
    """What a branch spent of its slice."""

    branch: BranchId
    goal: str
    spent: Mapping[Dimension, int]


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run's whole result. `answer` is None when there is none; `stop` is None while the run is open."""

    run: RunId
    question: str
    answer: str | None
    sentences: tuple[CitedSentence, ...]
    citations: tuple[Citation, ...]
    claims: tuple[ClaimReport, ...]
    gaps: tuple[Gap, ...]
    conflicts: tuple[Conflict, ...]
    evidence: tuple[Evidence, ...]
    passages: Mapping[PassageId, Passage]
    """Every passage held that this caller may read."""
    spent: tuple[Spent, ...]
    branches: tuple[BranchSpend, ...]
    stop: StopReason | None
    detail: str
    denied: Denied | None
    also: tuple[StopReason, ...]
    outcome: str
    flags: tuple[str, ...]
    notes: tuple[str, ...]
    dropped: tuple[str, ...]
    """What the check took out of the answer."""
    queries: tuple[QueryTried, ...]
    denials: tuple[Denial, ...]
    classification: Classification | None
    duration_ms: int


def report(state: RunState, reader: Principal | None = None) -> RunReport:
    """The report of a run as it stands, for its own caller or for another reader.

    Access is checked once more: what the reader may not read is not in it, and neither is a sentence that quotes it.
    Where something is hidden, so is everything that was written in view of it (see `_guarded`).
    """
    reader = reader or state.started.principal
    passages = {p.id: p for p in state.ledger.passages.values() if may_read(reader, p.provenance.permission)}
    answer = state.answer
    citations, sentences, hidden = _cited(answer, passages, reader)
    evidence = tuple(item for item in state.ledger.all_evidence() if item.span.passage_id in passages)
    stop = state.stop
    reason = state.stopped or (stop.reason if stop else None)
    found = RunReport(
        run=state.started.run,
        question=state.started.question,
        answer=" ".join(s.text for s in sentences) or None,
        sentences=sentences,
        citations=citations,
        claims=tuple(_claim(state, claim, evidence) for claim in state.ledger.claims.values()),
        gaps=state.verdict.gaps,
        conflicts=state.verdict.conflicts,
        evidence=evidence,
        passages=passages,
        spent=_spent(state),
        branches=tuple(
            BranchSpend(branch.id, branch.goal, state.accounts.spent(branch.account))
            for branch in state.branches.values()
            if branch.account != ROOT
        ),
        stop=reason,
        detail=stop.detail if stop else "",
        denied=stop.denied if stop else None,
        also=stop.also if stop else (),
        outcome=_outcome(state, reason, sentences),
        flags=state.flags,
        notes=state.notes,
        dropped=(*(answer.dropped if answer else ()), *hidden),
        queries=tuple(_tried(sent, passages) for sent in state.sent.values()),
        denials=state.denials,
        classification=state.classification,
        duration_ms=state.now_ms,
    )
    return found if len(passages) == len(state.ledger.passages) else _guarded(found)


def _guarded(found: RunReport) -> RunReport:
    """For one who may not read all that was held: names, values and rewritten queries may come from what is hidden."""

    def plain(gaps: tuple[Gap, ...]) -> tuple[Gap, ...]:
        return tuple(replace(gap, detail="") for gap in gaps)

    def readable(side: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        return tuple(item for item in side if item.span.passage_id in found.passages)

    sentences = tuple(sentence for sentence in found.sentences if sentence.citations)
    return replace(
        found,
        sentences=sentences,
        answer=" ".join(sentence.text for sentence in sentences) or None,
        claims=tuple(replace(claim, gaps=plain(claim.gaps)) for claim in found.claims),
        gaps=plain(found.gaps),
        conflicts=tuple(replace(c, sides=tuple(map(readable, c.sides)), why="") for c in found.conflicts),
        queries=tuple(q if q.reason is ReasonCode.FIRST_LOOK else replace(q, text="") for q in found.queries),
        denials=tuple(replace(d, proposal=None, refusal=Refusal(d.refusal.kind)) for d in found.denials),
        notes=(),
    )


def _cited(
    answer: Answer | None, passages: Mapping[PassageId, Passage], reader: Principal
) -> tuple[tuple[Citation, ...], tuple[CitedSentence, ...], tuple[str, ...]]:
    """Number the spans in the order the answer names them; a sentence with a span the reader may not quote is hidden."""
    citations: dict[Span, Citation] = {}
    sentences: list[CitedSentence] = []
    hidden: list[str] = []
    for sentence in answer.sentences if answer else ():
        held = [passages.get(span.passage_id) for span in sentence.citations]
        if any(p is None or not may_use(reader, p.provenance.permission, Use.QUOTE) for p in held):
            hidden.append("a sentence quotes what this reader may not read")
            continue
        for span in sentence.citations:
            if span not in citations:
                passage = passages[span.passage_id]
                citations[span] = Citation(len(citations) + 1, span, quote(passage, span), passage)
        numbers = dict.fromkeys(citations[span].number for span in sentence.citations)
        sentences.append(CitedSentence(sentence.text, tuple(numbers), sentence.claims))
    return tuple(citations.values()), tuple(sentences), tuple(hidden)


def _claim(state: RunState, claim: Claim, evidence: tuple[Evidence, ...]) -> ClaimReport:
    mine = [item for item in evidence if item.claim_id == claim.id]
    mine.sort(key=lambda item: (-item.score, item.span.passage_id, item.span.start))
    judged = state.ledger.judgements.get(claim.id)
    return ClaimReport(
        claim,
        state.verdict.status_of(claim.id),
        judged.support if judged else 0.0,
        tuple(item for item in mine if item.stance is not Stance.CONTRADICTS),
        tuple(item for item in mine if item.stance is Stance.CONTRADICTS),
        tuple(gap for gap in state.verdict.gaps if gap.claim_id == claim.id),
    )


def _tried(sent: Sent, readable: Mapping[PassageId, Passage]) -> QueryTried:
    brought = tuple(p for p in sent.passages if p in readable)
    text, source, returned = sent.query.text, sent.query.source, len(sent.passages)
    return QueryTried(text, source, sent.lineage.reason, sent.status, returned, sent.new, sent.attempts, brought)


def _spent(state: RunState) -> tuple[Spent, ...]:
    spent = state.accounts.spent(ROOT)
    limits = state.accounts.accounts[ROOT].limits
    clock = {Dimension.WALL_CLOCK_MS: state.now_ms}
    return tuple(Spent(d, {**spent, **clock}.get(d, 0), limits[d]) for d in Dimension if d in limits)


def _outcome(state: RunState, reason: StopReason | None, sentences: tuple[CitedSentence, ...]) -> str:
    """The task class's own word for the reason, else the default: partial when something was answered, else refused."""
    if reason is None:
        return "open"
    named = dict(state.started.task.outcomes).get(reason)
    if named:
        return named
    if not sentences and _OUTCOMES.get(reason) is Outcome.ANSWERED:
        return Outcome.REFUSED
    return _OUTCOMES.get(reason, Outcome.PARTIAL if sentences else Outcome.REFUSED)
