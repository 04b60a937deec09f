"""Taking a folder in: find its files, load what changed, cut it into passages, put them into the store, forget the rest."""

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

from satisfice.core.access import OPEN, Permission
from satisfice.core.ids import DocumentId, SourceId
from satisfice.core.passages import Document, Passage
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.corpus.chunking import Cutter, passages
from satisfice.corpus.declaring import Declared
from satisfice.corpus.formats import PARSED, ChangedWhileReading, Part, Unreadable
from satisfice.corpus.loading import LOADED_BY, Content, Loaded, Shelf, documents, examine, text_parts
from satisfice.corpus.stamps import Seen, Stamps
from satisfice.corpus.walking import Skipped, SourceFile, find_files
from satisfice.corpus.workers import Parsers
from satisfice.ports.clock import Clock
from satisfice.ports.corpus_store import CorpusStore

_Result = TypeVar("_Result")

_SLICE_S = 0.05
"""How long work stays in a thread before the loop hears of it: what a cancel may have to wait for."""
_COMMIT_PASSAGES = 50_000
"""What is made visible, and survives a crash, together."""
_DELETED_AT_ONCE = 500
_AHEAD = 4
"""Files being taken apart or waiting to be stored, at most."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What to take in, under which name, and the most that its documents may claim.

    `permission`, `authority` and `evidence_class` come from settings; documents may narrow and lower them
    (see `declaring`). UNKNOWN and DOCUMENT leave them to the documents. `ignore` are patterns as in a `.gitignore`.
    """

    root: Path
    source: SourceId
    permission: Permission = OPEN
    authority: Authority = Authority.UNKNOWN
    evidence_class: EvidenceClass = EvidenceClass.DOCUMENT
    ignore: tuple[str, ...] = ()

    def declared(self) -> Declared:
        """What holds at the root."""
        return Declared(
            authority=self.authority or None,
            evidence_class=None if self.evidence_class is EvidenceClass.DOCUMENT else self.evidence_class,
            access=self.permission.tags,
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is."""

    files_done: int
    files: int
    passages: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, in documents. `passages` counts those stored now.

    `skipped` are files that gave nothing and why, `notices` files that were read although something about them was
    wrong. `generation` is None when nothing had to change.
    """

    source: SourceId
    files: int
    added: int
    changed: int
    removed: int
    unchanged: int
    passages: int
    skipped: tuple[Skipped, ...]
    notices: tuple[Skipped, ...]
    seconds: float
    generation: int | None


async def ingest(
    folder: Folder,
    store: CorpusStore,
    *,
    cutter: Cutter,
    clock: Clock,
    stamps: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Make the store hold what the folder holds now, and nothing else: a store belongs to one source.

    Files that did not change since `stamps` was written (by size and time, else by their bytes) are not parsed, and
    nothing is written when nothing changed. What cannot be read any more is not in the store any more, and is in the
    report. Committed every 50,000 passages: after a crash or a cancel the next ingest goes on from there.

    Raises
    ------
    InputError
        No such folder, or it cannot be listed.
    CorpusBusy
        Another process writes the store; only when there is something to write.
    CorpusError
        The store failed.
    """
    async with Parsers() as parsers:
        return await _Ingest(
            folder, store, cutter=cutter, clock=clock, parsers=parsers, stamps=Stamps(stamps), on_progress=on_progress
        ).run()


class _Ingest:
    def __init__(
        self,
        folder: Folder,
        store: CorpusStore,
        *,
        cutter: Cutter,
        clock: Clock,
        parsers: Parsers,
        stamps: Stamps,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._folder, self._store, self._cutter, self._clock = folder, store, cutter, clock
        self._parsers, self._stamps, self._on_progress = parsers, stamps, on_progress
        self._shelf = Shelf(folder.source, folder.permission, cutter.id)
        self._read_at = datetime.fromtimestamp(clock.wall_ms() // 1000, UTC).isoformat().replace("+00:00", "Z")
        self._contexts: dict[Declared, str] = {}
        self._known: Mapping[DocumentId, str] = {}
        self._present: set[DocumentId] = set()
        self._put: set[DocumentId] = set()
        self._ready: list[tuple[Document, Sequence[Passage]]] = []
        self._skipped: list[Skipped] = []
        self._notices: list[Skipped] = []
        self._files = self._done = self._unchanged = self._passages = self._uncommitted = 0
        self._writing = False
        self._generation: int | None = None

    async def run(self) -> IngestReport:
        """The whole of it; on any exception the uncommitted part is given up."""
        started = self._clock.monotonic_ms()
        found = await _in_slices(
            find_files(self._folder.root, ignore=self._folder.ignore, declared=self._folder.declared())
        )
        self._files = len(found.files)
        self._skipped += found.skipped
        self._known = await self._store.known_hashes()
        try:
            await self._take_in(found.files)
            removed = await self._forget()
            await self._commit()
        finally:
            if self._writing:
                await self._store.abandon()
            self._stamps.write()
        changed = len(self._put & self._known.keys() & self._present)
        return IngestReport(
            source=self._folder.source,
            files=self._files,
            added=len(self._put & self._present) - changed,
            changed=changed,
            removed=removed,
            unchanged=self._unchanged,
            passages=self._passages,
            skipped=tuple(self._skipped),
            notices=tuple(self._notices),
            seconds=(self._clock.monotonic_ms() - started) / 1000,
            generation=self._generation,
        )

    # --- files -------------------------------------------------------------------------------------------------------

    async def _take_in(self, files: Sequence[SourceFile]) -> None:
        unknown: list[SourceFile] = []
        await self._pump(self._recognise(files, unknown))
        await self._pump(self._read_texts(file for file in unknown if file.format not in PARSED))
        await self._parse([file for file in unknown if file.format in PARSED])

    async def _parse(self, files: Sequence[SourceFile]) -> None:
        """Take files apart a few ahead of storing them, in order. No task is left behind, whatever happens."""
        waiting = iter(files)
        ahead = deque((file, asyncio.create_task(self._parsed(file))) for file in islice(waiting, _AHEAD))
        try:
            while ahead:
                file, task = ahead[0]
                await self._pump(self._store_parsed(file, await task))
                ahead.popleft()
                ahead.extend((file, asyncio.create_task(self._parsed(file))) for file in islice(waiting, 1))
        finally:
            for _, task in ahead:
                task.cancel()
            await asyncio.gather(*(task for _, task in ahead), return_exceptions=True)

    def _recognise(self, files: Iterable[SourceFile], unknown: list[SourceFile]) -> Generator[None, None, None]:
        for file in files:
            seen = self._stamps.by_time(file, self._context(file))
            if seen is not None and seen.stands(self._known):
                self._as_before(file, seen)
                self._done += 1
            else:
                unknown.append(file)
            yield

    def _read_texts(self, files: Iterable[SourceFile]) -> Generator[None, None, None]:
        for file in files:
            try:
                try:
                    yield from self._read_text(file)
                except ChangedWhileReading:
                    yield from self._read_text(file)
            except Unreadable as error:
                self._skip(file, error)
            self._done += 1

    def _read_text(self, file: SourceFile) -> Generator[None, None, None]:
        content = yield from examine(file)
        if not self._same(content):
            yield from self._make(content, text_parts(content))

    async def _parsed(self, file: SourceFile) -> "_Outcome":
        """Take one file apart. Changes nothing here: several run at the same time."""
        try:
            try:
                return await self._take_apart(file)
            except ChangedWhileReading:
                return await self._take_apart(file)
        except Unreadable as error:
            return error

    async def _take_apart(self, file: SourceFile) -> "_Outcome":
        content = await _in_slices(examine(file))
        if self._remembered(content) is not None:
            return content, ()
        parts = await self._parsers.parse(file.path, file.format)
        content.unchanged()
        return content, parts

    def _store_parsed(self, file: SourceFile, outcome: "_Outcome") -> Generator[None, None, None]:
        try:
            if isinstance(outcome, Unreadable):
                raise outcome
            content, parts = outcome
            if not self._same(content):
                yield from self._make(content, parts)
        except Unreadable as error:
            self._skip(file, error)
        self._done += 1

    # --- documents ---------------------------------------------------------------------------------------------------

    def _make(self, content: Content, parts: Iterable[Part]) -> Generator[None, None, None]:
        """Cut every new or changed document of a file, and wait for the store at each."""
        made: list[tuple[DocumentId, str]] = []
        unchanged = 0
        try:
            for loaded in documents(content, parts, self._shelf):
                document = loaded.document
                made.append((document.id, document.content_hash))
                self._present.add(document.id)
                if self._known.get(document.id) == document.content_hash and document.id not in self._put:
                    unchanged += 1
                else:
                    yield from self._cut(loaded)
                yield
        except Unreadable:
            self._present.difference_update(identity for identity, _ in made)
            raise
        if not made:
            raise Unreadable("there is no text in it")
        self._unchanged += unchanged
        self._stamps.learn(content, self._context(content.file), tuple(made), 1_000_000 * self._clock.wall_ms())
        if content.problems:
            self._notices.append(Skipped(content.file.uri, content.noted()))

    def _cut(self, loaded: Loaded) -> Generator[None, None, None]:
        cut: list[Passage] = []
        for passage in passages(
            loaded.document, loaded.layout, self._cutter, first_line=loaded.first_line, read_at=self._read_at
        ):
            cut.append(passage)
            yield
        self._ready.append((loaded.document, cut))

    def _same(self, content: Content) -> bool:
        seen = self._remembered(content)
        if seen is not None:
            self._as_before(content.file, seen)
            self._stamps.learn(content, seen.context, seen.documents, 1_000_000 * self._clock.wall_ms())
        return seen is not None

    def _remembered(self, content: Content) -> Seen | None:
        seen = self._stamps.by_digest(content, self._context(content.file))
        return seen if seen is not None and seen.stands(self._known) else None

    def _as_before(self, file: SourceFile, seen: Seen) -> None:
        self._stamps.keep(file, seen)
        self._present.update(identity for identity, _ in seen.documents)
        self._unchanged += len(seen.documents)

    def _skip(self, file: SourceFile, error: Unreadable) -> None:
        self._skipped.append(Skipped(file.uri, str(error)))

    def _context(self, file: SourceFile) -> str:
        """Names everything but its bytes that a file's documents depend on."""
        declared = file.declared
        if declared not in self._contexts:
            depends = (
                LOADED_BY, self._cutter.id, self._folder.permission.tenant, sorted(self._folder.permission.uses),
                replace(declared, access=frozenset()), sorted(declared.access),
            )  # fmt: skip
            self._contexts[declared] = hashlib.sha256(repr(depends).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._contexts[declared]

    # --- the store ---------------------------------------------------------------------------------------------------

    async def _pump(self, steps: Generator[None, None, None]) -> None:
        """Run the steps in a thread, slice by slice, and store between slices what they made."""
        ended = False
        while not ended:
            ended, _ = await asyncio.to_thread(_slice, steps)
            await self._store_ready()
            if self._on_progress is not None:
                self._on_progress(Progress(self._done, self._files, self._passages))

    async def _store_ready(self) -> None:
        ready, self._ready = self._ready, []
        for document, cut in ready:
            await self._begin()
            await self._store.put(document, cut)
            self._put.add(document.id)
            self._passages += len(cut)
            self._uncommitted += len(cut)
            if self._uncommitted >= _COMMIT_PASSAGES:
                await self._commit()

    async def _forget(self) -> int:
        """Remove what the folder no longer holds; how many documents of an earlier ingest that were."""
        gone = sorted((self._known.keys() | self._put) - self._present)
        for at in range(0, len(gone), _DELETED_AT_ONCE):
            await self._begin()
            await self._store.delete(gone[at : at + _DELETED_AT_ONCE])
        return len(self._known.keys() & set(gone))

    async def _begin(self) -> None:
        if not self._writing:
            await self._store.begin()
            self._writing = True

    async def _commit(self) -> None:
        if self._writing:
            self._generation = await self._store.commit()
            self._writing, self._uncommitted = False, 0


_Outcome = tuple[Content, Sequence[Part]] | Unreadable


def _slice(steps: Generator[None, None, _Result]) -> tuple[bool, _Result | None]:
    until = time.monotonic() + _SLICE_S
    try:
        while time.monotonic() < until:
            next(steps)
    except StopIteration as end:
        return True, end.value
    return False, None


async def _in_slices(steps: Generator[None, None, _Result]) -> _Result:
    while True:
        ended, result = await asyncio.to_thread(_slice, steps)
        if ended:
            return cast("_Result", result)
