"""How candidates are scored, fused and freed of repeats. Pure; everything that is compared is passed in."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

LEXICAL_SHARE = 0.8
"""The rest is the cosine's. Both are scaled to 0..1 over the candidates before they are added."""
HEAD_SHARE = 0.3
STANDS_OUT = 3.0
"""Standard deviations above the mean cosine of all readable passages at which a passage without any of the query's words is a hit."""

_K1, _B = 1.2, 0.75
_HEAD_B, _HEAD_TERMS = 0.3, 4.0
_DIGITS = 6


class Candidate(NamedTuple):
    """A passage that may be a hit. `head` and `body` hold terms, each between two spaces of its own."""

    row: int
    id: str
    document: str
    title: str
    authority: int
    tokens: int
    start: int
    stop: int
    length: int
    head: str
    body: str


class WordsScore(NamedTuple):
    """BM25 and the terms it comes from."""

    score: float
    matched: tuple[str, ...]


class Scored(NamedTuple):
    """A candidate with its scores: `lexical` is BM25, `cosine` the vector's, `score` their fusion, 0 to 1."""

    candidate: Candidate
    score: float
    lexical: float
    cosine: float
    matched: tuple[str, ...]


def inverse_frequency(passages: int, containing: int) -> float:
    """BM25's, never below zero."""
    return math.log(1.0 + (passages - containing + 0.5) / (containing + 0.5))


def words_score(candidate: Candidate, terms: Mapping[str, float], mean_terms: float) -> WordsScore:
    """BM25 of the body plus a share of title and headings; and the terms the body has. `terms` holds weight times idf."""
    score = 0.0
    matched: list[str] = []
    body_norm = _K1 * (1.0 - _B + _B * candidate.length / max(mean_terms, 1.0))
    head_norm = 0.0
    for term, weight in terms.items():
        needle = f" {term} "
        count = candidate.body.count(needle)
        if not count:
            continue
        matched.append(term)
        gain = count * (_K1 + 1.0) / (count + body_norm)
        in_head = candidate.head.count(needle)
        if in_head:
            head_norm = head_norm or _head_norm(candidate.head)
            gain += HEAD_SHARE * in_head * (_K1 + 1.0) / (in_head + head_norm)
        score += weight * gain
    return WordsScore(score, tuple(matched))


def _head_norm(head: str) -> float:
    return _K1 * (1.0 - _HEAD_B + _HEAD_B * (len(head.split()) / _HEAD_TERMS))


class Scale(NamedTuple):
    """What scores are measured by: the best words' score, and the range of cosines, among the first candidates."""

    top: float
    low: float
    high: float


def scale_of(words: Sequence[WordsScore], cosines: Sequence[float] | None) -> Scale:
    """The scale that a query's candidates set."""
    top = max((one.score for one in words), default=0.0)
    return Scale(top, min(cosines or (), default=0.0), max(cosines or (), default=0.0))


def scored(
    candidates: Sequence[Candidate],
    words: Sequence[WordsScore],
    cosines: Sequence[float] | None,
    scale: Scale,
    least_cosine: float = math.inf,
) -> list[Scored]:
    """The hits among candidates, best first. Those without any of the words stay only from `least_cosine` on."""
    share = 1.0 if cosines is None else LEXICAL_SHARE
    hits: list[Scored] = []
    for number, (candidate, word) in enumerate(zip(candidates, words, strict=True)):
        cosine = 0.0 if cosines is None else cosines[number]
        if not word.matched and (cosines is None or cosine < least_cosine):
            continue
        lexical = min(word.score / scale.top, 1.0) if scale.top else 0.0
        score = share * lexical + (1.0 - share) * _between(cosine, scale.low, scale.high)
        if score > 0.0:
            hits.append(
                Scored(
                    candidate, round(score, _DIGITS), round(word.score, _DIGITS), round(cosine, _DIGITS), word.matched
                )
            )
    hits.sort(key=best_first)
    return hits


def best_first(hit: Scored) -> tuple[float, int]:
    """Sorting key; equal scores by age."""
    return -hit.score, hit.candidate.row


def _between(value: float, low: float, high: float) -> float:
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def without_repeats(hits: Sequence[Scored]) -> tuple[list[Scored], list[Scored]]:
    """The hits that each say something else, and apart from them those that repeat one of these.

    Repeats are: the same words in the same order, wherever they stand (of several copies the one of the highest
    authority stays, in the best one's place), and windows of one document that share half of the shorter one.
    """
    places: dict[str, int] = {}
    kept: list[Scored] = []
    repeats: list[Scored] = []
    for hit in hits:
        same = places.get(hit.candidate.body) if hit.candidate.body else None
        if same is not None:
            if hit.candidate.authority > kept[same].candidate.authority:
                repeats.append(kept[same])
                kept[same] = hit._replace(score=kept[same].score)
            else:
                repeats.append(hit)
        elif any(_overlap(hit.candidate, other.candidate) for other in kept):
            repeats.append(hit)
        else:
            places[hit.candidate.body] = len(kept)
            kept.append(hit)
    return kept, repeats


def _overlap(one: Candidate, other: Candidate) -> bool:
    if one.document != other.document:
        return False
    shared = min(one.stop, other.stop) - max(one.start, other.start)
    return shared * 2 >= min(one.stop - one.start, other.stop - other.start) > 0
