"""Closing a run: one write from the reserve, every citation checked, and a finish that adds nothing of its own."""

from satisfice.core.access import Use, may_use
from satisfice.core.admit import fits_closing
from satisfice.core.amounts import Amounts, Charge
from satisfice.core.budget import ROOT
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import MAIN, ClaimId
from satisfice.core.orders import Answer, Finish, Sentence, Step, StopReason, Think
from satisfice.core.passages import Span, Trust, quote, quote_hash
from satisfice.core.state import RunState

_WRITES_NONE = frozenset({StopReason.CANCELLED, StopReason.FAILED})
QUOTES_PER_CLAIM = 2
JUDGING = "judging"


def close(state: RunState, reason: StopReason) -> Think | Finish:
    """Write once by the planned route, else extractively, else without a thought at all; then finish.

    What nobody has judged yet is judged first, extractively: a model that writes does not judge. CANCELLED and FAILED write none. A draft that made retrieval unnecessary is the answer. Nobody is asked to write
    about nothing, nor after a cancellation.
    """
    if reason in _WRITES_NONE:
        return Finish(reason, None, state.flags)
    if reason is StopReason.NOT_NEEDED:
        return Finish(reason, state.draft, state.flags)
    if state.written is None and not state.cancelled and _material(state):
        order = _judge(state)
        if order is not None:
            return order
        for route in dict.fromkeys((state.started.writer, "extractive")):
            if route not in state.write_tried:
                order = _write(state, route)
                if order is not None:
                    return order
    return _finish(state, reason)


def _material(state: RunState) -> bool:
    """Whether there is anything to write about: evidence, or passages nobody has judged yet."""
    return bool(state.main.unjudged) or any(state.ledger.evidence.values())


def tried_as(order: Think) -> str:
    """Under which name a closing thought counts as tried: judging, or the route that was asked to write."""
    return order.by if Step.WRITE in order.steps else JUDGING


def _judge(state: RunState) -> Think | None:
    """Judging before a model writes, when there is something to judge; an extractive writer judges as it writes."""
    ceiling = Charge(Amounts(steps=1))
    if not state.main.unjudged or state.route(state.started.writer) is None or JUDGING in state.write_tried:
        return None
    return Think((Step.JUDGE,), "extractive", MAIN, ROOT, ceiling) if fits_closing(state, ceiling, 0) else None


def _write(state: RunState, by: str) -> Think | None:
    """The closing thought, when it fits what the reserve and the rest have left."""
    route = state.route(by)
    if route is None and by != "extractive":
        return None
    ceiling = state.thought_ceiling(by)
    if not fits_closing(state, ceiling, route.min_ms if route else 0):
        return None
    steps = (Step.WRITE, Step.CHECK)
    if state.main.unjudged and route is None:
        steps = (Step.JUDGE, *steps)
    return Think(steps, by, MAIN, ROOT, ceiling)


def _finish(state: RunState, reason: StopReason) -> Finish:
    answer = state.written if state.written is not None else quotes(state)
    if not answer.sentences:
        answer = None
    flags = state.flags
    if reason is StopReason.SUFFICIENT and not _cites_all(state, answer):
        reason = StopReason.NO_PROGRESS
        flags = (*flags, "not_cited")
    return Finish(reason, answer, tuple(dict.fromkeys(flags)))


def _cites_all(state: RunState, answer: Answer | None) -> bool:
    """Whether every must-claim that asks for a citation has a cited sentence."""
    cited: set[ClaimId] = set()
    for sentence in answer.sentences if answer else ():
        if sentence.citations:
            cited.update(sentence.claims)
    return all(
        claim.id in cited
        for claim in state.ledger.claims.values()
        if claim.requirement.must and claim.requirement.citation
    )


def quotes(state: RunState) -> Answer:
    """The extractive answer assembled without IO: each claim's best supporting quotes, as they stand."""
    sentences: list[Sentence] = []
    for claim in state.ledger.claims.values():
        found = [
            item
            for item in state.ledger.evidence_for(claim.id)
            if item.stance is not Stance.MENTIONS and _quotable(state, item)
        ]
        found.sort(key=lambda item: (-item.score, item.span.passage_id, item.span.start))
        for item in found[:QUOTES_PER_CLAIM]:
            passage = state.ledger.passages[item.span.passage_id]
            sentences.append(Sentence(quote(passage, item.span), (item.span,), (claim.id,)))
    return Answer(tuple(dict.fromkeys(sentences)))


def _quotable(state: RunState, item: Evidence) -> bool:
    passage = state.ledger.passages.get(item.span.passage_id)
    return (
        passage is not None
        and passage.trust is Trust.NORMAL
        and may_use(state.started.principal, passage.provenance.permission, Use.QUOTE)
    )


def checked(state: RunState, answer: Answer) -> Answer:
    """The answer with every citation that has no readable span in the ledger taken out, and what was taken out said.

    A sentence that loses its last citation stays, uncited. A sentence that cites and claims to be a quote is kept as
    written: the writer's own check has compared it with its span.
    """
    kept: list[Sentence] = []
    dropped = list(answer.dropped)
    for sentence in answer.sentences:
        good = tuple(span for span in sentence.citations if _spans(state, span))
        if len(good) < len(sentence.citations):
            dropped.append(f"{len(sentence.citations) - len(good)} citation(s) without a span: {sentence.text[:80]!r}")
        claims = tuple(claim for claim in sentence.claims if claim in state.ledger.claims)
        if sentence.text.strip():
            kept.append(Sentence(sentence.text, good, claims))
    return Answer(tuple(kept), tuple(dropped))


def _spans(state: RunState, span: Span) -> bool:
    passage = state.ledger.passages.get(span.passage_id)
    if passage is None or not 0 <= span.start < span.end <= len(passage.text):
        return False
    return may_use(state.started.principal, passage.provenance.permission, Use.QUOTE)


def sound(state: RunState, item: Evidence) -> bool:
    """Whether evidence is tied to a claim and to an exact span that the ledger holds and the caller may read."""
    if item.claim_id not in state.ledger.claims or not _spans(state, item.span):
        return False
    return quote_hash(quote(state.ledger.passages[item.span.passage_id], item.span)) == item.quote_hash
