"""Puts everything a run has seen into one order, read or not: what a handle says is enough.

A candidate's score is a sum of six signs, each 0 to 1 before its weight:

- first: its best score in a first look, over the best there;
- follow, place: its score and its rank in a query that followed another passage, times how good that passage is;
- shared: it has a whole name of the passage that was followed, and few others of that list do;
- link: a good passage names it, best where the naming sentence has the question's words;
- named: the question names its title.

The weights are round numbers chosen on three public sets of questions, not fitted. They hardly matter: of 300 draws
between .3 and 2 times an earlier choice, half lost at most .003 of all-recall at ten on any set, nine in ten at most .04.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from satisfice.adapters.reasoners.bridge_names import Name, names_in
from satisfice.core.claims import Claim
from satisfice.core.ids import PassageId
from satisfice.core.linking import LINKING_HITS, name_key
from satisfice.core.passages import Handle, Passage
from satisfice.core.text import question_stems, search_terms
from satisfice.ports.reasoner import PastQuery, View
from satisfice.ports.retriever import TermStatistics

FOLLOWED_NAMES = 6
"""So many names of a passage go into the query that follows it, each worth `NAME_DECAY` of the one before."""
NAME_DECAY = 0.8

_FOLLOW, _PLACE, _NAMED, _LINK, _SHARED = 0.6, 1.0, 0.6, 1.2, 0.2
_NAMED_WORTH = 0.7
"""How far a passage that the question names is trusted at least, wherever a search puts it."""
_REWRITE = 0.6
"""What a hit of a query that narrows or broadens an earlier one is worth, from one of a first look."""
_LINK_DECAY = 0.7
"""What a passage's next link is worth, from the one whose sentence has most of the question."""
_LINK_FLOOR = 0.5
"""Worth of a link whose sentence has nothing of the question."""
_FOLLOWED_LINKERS = 3
"""Best hits of a later query whose links count."""
_WORDS_SHARE = 0.65
_COSINE_DEPTH = 48
_WORTH_KEEPING, _ALWAYS_KEPT = 0.2, 3
"""Share of the best score below which a candidate hardly ever was needed, and how many are kept whatever they score."""
_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is compared with passages: its stems, each with its share of the whole by rarity."""

    text: str
    shares: Mapping[str, float]
    rare: frozenset[str]
    """Stems in at most 2 % of the passages, or 3 of them."""
    key: str
    capitals: frozenset[str]
    """Words that are written with a capital or a digit, folded; the first one only when there are others."""

    @classmethod
    def of(cls, question: str, statistics: TermStatistics) -> "Asked":
        """`statistics` should hold the question's stems (`question_stems`); a stem it does not know counts as rare."""
        stems = question_stems(question)
        containing = {stem: statistics.containing.get(stem, 0) for stem in stems}
        total = statistics.passages
        rarity = {stem: log(1 + (total - count + 0.5) / (count + 0.5)) for stem, count in containing.items()}
        whole = sum(rarity.values()) or 1.0
        few = max(3.0, 0.02 * total)
        words = question.split()
        capitals = frozenset(name_key(word) for word in words[1:] if not word[:1].islower())
        return cls(
            question,
            {stem: value / whole for stem, value in rarity.items()},
            frozenset(stem for stem, count in containing.items() if count <= few),
            f" {name_key(question)} ",
            capitals,
        )

    def cover(self, stems: Iterable[str]) -> float:
        """Share of the question that these stems are, 0 to 1."""
        held = frozenset(stems)
        return sum(share for stem, share in self.shares.items() if stem in held)

    def names(self, title: str) -> bool:
        """Whether the question names this title. One word alone must be rare or written as a name."""
        key = name_key(_BRACKET.sub("", title)).removeprefix("the ")
        if f" {key} " not in self.key or len(key) < 4:
            return False
        return " " in key or key in self.capitals or not self.rare.isdisjoint(search_terms(key))


@dataclass(frozen=True, slots=True)
class Pool:
    """What a run knows when it chooses. Queries in the order they ran; the passages are those whose text is in hand."""

    question: str
    queries: tuple[PastQuery, ...]
    passages: Mapping[PassageId, Passage]
    statistics: TermStatistics

    @classmethod
    def of(cls, view: View, claim: Claim | None = None) -> "Pool":
        """The pool of a view for one claim, by its text and the queries sent for it or for none; or for the question."""
        queries = [past for past in view.queries if not past.failed]
        if claim is not None:
            queries = [past for past in queries if past.lineage.claim in {None, claim.id}]
        held = {passage.id: passage for passage in view.passages}
        return cls(claim.text if claim else view.question, tuple(queries), held, view.statistics)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may be needed, and why. `covered` are the question's stems it is known to contain."""

    id: PassageId
    title: str
    score: float
    first: float
    covered: frozenset[str]
    cover: float
    named: bool
    tokens: int


Links = tuple[tuple[PassageId, float], ...]
"""Targets, each with what the link is worth, best first."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates, best first, and who links to whom among them."""

    asked: Asked
    candidates: tuple[Candidate, ...]
    links: Mapping[PassageId, Links]
    linked_keys: Mapping[PassageId, frozenset[str]]
    """The names of the passages that a passage links to."""

    def best(self, limit: int) -> tuple[Candidate, ...]:
        """At most `limit` candidates that are worth their tokens: the first three, then while the score holds up."""
        least = _WORTH_KEEPING * self.candidates[0].score if self.candidates else 0.0
        kept = self.candidates[:limit]
        return tuple(one for place, one in enumerate(kept) if place < _ALWAYS_KEPT or one.score >= least)


def rank(pool: Pool) -> Ranking:
    """Order everything seen so far. Deterministic; equal scores are ordered by id."""
    return _Ranker(pool).ranking()


Hits = Sequence[tuple[Handle, float]]
"""Handles with their strength, 0 to 1, best first."""


def weighed(handles: Sequence[Handle]) -> Hits:
    """What a query found, with words and vectors fused for the purpose of hopping.

    A source fuses for the best single hit. A hop asks for what is said in other words ("studied at" for "alumni"), so the
    cosine counts for more here; it is scaled between the best and the `_COSINE_DEPTH`th. A source that shows
    neither part is taken at its own score.
    """
    top = max((handle.lexical for handle in handles), default=0.0)
    cosines = sorted((handle.cosine for handle in handles), reverse=True)[:_COSINE_DEPTH]
    span = cosines[0] - cosines[-1] if cosines else 0.0
    words = _WORDS_SHARE if span > 0.0 else 1.0
    strengths = [
        words * handle.lexical / top + (1.0 - words) * max(0.0, (handle.cosine - cosines[-1]) / (span or 1.0))
        if top > 0.0
        else handle.score
        for handle in handles
    ]
    return sorted(zip(handles, strengths, strict=True), key=lambda hit: (-hit[1], hit[0].id))


def unseen_names(asked: Asked, title: str, text: str, linked: frozenset[str]) -> tuple[tuple[float, Name], ...]:
    """Names in a passage that neither its title nor the question has, with their promise, best first.

    A name promises more when its sentence has more of the question (title words aside), when a passage of that name is
    known (`linked` holds such keys) and when it comes early.
    """
    own = frozenset(search_terms(title))
    best: dict[str, tuple[float, Name]] = {}
    covers: dict[int, float] = {}
    for name in names_in(text):
        if f" {name.key} " in asked.key or own.issuperset(name.stems):
            continue
        if all(stem in asked.shares for stem in name.stems):
            continue
        if name.sentence not in covers:
            covers[name.sentence] = asked.cover(name.context - own)
        promise = covers[name.sentence] + 0.2 * (name.key in linked) + 0.05 / (1 + name.sentence)
        if name.key not in best or promise > best[name.key][0]:
            best[name.key] = (promise, name)
    return tuple(sorted(best.values(), key=lambda pair: (-pair[0], pair[1].key)))


class _Ranker:
    """Goes through the queries in order, so that what a later one is worth depends on the earlier ones only."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._asked = Asked.of(pool.question, pool.statistics)
        self._titles: dict[PassageId, str] = {}
        self._tokens: dict[PassageId, int] = {}
        self._covered: dict[PassageId, frozenset[str]] = {}
        self._edges: dict[PassageId, dict[PassageId, tuple[float, float]]] = {}
        self._first: dict[PassageId, float] = {}
        self._follow: dict[PassageId, float] = {}
        self._place: dict[PassageId, float] = {}
        self._shared: dict[PassageId, float] = {}
        self._linked: dict[PassageId, float] = {}
        for past in pool.queries:
            for handle in past.handles:
                self._see(handle)
        for passage in pool.passages.values():
            self._see_text(passage)

        self._links = {passage: self._known_links(passage) for passage in self._edges}
        self._linked_keys = {
            passage: frozenset(title_key(self._titles[target]) for target, _ in links)
            for passage, links in self._links.items()
        }

    def ranking(self) -> Ranking:
        for past in self._pool.queries:
            hits = weighed(past.handles)
            if past.lineage.expands is None:
                self._look(hits, 1.0 if past.lineage.depth == 0 else _REWRITE)
                linkers = [handle.id for handle, _ in hits[:LINKING_HITS]]
            else:
                self._followed(hits, past.lineage.expands)
                linkers = [*(handle.id for handle, _ in hits[:_FOLLOWED_LINKERS]), past.lineage.expands]
            self._spread(linkers)
        candidates = sorted(map(self._candidate, self._titles), key=lambda one: (-one.score, one.id))
        return Ranking(self._asked, tuple(candidates), self._links, self._linked_keys)

    def _see(self, handle: Handle) -> None:
        asked = self._asked.shares
        self._titles.setdefault(handle.id, handle.title)
        self._tokens.setdefault(handle.id, handle.tokens)
        covered = frozenset(stem for stem in handle.matched if stem in asked)
        self._covered[handle.id] = self._covered.get(handle.id, frozenset()) | covered
        own = frozenset(search_terms(handle.title)) if handle.links else frozenset[str]()
        for link in handle.links:
            overlap = self._asked.cover(frozenset(link.matched) - own)
            edges = self._edges.setdefault(handle.id, {})
            weight, before = edges.get(link.target, (0.0, 0.0))
            edges[link.target] = (max(weight, link.weight), max(before, overlap))

    def _see_text(self, passage: Passage) -> None:
        """A passage that no search of this run returned, such as one from a cache, is judged by its own words."""
        if passage.id in self._titles:
            return
        title = passage.provenance.title
        words = frozenset(search_terms(title)) | frozenset(search_terms(passage.text))
        self._titles[passage.id] = title
        self._tokens[passage.id] = passage.tokens
        self._covered[passage.id] = frozenset(stem for stem in self._asked.shares if stem in words)
        self._first[passage.id] = self._asked.cover(words)

    def _known_links(self, passage: PassageId) -> Links:
        """Those to known passages, each worth less than the one before."""
        known = [
            (overlap, weight, target)
            for target, (weight, overlap) in self._edges[passage].items()
            if target in self._titles and target != passage
        ]
        known.sort(key=lambda link: (-(link[0] + 0.1 * link[1]), link[2]))
        return tuple(
            (target, weight * (_LINK_FLOOR + overlap) * _LINK_DECAY**place)
            for place, (overlap, weight, target) in enumerate(known)
        )

    def _worth(self, passage: PassageId) -> float:
        """How far a passage is trusted to lead on, 0 to 1."""
        found = max(self._first.get(passage, 0.0), 0.8 * self._follow.get(passage, 0.0))
        named = _NAMED_WORTH if self._asked.names(self._titles.get(passage, "")) else 0.0
        return min(1.0, max(found, named, 0.7 * self._linked.get(passage, 0.0)))

    def _look(self, hits: Hits, share: float) -> None:
        top = hits[0][1] if hits else 0.0
        for handle, strength in hits:
            _raise(self._first, handle.id, share * strength / (top or 1.0))

    def _followed(self, hits: Hits, followed: PassageId) -> None:
        worth = self._worth(followed)
        passage = self._pool.passages.get(followed)
        sought: list[frozenset[str]] = []
        if passage is not None:
            linked = self._linked_keys.get(followed, frozenset())
            promised = unseen_names(self._asked, passage.provenance.title, passage.text, linked)
            sought = [frozenset(name.stems) for _, name in promised[:FOLLOWED_NAMES]]
        matched = [frozenset(handle.matched) for handle, _ in hits]
        common = [sum(stems <= has for has in matched) / (len(matched) + 1) for stems in sought]
        for place, ((handle, strength), has) in enumerate(zip(hits, matched, strict=True)):
            if handle.id == followed:
                continue
            _raise(self._follow, handle.id, worth * strength)
            _raise(self._place, handle.id, worth / (1 + place))
            for number, stems in enumerate(sought):
                if stems <= has:
                    _raise(self._shared, handle.id, worth * NAME_DECAY**number * (1 - common[number]))

    def _spread(self, linkers: list[PassageId]) -> None:
        for passage in linkers:
            worth = self._worth(passage)
            for target, strength in self._links.get(passage, ()):
                _raise(self._linked, target, worth * strength)

    def _candidate(self, passage: PassageId) -> Candidate:
        title, covered = self._titles[passage], self._covered[passage]
        first = self._first.get(passage, 0.0)
        named = self._asked.names(title)
        score = (
            first
            + _FOLLOW * self._follow.get(passage, 0.0)
            + _PLACE * self._place.get(passage, 0.0)
            + _SHARED * self._shared.get(passage, 0.0)
            + _LINK * self._linked.get(passage, 0.0)
            + _NAMED * named
        )
        return Candidate(
            passage, title, score, first, covered, self._asked.cover(covered), named, self._tokens[passage]
        )


def title_key(title: str) -> str:
    """A title's key without a final bracket: `The Wall (film)` is spoken of as `The Wall`."""
    return name_key(_BRACKET.sub("", title))


def _raise(values: dict[PassageId, float], passage: PassageId, value: float) -> None:
    if value > values.get(passage, 0.0):
        values[passage] = value
