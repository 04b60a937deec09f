"""Changing the tables. Everything between `begin` and `commit` is one SQLite transaction."""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from satisfice.adapters.corpora.filtering import first_second, label_tokens
from satisfice.adapters.corpora.records import (
    PassageRow,
    document_details,
    label_details,
    packed,
    passage_details,
    permission_key,
    select_passages,
    terms_of,
)
from satisfice.adapters.corpora.schema import ADAPTER, BUSY_TIMEOUT_S, decoded, encoded
from satisfice.core.access import Permission
from satisfice.core.ids import DocumentId
from satisfice.core.linking import aliases
from satisfice.core.passages import Document, Passage, Provenance
from satisfice.errors import CorpusError

_DIGEST_MODULUS = 1 << 256
_INSERTS = {
    "documents": """INSERT INTO documents (row, id, content_hash, digest, permission, born, details)
        VALUES (?, ?, ?, ?, ?, ?, ?)""",
    "labels": """INSERT INTO labels (row, document, authority, published, title, details) VALUES (?, ?, ?, ?, ?, ?)""",
    "filed": "INSERT INTO filed (token, label) VALUES (?, ?)",
    "passages": """INSERT INTO passages (row, id, document, ordinal, label, permission, born, tokens, start, stop,
        content_hash, details, signature, signature_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
    "texts": "INSERT INTO texts (passage, text) VALUES (?, ?)",
    "terms": "INSERT INTO terms (passage, length, head, body) VALUES (?, ?, ?, ?)",
    "vectors": "INSERT INTO vectors (passage, vector) VALUES (?, ?)",
    "aliases": "INSERT INTO aliases (lead, key, passage, weight) VALUES (?, ?, ?, ?)",
}
"""How rows are written; parents first."""


class Generation(NamedTuple):
    """The one row of its table."""

    number: int
    complete: int
    digest: str
    store: str
    terms_by: str
    vectors_by: str
    unembedded: int
    """1 when some passages may have no vector."""

    @property
    def version(self) -> str:
        """Number and digest of the content: two corpora with the same version hold the same documents."""
        return f"{self.number}-{self.digest[:16]}"


def read_generation(connection: sqlite3.Connection) -> Generation:
    return Generation(
        *connection.execute(
            "SELECT number, complete, digest, store, terms_by, vectors_by, unembedded FROM generation"
        ).fetchone()
    )


def known_hashes(connection: sqlite3.Connection) -> Mapping[DocumentId, str]:
    """The content hash of every document that a commit would keep."""
    rows = connection.execute("SELECT id, content_hash FROM documents WHERE died IS NULL ORDER BY id")
    return {DocumentId(decoded(id_)): content_hash for id_, content_hash in rows}


class DocumentDigest:
    """A document's part in the corpus's digest: its id and hash, and id, start and hash of its passages."""

    def __init__(self, id_: bytes, content_hash: str) -> None:
        self._digest = hashlib.sha256(id_ + b"\x1f" + encoded(content_hash))

    def add(self, passage: bytes, start: int, content_hash: str) -> None:
        self._digest.update(b"\x1f" + passage + b"\x1e" + encoded(f"{start}\x1e{content_hash}"))

    def value(self) -> bytes:
        return self._digest.digest()


class Piece(NamedTuple):
    """A document with some of its passages: long ones are written bit by bit."""

    document: Document
    passages: Sequence[Passage]
    starts: bool
    ends: bool


def pieces(document: Document, passages: Sequence[Passage], size: int) -> Iterator[Piece]:
    """At least one piece, each with at most `size` passages."""
    for start in range(0, max(len(passages), 1), size):
        yield Piece(document, passages[start : start + size], start == 0, start + size >= len(passages))


@dataclass(slots=True)
class _Draft:
    """A document of which not every piece has come."""

    document: Document
    row: int
    digest: DocumentDigest
    labels: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    passages: int = 0
    last: Passage | None = None


class Ingest:
    """One open write transaction. Used from one thread.

    Rows are numbered here and inserted table by table, some documents at a time: that halves the time of an ingest.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._permissions: dict[Permission, int] = {}
        self._gained: dict[int, tuple[int, int]] = {}
        self._waiting: dict[str, list[tuple[object, ...]]] = {table: [] for table in _INSERTS}
        self._waiting_ids: set[DocumentId] = set()
        self._draft: _Draft | None = None
        connection.execute("BEGIN IMMEDIATE")
        before = read_generation(connection)
        self.number = before.number + 1
        self._sum = int(before.digest, 16)
        self._unembedded = bool(before.unembedded)
        self._last = dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        self.changed = False

    def put(self, piece: Piece, vectors: Sequence[bytes]) -> None:
        """Add or replace a document, piece by piece. `vectors` holds one per passage, or nothing."""
        if piece.starts:
            self._start(piece.document)
        draft = self._draft
        if draft is None or draft.document is not piece.document:
            raise CorpusError(ADAPTER, f"document {piece.document.id!r} goes on without having begun; abandon")
        rows = [self._passage(draft, passage) for passage in piece.passages]
        self._unembedded |= not vectors and bool(rows)
        if vectors:
            self._waiting["vectors"] += zip(rows, vectors, strict=True)
        by_id = {passage.id: row for passage, row in zip(piece.passages, rows, strict=True)}
        before = () if draft.last is None else (draft.last,)
        for alias in aliases((*before, *piece.passages)):
            if alias.passage in by_id:
                self._wait("aliases", (alias.lead, alias.key, by_id[alias.passage], alias.weight))
        draft.last = piece.passages[-1] if piece.passages else None
        if piece.ends:
            self._finish(draft)

    def _start(self, document: Document) -> None:
        self._refuse_half_documents()
        self.delete([document.id])
        self.changed = True
        digest = DocumentDigest(encoded(document.id), document.content_hash)
        self._draft = _Draft(document, self._next("documents"), digest)
        self._waiting_ids.add(document.id)

    def _finish(self, draft: _Draft) -> None:
        document, digest = draft.document, draft.digest.value()
        self._sum += int.from_bytes(digest, "big")
        permission, details = self._permission(document.permission), document_details(document)
        self._wait(
            "documents",
            (draft.row, encoded(document.id), document.content_hash, digest, permission, self.number, details),
        )
        self._draft = None

    def _refuse_half_documents(self) -> None:
        if self._draft is not None:
            raise CorpusError(
                ADAPTER, f"document {self._draft.document.id!r} was put only in part; abandon, begin again"
            )

    def store(self) -> None:
        """Write what waits.

        Raises
        ------
        CorpusError
            Two passages have the same id; the transaction is then of no use any more.
        """
        try:
            for table, insert in _INSERTS.items():
                self._connection.executemany(insert, self._waiting[table])
        except sqlite3.IntegrityError as failure:
            for row, id_, *_ in self._waiting["passages"]:
                found = self._connection.execute("SELECT row FROM passages WHERE id = ? AND died IS NULL", (id_,))
                if any(other != row for (other,) in found):
                    raise _twice(id_) from failure
            raise
        self._waiting = {table: [] for table in _INSERTS}
        self._waiting_ids.clear()

    def delete(self, ids: Sequence[DocumentId]) -> None:
        """Let documents die with this generation; what was put in this same transaction is gone at once."""
        if not self._waiting_ids.isdisjoint(ids):
            self.store()
        for id_ in ids:
            found = self._connection.execute(
                "SELECT row, digest, born FROM documents WHERE id = ? AND died IS NULL", (encoded(id_),)
            ).fetchone()
            if found is None:
                continue
            self.changed = True
            row, digest, born = found
            self._sum -= int.from_bytes(digest, "big")
            lost = self._connection.execute(
                """SELECT permission, count(*), sum(length) FROM passages JOIN terms ON passage = passages.row
                   WHERE document = ? GROUP BY permission""",
                (row,),
            )
            for permission, passages, terms in lost.fetchall():
                self._count(permission, -passages, -terms)
            self._connection.execute("UPDATE documents SET died = ? WHERE row = ?", (self.number, row))
            self._connection.execute("UPDATE passages SET died = ? WHERE document = ?", (self.number, row))
            if born == self.number:
                remove_documents(self._connection, [row])

    def without_vectors(self, after: int, limit: int) -> Sequence[tuple[int, PassageRow]]:
        """The next so many live passages that have no vector."""
        return select_passages(
            self._connection,
            "p.died IS NULL AND p.row > ? AND p.row NOT IN (SELECT passage FROM vectors) ORDER BY p.row LIMIT ?",
            (after, limit),
        )

    def set_vectors(self, rows: Sequence[int], vectors: Sequence[bytes]) -> None:
        """Store vectors of passages that had none."""
        self.changed = True
        self._waiting["vectors"] += zip(rows, vectors, strict=True)
        self.store()

    def embedded(self) -> None:
        """Every passage has its vector now."""
        self.changed |= self._unembedded
        self._unembedded = False

    def forget_vectors(self, vectors_by: str) -> None:
        """Drop all vectors: they are to be made by another embedder."""
        self.changed = self._unembedded = True
        self._connection.execute("DELETE FROM vectors")
        self._connection.execute("UPDATE generation SET vectors_by = ?", (vectors_by,))

    def commit(self) -> int:
        """Make it durable; without a change, no new generation."""
        self._refuse_half_documents()
        self.store()
        if not self.changed:
            self._connection.execute("ROLLBACK")
            return self.number - 1
        self._connection.executemany(
            "UPDATE permissions SET passages = passages + ?, terms = terms + ? WHERE row = ?",
            [(*gained, permission) for permission, gained in self._gained.items()],
        )
        self._connection.execute(
            "UPDATE generation SET number = ?, digest = ?, unembedded = ?",
            (self.number, total_digest(self._sum), int(self._unembedded)),
        )
        self._connection.execute("COMMIT")
        return self.number

    def abandon(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _permission(self, permission: Permission) -> int:
        row = self._permissions.get(permission)
        if row is None:
            key = permission_key(permission)
            self._connection.execute("INSERT OR IGNORE INTO permissions (tenant, tags, uses) VALUES (?, ?, ?)", key)
            (row,) = self._connection.execute(
                "SELECT row FROM permissions WHERE (tenant, tags, uses) = (?, ?, ?)", key
            ).fetchone()
            self._permissions[permission] = row
        return row

    def _passage(self, draft: _Draft, passage: Passage) -> int:
        row, terms, provenance = self._next("passages"), terms_of(passage), passage.provenance
        permission = self._permission(provenance.permission)
        draft.digest.add(encoded(passage.id), provenance.start, passage.content_hash)
        self._wait(
            "passages",
            (
                row,
                encoded(passage.id),
                draft.row,
                draft.passages,
                self._label(draft, provenance),
                permission,
                self.number,
                passage.tokens,
                provenance.start,
                provenance.end,
                passage.content_hash,
                passage_details(passage),
                packed(passage.signature),
                passage.signature_by,
            ),
        )
        draft.passages += 1
        self._wait("texts", (row, encoded(passage.text)))
        self._wait("terms", (row, *terms))
        self._count(permission, 1, terms.length)
        return row

    def _label(self, draft: _Draft, provenance: Provenance) -> int:
        """What a document's passages share, written once."""
        key = (
            int(provenance.authority),
            first_second(provenance.published_at),
            encoded(provenance.title),
            label_details(provenance),
        )
        if key not in draft.labels:
            draft.labels[key] = self._next("labels")
            self._wait("labels", (draft.labels[key], draft.row, *key))
            for token in label_tokens(provenance):
                self._wait("filed", (token, draft.labels[key]))
        return draft.labels[key]

    def _next(self, table: str) -> int:
        self._last[table] = self._last.get(table, 0) + 1
        return self._last[table]

    def _wait(self, table: str, row: tuple[object, ...]) -> None:
        self._waiting[table].append(row)

    def _count(self, permission: int, passages: int, terms: int) -> None:
        """Totals per permission are written once, at the end."""
        before = self._gained.get(permission, (0, 0))
        self._gained[permission] = (before[0] + passages, before[1] + terms)


def _twice(id_: object) -> CorpusError:
    name = decoded(id_) if isinstance(id_, bytes) else id_
    return CorpusError(ADAPTER, f"two passages have the id {name!r}; ids must differ in the whole corpus")


def total_digest(added_up: int) -> str:
    """The corpus's digest: the documents' added up, so that a change costs what it changes."""
    return f"{added_up % _DIGEST_MODULUS:064x}"


def purge(connection: sqlite3.Connection, complete: int) -> None:
    """Remove what died up to `complete` and say that the indexes have reached it. One transaction."""
    connection.execute("BEGIN IMMEDIATE")
    dead = [row for (row,) in connection.execute("SELECT row FROM documents WHERE died <= ?", (complete,))]
    remove_documents(connection, dead)
    connection.execute("DELETE FROM permissions WHERE passages = 0 AND row NOT IN (SELECT permission FROM documents)")
    connection.execute("UPDATE generation SET complete = ?", (complete,))
    connection.execute("COMMIT")
    # A long ingest leaves a journal as large as itself; it goes now unless someone still reads from it.
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1_000)}")


def remove_documents(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Remove documents with all that hangs on them."""
    for row in rows:
        for table in ("texts", "terms", "vectors", "aliases"):
            connection.execute(
                f"DELETE FROM {table} WHERE passage IN (SELECT row FROM passages WHERE document = ?)",  # noqa: S608 table names are listed above
                (row,),
            )
        connection.execute("DELETE FROM filed WHERE label IN (SELECT row FROM labels WHERE document = ?)", (row,))
        for table in ("labels", "passages"):
            connection.execute(f"DELETE FROM {table} WHERE document = ?", (row,))  # noqa: S608 table names are listed above
        connection.execute("DELETE FROM documents WHERE row = ?", (row,))
