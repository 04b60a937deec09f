"""The word index: tantivy over terms that were cut beforehand. Derived: `corpus.db` can always make it anew."""

import shutil
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from tantivy import Document, FieldType, Index, IndexWriter, Occur, Query, Schema, SchemaBuilder, Searcher

from satisfice.adapters.corpora.filtering import MAX_SECOND, MIN_SECOND
from satisfice.adapters.corpora.ranking import HEAD_SHARE
from satisfice.adapters.corpora.schema import ADAPTER
from satisfice.errors import CorpusBusy, CorpusCorrupt, CorpusError

FORMAT = 1
_HEAP_BYTES = 30_000_000
_MARKED = 1
_NOT_ITS_FAULT = ("PermissionDenied", "PermissionError", "ReadOnlyFilesystem", "StorageFull", "code: 28")
"""How tantivy names the errors that are no reason to throw an index away."""


class Entry(NamedTuple):
    """One passage as the index holds it."""

    row: int
    head: str
    body: str
    permits: Sequence[str]
    labels: Sequence[str]
    published: int | None

    def checksum(self) -> int:
        """Kept in the index, so that `verify` can tell whether it holds what it should."""
        material = "\x1f".join((self.head, self.body, *self.permits, "", *self.labels, str(self.published)))
        return int.from_bytes(blake2b(material.encode(), digest_size=7).digest(), "big")


class Marker(NamedTuple):
    """Which generation an index holds, the corpus's version then, and the store and format it belongs to."""

    generation: int
    version: str
    store: str


def _schema() -> Schema:
    builder = SchemaBuilder()
    # Integers, not unsigned ones: deleting by an unsigned term finds nothing (tantivy 0.27 for Python makes a signed term of it).
    builder.add_integer_field("row", indexed=True, fast=True)
    builder.add_integer_field("checksum", fast=True)
    builder.add_text_field("head", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("permits", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("labels", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("published", indexed=True, fast=True)
    builder.add_integer_field("marker", indexed=True)
    builder.add_integer_field("generation", stored=True)
    builder.add_text_field("version", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("store", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


class LexicalIndex:
    """The folder of one index. tantivy releases the interpreter lock while it searches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.schema = _schema()

    def open(self, *, create: bool) -> Index:
        """Open the index, or make it.

        Raises
        ------
        CorpusCorrupt
            There is none, or it is damaged or of another version: it can be thrown away and made anew.
        CorpusError
            It is there and may not be used.
        """
        try:
            if create:
                self._folder.mkdir(exist_ok=True)
                index = Index(self.schema, path=str(self._folder), reuse=True)
            else:
                index = Index.open(str(self._folder))
            index.config_reader("manual")
        except (ValueError, OSError) as failure:
            if any(kind in repr(failure) for kind in _NOT_ITS_FAULT):
                raise CorpusError(
                    ADAPTER,
                    f"the word index in {self._folder} cannot be opened ({failure}); even to read it, this user needs "
                    "write access to the folder and some free space, because a file in it is locked",
                ) from failure
            raise CorpusCorrupt(ADAPTER, f"the word index in {self._folder} cannot be read ({failure})") from failure
        if index.schema != self.schema:
            raise CorpusCorrupt(ADAPTER, f"the word index in {self._folder} was made by another version")
        return index

    def discard(self) -> None:
        """Throw an unreadable index away. Readers that have it open keep what they opened."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def search(self, searcher: Searcher, query: Query, limit: int) -> Sequence[int]:
        """Rows of the best passages, best first; equal scores by row."""
        found = searcher.search(query, limit=limit, count=False).hits
        rows = searcher.fast_field_values("row", [address for _, address in found])
        scored = [(-float(score), int(row)) for (score, _), row in zip(found, rows, strict=True) if row is not None]
        return [row for _, row in sorted(scored)]

    def count(self, searcher: Searcher, query: Query) -> int:
        found = searcher.search(query, limit=1, count=True)
        return int(found.count)  # pyright: ignore  the stub leaves this attribute out

    def checksums(self, searcher: Searcher, first: int, last: int) -> dict[int, int]:
        """What the index holds of the rows in a range."""
        query = Query.range_query(self.schema, "row", FieldType.Integer, first, last)
        held = self.count(searcher, query)
        addresses = [address for _, address in searcher.search(query, limit=max(held, 1), count=False).hits]
        rows = searcher.fast_field_values("row", addresses)
        sums = searcher.fast_field_values("checksum", addresses)
        return {
            int(row): int(held) for row, held in zip(rows, sums, strict=True) if row is not None and held is not None
        }

    def marker(self, searcher: Searcher) -> Marker:
        """What was written with the last commit."""
        found = searcher.search(Query.term_query(self.schema, "marker", _MARKED), limit=1).hits
        if not found:
            return Marker(0, "", "")
        stored = searcher.doc(found[0][1])
        return Marker(int(stored["generation"][0]), str(stored["version"][0]), str(stored["store"][0]))

    def wanted(self, terms: Iterable[tuple[str, float]]) -> Query:
        """Passages with any of the terms; a term counts by its weight."""
        clauses: list[tuple[Occur, Query]] = []
        for term, weight in terms:
            body = Query.term_query(self.schema, "body", term, "freq")
            head = Query.term_query(self.schema, "head", term, "freq")
            clauses.append((Occur.Should, Query.boost_query(body, weight)))
            clauses.append((Occur.Should, Query.boost_query(head, weight * HEAD_SHARE)))
        return Query.boolean_query(clauses)

    def allowed(
        self,
        permits: Sequence[str],
        labels: Sequence[Sequence[str]] = (),
        published: tuple[int | None, int | None] = (None, None),
    ) -> Query:
        """Passages filed under one of `permits`, one of each group of `labels`, and dated inside the bounds."""
        clauses = [(Occur.Must, self._any_of("permits", permits))]
        clauses += [(Occur.Must, self._any_of("labels", group)) for group in labels]
        low, high = published
        if low is not None or high is not None:
            bounds = (MIN_SECOND if low is None else low, MAX_SECOND if high is None else high)
            clauses.append((Occur.Must, Query.range_query(self.schema, "published", FieldType.Integer, *bounds)))
        return Query.const_score_query(Query.boolean_query(clauses), 0.0)

    def _any_of(self, field: str, tokens: Sequence[str]) -> Query:
        """Not a set query: that one reads every posting of its tokens first, this one only those it meets."""
        return Query.boolean_query(
            [(Occur.Should, Query.term_query(self.schema, field, token, "basic")) for token in tokens]
        )

    def both(self, wanted: Query, allowed: Query) -> Query:
        return Query.boolean_query([(Occur.Must, wanted), (Occur.Must, allowed)])

    def having(self, term: str) -> Query:
        """Passages whose body has the term."""
        return Query.term_query(self.schema, "body", term, "freq")


class LexicalWriter:
    """The one writer of an index. What it adds becomes visible together with the marker, in one commit."""

    def __init__(self, index: Index, schema: Schema) -> None:
        self._schema = schema
        try:
            self._writer: IndexWriter = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
            # Someone killed during a commit leaves files whose names the next commit would use again, and then fails on.
            self._writer.garbage_collect_files()
        except ValueError as failure:
            if "LockBusy" in str(failure):
                raise CorpusBusy(ADAPTER, "another process writes to the word index", retryable=True) from failure
            raise CorpusError(ADAPTER, f"the word index cannot be written ({failure})") from failure

    def clear(self) -> None:
        self._writer.delete_all_documents()

    def add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            document = Document()
            document.add_integer("row", entry.row)
            document.add_integer("checksum", entry.checksum())
            document.add_text("head", entry.head)
            document.add_text("body", entry.body)
            for permit in entry.permits:
                document.add_text("permits", permit)
            for label in entry.labels:
                document.add_text("labels", label)
            if entry.published is not None:
                document.add_integer("published", entry.published)
            self._writer.add_document(document)

    def remove(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._writer.delete_documents_by_term("row", row)

    def commit(self, new: Marker) -> None:
        """Write the marker of this generation with everything added and removed since the last one."""
        self._writer.delete_documents_by_term("marker", _MARKED)
        marker = Document()
        marker.add_integer("marker", _MARKED)
        marker.add_integer("generation", new.generation)
        marker.add_text("version", new.version)
        marker.add_text("store", new.store)
        self._writer.add_document(marker)
        try:
            self._writer.commit()
        except (ValueError, OSError) as failure:
            raise CorpusError(
                ADAPTER,
                f"the word index could not be written ({failure}); free space and open the corpus again, or delete its "
                "folder `lexical`: it is made anew from corpus.db",
            ) from failure

    def close(self) -> None:
        """Let background merges end and the lock go."""
        try:
            self._writer.wait_merging_threads()
        except (ValueError, OSError) as failure:
            raise CorpusError(ADAPTER, f"the word index could not be closed ({failure})") from failure
