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
_IMPLIED = 0.5
"""What an opening value is worth of the share that it does not say in words."""
_OPENING = 2
"""Characters before which a passage's first sentence starts."""
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

    Where a type is expected, the second must have a value of it besides the name that led there. A passage of that name
    which opens with such a value (a life in dates) says something of what is missing without its words.
    """
    rarity = scene.rarity(aim.stems)
    whole = sum(rarity.values())
    best: Hop | None = None
    for first in [one for one in ranked if not one.unit.steps][:_LEADERS] if whole else ():
        missing = {stem: weight for stem, weight in rarity.items() if stem not in first.unit.stems}
        if whole - sum(missing.values()) < _LEAST_FIRST * whole:
            continue
        mine = first.unit.stems | first.unit.above
        for name in _leading_names(aim, scene, first):
            for second in _about(name, first, ranked):
                said = sum(weight for stem, weight in missing.items() if stem in second.unit.stems)
                implied = _IMPLIED * (sum(missing.values()) - said) if _opens_with_value(aim, second, name) else 0.0
                if said + implied < _LEAST_ADDED * whole or not _answers(aim, second, name):
                    continue
                both = mine | second.unit.stems
                covered = (sum(w for stem, w in rarity.items() if stem in both) + implied) / whole
                if best is None or covered > best.covered:
                    best = Hop(first, second, min(1.0, covered))
    return best


def _opens_with_value(aim: Aim, second: Scored, name: tuple[str, ...]) -> bool:
    """Whether a passage of this name says a value of the expected type in its first sentence."""
    if not second.values or aim.expects is AnswerType.ANY:
        return False
    return second.unit.start <= _OPENING and _says(name, terms(second.passage.provenance.title))


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
