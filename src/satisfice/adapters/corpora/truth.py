"""Changing the tables. Everything between `begin` and `commit` is one SQLite transaction."""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from satisfice.adapters.corpora.filtering import first_second, label_tokens
from satisfice.adapters.corpora.records import (
    Terms,
    document_details,
    label_details,
    packed,
    passage_details,
    permission_key,
    terms_of,
)
from satisfice.adapters.corpora.schema import ADAPTER, decoded, encoded
from satisfice.core.access import Permission
from satisfice.core.ids import DocumentId
from satisfice.core.linking import aliases
from satisfice.core.passages import Document, Passage
from satisfice.errors import CorpusError

_DIGEST_MODULUS = 1 << 256


class Generation(NamedTuple):
    """The one row of its table."""

    number: int
    complete: int
    digest: str
    store: str
    terms_by: str
    vectors_by: str

    @property
    def version(self) -> str:
        """Number and digest of the content: two corpora with the same version hold the same documents."""
        return f"{self.number}-{self.digest[:16]}"


def read_generation(connection: sqlite3.Connection) -> Generation:
    return Generation(
        *connection.execute("SELECT number, complete, digest, store, terms_by, vectors_by FROM generation").fetchone()
    )


def known_hashes(connection: sqlite3.Connection) -> Mapping[DocumentId, str]:
    """The content hash of every document that a commit would keep."""
    rows = connection.execute("SELECT id, content_hash FROM documents WHERE died IS NULL ORDER BY id")
    return {DocumentId(decoded(id_)): content_hash for id_, content_hash in rows}


class Ingest:
    """One open write transaction. Used from one thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._permissions: dict[Permission, int] = {}
        connection.execute("BEGIN IMMEDIATE")
        before = read_generation(connection)
        self.number = before.number + 1
        self._sum = int(before.digest, 16)
        self._gained: dict[int, tuple[int, int]] = {}
        self.changed = False

    def put(self, document: Document, passages: Sequence[Passage], vectors: Sequence[bytes]) -> None:
        """Add or replace a document. `vectors` holds one per passage, or nothing."""
        self.delete([document.id])
        self.changed = True
        write = self._connection.execute
        digest = document_digest(document.id, document.content_hash, passages)
        self._sum += int.from_bytes(digest, "big")
        row = write(
            "INSERT INTO documents (id, content_hash, digest, permission, born, details) VALUES (?, ?, ?, ?, ?, ?)",
            (
                encoded(document.id),
                document.content_hash,
                digest,
                self._permission(document.permission),
                self.number,
                document_details(document),
            ),
        ).lastrowid
        labels: dict[tuple[str, str, int], int] = {}
        rows: list[int] = []
        for ordinal, passage in enumerate(passages):
            provenance = passage.provenance
            label = (label_details(provenance), provenance.title, int(provenance.authority))
            if label not in labels:
                labels[label] = self._label(row or 0, passage, label[0])
            rows.append(self._passage(row or 0, ordinal, labels[label], passage))
        if vectors:
            self.set_vectors(zip(rows, vectors, strict=True))
        by_id = {passage.id: passage_row for passage, passage_row in zip(passages, rows, strict=True)}
        self._connection.executemany(
            "INSERT INTO aliases (lead, key, passage, weight) VALUES (?, ?, ?, ?)",
            [(alias.lead, alias.key, by_id[alias.passage], alias.weight) for alias in aliases(passages)],
        )

    def delete(self, ids: Sequence[DocumentId]) -> None:
        """Let documents die with this generation; what was put in this same transaction is gone at once."""
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

    def set_vectors(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Store passages' vectors."""
        self._connection.executemany("INSERT OR REPLACE INTO vectors (passage, vector) VALUES (?, ?)", rows)

    def forget_vectors(self, vectors_by: str) -> None:
        """Drop all vectors: they are to be made by another embedder."""
        self.changed = True
        self._connection.execute("DELETE FROM vectors")
        self._connection.execute("UPDATE generation SET vectors_by = ?", (vectors_by,))

    def commit(self) -> int:
        """Make it durable; without a change, no new generation."""
        if not self.changed:
            self._connection.execute("ROLLBACK")
            return self.number - 1
        self._connection.executemany(
            "UPDATE permissions SET passages = passages + ?, terms = terms + ? WHERE row = ?",
            [(*gained, permission) for permission, gained in self._gained.items()],
        )
        digest = f"{self._sum % _DIGEST_MODULUS:064x}"
        self._connection.execute("UPDATE generation SET number = ?, digest = ?", (self.number, digest))
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

    def _label(self, document: int, passage: Passage, details: str) -> int:
        provenance = passage.provenance
        row = self._connection.execute(
            "INSERT INTO labels (document, authority, published, title, details) VALUES (?, ?, ?, ?, ?)",
            (
                document,
                int(provenance.authority),
                first_second(provenance.published_at),
                encoded(provenance.title),
                details,
            ),
        ).lastrowid
        self._connection.executemany(
            "INSERT INTO filed (token, label) VALUES (?, ?)", [(one, row) for one in label_tokens(provenance)]
        )
        return row or 0

    def _passage(self, document: int, ordinal: int, label: int, passage: Passage) -> int:
        terms = terms_of(passage)
        permission = self._permission(passage.provenance.permission)
        try:
            row = self._connection.execute(
                """INSERT INTO passages (id, document, ordinal, label, permission, born, tokens, start, stop,
                   content_hash, details, signature, signature_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    encoded(passage.id),
                    document,
                    ordinal,
                    label,
                    permission,
                    self.number,
                    passage.tokens,
                    passage.provenance.start,
                    passage.provenance.end,
                    passage.content_hash,
                    passage_details(passage),
                    packed(passage.signature),
                    passage.signature_by,
                ),
            ).lastrowid
        except sqlite3.IntegrityError as failure:
            raise CorpusError(
                ADAPTER, f"two passages have the id {passage.id!r}; ids must differ in the whole corpus"
            ) from failure
        self._connection.execute("INSERT INTO texts (passage, text) VALUES (?, ?)", (row, encoded(passage.text)))
        self.set_terms(row or 0, terms)
        self._count(permission, 1, terms.length)
        return row or 0

    def _count(self, permission: int, passages: int, terms: int) -> None:
        """Totals per permission are written once, at the end."""
        before = self._gained.get(permission, (0, 0))
        self._gained[permission] = (before[0] + passages, before[1] + terms)

    def set_terms(self, row: int, terms: Terms) -> None:
        """Store what the word index is to hold."""
        self._connection.execute(
            "INSERT OR REPLACE INTO terms (passage, length, head, body) VALUES (?, ?, ?, ?)", (row, *terms)
        )


def document_digest(id_: DocumentId, content_hash: str, passages: Sequence[Passage]) -> bytes:
    """What the corpus's digest adds up: the document's id and hash, and how it was cut."""
    digest = hashlib.sha256()
    for part in (id_, content_hash, *(f"{p.id}\x1e{p.provenance.start}\x1e{p.content_hash}" for p in passages)):
        digest.update(encoded(part) + b"\x1f")
    return digest.digest()


def purge(connection: sqlite3.Connection, complete: int) -> None:
    """Remove what died up to `complete` and say that the indexes have reached it. One transaction."""
    connection.execute("BEGIN IMMEDIATE")
    dead = [row for (row,) in connection.execute("SELECT row FROM documents WHERE died <= ?", (complete,))]
    remove_documents(connection, dead)
    connection.execute("DELETE FROM permissions WHERE passages = 0 AND row NOT IN (SELECT permission FROM documents)")
    connection.execute("UPDATE generation SET complete = ?", (complete,))
    connection.execute("COMMIT")


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
