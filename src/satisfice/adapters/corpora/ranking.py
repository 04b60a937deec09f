"""How candidates are scored, fused and freed of repeats. Pure; everything that is compared is passed in.

Measured on nine public sets (`benchmarks/retrieval.py` has five of them): BM25 with k1 .9 and b .4 does better than 1.2
and .75 wherever passages are long and loses nothing elsewhere; counting a term half again when title or headings have it
helps wherever there are titles; pairs of neighbouring terms brought nothing. The cosine of a static embedding adds most
where words are scarce and harms names when it weighs more than a tenth.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

COSINE_SHARE = 0.1
"""The rest is the words'. Words count by the best candidate's, cosines by how far they stand out, both 0 to 1."""
HEAD_SHARE = 0.5
"""What a term in title or headings adds, beside counting in the body like any other."""
STANDS_OUT = 3.0
"""A passage without any of the query's words is a hit from here on. Like the next two in standard deviations above the mean of
the query's cosines with all readable passages: what a cosine is worth depends on the query, so no fixed one would do."""
_BEGINS, _FULL = 1.0, 6.0
"""From where to where a cosine lifts a score."""

_K1, _B, _HEAD_B = 0.9, 0.4, 0.75
_HEAD_TERMS = 4.0
"""A head of so many terms is neither long nor short."""
_DIGITS = 6


class Candidate(NamedTuple):
    """A passage that may be a hit. `body` holds its terms, first those of its `head`; `document` and `title` are as stored."""

    row: int
    id: str
    document: bytes
    title: bytes
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


class Background(NamedTuple):
    """The cosines of a query with all readable passages: what is near by accident."""

    mean: float
    deviation: float

    def out(self, cosine: float) -> float:
        """Standard deviations above the mean."""
        return (cosine - self.mean) / self.deviation if self.deviation > 0.0 else 0.0


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
    """BM25 of the body plus a share for title and headings; and which terms the body has. `terms` holds weight times idf."""
    found = [term for term in candidate.body.split() if term in terms]
    if not found:
        return WordsScore(0.0, ())
    head = candidate.head.split()
    body_norm = _K1 * (1.0 - _B + _B * candidate.length / max(mean_terms, 1.0))
    head_norm = _K1 * (1.0 - _HEAD_B + _HEAD_B * len(head) / _HEAD_TERMS)
    score = 0.0
    for term, weight in terms.items():
        count = found.count(term)
        if count:
            in_head = head.count(term)
            gain = count / (count + body_norm) + HEAD_SHARE * in_head / (in_head + head_norm)
            score += weight * gain * (_K1 + 1.0)
    return WordsScore(score, tuple(term for term in terms if term in found))


def scored(
    candidates: Sequence[Candidate],
    words: Sequence[WordsScore],
    top: float,
    cosines: Sequence[float] | None = None,
    background: Background | None = None,
    *,
    beside: bool = False,
) -> list[Scored]:
    """The hits among candidates, best first. `top` is the best words' score of all.

    Without any of the words, only what stands out from the background is a hit; nothing, when `beside` the candidates.
    """
    share = 0.0 if background is None else COSINE_SHARE
    hits: list[Scored] = []
    for number, (candidate, word) in enumerate(zip(candidates, words, strict=True)):
        cosine = 0.0 if cosines is None else cosines[number]
        out = 0.0 if background is None else background.out(cosine)
        if not word.matched and (beside or out < STANDS_OUT):
            continue
        lexical = min(word.score / top, 1.0) if top else 0.0
        near = min(max((out - _BEGINS) / (_FULL - _BEGINS), 0.0), 1.0)
        score = round((1.0 - share) * lexical + share * near, _DIGITS)
        if score > 0.0:
            hits.append(Scored(candidate, score, round(word.score, _DIGITS), round(cosine, _DIGITS), word.matched))
    hits.sort(key=best_first)
    return hits


def best_first(hit: Scored) -> tuple[float, int]:
    """Sorting key; equal scores by age."""
    return -hit.score, hit.candidate.row


def without_repeats(hits: Sequence[Scored]) -> tuple[list[Scored], list[Scored]]:
    """The hits that each say something else, and apart from them those that repeat one of these.

    Repeats are: the same words in the same order, wherever they stand (of several copies the one of the highest
    authority stays, in the best one's place), and windows of one document that share half of the shorter one.
    """
    places: dict[str, int] = {}
    windows: dict[bytes, list[Candidate]] = {}
    kept: list[Scored] = []
    repeats: list[Scored] = []
    for hit in hits:
        candidate = hit.candidate
        text = candidate.body[len(candidate.head) :]
        same = places.get(text)
        if same is not None:
            copies = [kept[same], hit._replace(score=kept[same].score)]
            copies.sort(key=lambda copy: -copy.candidate.authority)
            kept[same] = copies[0]
            repeats.append(copies[1])
        elif any(_overlap(candidate, other) for other in windows.get(candidate.document, ())):
            repeats.append(hit)
        else:
            places[text] = len(kept)
            windows.setdefault(candidate.document, []).append(candidate)
            kept.append(hit)
    return kept, repeats


def _overlap(one: Candidate, other: Candidate) -> bool:
    shared = min(one.stop, other.stop) - max(one.start, other.start)
    return shared * 2 >= min(one.stop - one.start, other.stop - other.start) > 0
