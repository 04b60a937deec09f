"""Packing evidence into a token budget: which passages go before a model, how much of them, in which order, and what stays out.

First the best passage for each claim that comes first, then whatever adds most per token. What a passage adds is what it
says about the claims: less when that is said already, more from an origin, source, document or section not there yet,
and by tier, date, trust and whether it may be quoted. A near-duplicate is merged into the passage that stands for it,
unless it says something else: two versions of one rule are near-duplicates and a conflict.

Token counts are those the passages carry. A part of a passage is counted in proportion to its characters, rounded up.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from satisfice.core.access import Principal, Use, may_read
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, PassageId
from satisfice.core.ledger import Ledger
from satisfice.core.lineage import same_text
from satisfice.core.passages import Passage, Trust

LEAST_TOKENS = 40
"""A passage is not cut shorter than this: a smaller piece has lost what it speaks of."""

_DIRECTNESS: Mapping[Stance, float] = {Stance.SUPPORTS: 1.0, Stance.CONTRADICTS: 1.0, Stance.MENTIONS: 0.4}
_SAID_BY_ANOTHER_ORIGIN = 0.5
_SAID_ALREADY = 0.15
_UNJUDGED = 0.3
"""What an unjudged passage is taken to add at rank 1; at rank n a n-th of it."""


class Why(StrEnum):
    """Why a passage was left out."""

    DUPLICATE = "duplicate"
    SAYS_NOTHING = "says_nothing"
    NO_ROOM = "no_room"


@dataclass(frozen=True, slots=True)
class Packed:
    """A passage in the bundle: the characters `start` to `end` of its text. `merged` are near-duplicates it stands for."""

    passage: Passage
    start: int
    end: int
    tokens: int
    merged: tuple[PassageId, ...] = ()

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def cut(self) -> bool:
        """Whether part of the passage's own text, or of what it was cut from, is missing."""
        return self.passage.cut or (self.start, self.end) != (0, len(self.passage.text))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A passage that is not in the bundle; a duplicate names the passage that stands for it."""

    passage: PassageId
    why: Why
    stands_in: PassageId | None = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """What goes before a model, in this order: the best first, the second best last. `tokens` never pass the limit."""

    packed: tuple[Packed, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    tokens: int = 0

    def hash(self) -> str:
        """The bundle's address: equal when the same text is shown in the same order."""
        lines = (f"{p.passage.id}\x1f{p.passage.content_hash}\x1f{p.start}\x1f{p.end}" for p in self.packed)
        return hashlib.sha256("\x1e".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def pack(
    ledger: Ledger,
    principal: Principal,
    limit_tokens: int,
    near_duplicate: float,
    *,
    first: Sequence[ClaimId] = (),
    ranking: Sequence[PassageId] | None = None,
    unjudged: frozenset[PassageId] = frozenset(),
) -> Bundle:
    """Pack what the ledger holds and the principal may read into `limit_tokens`.

    `first` are the claims that get a passage before anything else, heaviest first. `ranking` orders passages that
    nothing was judged about, and limits the choice to those it names; without it the order of arrival does.
    """
    names = ledger.passages if ranking is None else dict.fromkeys(p for p in ranking if p in ledger.passages)
    readable = [ledger.passages[p] for p in names if may_read(principal, ledger.passages[p].provenance.permission)]
    found = _candidates(ledger, readable, unjudged)
    silent = [LeftOut(c.passage.id, Why.SAYS_NOTHING) for c in found if not c.value]
    standing, merged = _merged([c for c in found if c.value], near_duplicate)
    packing = _Packing(ledger, limit_tokens)
    for claim in first:
        packing.serve(claim, standing)
    packing.fill(standing)
    no_room = [LeftOut(c.passage.id, Why.NO_ROOM) for c in standing if c.passage.id not in packing.taken]
    ordered = [packing.taken[p] for p in packing.order]
    packed = (*ordered[::2], *reversed(ordered[1::2]))
    return Bundle(tuple(packed), (*merged, *no_room, *silent), packing.tokens)


# --- what a passage says -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A passage with what it says and how good it is in itself, whatever else is there."""

    passage: Passage
    evidence: tuple[Evidence, ...]
    value: float
    quality: float
    merged: tuple[PassageId, ...] = ()

    @property
    def says(self) -> frozenset[tuple[ClaimId, Stance, str, str]]:
        return frozenset(_said(item) for item in self.evidence)


def _said(item: Evidence) -> tuple[ClaimId, Stance, str, str]:
    return (item.claim_id, item.stance, item.value, item.unit)


def _candidates(ledger: Ledger, readable: Sequence[Passage], unjudged: frozenset[PassageId]) -> list[_Candidate]:
    """Every readable passage, best first by what it says in itself, then by rank."""
    by_passage: dict[PassageId, list[Evidence]] = {}
    for item in ledger.all_evidence():
        by_passage.setdefault(item.span.passage_id, []).append(item)
    dates = sorted({p.provenance.published_at or "" for p in readable})
    age = {published: i / max(1, len(dates) - 1) for i, published in enumerate(dates)}
    found: list[_Candidate] = []
    for rank, passage in enumerate(readable, start=1):
        evidence = tuple(by_passage.get(passage.id, ()))
        quality = _quality(passage, age[passage.provenance.published_at or ""])
        value = sum(_weight(ledger, item) for item in evidence)
        if passage.id in unjudged or not ledger.evidence:
            value = max(value, _UNJUDGED / rank)
        found.append(_Candidate(passage, evidence, value, quality))
    place = {c.passage.id: i for i, c in enumerate(found)}
    found.sort(key=lambda c: (-c.value * c.quality, place[c.passage.id]))
    return found


def _weight(ledger: Ledger, item: Evidence) -> float:
    return ledger.claims[item.claim_id].weight * item.score * _DIRECTNESS[item.stance]


def _quality(passage: Passage, recency: float) -> float:
    where = passage.provenance
    quality = 1.0 + 0.05 * where.authority + 0.1 * recency
    if passage.trust is Trust.SUSPICIOUS:
        quality *= 0.5
    return quality if Use.QUOTE in where.permission.uses else quality * 0.6


def _merged(found: Sequence[_Candidate], near_duplicate: float) -> tuple[list[_Candidate], list[LeftOut]]:
    """Near-duplicates merged into the best passage that says all they say."""
    standing: list[_Candidate] = []
    merged: list[LeftOut] = []
    for candidate in found:
        for i, other in enumerate(standing):
            if candidate.says <= other.says and same_text(candidate.passage, other.passage, near_duplicate):
                standing[i] = replace(other, merged=(*other.merged, candidate.passage.id))
                merged.append(LeftOut(candidate.passage.id, Why.DUPLICATE, other.passage.id))
                break
        else:
            standing.append(candidate)
    return standing, merged


# --- choosing ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Packing:
    """The bundle as it fills."""

    ledger: Ledger
    limit: int
    tokens: int = 0
    order: list[PassageId] = field(default_factory=list[PassageId])
    """In the order they were taken: the best first."""
    taken: dict[PassageId, Packed] = field(default_factory=dict[PassageId, Packed])
    origins: dict[tuple[ClaimId, Stance, str, str], set[str]] = field(
        default_factory=dict[tuple[ClaimId, Stance, str, str], set[str]]
    )
    places: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def serve(self, claim: ClaimId, standing: Iterable[_Candidate]) -> None:
        """Take the best passage that settles the claim, or else speaks to it; cut it when it does not fit whole."""
        about = [(_best_item(c, claim), c) for c in standing]
        speaking = [(item, c) for item, c in about if item is not None]
        speaking.sort(key=lambda pair: -_DIRECTNESS[pair[0].stance] * pair[0].score * pair[1].quality)
        if any(c.passage.id in self.taken and i.stance is not Stance.MENTIONS for i, c in speaking):
            return
        for item, candidate in speaking:
            if candidate.passage.id in self.taken:
                return
            room = self.limit - self.tokens
            piece = _piece(candidate, item, room)
            if piece is not None:
                self.take(candidate, piece)
                return

    def fill(self, standing: Sequence[_Candidate]) -> None:
        """Take what adds most per token, until nothing more fits whole; the first may be cut, so that one is shown."""
        waiting = [c for c in standing if c.passage.id not in self.taken]
        while waiting:
            room = self.limit - self.tokens
            fitting = [c for c in waiting if c.passage.tokens <= room]
            if not fitting:
                break
            best = max(fitting, key=self.gain)
            waiting.remove(best)
            self.take(best, _whole(best))
        if not self.taken and waiting:
            item = max(waiting[0].evidence, key=lambda e: e.score, default=None)
            piece = _piece(waiting[0], item, self.limit)
            if piece is not None:
                self.take(waiting[0], piece)

    def gain(self, candidate: _Candidate) -> float:
        """What a passage adds per token to what is there."""
        origin = self.ledger.lineage[candidate.passage.id]
        value = 0.0 if candidate.evidence else candidate.value
        for item in candidate.evidence:
            origins = self.origins.get(_said(item))
            new = 1.0 if not origins else _SAID_ALREADY if origin in origins else _SAID_BY_ANOTHER_ORIGIN
            value += _weight(self.ledger, item) * new
        diversity = 1.0 + 0.1 * sum(place not in self.places for place in _places(candidate.passage))
        return value * candidate.quality * diversity / max(1, candidate.passage.tokens)

    def take(self, candidate: _Candidate, piece: Packed) -> None:
        passage = candidate.passage
        self.tokens += piece.tokens
        self.order.append(passage.id)
        self.taken[passage.id] = piece
        self.places.update(_places(passage))
        for item in candidate.evidence:
            if piece.start <= item.span.start and item.span.end <= piece.end:
                self.origins.setdefault(_said(item), set()).add(self.ledger.lineage[passage.id])


def _places(passage: Passage) -> tuple[tuple[str, ...], ...]:
    """Source, document and section."""
    where = passage.provenance
    document = (where.source_id, where.document_id)
    return ((where.source_id,), document, (*document, *where.headings))


def _best_item(candidate: _Candidate, claim: ClaimId) -> Evidence | None:
    mine = [e for e in candidate.evidence if e.claim_id == claim]
    return max(mine, key=lambda e: (_DIRECTNESS[e.stance] * e.score, -e.span.start), default=None)


# --- pieces --------------------------------------------------------------------------------------------------------


def _whole(candidate: _Candidate) -> Packed:
    passage = candidate.passage
    return Packed(passage, 0, len(passage.text), passage.tokens, candidate.merged)


def _piece(candidate: _Candidate, item: Evidence | None, room: int) -> Packed | None:
    """The whole passage when it fits, else as much around the evidence as does; None when that is too little."""
    passage = candidate.passage
    if passage.tokens <= room:
        return _whole(candidate)
    if room < LEAST_TOKENS:
        return None
    size = len(passage.text)
    width = size * room // passage.tokens
    start, end = (item.span.start, item.span.end) if item is not None else (0, 0)
    if end - start > width:
        return None
    start = max(0, min(start - (width - (end - start)) // 2, size - width))
    end = start + width
    start, end = _at_blanks(passage.text, start, end, item)
    tokens = -(-(end - start) * passage.tokens // size)
    return Packed(passage, start, end, tokens, candidate.merged)


def _at_blanks(text: str, start: int, end: int, item: Evidence | None) -> tuple[int, int]:
    """The window drawn in to blanks, so that no word is cut, but never into the evidence."""
    inner = (item.span.start, item.span.end) if item is not None else (end, start)
    blank = text.find(" ", start, min(start + 40, inner[0])) if start else -1
    start = blank + 1 if blank >= 0 else start
    blank = text.rfind(" ", max(end - 40, inner[1]), end) if end < len(text) else -1
    return start, (blank if blank > start else end)
