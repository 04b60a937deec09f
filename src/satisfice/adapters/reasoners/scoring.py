"""How well each unit of the held passages answers a claim: a weighted sum of signs a person could check.

The weights were fitted as a conditional logit (the right sentence against all others of the held passages) on the
development halves of public question sets; with and without word vectors apart.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

from satisfice.adapters.reasoners.aiming import Aim, values_of
from satisfice.adapters.reasoners.reading import Reading, Unit, read
from satisfice.core.claims import AnswerType
from satisfice.core.ids import PassageId
from satisfice.core.passages import Passage
from satisfice.core.stemming import fold
from satisfice.core.text import exact, identifiers, terms
from satisfice.core.values import Value
from satisfice.ports.retriever import TermStatistics


class Signs(NamedTuple):
    """What speaks for a unit; all but the last two of `Weights` are 0 to about 1. Shares are by rarity of the claim's terms."""

    passage: float
    """Share of the claim in the passage, title and headings included."""
    rank: float
    """The passage's word score over the best passage's."""
    cover: float
    """Share in the unit."""
    density: float
    """BM25 of the unit, over the claim's whole weight."""
    before: float
    """Share that only the sentence before adds."""
    above: float
    """Share that only title and headings add."""
    pairs: float
    """Share of neighbouring terms of the claim that are neighbours here."""
    typed: float
    """Has a value of the expected type that the claim does not have."""
    unit: float
    """A number that counts the thing asked for."""
    focus: float
    """A name with the thing asked for in it or next to it."""
    person: float
    """A name of several words where a name is asked for."""
    term: float
    """Says what something is called, where that is asked."""
    cosine: float
    """Of the claim's question and the passage."""
    soft: float
    """Share in the unit, near words counting in part."""
    soft_rest: float
    """The same over terms outside names."""
    heading: float
    """Share in the nearest heading, for what is said first under it."""
    steps: float
    """Share in the nearest heading, for a list (half for code) where the claim asks how to do something."""
    code: float
    """Nothing but code, where neither code nor steps are asked for."""


_WITH_VECTORS = Signs(
    passage=6.4,
    rank=0.9,
    cover=0.0,
    density=3.3,
    before=1.5,
    above=3.9,
    pairs=1.2,
    typed=1.9,
    unit=1.1,
    focus=1.5,
    person=1.5,
    term=1.5,
    cosine=7.8,
    soft=3.5,
    soft_rest=3.1,
    heading=4.2,
    steps=8.0,
    code=-7.0,
)
_WITHOUT_VECTORS = Signs(
    passage=4.2,
    rank=5.2,
    cover=3.2,
    density=3.4,
    before=1.4,
    above=4.4,
    pairs=1.3,
    typed=2.0,
    unit=1.4,
    focus=1.1,
    person=1.4,
    term=1.5,
    cosine=0.0,
    soft=0.0,
    soft_rest=0.0,
    heading=4.2,
    steps=8.0,
    code=-7.0,
)

_LEAST_RARITY = 0.1
_WORD_K1, _UNIT_B, _PASSAGE_B = 1.2, 0.4, 0.75
_SAYS_NAME = re.compile(
    r"\b(?:called|known as|referred to|refers? to|termed|terms?|named|nicknamed|names?|denoted|dubbed|label+ed|coined|"
    r"or simply|also|i\.e|stands for|abbreviated)\b|[\"“”'‘]\w",
    re.IGNORECASE,
)
_COUNTED_WITHIN = 30
_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with its signs, its score, and the values of the expected type found in it (places in the passage)."""

    passage: Passage
    unit: Unit
    signs: Signs
    score: float
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything units are scored against: what is held, and what the world said about it."""

    passages: tuple[Passage, ...]
    readings: tuple[Reading, ...]
    statistics: TermStatistics
    cosines: Mapping[PassageId, float]
    word_cosines: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(
        cls,
        passages: Sequence[Passage],
        statistics: TermStatistics,
        cosines: Mapping[PassageId, float],
        word_cosines: Mapping[str, Mapping[str, float]],
    ) -> "Scene":
        return cls(tuple(passages), tuple(read(passage) for passage in passages), statistics, cosines, word_cosines)

    def rarity(self, stems: Sequence[str]) -> dict[str, float]:
        """ln((N+1)/(n+.5)) over the source's passages; over those held when the source gave no statistics."""
        total = self.statistics.passages
        known = self.statistics.containing
        if total == 0:
            total = len(self.readings)
            known = {stem: sum(stem in reading.stems for reading in self.readings) for stem in stems}
        return {stem: max(_LEAST_RARITY, log((total + 1) / (known.get(stem, 0) + 0.5))) for stem in stems}


def scored(aim: Aim, scene: Scene) -> tuple[Scored, ...]:
    """Every unit of the scene, best first; equal scores by passage and place."""
    return _Scorer(aim, scene).scored()


class _Scorer:
    """One claim against one scene."""

    def __init__(self, aim: Aim, scene: Scene) -> None:
        self._aim = aim
        self._scene = scene
        self._global = scene.rarity(aim.stems)
        units = [unit for reading in scene.readings for unit in reading.units if not unit.steps]
        self._shares = self._local(units)
        rest = sum(share for stem, share in self._shares.items() if stem not in aim.names)
        self._rest = rest or 1.0
        self._mean = sum(unit.length for unit in units) / max(1, len(units)) or 1.0
        self._lower = self._written_small() if aim.expects in {AnswerType.NAME, AnswerType.PLACE} else frozenset[str]()
        self._pairs = tuple(zip(aim.stems, aim.stems[1:], strict=False))
        self._near = {stem: scene.word_cosines[word] for stem, word in aim.words.items() if word in scene.word_cosines}

    def _local(self, units: Sequence[Unit]) -> dict[str, float]:
        """Each term's share of the claim inside passages: rare among what is held as well as in the source."""
        weights: dict[str, float] = {}
        for stem in self._aim.stems:
            here = sum(stem in unit.stems for unit in units)
            local = max(_LEAST_RARITY, log((len(units) + 1) / (here + 0.5)))
            weights[stem] = sqrt(local * self._global[stem])
        whole = sum(weights.values()) or 1.0
        return {stem: weight / whole for stem, weight in weights.items()}

    def _written_small(self) -> frozenset[str]:
        """Words that occur in lower case: one of them alone is no name."""
        return frozenset(
            term.text
            for reading in self._scene.readings
            for unit in reading.units
            for term in unit.terms
            if term.text.islower()
        )

    def scored(self) -> tuple[Scored, ...]:
        weights = _WITH_VECTORS if self._scene.cosines else _WITHOUT_VECTORS
        ranks = self._ranks()
        whole = sum(self._global.values()) or 1.0
        found: list[Scored] = []
        for passage, reading, rank in zip(self._scene.passages, self._scene.readings, ranks, strict=True):
            cover = sum(weight for stem, weight in self._global.items() if stem in reading.stems) / whole
            cosine = self._scene.cosines.get(passage.id, 0.0)
            for unit in reading.units:
                values = self._values(passage, unit)
                signs = self._signs(passage, unit, values, (cover, rank, cosine))
                score = sum(weight * sign for weight, sign in zip(weights, signs, strict=True))
                found.append(Scored(passage, unit, signs, score, values))
        found.sort(key=lambda one: (-one.score, one.passage.id, one.unit.start, one.unit.end))
        return tuple(found)

    def _ranks(self) -> list[float]:
        """BM25 of each passage over the best one's."""
        readings = self._scene.readings
        mean = sum(reading.length for reading in readings) / max(1, len(readings)) or 1.0
        scores: list[float] = []
        for reading in readings:
            counts = dict(reading.counts)
            norm = _WORD_K1 * (1 - _PASSAGE_B + _PASSAGE_B * reading.length / mean)
            score = 0.0
            for stem, weight in self._global.items():
                count = counts.get(stem, 0) or int(stem in reading.stems)
                score += weight * count * (_WORD_K1 + 1) / (count + norm)
            scores.append(score)
        best = max(scores, default=0.0) or 1.0
        return [score / best for score in scores]

    def _signs(
        self, passage: Passage, unit: Unit, values: Sequence[Value], shared: tuple[float, float, float]
    ) -> Signs:
        aim, shares = self._aim, self._shares
        counts = {stem: 1 for stem in aim.identifiers if stem in unit.stems and stem in shares}
        for term in unit.terms:
            if term.stem in shares:
                counts[term.stem] = counts.get(term.stem, 0) + 1
        norm = _WORD_K1 * (1 - _UNIT_B + _UNIT_B * unit.length / self._mean)
        density = sum(shares[s] * n * (_WORD_K1 + 1) / (n + norm) for s, n in counts.items())
        missing = [stem for stem in aim.stems if stem not in counts]
        soft, soft_rest = self._soft(unit, counts)
        neighbours = {(a.stem, b.stem) for a, b in zip(unit.terms, unit.terms[1:], strict=False)}
        text = passage.text[unit.start : unit.end]
        return Signs(
            passage=shared[0],
            rank=shared[1],
            cover=sum(shares[stem] for stem in counts),
            density=density,
            before=sum(shares[stem] for stem in missing if stem in unit.before),
            above=sum(shares[stem] for stem in missing if stem in unit.above),
            pairs=sum(pair in neighbours for pair in self._pairs) / max(1, len(self._pairs)),
            typed=float(bool(values) or (aim.wants_default and _DEFAULT in unit.stems)),
            unit=float(any(self._counts_it(passage.text, value) for value in values)),
            focus=float(any(self._has_focus(passage.text, value) for value in values)),
            person=float(aim.expects is AnswerType.NAME and any(" " in value.value for value in values)),
            term=float(aim.wants_term and _SAYS_NAME.search(text) is not None),
            cosine=shared[2],
            soft=soft,
            soft_rest=soft_rest,
            heading=sum(share for stem, share in shares.items() if stem in unit.topic) if unit.opens else 0.0,
            steps=self._steps(unit),
            code=float(unit.code and not (aim.wants_steps or aim.wants_code)),
        )

    def _steps(self, unit: Unit) -> float:
        if not self._aim.wants_steps or not (unit.steps > 1 or unit.code):
            return 0.0
        share = sum(share for stem, share in self._shares.items() if stem in unit.topic)
        return share if unit.steps > 1 else share / 2

    def _soft(self, unit: Unit, counts: Mapping[str, int]) -> tuple[float, float]:
        if not self._near:
            return 0.0, 0.0
        soft = rest = 0.0
        for stem, share in self._shares.items():
            likeness = 1.0
            if stem not in counts:
                near = self._near.get(stem)
                best = max((near[word] for word in unit.words if word in near), default=0.0) if near else 0.0
                likeness = min(1.0, max(0.0, (best - 0.3) / 0.5))
            soft += share * likeness
            if stem not in self._aim.names:
                rest += share * likeness
        return soft, rest / self._rest

    # --- values ----------------------------------------------------------------------------------------------------

    def _values(self, passage: Passage, unit: Unit) -> tuple[Value, ...]:
        """Values of the expected type that say something the claim does not, with their places in the passage."""
        text = passage.text[unit.start : unit.end]
        if self._aim.wants_code:
            places = (Value(text[s:e], "", s, e) for s, e in identifiers(text))
            found = (value for value in places if exact(value.value) not in self._aim.identifiers)
        elif self._aim.expects is AnswerType.ANY:
            return ()
        else:
            found = (value for value in values_of(text, self._aim.expects) if self._is_new(text, value))
        return tuple(
            Value(value.value, value.unit, unit.start + value.start, unit.start + value.end) for value in found
        )

    def _is_new(self, text: str, value: Value) -> bool:
        if self._aim.expects is AnswerType.REASON:
            return True
        inside = terms(text[value.start : value.end])
        if all(term.stem in self._aim.held for term in inside):
            return False
        first, *others = inside
        return bool(others) or fold(first.text) not in self._lower

    def _counts_it(self, text: str, value: Value) -> bool:
        if self._aim.expects is not AnswerType.NUMBER:
            return False
        counted = value.unit.split(" ")
        if counted[-1] in self._aim.units:
            return True
        if not self._aim.focus:
            return False
        after = {term.stem for term in terms(text[value.end : value.end + _COUNTED_WITHIN])}
        return any(stem in counted or stem in after for stem in self._aim.focus)

    def _has_focus(self, text: str, value: Value) -> bool:
        if not self._aim.focus or self._aim.expects not in {AnswerType.NAME, AnswerType.PLACE}:
            return False
        return self._aim.focus[-1] in {term.stem for term in terms(text[max(0, value.start - 20) : value.end])}
