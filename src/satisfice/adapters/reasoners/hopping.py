"""Two sentences that answer together: one leads from the question to a name, the other says the rest of that name."""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.adapters.reasoners.aiming import Aim
from satisfice.adapters.reasoners.scoring import Scene, Scored
from satisfice.core.claims import AnswerType
from satisfice.core.text import Term, is_stop, names, terms

_LEADERS = 8
"""Best units from which a name may lead on."""
_LEAST_FIRST, _LEAST_ADDED = 0.2, 0.1
"""Shares of the claim: what the leading unit must have, and what the other must add."""
_LEAST_RARITY = 2.0
"""A name of only common words leads anywhere."""


@dataclass(frozen=True, slots=True)
class Hop:
    """`first` names what `second` is about; `covered` is the share of the claim that the two have."""

    first: Scored
    second: Scored
    covered: float


def hop(aim: Aim, scene: Scene, ranked: Sequence[Scored]) -> Hop | None:
    """The pair with most of the claim between them, in two passages; of equals the one whose first unit ranks higher.

    Where a type is expected, the second must have a value of it besides the name that led there.
    """
    rarity = scene.rarity(aim.stems)
    whole = sum(rarity.values())
    best: Hop | None = None
    for first in [one for one in ranked if not one.unit.steps][:_LEADERS] if whole else ():
        mine = first.unit.stems | first.unit.above
        missing = {stem: weight for stem, weight in rarity.items() if stem not in first.unit.stems}
        if sum(weight for stem, weight in rarity.items() if stem in first.unit.stems) < _LEAST_FIRST * whole:
            continue
        for name in _leading_names(aim, scene, first):
            for second in _about(name, first, ranked):
                added = sum(weight for stem, weight in missing.items() if stem in second.unit.stems)
                if added < _LEAST_ADDED * whole or not _answers(aim, second, name):
                    continue
                both = mine | second.unit.stems
                covered = sum(weight for stem, weight in rarity.items() if stem in both) / whole
                if best is None or covered > best.covered:
                    best = Hop(first, second, covered)
    return best


def _leading_names(aim: Aim, scene: Scene, one: Scored) -> list[tuple[str, ...]]:
    """Names of a unit, as content stems, that the claim does not have."""
    text = one.passage.text[one.unit.start : one.unit.end]
    found: list[tuple[str, ...]] = []
    for start, end in names(text):
        stems = tuple(term.stem for term in terms(text[start:end]) if not is_stop(term.stem))
        if stems and not set(stems) <= aim.held and sum(scene.rarity(stems).values()) >= _LEAST_RARITY:
            found.append(stems)
    return found


def _about(name: tuple[str, ...], first: Scored, ranked: Sequence[Scored]) -> list[Scored]:
    """Units of other passages that have the name whole, or stand under it as a title."""
    wanted = frozenset(name)
    return [
        one
        for one in ranked
        if one.passage.id != first.passage.id
        and not one.unit.steps
        and (
            (wanted <= one.unit.stems and _says(name, one.unit.terms))
            or (wanted <= one.unit.above and _says(name, terms(one.passage.provenance.title)))
        )
    ]


def _says(name: tuple[str, ...], text: Sequence[Term]) -> bool:
    said = " ".join(term.stem for term in text if not is_stop(term.stem))
    return f" {' '.join(name)} " in f" {said} "


def _answers(aim: Aim, second: Scored, name: tuple[str, ...]) -> bool:
    if aim.expects is AnswerType.ANY:
        return True
    text = second.passage.text
    led = set(name)
    return any(
        not {term.stem for term in terms(text[value.start : value.end]) if not is_stop(term.stem)} <= led
        for value in second.values
    )
