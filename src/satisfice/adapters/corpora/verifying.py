"""Whether everything derived is what the texts say it should be, found by making it again and comparing."""

import sqlite3
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from satisfice.adapters.corpora.following import PAGE_ROWS, entries_of
from satisfice.adapters.corpora.records import PassageRow, passage_from, select_passages, terms_of
from satisfice.adapters.corpora.schema import decoded
from satisfice.adapters.corpora.snapshots import Snapshot
from satisfice.adapters.corpora.truth import DocumentDigest, read_generation, total_digest

if TYPE_CHECKING:
    from satisfice.adapters.corpora.vectors import VectorView

_FURTHEST = 1 << 62
MAX_FINDINGS = 100
"""After so many the rest is more of the same."""


class Verification:
    """What differs, in words. An empty list of `findings` after all units says that nothing does."""

    def __init__(self, connection: sqlite3.Connection, snapshot: Snapshot, folder: Path) -> None:
        self._connection = connection
        self._snapshot = snapshot
        self._folder = folder
        self.findings: list[str] = []

    def units(self) -> Generator[None]:
        """Compare everything, in units of at most some 50 ms; the read transaction stays open over all of them."""
        now = read_generation(self._connection)
        if not now.number == now.complete == self._snapshot.number:
            self._find(f"the indexes are at generation {self._snapshot.number}, the tables at {now.number}")
        for (problem,) in self._connection.execute(f"PRAGMA quick_check({MAX_FINDINGS})").fetchall():
            if problem != "ok":
                self._find(f"{self._folder / 'corpus.db'}: {problem}")
        yield
        yield from self._documents(now.digest)
        seen, last = 0, 0
        while rows := select_passages(
            self._connection, "p.died IS NULL AND p.row > ? ORDER BY p.row LIMIT ?", (last, PAGE_ROWS)
        ):
            self._page(rows, last)
            seen, last = seen + len(rows), rows[-1][0]
            yield
        for row in self._snapshot.words.checksums(self._snapshot.searcher, last + 1, _FURTHEST):
            self._find(f"the word index has a passage {row} that does not exist")
        vectors = self._snapshot.vectors
        if vectors is not None and len(vectors) != seen:
            self._find(f"the matrix has {len(vectors)} vectors for {seen} passages")
        self._totals()

    def _find(self, what: str) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(what)

    def _documents(self, digest: str) -> Generator[None]:
        """The digest of each document, and of all."""
        total, last = 0, 0
        while rows := self._connection.execute(
            """SELECT row, id, content_hash, digest FROM documents WHERE died IS NULL AND row > ?
               ORDER BY row LIMIT ?""",
            (last, PAGE_ROWS),
        ).fetchall():
            for row, id_, content_hash, stored in rows:
                cuts = self._connection.execute(
                    "SELECT id, start, content_hash FROM passages WHERE document = ? ORDER BY ordinal", (row,)
                )
                digest_of_it = DocumentDigest(id_, content_hash)
                for cut in cuts:
                    digest_of_it.add(*cut)
                made = digest_of_it.value()
                total += int.from_bytes(made, "big")
                if made != stored:
                    self._find(f"document {decoded(id_)!r} does not have the passages it was stored with")
            last = rows[-1][0]
            yield
        if total_digest(total) != digest:
            self._find("the documents are not those of this generation")

    def _page(self, rows: Sequence[tuple[int, PassageRow]], after: int) -> None:
        """Terms, word index and vectors of some passages."""
        numbers = [number for number, _ in rows]
        stored = {
            row: terms
            for row, *terms in self._connection.execute(
                "SELECT passage, length, head, body FROM terms WHERE passage BETWEEN ? AND ?", (numbers[0], numbers[-1])
            )
        }
        indexed = self._snapshot.words.checksums(self._snapshot.searcher, after + 1, numbers[-1])
        wanted = {entry.row: entry.checksum() for entry in entries_of(self._connection, numbers)}
        for number, row in rows:
            name = decoded(row.id)
            if stored.get(number) != list(terms_of(passage_from(row))):
                self._find(f"the terms of passage {name!r} are not those of its text")
            if indexed.get(number) != wanted[number]:
                self._find(f"the word index has passage {name!r} wrong or not at all")
        for extra in sorted(indexed.keys() - wanted.keys()):
            self._find(f"the word index has a passage {extra} that does not exist")
        if self._snapshot.vectors is not None:
            self._vectors(self._snapshot.vectors, numbers)

    def _vectors(self, vectors: "VectorView", numbers: Sequence[int]) -> None:
        stored = self._connection.execute(
            """SELECT p.row, p.permission, p.label, v.vector FROM passages p JOIN vectors v ON v.passage = p.row
               WHERE p.died IS NULL AND p.row BETWEEN ? AND ? ORDER BY p.row""",
            (numbers[0], numbers[-1]),
        ).fetchall()
        positions = vectors.position([row for row, *_ in stored])
        for position, (row, permission, label, vector) in zip(positions, stored, strict=True):
            held = (
                None
                if position < 0
                else (
                    int(vectors.permissions[position]),
                    int(vectors.labels[position]),
                    vectors.block(vectors.slots[position : position + 1]),
                )
            )
            if held != (permission, label, vector):
                self._find(f"the matrix has passage {row} wrong or not at all")

    def _totals(self) -> None:
        counted = {
            row: (passages, terms)
            for row, passages, terms in self._connection.execute(
                """SELECT permission, count(*), sum(length) FROM passages JOIN terms ON passage = passages.row
                   WHERE died IS NULL GROUP BY permission"""
            )
        }
        for row, *held in self._connection.execute("SELECT row, passages, terms FROM permissions"):
            if tuple(held) != counted.get(row, (0, 0)):
                self._find(f"the totals of permission {row} are {held}, counted {counted.get(row, (0, 0))}")
