"""How far the best unit settles a claim: 0 to 1, from .5 on it counts as settled.

A logistic score over a few signs of the best unit. It was fitted so that questions whose passage is there pass, and the
same questions with that passage taken out of the corpus do not.
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from satisfice.adapters.reasoners.aiming import NEGATION, Aim
from satisfice.adapters.reasoners.reading import read
from satisfice.adapters.reasoners.scoring import Scene, Scored
from satisfice.core.claims import AnswerType


class Grounds(NamedTuple):
    """What speaks for and against taking the best unit for an answer. Shares are by rarity of the claim's terms."""

    score: float
    """Its score, in tens."""
    covered: float
    """Share of the claim in the unit, the sentence before, and the headings above."""
    in_passage: float
    ahead: float
    """Lead over the third best passage, at most 6; the middle when fewer are held."""
    terms: float
    """Terms of the claim, in tens: a long claim that is covered is no coincidence."""
    names_missing: float
    """Share of the claim in names that the passage does not have."""
    number_missing: float
    other_polarity: float
    untyped: float
    """A type is expected and nothing of it is there."""
    heading: float
    pairs: float


_WITH_VECTORS = Grounds(
    score=1.57,
    covered=1.0,
    in_passage=1.41,
    ahead=0.41,
    terms=1.42,
    names_missing=-2.67,
    number_missing=-1.24,
    other_polarity=-0.21,
    untyped=-1.45,
    heading=1.51,
    pairs=0.76,
)
_WITHOUT_VECTORS = Grounds(
    score=0.58,
    covered=2.47,
    in_passage=2.66,
    ahead=0.35,
    terms=1.84,
    names_missing=-2.88,
    number_missing=-1.22,
    other_polarity=-0.32,
    untyped=-1.41,
    heading=1.07,
    pairs=0.85,
)
_START_WITH_VECTORS, _START_WITHOUT_VECTORS = -6.76, -6.71
"""Fitted for equal odds, then moved down by .3: calling a claim settled that is not costs more than one more search."""
_RIVAL_PLACE = 2
_NO_RIVALS, _MOST_AHEAD = 3.0, 6.0


def support(aim: Aim, scene: Scene, ranked: Sequence[Scored]) -> float:
    """Whether the best of `ranked` settles the claim; 0.0 for a claim without terms or a scene without units."""
    if not ranked or not aim.stems:
        return 0.0
    grounds = grounds_of(aim, scene, ranked)
    with_vectors = bool(scene.cosines)
    weights = _WITH_VECTORS if with_vectors else _WITHOUT_VECTORS
    logit = _START_WITH_VECTORS if with_vectors else _START_WITHOUT_VECTORS
    logit += sum(weight * ground for weight, ground in zip(weights, grounds, strict=True))
    return 1.0 / (1.0 + exp(-logit))


def grounds_of(aim: Aim, scene: Scene, ranked: Sequence[Scored]) -> Grounds:
    """The signs themselves, for whoever explains or refits them."""
    best = ranked[0]
    rarity = scene.rarity(aim.stems)
    whole = sum(rarity.values()) or 1.0
    held = read(best.passage).stems
    near = best.unit.stems | best.unit.before | best.unit.above
    text = best.passage.text[best.unit.start : best.unit.end]
    return Grounds(
        score=best.score / 10,
        covered=sum(weight for stem, weight in rarity.items() if stem in near) / whole,
        in_passage=sum(weight for stem, weight in rarity.items() if stem in held) / whole,
        ahead=_ahead(ranked),
        terms=len(aim.stems) / 10,
        names_missing=sum(w for stem, w in rarity.items() if stem in aim.names and stem not in held) / whole,
        number_missing=float(any(stem[0].isdigit() and stem not in held for stem in aim.stems)),
        other_polarity=float((NEGATION.search(text) is not None) != aim.negated),
        untyped=float(aim.expects is not AnswerType.ANY and not best.values),
        heading=best.signs.heading,
        pairs=best.signs.pairs,
    )


def _ahead(ranked: Sequence[Scored]) -> float:
    """A right answer stands out; that one or two other passages repeat it says nothing against it."""
    leading: dict[str, float] = {}
    for one in ranked:
        leading.setdefault(one.passage.id, one.score)
    scores = list(leading.values())
    if len(scores) <= _RIVAL_PLACE:
        return _NO_RIVALS
    return min(_MOST_AHEAD, scores[0] - scores[_RIVAL_PLACE])
