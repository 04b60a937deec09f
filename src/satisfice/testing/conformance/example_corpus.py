"""A small corpus that the suites of `Retriever` and `CorpusStore` share."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from satisfice.core.access import OPEN, Permission, Principal, Use
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Document, Passage, Provenance, Trust, quote_hash
from satisfice.core.queries import Query
from satisfice.core.sources import Authority, EvidenceClass

SOURCE = SourceId("docs")
STAFF = frozenset({"staff"})
ANYONE = Principal("anyone")
INSIDER = Principal("insider", tags=STAFF | {"eu"})
STRANGER = Principal("stranger", tenant="other", tags=STAFF)
UNREADABLE = Permission(uses=frozenset({Use.CACHE}))

Whole = tuple[Document, tuple[Passage, ...]]


def whole(
    name: str,
    *texts: str,
    title: str = "",
    permission: Permission = OPEN,
    authority: Authority = Authority.UNKNOWN,
    published_at: str | None = None,
    metadata: Iterable[tuple[str, str]] = (),
    headings: Sequence[str] = (),
) -> Whole:
    """A document with one passage per text; the first passage is called `name`, the next `name/1` and so on."""
    text = "\n\n".join(texts)
    document = Document(
        DocumentId(name),
        SOURCE,
        f"{name}.md",
        title or name,
        text,
        quote_hash(text),
        permission=permission,
        authority=authority,
        published_at=published_at,
        metadata=tuple(metadata),
    )
    passages: list[Passage] = []
    start = 0
    for number, part in enumerate(texts):
        provenance = _provenance(document, start, start + len(part), tuple(headings))
        id_ = PassageId(f"{name}/{number}" if number else name)
        passages.append(Passage(id_, part, provenance, quote_hash(part), max(1, len(part) // 4)))
        start += len(part) + 2
    return document, tuple(passages)


def windows(document: Whole, *bounds: tuple[int, int]) -> Whole:
    """The same document, cut at these places."""
    original, (first, *_) = document
    passages = tuple(
        replace(
            first,
            id=PassageId(f"{original.id}/{number}"),
            text=original.text[start:end],
            content_hash=quote_hash(original.text[start:end]),
            provenance=replace(first.provenance, start=start, end=end),
        )
        for number, (start, end) in enumerate(bounds)
    )
    return original, passages


def detailed() -> Whole:
    """A document in which every field is used."""
    text = "First line.\nSecond line \U0001f9ea with \ud800 a lone surrogate."
    document = Document(
        DocumentId("folder/caf\udce9.md"),
        SOURCE,
        "folder/caf\udce9.md",
        "Café ①",
        text,
        quote_hash(text),
        EvidenceClass.POLICY,
        Authority.OFFICIAL,
        Permission("acme", frozenset({"eu", "staff"}), frozenset({Use.READ, Use.QUOTE})),
        "2026-02-03T04:05:06+00:00",
        "2.1",
        ("old.md", "older.md"),
        "press-agency",
        (0, 12),
        (("region", "eu"), ("region", "uk"), ("plan", "annual")),
    )
    provenance = replace(
        _provenance(document, 0, len(text), ("Café ①", "Second")),
        lines=(1, 2),
        pages=(1, 2),
        retrieved_at="2026-02-04T00:00:00+00:00",
    )
    passage = Passage(
        PassageId("folder/caf\udce9.md#0"),
        text,
        provenance,
        quote_hash(text),
        17,
        (1, 2**32 - 1, 2**63),
        "some/1",
        Trust.SUSPICIOUS,
        "gives orders",
        cut=True,
    )
    return document, (passage,)


def asking(text: str, **more: object) -> Query:
    """A query to the example source."""
    return replace(Query(text, SOURCE), **more)


def handbook() -> tuple[Whole, ...]:
    """Open, tagged, foreign and unreadable documents that all speak of refunds."""
    return (
        whole("plans", "Refunds of annual plans take fourteen days.", "Monthly plans have no refund.", title="Plans"),
        whole("secret", "Refunds for staff are approved by Zelda.", title="Zelda", permission=Permission(tags=STAFF)),
        whole("foreign", "Refunds of the other tenant.", title="Foreign", permission=Permission("other")),
        whole("foreign-staff", "Refunds, other staff.", title="Abroad", permission=Permission("other", STAFF)),
        whole("kept", "Refunds nobody may read.", title="Kept", permission=UNREADABLE),
    )


def _provenance(document: Document, start: int, end: int, headings: tuple[str, ...]) -> Provenance:
    return Provenance(
        document.source_id,
        document.id,
        document.uri,
        document.title,
        start,
        end,
        headings,
        evidence_class=document.evidence_class,
        authority=document.authority,
        permission=document.permission,
        published_at=document.published_at,
        version=document.version,
        supersedes=document.supersedes,
        origin=document.origin,
        document_hash=document.content_hash,
        metadata=document.metadata,
    )
