"""The next hop without a model: which passage to follow, what to ask for, what to read, and when it is enough.

A question of several hops names its first passage, and that passage names the next one. So: rank everything seen, read
what ranks high, take the passage that leads on best, and ask for what the question still misses together with the names
that this passage brings in.

    pool = Pool.of(view)                 # queries so far, passages in hand, statistics of `wanted_terms(question)`
    ranking = rank(pool)                 # every candidate, best first (see `ranking`)
    enough(pool, ranking)                # then no hop is worth a query
    to_read(pool, ranking, limit=3)      # ids for a look-up: no query is spent, and only read passages can be followed
    hop = next_query(pool, ranking)      # None when nothing in hand leads on
    ranking.best(limit=10)               # in the end: what is worth its tokens

`hop.lineage` must go with the query: `Lineage.expands` is how a later ranking knows what the query followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.adapters.reasoners.bridge_names import Name
from satisfice.adapters.reasoners.ranking import (
    FOLLOWED_NAMES,
    NAME_DECAY,
    Asked,
    Candidate,
    Pool,
    Ranking,
    rank,
    title_key,
    unseen_names,
)
from satisfice.core.ids import PassageId
from satisfice.core.linking import name_key
from satisfice.core.queries import Lineage, ReasonCode, Transformation
from satisfice.core.stemming import stem
from satisfice.core.text import question_stems, terms

__all__ = ["Hop", "Pool", "Ranking", "enough", "is_comparison", "next_query", "rank", "to_read", "wanted_terms"]

RETURNED = 10
"""Passages that make up the result; what ranks lower is not read."""

_LEADERS = 8
"""Best candidates among which the passage to follow is chosen."""
_COVERED_WEIGHT = 0.1
"""Weight of question stems that the followed passage has already; above 0, so that hits still say whether they match."""
_COMPLETE = 0.95
_ENOUGH_COVER = 0.85
_COMPARING_WORDS = (
    "same both older younger earlier later first last longer shorter larger bigger smaller more less most least higher "
    "lower taller oldest youngest earliest latest largest recently"
)
_OPENING_WORDS = "are is was were do does did has have had can could will would should"
_COMPARING = frozenset(_COMPARING_WORDS.split())
_COMPARING_STEMS = frozenset(map(stem, _COMPARING))
"""Asked of passages, not found in them."""
_YES_NO = frozenset(_OPENING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Hop:
    """A query that follows a passage: `text` for people, `weights` and `about` for the source."""

    text: str
    weights: tuple[tuple[str, float], ...]
    about: str
    lineage: Lineage


def wanted_terms(question: str) -> tuple[str, ...]:
    """The stems whose statistics ranking compares rarity by."""
    return question_stems(question)


def next_query(pool: Pool, ranking: Ranking) -> Hop | None:
    """Follow the passage in hand that leads on best and was not followed before; None when there is none."""
    followed = {past.lineage.expands for past in pool.queries} - {None}
    best: tuple[float, Candidate, Sequence[Name]] | None = None
    for candidate, standing in _leaders(ranking, first=not followed):
        passage = pool.passages.get(candidate.id)
        if passage is None or candidate.id in followed:
            continue
        linked = ranking.linked_keys.get(candidate.id, frozenset())
        promised = unseen_names(ranking.asked, candidate.title, passage.text, linked)
        if not promised:
            continue
        promise = promised[0][0]
        value = standing * (0.3 + promise) * (1 + candidate.named) if followed else standing + 0.5 * promise
        if best is None or value > best[0]:
            best = (value, candidate, [name for _, name in promised[:FOLLOWED_NAMES]])
    if best is None:
        return None
    return _hop(pool, ranking.asked, best[1], best[2])


def to_read(pool: Pool, ranking: Ranking, limit: int) -> tuple[PassageId, ...]:
    """At most `limit` of the best candidates that are not in hand, best first."""
    return tuple(one.id for one in ranking.best(RETURNED) if one.id not in pool.passages)[:limit]


def enough(pool: Pool, ranking: Ranking) -> bool:
    """Whether another hop is unlikely to add anything. All of these hold:

    the best four have 85 % of the question by rarity; no rare stem is missing from the best five (comparing words count
    as found in both); every title that the question names is among the best six; and two of the best three are linked,
    or the question compares and two of the best four are named in it.
    """
    best, asked = ranking.candidates, ranking.asked
    if asked.cover(_covered(best[:4])) < _ENOUGH_COVER or not asked.rare <= _covered(best[:5]):
        return False
    named = {title_key(one.title) for one in best if one.named}
    if not named <= {title_key(one.title) for one in best[:6]}:
        return False
    if is_comparison(pool.question):
        return sum(one.named for one in best[:4]) >= 2
    top = {one.id for one in best[:3]}
    return any(target in top for one in best[:3] for target, _ in ranking.links.get(one.id, ()))


def _covered(candidates: Sequence[Candidate]) -> frozenset[str]:
    return _COMPARING_STEMS.union(*(one.covered for one in candidates))


def is_comparison(question: str) -> bool:
    """Whether two things are set against each other: `and` or `or`, with a comparing word or a yes-or-no opening."""
    words = name_key(question).split()
    if "and" not in words and "or" not in words:
        return False
    return words[0] in _YES_NO or not _COMPARING.isdisjoint(words)


def _leaders(ranking: Ranking, *, first: bool) -> list[tuple[Candidate, float]]:
    """Where to go on from, with a standing of about 0 to 1: at first by the first look, then by the whole score."""
    if not first:
        top = ranking.candidates[0].score if ranking.candidates else 1.0
        return [(one, one.score / (top or 1.0)) for one in ranking.candidates[:_LEADERS]]
    leaders = sorted(ranking.candidates, key=lambda one: (-one.first, one.id))[:_LEADERS]
    return [(one, one.first + 0.5 * one.named + 0.2 * (one.cover < _COMPLETE)) for one in leaders]


def _hop(pool: Pool, asked: Asked, followed: Candidate, names: Sequence[Name]) -> Hop:
    weights: dict[str, float] = {one: _COVERED_WEIGHT if one in followed.covered else 1.0 for one in asked.shares}
    for place, name in enumerate(names):
        for one in name.stems:
            weights[one] = max(weights.get(one, 0.0), round(NAME_DECAY**place, 4))
    missing = {
        term.stem: term.text
        for term in reversed(terms(pool.question))
        if term.stem in asked.shares and term.stem not in followed.covered
    }
    text = " ".join([*reversed(missing.values()), *(name.text for name in names)])
    return Hop(text, tuple(sorted(weights.items())), text, _lineage(pool, followed.id))


def _lineage(pool: Pool, followed: PassageId) -> Lineage:
    """One hop deeper than the query that found the passage first; a passage reached by a link hangs on the last query."""
    found = [past for past in pool.queries if any(handle.id == followed for handle in past.handles)]
    parent = min(found or pool.queries[-1:], key=lambda past: past.lineage.depth, default=None)
    return Lineage(
        parent=parent.query.identity() if parent else "",
        transformation=Transformation.DECOMPOSE,
        reason=ReasonCode.FOLLOW_BRIDGE,
        depth=parent.lineage.depth + 1 if parent else 1,
        expands=followed,
    )
