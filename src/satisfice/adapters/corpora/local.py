"""A corpus in a folder of its own: `corpus.db` holds everything, a word index and a matrix of vectors follow it."""

import asyncio
import sqlite3
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from satisfice.adapters.corpora.following import Boundary, follow, has_vectors, is_behind
from satisfice.adapters.corpora.reading import Reader
from satisfice.adapters.corpora.records import TERMS_BY, passage_from
from satisfice.adapters.corpora.schema import ADAPTER, DATABASE, WriterLock, connect, create
from satisfice.adapters.corpora.searching import Search
from satisfice.adapters.corpora.snapshots import Snapshots
from satisfice.adapters.corpora.truth import Ingest, Piece, known_hashes, pieces, read_generation
from satisfice.adapters.corpora.vectors import require_numpy
from satisfice.adapters.corpora.verifying import Verification
from satisfice.adapters.corpora.workers import Workers
from satisfice.core.access import Principal
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.passages import Document, Passage
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile
from satisfice.errors import CorpusBusy, CorpusCorrupt, CorpusError
from satisfice.ports.embedder import Embedder
from satisfice.ports.retriever import MAX_HANDLES, Hits, TermStatistics

_BATCH_PASSAGES = 256
_NO_DOCUMENTS = f"-{0:016}"
"""How the version of a corpus without documents ends: its digest is the sum of theirs."""
_OPENING_TRIES, _OPENING_PAUSE_S = 40, 0.05

Result = TypeVar("Result")


def _nowhere(boundary: str) -> None:
    """Does nothing at a boundary."""


class LocalCorpus:
    """`CorpusStore` and `Retriever` over one folder. Any number of processes may read it while one writes.

    `on_boundary` is called with the name of each step of a commit, from the thread that takes it: tests kill the process
    there. The steps are, in order: `put` (a batch is in the open transaction), `stored` (it is committed), `vectors
    written` (only with an embedder), `words added`, `words committed`, `completed`.
    """

    def __init__(
        self,
        path: Path,
        profile: SourceProfile,
        embedder: Embedder | None = None,
        *,
        on_boundary: Boundary = _nowhere,
    ) -> None:
        """Raises `MissingExtraError` when an embedder is given and vectors cannot be searched here."""
        if embedder is not None:
            require_numpy()
        self._folder = path
        self._profile = profile
        self._workers = Workers(path)
        self._snapshots = Snapshots(path, embedder.id if embedder is not None else "")
        self._embedder = embedder
        self._at = on_boundary
        self._lock = WriterLock(path)
        self._writer: sqlite3.Connection | None = None
        self._ingest: Ingest | None = None
        self._pending: list[Piece] = []
        self._pending_passages = 0
        self._lacks_vectors = False

    # --- opening and closing -----------------------------------------------------------------------------------------

    async def open(self) -> Self:
        """Make the store when there is none, finish what a crash left undone, and get ready to read.

        Raises
        ------
        CorpusCorrupt
            `corpus.db` cannot be read; the message says how to rebuild it.
        CorpusError
            The folder cannot be used.
        """
        self._workers.start()
        try:
            await self._get_ready()
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Abandon what was not committed; no thread, connection or lock is left."""
        if not self._workers.at_work:
            return
        try:
            await self.abandon()
        finally:
            self._workers.stop()
            self._snapshots.forget()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def profile(self) -> SourceProfile:
        """`version` is the generation last read or committed here."""
        return self._profile

    # --- writing -----------------------------------------------------------------------------------------------------

    async def known_hashes(self) -> Mapping[DocumentId, str]:
        """See the port; inside a transaction, what it would keep."""
        if self._writer is not None:
            await self._store_pending()
            return await self._workers.write(known_hashes, self._writer)
        return await self._workers.read(known_hashes)

    async def begin(self) -> None:
        """See the port."""
        if self._writer is not None:
            raise CorpusBusy(ADAPTER, "this corpus is already being written; commit or abandon first", retryable=True)
        await self._workers.write(self._take)
        try:
            await self._workers.write_units(self._follow())
            self._ingest = await self._workers.write(self._start)
        except BaseException:
            await self.abandon()
            raise

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """See the port. Documents are stored in batches: an error may come with a later one, and abandons everything."""
        self._open_ingest()
        for piece in pieces(document, passages, _BATCH_PASSAGES):
            self._pending.append(piece)
            self._pending_passages += len(piece.passages)
            if self._pending_passages >= _BATCH_PASSAGES:
                await self._store_pending()

    async def delete(self, ids: Sequence[DocumentId]) -> None:
        """See the port."""
        ingest = self._open_ingest()
        await self._store_pending()
        await self._workers.write(ingest.delete, ids)

    async def commit(self) -> int:
        """See the port.

        Raises
        ------
        CorpusError
            Nothing was stored, or it was stored and the indexes could not follow: then they do when the corpus is next
            opened for writing, and the last generation stays readable until then.
        """
        ingest = self._open_ingest()
        try:
            await self._store_pending()
            await self._embed_the_rest(ingest)
            number = await self._workers.write(ingest.commit)
            self._ingest = None
            await self._workers.write(self._at, "stored")
            await self._workers.write_units(self._follow())
        finally:
            await self.abandon()
        await self._see_newest()
        return number

    async def abandon(self) -> None:
        """See the port."""
        self._pending, self._pending_passages = [], 0
        await self._workers.write(self._release)

    def _open_ingest(self) -> Ingest:
        if self._ingest is None:
            raise CorpusError(ADAPTER, "nothing can be written before begin()")
        return self._ingest

    def _take(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock.take()
        create(self._folder, uuid.uuid4().hex, TERMS_BY)
        self._writer = connect(self._folder, writable=True)

    def _start(self) -> Ingest:
        assert self._writer is not None  # noqa: S101  taken just before
        ingest = Ingest(self._writer)
        now = read_generation(self._writer)
        if self._vectors_by and now.vectors_by != self._vectors_by:
            ingest.forget_vectors(self._vectors_by)
        self._lacks_vectors = bool(self._vectors_by) and not has_vectors(now, self._vectors_by)
        return ingest

    def _release(self) -> None:
        if self._ingest is not None:
            self._ingest.abandon()
            self._ingest = None
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._lock.release()

    async def _store_pending(self) -> None:
        """Embed and write a batch, one after the other: side by side they would only fight for the interpreter."""
        batch, self._pending, self._pending_passages = self._pending, [], 0
        if not batch:
            return
        try:
            vectors = await self._vectors([passage for piece in batch for passage in piece.passages])
            await self._workers.write(self._put_batch, batch, vectors)
        except BaseException:
            await self.abandon()  # half a batch must never be committed
            raise

    def _put_batch(self, batch: Sequence[Piece], vectors: Sequence[bytes]) -> None:
        ingest = self._open_ingest()
        done = 0
        for piece in batch:
            ingest.put(piece, vectors[done : done + len(piece.passages)])
            done += len(piece.passages)
        ingest.store()
        self._at("put")

    async def _embed_the_rest(self, ingest: Ingest) -> None:
        """Passages stored without an embedder, or with another one, get their vectors now."""
        if not self._lacks_vectors:
            return
        last = 0
        while rows := await self._workers.write(ingest.without_vectors, last, _BATCH_PASSAGES):
            vectors = await self._vectors([passage_from(row) for _, row in rows])
            await self._workers.write(ingest.set_vectors, [number for number, _ in rows], vectors)
            last = rows[-1][0]
        await self._workers.write(ingest.embedded)

    async def _vectors(self, passages: Sequence[Passage]) -> Sequence[bytes]:
        if self._embedder is None:
            return ()
        found = await self._embedder.embed([embedded_text(passage) for passage in passages])
        size = 4 * found.dim
        return [found.data[start : start + size] for start in range(0, len(found.data), size)]

    # --- following ---------------------------------------------------------------------------------------------------

    async def _get_ready(self) -> None:
        """Catch up and see the newest generation; where another process is just making what is missing, wait a little."""
        for left in reversed(range(_OPENING_TRIES)):
            obstacle = await self._catch_up()
            try:
                await self._see_newest()
            except CorpusError as unreadable:
                if obstacle is None or (isinstance(obstacle, CorpusBusy) and not left):
                    raise
                if not isinstance(obstacle, CorpusBusy):
                    raise obstacle from unreadable
                await asyncio.sleep(_OPENING_PAUSE_S)
            else:
                return

    async def _catch_up(self) -> CorpusError | None:
        """Make or finish what is derived, or say what stood in the way: then the last complete generation has to serve."""
        try:
            if (self._folder / DATABASE).exists() and not await self._workers.read(self._is_behind):
                return None
            await self._workers.write(self._take)
            await self._workers.write_units(self._follow())
        except CorpusCorrupt:
            raise
        except CorpusError as obstacle:
            return obstacle
        finally:
            await self.abandon()
        return None

    def _is_behind(self, connection: sqlite3.Connection) -> bool:
        return is_behind(connection, self._folder, vectors_by=self._vectors_by)

    def _follow(self) -> Generator[None]:
        assert self._writer is not None  # noqa: S101  taken just before
        dim = self._embedder.dim if self._embedder is not None else 0
        return follow(self._writer, self._folder, vectors_by=self._vectors_by, dim=dim, at=self._at)

    @property
    def _vectors_by(self) -> str:
        return self._embedder.id if self._embedder is not None else ""

    # --- reading -----------------------------------------------------------------------------------------------------

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        """See the port."""
        vector: bytes | None = None
        if self._embedder is not None and not await self._is_empty(principal):
            vector = (await self._embedder.embed([query.about or query.text])).data
        return await self._as_reader(
            principal,
            lambda reader: Search(reader, query, vector).hits(limit=limit, handles=min(handles, MAX_HANDLES)),
        )

    async def _is_empty(self, principal: Principal) -> bool:
        """Whether there is nothing to compare a query with. Looked up only when nothing was there the last time."""
        if not self._profile.version.endswith(_NO_DOCUMENTS):
            return False
        return not await self._as_reader(principal, lambda reader: reader.readable())

    async def look_up(self, ids: Sequence[PassageId], principal: Principal) -> Sequence[Passage]:
        """See the port."""
        return await self._as_reader(principal, lambda reader: reader.look_up(ids))

    async def neighbours(self, passage: PassageId, principal: Principal, *, around: int = 1) -> Sequence[Passage]:
        """See the port."""
        return await self._as_reader(principal, lambda reader: reader.neighbours(passage, around))

    async def statistics(self, terms: Sequence[str], principal: Principal) -> TermStatistics:
        """See the port. Only what this principal may read is counted."""
        return await self._as_reader(
            principal,
            lambda reader: TermStatistics(reader.readable(), {term: reader.containing(term) for term in terms}),
        )

    async def versions(self, ids: Sequence[DocumentId], principal: Principal) -> Mapping[DocumentId, str]:
        """See the port."""
        return await self._as_reader(principal, lambda reader: reader.versions(ids))

    async def verify(self) -> Sequence[str]:
        """Make everything derived again and compare: what differs, in words; nothing when all is well.

        What is wrong in the indexes heals when the folder `lexical` and the files `rows-*` and `vectors-*` are deleted and the
        corpus is opened for writing; what is wrong in `corpus.db` does not, and its documents have to be ingested again.
        """
        found: list[str] = []

        def whole(connection: sqlite3.Connection) -> Generator[None]:
            verification = Verification(connection, self._snapshots.newest(connection), self._folder)
            try:
                yield from verification.units()
            finally:
                connection.execute("ROLLBACK")
            found.extend(verification.findings)

        await self._workers.read_units(whole)
        return found

    async def _see_newest(self) -> None:
        await self._as_reader(Principal(), lambda _: None)

    async def _as_reader(self, principal: Principal, work: Callable[[Reader], Result]) -> Result:
        def in_transaction(connection: sqlite3.Connection) -> Result:
            snapshot = self._snapshots.newest(connection)
            if snapshot.version != self._profile.version:
                self._profile = replace(self._profile, version=snapshot.version)
            try:
                return work(Reader(connection, snapshot, principal))
            finally:
                connection.execute("ROLLBACK")

        return await self._workers.read(in_transaction)


def embedded_text(passage: Passage) -> str:
    """What a passage's vector stands for: its title, headings and text."""
    provenance = passage.provenance
    return "\n".join((*dict.fromkeys((provenance.title, *provenance.headings)), passage.text))
