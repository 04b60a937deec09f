"""Which passages repeat one origin, so that ten pages of one press release count once.

Two passages repeat each other when they share a document or a declared origin, come from one web site that declares no
origin, when one's document says that it supersedes the other's, or when their texts do: equal, near-duplicate, or one
containing most of the other. Lineage is the closure of that, so it does not depend on the order of arrival. A summary in
other words is recognised only by its declared origin: the core compares signatures and does not read.
"""

from collections.abc import Iterable, Mapping
from operator import eq

from satisfice.core.ids import PassageId
from satisfice.core.passages import Passage, Provenance
from satisfice.core.text import canonical

SIZE_RATIO = 4
"""Containment is estimated only up to this ratio of sizes: beyond it the estimate is mostly noise."""
_SAMPLE = 16
"""Values looked at first: texts that resemble each other enough share one of them in 97 of 100 cases or more."""


def lineages(passages: Iterable[Passage], near_duplicate: float) -> Mapping[PassageId, str]:
    """One name per passage, equal for passages that repeat one origin: the smallest document id among them."""
    return extended({}, {}, passages, near_duplicate)


def extended(
    lineage: Mapping[PassageId, str],
    held: Mapping[PassageId, Passage],
    new: Iterable[Passage],
    near_duplicate: float,
) -> Mapping[PassageId, str]:
    """The lineages of `held` with `new` passages added. Equal to `lineages` of all of them."""
    names = dict(lineage)
    seen = list(held.values())
    by_mark: dict[str, str] = {}
    for passage in seen:
        by_mark.update(dict.fromkeys(_marks(passage), names[passage.id]))
    for passage in new:
        if passage.id in names:
            continue
        marks = _marks(passage)
        joined = {by_mark[mark] for mark in marks if mark in by_mark}
        for other in seen:
            if names[other.id] not in joined and _repeats(passage, other, near_duplicate):
                joined.add(names[other.id])
        name = min({*joined, str(passage.provenance.document_id)})
        stale = joined - {name}
        if stale:
            names = {p: name if n in stale else n for p, n in names.items()}
            by_mark = {mark: name if n in stale else n for mark, n in by_mark.items()}
        names[passage.id] = name
        by_mark.update(dict.fromkeys(marks, name))
        seen.append(passage)
    return names


def resemblance(one: Passage, other: Passage) -> float:
    """The estimated share of the two texts that they have in common; 0 when their signatures cannot be compared."""
    a, b = one.signature, other.signature
    if not a or len(a) != len(b) or one.signature_by != other.signature_by:
        return 0.0
    return sum(map(eq, a, b)) / len(a)


def same_text(one: Passage, other: Passage, near_duplicate: float) -> bool:
    """Whether one text says what the other does: equal, near-duplicate, or most of the shorter inside the longer.

    For windows cut from one document, "inside" is known from their places.
    """
    if one.content_hash == other.content_hash:
        return True
    if one.provenance.document_id == other.provenance.document_id and _overlap(one, other) >= near_duplicate:
        return True
    if not any(map(eq, one.signature[:_SAMPLE], other.signature[:_SAMPLE])):
        return False
    share = resemblance(one, other)
    if share >= near_duplicate:
        return True
    short, long = sorted((one.tokens, other.tokens))
    if not share or long > SIZE_RATIO * max(1, short):
        return False
    return share * (short + long) / ((1 + share) * max(1, short)) >= near_duplicate


def supersedes(newer: Provenance, older: Provenance) -> bool:
    """Whether `newer` declares that it replaces the document of `older`, by URI, last part of the URI, or title."""
    if not newer.supersedes or newer.document_id == older.document_id:
        return False
    named = {canonical(name) for name in newer.supersedes}
    uri = canonical(older.uri)
    return bool(named & {uri, uri.rsplit("/", 1)[-1], canonical(older.title)}) or any(
        uri.endswith(f"/{name}") for name in named
    )


def _marks(passage: Passage) -> tuple[str, ...]:
    """Names that passages of one origin share outright."""
    p = passage.provenance
    marks = (f"document {p.document_id}", f"text {passage.content_hash}")
    if p.origin:
        return (*marks, f"origin {canonical(p.origin)}")
    if p.uri.startswith(("https://", "http://")):
        host = p.uri.split("/", 3)[2].casefold().rpartition("@")[2]
        return (*marks, f"site {host.removeprefix('www.')}")
    return marks


def _repeats(one: Passage, other: Passage, near_duplicate: float) -> bool:
    a, b = one.provenance, other.provenance
    return same_text(one, other, near_duplicate) or supersedes(a, b) or supersedes(b, a)


def _overlap(one: Passage, other: Passage) -> float:
    """The share of the shorter window that lies inside the other, from their places in the document."""
    a, b = one.provenance, other.provenance
    common = min(a.end, b.end) - max(a.start, b.start)
    return max(0, common) / max(1, min(a.end - a.start, b.end - b.start))
