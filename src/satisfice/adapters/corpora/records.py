"""Documents and passages as rows, and back."""

import json
import sqlite3
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from satisfice.adapters.corpora.schema import decoded, encoded
from satisfice.core.access import Permission, Use
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Document, Passage, Provenance, Trust
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.core.text import search_terms

TERMS_BY = "search_terms/1"
"""Which cutting of text into terms the index holds; another one means that it is made anew."""
MAX_TERM_CHARS = 100
"""Longer terms are cut: nobody types them, and the index refuses very long ones."""


class Terms(NamedTuple):
    """What the word index holds of a passage. `head` are title and headings, `body` these and the text."""

    length: int
    head: str
    body: str


def terms_of(passage: Passage) -> Terms:
    """The index's view of a passage. Terms stand between spaces, in the order of the text."""
    provenance = passage.provenance
    head = bounded_terms("\n".join(dict.fromkeys((provenance.title, *provenance.headings))))
    body = head + bounded_terms(passage.text)
    return Terms(len(body), " ".join(head), " ".join(body))


@lru_cache(maxsize=1_024)
def bounded_terms(text: str) -> tuple[str, ...]:
    """`search_terms` as the index takes them. Remembered for a while: signing and indexing ask for the same text."""
    # Folding turns some Arabic presentation forms into a space and a mark.
    return tuple(term[:MAX_TERM_CHARS] for term in " ".join(search_terms(text)).split())


def label_details(provenance: Provenance) -> str:
    """What a passage shares with its document, as JSON; escapes keep lone surrogates."""
    return json.dumps(
        {
            "source": provenance.source_id,
            "uri": provenance.uri,
            "class": provenance.evidence_class,
            "published_at": provenance.published_at,
            "version": provenance.version,
            "supersedes": provenance.supersedes,
            "origin": provenance.origin,
            "document_hash": provenance.document_hash,
            "retrieved_at": provenance.retrieved_at,
            "metadata": provenance.metadata,
        },
        separators=(",", ":"),
    )


def passage_details(passage: Passage) -> str:
    """What is the passage's own, as JSON."""
    provenance = passage.provenance
    return json.dumps(
        {
            "headings": provenance.headings,
            "lines": provenance.lines,
            "pages": provenance.pages,
            "trust": passage.trust,
            "trust_reason": passage.trust_reason,
            "cut": passage.cut,
        },
        separators=(",", ":"),
    )


def document_details(document: Document) -> str:
    """What is known of a document that its passages do not carry."""
    return json.dumps({"uri": document.uri, "title": document.title, "pages": document.pages}, separators=(",", ":"))


def permission_key(permission: Permission) -> tuple[bytes, str, str]:
    """Equal for equal permissions."""
    return encoded(permission.tenant), json.dumps(sorted(permission.tags)), json.dumps(sorted(permission.uses))


def permission_from(tenant: bytes, tags: str, uses: str) -> Permission:
    return Permission(decoded(tenant), frozenset(json.loads(tags)), frozenset(Use(use) for use in json.loads(uses)))


def packed(signature: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(signature)}Q", *signature)


class PassageRow(NamedTuple):
    """A passage with everything it takes to give it back as it was put."""

    id: bytes
    document_id: bytes
    title: bytes
    authority: int
    label: str
    start: int
    stop: int
    content_hash: str
    tokens: int
    details: str
    signature: bytes
    signature_by: str
    tenant: bytes
    tags: str
    uses: str
    text: bytes


_PASSAGES = """SELECT p.row, p.id, d.id, l.title, l.authority, l.details, p.start, p.stop, p.content_hash, p.tokens,
    p.details, p.signature, p.signature_by, m.tenant, m.tags, m.uses, t.text
    FROM passages p JOIN documents d ON d.row = p.document JOIN labels l ON l.row = p.label
    JOIN permissions m ON m.row = p.permission JOIN texts t ON t.passage = p.row WHERE """


def select_passages(
    connection: sqlite3.Connection, condition: str, values: tuple[object, ...] | dict[str, object]
) -> Sequence[tuple[int, PassageRow]]:
    """Row numbers and rows of the passages that meet a condition over p, d, l and m."""
    return [(row[0], PassageRow(*row[1:])) for row in connection.execute(_PASSAGES + condition, values)]


def passage_from(row: PassageRow) -> Passage:
    """The passage exactly as it was put."""
    label: dict[str, Any] = json.loads(row.label)
    own: dict[str, Any] = json.loads(row.details)
    provenance = Provenance(
        source_id=SourceId(label["source"]),
        document_id=DocumentId(decoded(row.document_id)),
        uri=label["uri"],
        title=decoded(row.title),
        start=row.start,
        end=row.stop,
        headings=tuple(own["headings"]),
        lines=_pair(own["lines"]),
        pages=_pair(own["pages"]),
        evidence_class=EvidenceClass(label["class"]),
        authority=Authority(row.authority),
        permission=permission_from(row.tenant, row.tags, row.uses),
        published_at=label["published_at"],
        version=label["version"],
        supersedes=tuple(label["supersedes"]),
        origin=label["origin"],
        document_hash=label["document_hash"],
        retrieved_at=label["retrieved_at"],
        metadata=tuple((name, value) for name, value in label["metadata"]),
    )
    return Passage(
        id=PassageId(decoded(row.id)),
        text=decoded(row.text),
        provenance=provenance,
        content_hash=row.content_hash,
        tokens=row.tokens,
        signature=struct.unpack(f"<{len(row.signature) // 8}Q", row.signature),
        signature_by=row.signature_by,
        trust=Trust(own["trust"]),
        trust_reason=own["trust_reason"],
        cut=own["cut"],
    )


def _pair(value: list[int] | None) -> tuple[int, int] | None:
    return None if value is None else (value[0], value[1])
