"""From a question to claims, each quoting its words, and to a first look for each."""

import re
from collections.abc import Sequence
from dataclasses import replace

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.classifying import leans_on_history, shape_of
from satisfice.adapters.reasoners.courtesy import after_courtesy
from satisfice.adapters.reasoners.splitting import comparison_sides, parts
from satisfice.core.claims import AnswerType, Claim, ClaimKind
from satisfice.core.ids import ClaimId, ProposalId
from satisfice.core.orders import SearchProposal
from satisfice.core.queries import Lineage, Query, ReasonCode, Transformation
from satisfice.core.sources import Shape, SourceProfile
from satisfice.core.text import content_stems, content_words, identifiers, names, question_stems, terms
from satisfice.ports.reasoner import View

_YES_NO = re.compile(
    r"\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|must|shall)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？؟]|\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|its|he|she|his|her|they|their|them|this|that|these|those)\b", re.IGNORECASE)
_DATED = re.compile(
    r"\b(?:older|younger|earlier|later|first|last|newer|longer ago|more recent(?:ly)?)\b", re.IGNORECASE
)
_COMPARING = re.compile(
    r"\b(?:differen(?:ce|ces|t) (?:between|from|to|in)|differs? from|compared? (?:to|with)|compare|comparison|between|both|in common|"
    r"the same|older|younger|earlier|later|first|last|versus|vs)\b|(?:之间)?的?(?:区别|差异|不同)",
    re.IGNORECASE,
)
_SPACED_MARK = re.compile(r"\s+([,.?!;:])")
_LEAST_ASSERTION_TERMS = 3
_CONTEXT_WORDS = 8


def claims_of(question: str, history: Sequence[str] = ()) -> tuple[Claim, ...]:
    """One claim for each thing to establish; the question itself when it is one thing.

    A claim's text is what is searched and judged: what a part leaves unsaid is put behind it, from the parts before or
    from what was said before. Its quote is always a substring of the question.
    """
    start = after_courtesy(question)
    asked = question[start:]
    shape, _ = shape_of(asked)
    if shape is Shape.MULTI_PART:
        return _of_parts(asked)
    sides = comparison_sides(asked) if shape is Shape.COMPARISON else ()
    if len(sides) == 2:
        return _of_sides(asked, (sides[0], sides[1]))
    claim = _claim(1, asked.strip(), asked.strip())
    if not (history and leans_on_history(asked)):
        return (claim,)
    before = _asked_before(history)
    expects = claim.expects if claim.expects is not AnswerType.ANY else aim_of(before).expects
    return (replace(claim, text=_with_context(claim.text, before), expects=expects),)


def _claim(number: int, text: str, quote: str) -> Claim:
    kind = kind_of(quote)
    return Claim(ClaimId(f"c{number}"), text, quote, kind, aim_of(text).expects)


def kind_of(text: str) -> ClaimKind:
    """A yes-or-no question by its opening, an assertion by its full stop; else something open is asked for."""
    if _YES_NO.match(text):
        return ClaimKind.YES_NO
    asserted = text.rstrip().endswith((".", "。")) and not _ASKS.search(text)
    return ClaimKind.ASSERTION if asserted and len(content_stems(text)) >= _LEAST_ASSERTION_TERMS else ClaimKind.OPEN


def _of_parts(question: str) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    subject = ""
    for number, (start, end) in enumerate(parts(question), start=1):
        quote = question[start:end].strip()
        named = " ".join(quote[s:e] for s, e in (*names(quote), *identifiers(quote)))
        text = f"{quote} {subject}" if subject and not named and _PRONOUN.search(quote) else quote
        subject = named or subject or " ".join(content_words(quote)[:_CONTEXT_WORDS])
        claims.append(_claim(number, text, quote))
    return tuple(claims)


def _of_sides(question: str, sides: tuple[tuple[int, int], tuple[int, int]]) -> tuple[Claim, ...]:
    """For each side the question without the other side, and without the words that only compare."""
    expects = AnswerType.DATE if _DATED.search(question) else AnswerType.ANY
    (a, b), (c, d) = sorted(sides)
    first, second = question[a:b], question[c:d]
    if " " not in first and " " in second and not second.istitle():
        first = f"{first} {second.rsplit(None, 1)[1]}"  # "the Pro and Team plans" are the Pro plans and the Team plans
    claims: list[Claim] = []
    for number, (side, place) in enumerate(((first, (a, b)), (second, (c, d))), start=1):
        rest = _COMPARING.sub(" ", f"{question[:a]} {question[d:]}")
        text = side
        if question_stems(rest):
            text = _tidy(_COMPARING.sub(" ", f"{question[:a]}{side}{question[d:]}"))
        claims.append(Claim(ClaimId(f"c{number}"), text, question[slice(*place)], ClaimKind.OPEN, expects))
    return tuple(claims)


def _tidy(text: str) -> str:
    return _SPACED_MARK.sub(r"\1", " ".join(text.split()))


def _asked_before(history: Sequence[str]) -> str:
    """The last thing said that asks; what was said last when nothing does."""
    return next((said for said in reversed(history) if _ASKS.search(said)), history[-1])


def _with_context(text: str, before: str) -> str:
    """The text with the subject words of what was asked before behind it, those that it lacks."""
    held = set(question_stems(text))
    shown = {term.stem: term.text for term in reversed(terms(before))}
    words = [shown.get(stem, stem) for stem in question_stems(before) if stem not in held]
    return " ".join((text, *words[:_CONTEXT_WORDS]))


def first_looks(view: View, claims: Sequence[Claim]) -> tuple[SearchProposal, ...]:
    """One search for each claim, in the source that fits it best."""
    looks: list[SearchProposal] = []
    for claim in claims:
        source = best_source(view, claim)
        if source is None:
            continue
        decomposed = claim.text != view.question.strip()
        lineage = Lineage(
            claim=claim.id,
            transformation=Transformation.DECOMPOSE if decomposed else Transformation.ORIGINAL,
            reason=ReasonCode.FIRST_LOOK,
        )
        looks.append(SearchProposal(ProposalId(f"{claim.id}.first"), Query(claim.text, source.id, view.top_k), lineage))
    return tuple(looks)


def best_source(view: View, claim: Claim) -> SourceProfile | None:
    """A source that answers this shape and holds an accepted class, then by words shared with its description, then by tier."""
    shape, _ = shape_of(claim.quote)
    stems = set(question_stems(claim.text))

    def fit(source: SourceProfile) -> tuple[bool, bool, int, int, str]:
        shared = len(stems.intersection(content_stems(source.description)))
        wrong_class = source.evidence_class not in claim.requirement.classes
        return (shape not in source.shapes, wrong_class, -shared, -source.authority, source.id)

    return min(view.sources, key=fit, default=None)
