"""An answer of exact quotes: for each claim its best spans, both sides of a disagreement, and gaps said plainly."""

from collections.abc import Mapping, Sequence

from satisfice.adapters.reasoners.judging import SETTLED, TOGETHER
from satisfice.core.access import Use
from satisfice.core.claims import Claim
from satisfice.core.conflicts import Conflict, find
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.ids import PassageId
from satisfice.core.orders import Answer, Sentence
from satisfice.core.passages import Passage, Span, Trust, quote, quote_hash
from satisfice.core.text import terms
from satisfice.ports.reasoner import View

RIVAL = 0.75
"""A span whose score reaches this share of the best one's is shown too: below it, the best is right 19 times in 20."""
MOST_QUOTES = 3
WORTH_SHOWING = 0.15
"""Below this support, what was found is not about the claim."""
QUOTED_WORDS = 90
"""Further quotes are added up to this many words in all; the first is never left out."""

UNSETTLED = "The sources do not settle this; the closest passages say:"
DISAGREE = "The sources disagree:"
OUTDONE = "Another source says otherwise; the one above holds because"


def write(view: View, evidence: Sequence[Evidence], judgements: Sequence[Judgement]) -> Answer:
    """Quotes for every claim of the view. Without any quote there is no answer, and no sentence in it."""
    passages = {passage.id: passage for passage in view.passages if _quotable(passage)}
    support = {judged.claim_id: judged.support for judged in judgements}
    sentences: list[Sentence] = []
    gaps: list[Sentence] = []
    for claim in view.claims:
        mine = [item for item in evidence if item.claim_id == claim.id and item.span.passage_id in passages]
        written = _of_claim(claim, mine, passages, support.get(claim.id, 0.0))
        sentences += written
        if not written:
            gaps.append(Sentence(f"Nothing was found that answers: {claim.quote}", (), (claim.id,)))
    return Answer((*sentences, *gaps) if sentences else ())


def _quotable(passage: Passage) -> bool:
    return passage.trust is Trust.NORMAL and Use.QUOTE in passage.provenance.permission.uses


def _of_claim(
    claim: Claim, evidence: Sequence[Evidence], passages: Mapping[PassageId, Passage], support: float
) -> list[Sentence]:
    conflict = find(claim, [item for item in evidence if item.stance is not Stance.MENTIONS], passages)
    if conflict is not None:
        return _both_sides(claim, conflict, passages)
    if support < WORTH_SHOWING:
        return []
    ranked = sorted(evidence, key=lambda item: (item.stance is Stance.MENTIONS, *_place(item)))
    if support < SETTLED:
        ranked = sorted(evidence, key=_place)
    rival = RIVAL if support >= SETTLED else 0.0
    quotes = [_quoted(claim, item, passages) for item in _fitting(ranked, passages, rival)]
    return [Sentence(UNSETTLED, (), (claim.id,)), *quotes] if quotes and support < SETTLED else quotes


def _both_sides(claim: Claim, conflict: Conflict, passages: Mapping[PassageId, Passage]) -> list[Sentence]:
    """What holds first, when something does; then what is said against it, each side with its source and date."""
    best = [max(side, key=lambda item: (item.score, item.span.passage_id, -item.span.start)) for side in conflict.sides]
    lines = [_quoted(claim, best[0], passages)] if conflict.resolved else []
    lines.append(Sentence(f"{OUTDONE} {conflict.why}." if conflict.resolved else DISAGREE, (), (claim.id,)))
    for item in best[len(lines) - 1 :]:
        lines += [Sentence(_says(passages[item.span.passage_id]), (), (claim.id,)), _quoted(claim, item, passages)]
    return lines


def _place(item: Evidence) -> tuple[float, str, int]:
    return (-item.score, item.span.passage_id, item.span.start)


def _fitting(ranked: Sequence[Evidence], passages: Mapping[PassageId, Passage], rival: float) -> list[Evidence]:
    """Those that answer together with the best, else the best and its rivals, up to three while they fit; no text twice."""
    best = ranked[0].score if ranked else 0.0
    texts: dict[str, Evidence] = {}
    for item in ranked:
        texts.setdefault(_wording(quote(passages[item.span.passage_id], item.span)), item)
    together = [item for item in texts.values() if item.stance is Stance.SUPPORTS and best - item.score <= TOGETHER]
    if len(together) > 1:
        return together
    kept: list[Evidence] = []
    room = QUOTED_WORDS
    for item in texts.values():
        words = len(quote(passages[item.span.passage_id], item.span).split())
        if len(kept) < MOST_QUOTES and item.score >= rival * best and (not kept or words <= room):
            kept.append(item)
            room -= words
    return kept


def _wording(text: str) -> str:
    """The words alone: copies of a page differ in marks, case and line breaks."""
    return " ".join(term.text.lower() for term in terms(text)) or text


def _quoted(claim: Claim, item: Evidence, passages: Mapping[PassageId, Passage]) -> Sentence:
    return Sentence(quote(passages[item.span.passage_id], item.span), (item.span,), (claim.id,))


def _says(passage: Passage) -> str:
    place = passage.provenance
    dated = f" ({place.published_at[:10]})" if place.published_at else ""
    return f"{place.title or place.uri}{dated} says:"


def check(answer: Answer, view: View, evidence: Sequence[Evidence]) -> Answer:
    """The answer without sentences whose citation is not, letter by letter, what they say; what was dropped is said."""
    passages = {passage.id: passage for passage in view.passages}
    hashes = {item.span: item.quote_hash for item in evidence}
    kept: list[Sentence] = []
    dropped = list(answer.dropped)
    for sentence in answer.sentences:
        why = next((why for span in sentence.citations if (why := _fault(sentence, span, passages, hashes))), "")
        if why:
            dropped.append(f"{why}: {sentence.text[:80]!r}")
        else:
            kept.append(sentence)
    return Answer(tuple(kept), tuple(dropped))


def _fault(sentence: Sentence, span: Span, passages: Mapping[PassageId, Passage], hashes: Mapping[Span, str]) -> str:
    passage = passages.get(span.passage_id)
    if passage is None:
        return f"cites passage {span.passage_id!r}, which is not held"
    try:
        text = quote(passage, span)
    except ValueError as outside:
        return str(outside)
    if text != sentence.text:
        return "is not what its citation says"
    expected = hashes.get(span)
    if expected is not None and expected != quote_hash(text):
        return "the passage has changed since it was judged"
    return ""
