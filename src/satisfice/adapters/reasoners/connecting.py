"""Whether passages hang together for a question: every named thing found, and a way from one passage to the next.

A question that goes through something it only describes is not answered by one passage that has its words. What counts
is that the things it names are there, that one of their passages names the subject of another one, and that the two
have the question between them; for a comparison, that both sides are there, each going on where a relation is asked for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

from satisfice.adapters.reasoners.scoring import Scene
from satisfice.adapters.reasoners.splitting import RELATION, comparison_sides
from satisfice.core.passages import Passage
from satisfice.core.text import is_stop, names, question_stems, terms

_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_YEAR = re.compile(r"\b[12]\d{3}\b")
_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_GENERIC_TITLE_RARITY = 2.5
_ANCHORED = 0.6
_PARTLY_SAID = 0.6
_BACKWARD = 0.7
_MOST_PASSAGES = 24


class Connections(NamedTuple):
    """Each 0 to 1; `needed` ones only for questions of their kind."""

    union: float
    """Share of the question in all passages together."""
    titled: float
    """Weighted mean over the named things of the best match with a title; .5 without any."""
    mentioned: float
    """The worst named thing's best mention; .5 without any."""
    chain: float
    """The best way from a named thing's passage to another passage, times what the two cover."""
    chain_needed: float
    """The same, 0 for a comparison."""
    sides_needed: float
    """For a comparison: the worse side's match, and where a relation is asked for, its way on."""
    paired: float = 0.0
    """Share of the question that two sentences have of which one names what the other is about (see `hopping`)."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A named thing of the question, as content stems in order."""

    stems: tuple[str, ...]
    weight: float


def anchors_of(question: str, rarity: Mapping[str, float]) -> tuple[Anchor, ...]:
    """Quoted strings, names, and years outside them; each once."""
    spans = [match.span(1) for match in _QUOTED.finditer(question)]
    for found in (names(question), tuple(match.span() for match in _YEAR.finditer(question))):
        spans += [(s, e) for s, e in found if not any(s < b and a < e for a, b in spans)]
    anchors: dict[tuple[str, ...], Anchor] = {}
    for start, end in sorted(spans):
        stems = _content(question[start:end])
        if stems:
            anchors[stems] = Anchor(stems, sum(rarity.get(stem, 0.0) for stem in stems))
    return tuple(anchors.values())


def _content(text: str) -> tuple[str, ...]:
    return tuple(term.stem for term in terms(text) if not is_stop(term.stem))


def title_stems(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The stems of the passages' titles, whose statistics tell a name from a common word."""
    titles = (_content(_BRACKET.sub("", passage.provenance.title)) for passage in passages[:_MOST_PASSAGES])
    return tuple(dict.fromkeys(stem for title in titles for stem in title))


def connections(question: str, scene: Scene) -> Connections:
    """Look at the first passages only, when there are very many."""
    return _Weaver(question, scene).connections()


class _Weaver:
    """One question over one scene."""

    def __init__(self, question: str, scene: Scene) -> None:
        self._question = question
        self._readings = scene.readings[:_MOST_PASSAGES]
        self._rarity = scene.rarity(question_stems(question))
        self._whole = sum(self._rarity.values()) or 1.0
        self._anchors = anchors_of(question, self._rarity)
        held = scene.passages[:_MOST_PASSAGES]
        self._titles = titles = [_content(_BRACKET.sub("", passage.provenance.title)) for passage in held]
        self._title_rarity = scene.rarity(title_stems(held))
        self._said = [
            f" {' '.join(title)} {reading.said} " for title, reading in zip(titles, self._readings, strict=True)
        ]
        self._match = [[self._titled(anchor, title) for title in titles] for anchor in self._anchors]
        self._mention = [[self._mentioned(anchor, i) for i in range(len(titles))] for anchor in self._anchors]

    def connections(self) -> Connections:
        count = len(self._readings)
        if not count:
            return Connections(0.0, 0.5, 0.5, 0.0, 0.0, 0.0)
        links = [[self._link(i, j) for j in range(count)] for i in range(count)]
        bridge = [[max(links[i][j], _BACKWARD * links[j][i]) for j in range(count)] for i in range(count)]
        chain = self._chain(bridge)
        comparison = bool(comparison_sides(self._question))
        sides = self._sides(bridge) if comparison and len(self._anchors) > 1 else 0.0
        weights = [anchor.weight for anchor in self._anchors]
        best = [max(row) for row in self._match]
        titled = sum(w * b for w, b in zip(weights, best, strict=True)) / (sum(weights) or 1.0) if weights else 0.5
        return Connections(
            union=self._cover(range(count)),
            titled=titled,
            mentioned=min((max(row) for row in self._mention), default=0.5),
            chain=chain,
            chain_needed=0.0 if comparison else chain,
            sides_needed=sides,
        )

    def _cover(self, indices: Sequence[int]) -> float:
        held = frozenset[str]().union(*(self._readings[i].stems for i in indices))
        return sum(weight for stem, weight in self._rarity.items() if stem in held) / self._whole

    def _titled(self, anchor: Anchor, title: tuple[str, ...]) -> float:
        """Harmonic mean of what is shared, by rarity, seen from the name and from the title."""
        weight = self._title_rarity
        named, held = dict.fromkeys(anchor.stems), dict.fromkeys(title)  # in order: sums must not depend on hashing
        common = sum(weight[stem] for stem in named if stem in held)
        mine = sum(weight.get(stem, self._rarity.get(stem, 1.0)) for stem in named)
        theirs = sum(weight[stem] for stem in held)
        return 2 * common / (mine + theirs) if mine + theirs else 0.0

    def _mentioned(self, anchor: Anchor, index: int) -> float:
        if f" {' '.join(anchor.stems)} " in self._said[index]:
            return 1.0
        held = self._readings[index].stems
        known = sum(self._rarity.get(stem, 0.0) for stem in anchor.stems if stem in held)
        return _PARTLY_SAID * known / anchor.weight if anchor.weight else 0.0

    def _link(self, source: int, target: int) -> float:
        """Whether one passage names the subject of another; one common word is no name."""
        title = self._titles[target]
        if not title or title == self._titles[source]:
            return 0.0
        if len(title) == 1 and self._title_rarity[title[0]] < _GENERIC_TITLE_RARITY:
            return 0.0
        return float(f" {' '.join(title)} " in self._said[source])

    def _start(self, index: int) -> float:
        heaviest = max((anchor.weight for anchor in self._anchors), default=0.0) or 1.0
        best = 0.0
        for anchor, match, mention in zip(self._anchors, self._match, self._mention, strict=True):
            best = max(best, match[index], _BACKWARD * mention[index] * anchor.weight / heaviest)
        return best

    def _chain(self, bridge: Sequence[Sequence[float]]) -> float:
        best = 0.0
        for i in range(len(bridge)):
            start = self._start(i)
            for j, way in enumerate(bridge[i]):
                if start * way > best:
                    best = max(best, start * way * self._cover((i, j)))
        return best

    def _sides(self, bridge: Sequence[Sequence[float]]) -> float:
        """Both sides there; through a relation, each with a passage that none of the names stands over."""
        worst = min(max(row) for row in self._match)
        if RELATION.search(self._question) is None:
            return worst
        anchored = [i for i in range(len(bridge)) if max(row[i] for row in self._match) >= _ANCHORED]
        others = [j for j in range(len(bridge)) if j not in anchored]
        onward = [max((bridge[i][j] for j in others), default=0.0) for i in anchored]
        return min(worst, *onward) if onward else 0.0


# --- how much it matters -------------------------------------------------------------------------------------------

_CONNECTED = Connections(
    union=0.0, titled=0.0, mentioned=2.73, chain=1.44, chain_needed=0.85, sides_needed=3.6, paired=1.24
)
_CONNECTED_START = -4.08
"""Fitted for equal odds, then moved down by .6: what only seems to hang together is the common way to be wrong."""
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:who|whom|whose|that|which|where|when)\b", re.IGNORECASE)
_PLACED = re.compile(r"\b(?:by|in|from|for|with|at|on|to)\b", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_MOST_NAMES = 4


def connected(found: Connections) -> float:
    """Whether passages that hang together like this hold what a question of several hops needs, 0 to 1."""
    return _logistic(_CONNECTED_START + sum(w * sign for w, sign in zip(_CONNECTED, found, strict=True)))


def goes_through(question: str, in_passage: float) -> float:
    """How much a question reads as one that goes through something else, 0 to 1.

    `in_passage` is the share of it that one passage has: what is all in one place needs no second.
    """
    asking = _ASKING.search(question)
    rest = question[asking.end() :] if asking else question
    logit = -3.2 - 3.9 * in_passage + 0.11 * len(question.split())
    logit += 0.61 * len(_OF.findall(rest)) + 0.58 * len(_RELATIVE.findall(rest)) + 0.23 * len(_PLACED.findall(rest))
    logit += 1.64 * min(_MOST_NAMES, len(names(question)))
    logit += 3.47 * (RELATION.search(question) is not None) + 3.05 * bool(comparison_sides(question))
    return _logistic(logit)


def _logistic(logit: float) -> float:
    return 1.0 / (1.0 + exp(-logit))
