"""What a reader sees: one generation of word index and vectors, and what can be remembered as long as it lasts."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from tantivy import Index, Searcher

from satisfice.adapters.corpora.following import LEXICAL_FOLDER, has_vectors, marker_name
from satisfice.adapters.corpora.lexical import LexicalIndex, Marker
from satisfice.adapters.corpora.schema import ADAPTER
from satisfice.adapters.corpora.truth import Generation, read_generation
from satisfice.adapters.corpora.vectors import VectorView, open_vectors
from satisfice.core.access import Permission
from satisfice.core.linking import Mention
from satisfice.errors import CorpusBusy, CorpusCorrupt

if TYPE_CHECKING:
    from satisfice.adapters.corpora.vectors import Rows

_TRIES = 20
_KEPT_TERMS = 20_000
_KEPT_SELECTIONS = 32
_KEPT_READERS = 256
_KEPT_TEXTS = 512

Spoken = tuple[tuple[str, ...], tuple[Mention, ...]]
"""A text's sentences and where names may start in them."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """The results of the last so many different questions. Safe between threads: at worst something is made twice."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()
        with self._lock:
            self._held[key] = made
            while len(self._held) > self._size:
                self._held.popitem(last=False)
        return made


class Snapshot:
    """One generation, complete in all its parts."""

    def __init__(
        self, marker: Marker, words: LexicalIndex, searcher: Searcher, vectors: VectorView | None, warning: str
    ) -> None:
        self.number = marker.generation
        self.version = marker.version
        self.words = words
        self.searcher = searcher
        self.vectors = vectors
        self.warning = warning
        self.permissions: Remembered[object, tuple[Mapping[int, Permission], bool]] = Remembered(_KEPT_READERS)
        self.mean_terms: Remembered[object, float] = Remembered(_KEPT_READERS)
        self.counts: Remembered[object, int] = Remembered(_KEPT_TERMS)
        self.spoken: Remembered[int, Spoken] = Remembered(_KEPT_TEXTS)
        self.selections: Remembered[object, Rows] = Remembered(_KEPT_SELECTIONS)


class Snapshots:
    """Hands out the newest complete generation. Shared by the threads of one open corpus."""

    def __init__(self, folder: Path, vectors_by: str) -> None:
        self._folder = folder
        self._vectors_by = vectors_by
        self._words = LexicalIndex(folder / LEXICAL_FOLDER)
        self._index: Index | None = None
        self._current: Snapshot | None = None
        self._lock = Lock()

    def forget(self) -> None:
        """Let go of everything that is open."""
        with self._lock:
            self._index = self._current = None

    def newest(self, connection: sqlite3.Connection) -> Snapshot:
        """The newest generation that every part has, with a read transaction open on `connection` that sees it whole.

        Raises
        ------
        CorpusBusy
            Generations followed each other faster than they could be opened.
        CorpusCorrupt
            The word index is missing or damaged and could not be brought up to date when the corpus was opened.
        """
        lagging = False
        for _ in range(_TRIES):
            connection.execute("BEGIN")
            now = read_generation(connection)
            with self._lock:
                if self._current is None or self._current.number < now.number:
                    self._refresh(now)
                current = self._current
            # An index that is ahead belongs to a commit that this read transaction began too early to see.
            if current is not None and now.complete <= current.number <= now.number:
                return current
            lagging = current is None or current.number < now.complete
            connection.execute("ROLLBACK")
        if lagging:
            raise CorpusCorrupt(
                ADAPTER,
                f"the word index in {self._folder / LEXICAL_FOLDER} does not belong to this corpus or lags behind it; "
                "open the corpus once with write access and it is rebuilt",
            )
        raise CorpusBusy(ADAPTER, f"{self._folder} changes faster than it can be read; try again", retryable=True)

    def _refresh(self, now: Generation) -> None:
        searcher = self._searcher()
        marker = self._words.marker(searcher)
        known = self._current is not None and self._current.number == marker.generation
        if marker.store == marker_name(now) and not known:
            vectors, warning = self._vectors(now, marker.generation)
            self._current = Snapshot(marker, self._words, searcher, vectors, warning)

    def _searcher(self) -> Searcher:
        try:
            if self._index is not None:
                self._index.reload()
                return self._index.searcher()
        except (ValueError, OSError):
            self._index = None  # rebuilt by another process: what was open is of no use any more
        self._index = self._words.open(create=False)
        self._index.reload()
        return self._index.searcher()

    def _vectors(self, now: Generation, number: int) -> tuple[VectorView | None, str]:
        if not self._vectors_by:
            return None, ""
        vectors = open_vectors(self._folder, number) if has_vectors(now, self._vectors_by) else None
        if vectors is not None:
            return vectors, ""
        missing = f"not every passage has a vector by {self._vectors_by}"
        return None, f"{missing}: searched by words only until the next ingest"
