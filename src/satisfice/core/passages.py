"""Documents, the passages cut from them, and spans: exact places in a passage's text."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from satisfice.core.access import OPEN, Permission
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.sources import Authority, EvidenceClass


class Trust(StrEnum):
    """How a passage is labelled before anyone reads it. SUSPICIOUS text is kept as evidence, flagged, and cannot settle a claim."""

    NORMAL = "normal"
    SUSPICIOUS = "suspicious"


@dataclass(frozen=True, slots=True)
class Document:
    """One loaded document: its whole text and what is known about it.

    `id` is stable for a place (source and path); `content_hash` changes with the text or anything declared about it.
    `pages` holds the offset at which each page starts (page 1 first); empty for text without pages.
    """

    id: DocumentId
    source_id: SourceId
    uri: str
    title: str
    text: str
    content_hash: str
    evidence_class: EvidenceClass = EvidenceClass.DOCUMENT
    authority: Authority = Authority.UNKNOWN
    permission: Permission = OPEN
    published_at: str | None = None
    """ISO date or UTC date-time."""
    version: str | None = None
    """The version its author declared, e.g. `2.1` or `draft`."""
    supersedes: tuple[str, ...] = ()
    """URIs or titles of documents that this one replaces."""
    origin: str | None = None
    """A declared origin: documents with the same origin repeat one voice."""
    pages: tuple[int, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a passage comes from. Offsets are characters in the document's stored text; lines and pages count from 1."""

    source_id: SourceId
    document_id: DocumentId
    uri: str
    title: str
    start: int
    end: int
    headings: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    evidence_class: EvidenceClass = EvidenceClass.DOCUMENT
    authority: Authority = Authority.UNKNOWN
    permission: Permission = OPEN
    published_at: str | None = None
    version: str | None = None
    supersedes: tuple[str, ...] = ()
    origin: str | None = None
    document_hash: str = ""
    """The document's content hash: its version as far as caches are concerned."""
    retrieved_at: str | None = None
    """UTC time at which the text was read from its source."""
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: `text == document.text[start:end]`, exactly.

    `signature` holds MinHash values computed by the shell with the algorithm `signature_by`; `tokens` likewise.
    """

    id: PassageId
    text: str
    provenance: Provenance
    content_hash: str
    tokens: int
    signature: tuple[int, ...] = ()
    signature_by: str = ""
    trust: Trust = Trust.NORMAL
    trust_reason: str = ""
    cut: bool = False
    """True when `text` was shortened to what was held; `provenance.end` still says where the whole ended."""


@dataclass(frozen=True, slots=True)
class Link:
    """A passage names another passage's subject. `matched` holds the query terms in the sentence that names it."""

    target: PassageId
    weight: float
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Handle:
    """A search hit without its text: free to return, read by a look-up.

    `lexical` and `cosine` are this source's own scores for the query; `score` is the fused one, 0 to 1.
    `matched` are the query's terms that the passage contains (stemmed, see `core.text`), so that coverage can be
    judged before anything is read.
    """

    id: PassageId
    document_id: DocumentId
    title: str
    score: float
    lexical: float = 0.0
    cosine: float = 0.0
    matched: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a passage's text."""

    passage_id: PassageId
    start: int
    end: int


def quote(passage: Passage, span: Span) -> str:
    """The exact text of a span.

    Raises
    ------
    ValueError
        The span is not of this passage, is empty, or reaches outside the text.
    """
    if span.passage_id != passage.id or not 0 <= span.start < span.end <= len(passage.text):
        raise ValueError(f"span {span.start}..{span.end} of {span.passage_id!r} is not inside passage {passage.id!r}")
    return passage.text[span.start : span.end]


def lines_of(passage: Passage, span: Span) -> tuple[int, int] | None:
    """The first and last line of a span in its file; None for text without lines."""
    lines = passage.provenance.lines
    if lines is None:
        return None
    first = lines[0] + passage.text.count("\n", 0, span.start)
    return first, first + passage.text.count("\n", span.start, span.end)


def quote_hash(text: str) -> str:
    """`sha256:` and the hex digest of the exact text; lone surrogates are hashed as they stand."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
