"""The tables of `corpus.db`, how they are opened, and what SQLite's errors mean to a person."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from satisfice.errors import CorpusBusy, CorpusCorrupt, CorpusError

ADAPTER = "local corpus"
DATABASE = "corpus.db"
SCHEMA = 1
BUSY_TIMEOUT_S = 5.0
"""How long one short statement waits for another."""

# A row is valid at generation g when `born <= g` and `died` is null or `> g`. `generation.number` is what the tables
# hold, `generation.complete` what the derived indexes had reached when the dead rows were last removed.
_TABLES = """
CREATE TABLE generation (
    only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL, complete INTEGER NOT NULL, digest TEXT NOT NULL,
    store TEXT NOT NULL, terms_by TEXT NOT NULL, vectors_by TEXT NOT NULL, unembedded INTEGER NOT NULL
) STRICT;
CREATE TABLE permissions (
    row INTEGER PRIMARY KEY AUTOINCREMENT, tenant BLOB NOT NULL, tags TEXT NOT NULL, uses TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0, terms INTEGER NOT NULL DEFAULT 0, UNIQUE (tenant, tags, uses)
) STRICT;
CREATE TABLE documents (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, content_hash TEXT NOT NULL, digest BLOB NOT NULL,
    permission INTEGER NOT NULL, born INTEGER NOT NULL, died INTEGER, details TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_live ON documents (id) WHERE died IS NULL;
CREATE INDEX documents_id ON documents (id);
CREATE INDEX documents_dead ON documents (died) WHERE died IS NOT NULL;
CREATE TABLE labels (
    row INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL, authority INTEGER NOT NULL, published INTEGER,
    title BLOB NOT NULL, details TEXT NOT NULL
) STRICT;
CREATE INDEX labels_document ON labels (document);
CREATE INDEX labels_published ON labels (published);
CREATE TABLE filed (token TEXT NOT NULL, label INTEGER NOT NULL, PRIMARY KEY (token, label)) STRICT, WITHOUT ROWID;
CREATE INDEX filed_label ON filed (label);
CREATE TABLE passages (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, document INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    label INTEGER NOT NULL, permission INTEGER NOT NULL, born INTEGER NOT NULL, died INTEGER, tokens INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, content_hash TEXT NOT NULL, details TEXT NOT NULL,
    signature BLOB NOT NULL, signature_by TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX passages_live ON passages (id) WHERE died IS NULL;
CREATE INDEX passages_id ON passages (id);
CREATE INDEX passages_document ON passages (document, ordinal);
CREATE INDEX passages_born ON passages (born);
CREATE INDEX passages_dead ON passages (died) WHERE died IS NOT NULL;
CREATE TABLE texts (passage INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT;
CREATE TABLE terms (
    passage INTEGER PRIMARY KEY, length INTEGER NOT NULL, head TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TABLE aliases (lead TEXT NOT NULL, key TEXT NOT NULL, passage INTEGER NOT NULL, weight REAL NOT NULL) STRICT;
CREATE INDEX aliases_lead ON aliases (lead);
CREATE INDEX aliases_passage ON aliases (passage);
"""


def encoded(text: str) -> bytes:
    """Text as it is stored: lone surrogates (broken file names, broken documents) survive."""
    return text.encode("utf-8", "surrogatepass")


def decoded(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogatepass")


def connect(folder: Path, *, writable: bool) -> sqlite3.Connection:
    """One connection to tables of this version; whoever holds it uses it from one thread at a time."""
    path = folder / DATABASE
    with explained(folder):
        connection = _connect(path) if writable else _connect_read_only(path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            connection.close()
            raise CorpusCorrupt(
                ADAPTER, f"{path} has schema {version}, this version reads schema {SCHEMA}; {_rebuild(folder)}"
            )
        return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_size_limit = 67108864")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """A reader. In a folder that cannot be written, WAL's shared memory is missing: the file is then read as it stands."""
    location = path.absolute().as_uri()
    for mode in ("?mode=ro", "?mode=ro&immutable=1"):
        connection = sqlite3.connect(
            location + mode, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA mmap_size = 1073741824")
            connection.execute("SELECT number FROM generation")
        except sqlite3.Error as failure:
            connection.close()
            if failure.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
                raise
        else:
            return connection
    raise CorpusError(ADAPTER, f"{path} cannot be opened; give this user read access to it and its folder")


def create(folder: Path, store: str, terms_by: str) -> None:
    """Make the tables where there are none; the caller holds the writer lock. Others see all of them or none."""
    path, draft = folder / DATABASE, folder / f"{DATABASE}.draft"
    if path.exists():
        return
    with explained(folder):
        draft.unlink(missing_ok=True)
        connection = sqlite3.connect(draft, isolation_level=None)
        try:
            connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version = {SCHEMA};")
            connection.execute("INSERT INTO generation VALUES (1, 0, 0, ?, ?, ?, '', 0)", ("0" * 64, store, terms_by))
            connection.execute("COMMIT")
        finally:
            connection.close()
        draft.replace(path)


@contextmanager
def explained(folder: Path) -> Generator[None]:
    """The errors of SQLite, of the disk and of damaged indexes in words that say what to do."""
    try:
        yield
    except sqlite3.Error as failure:
        _explain(failure, folder)
    except OSError as failure:
        raise CorpusError(
            ADAPTER,
            f"{failure.filename or folder} cannot be used ({failure.strerror}); check its rights and free space",
        ) from failure
    except BaseException as failure:
        # tantivy panics on some damaged files, and a panic is no `Exception`; a damaged matrix gives an index out of it.
        if type(failure).__name__ != "PanicException" and not isinstance(failure, IndexError):
            raise
        raise CorpusCorrupt(
            ADAPTER,
            f"an index in {folder} is damaged ({type(failure).__name__}); to rebuild, move {folder} away and ingest again: "
            "your documents are not touched",
        ) from failure


def _explain(failure: sqlite3.Error, folder: Path) -> NoReturn:
    path = folder / DATABASE
    code = getattr(failure, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        raise CorpusBusy(
            ADAPTER, f"another process is writing to {folder}; wait for it, then try again", retryable=True
        ) from failure
    if code == sqlite3.SQLITE_FULL:
        raise CorpusError(
            ADAPTER, f"no space left for {path}; free some and ingest again: what was stored before is still readable"
        ) from failure
    if code == sqlite3.SQLITE_READONLY:
        raise CorpusError(
            ADAPTER, f"{path} cannot be written; give this user write access to {folder} or choose another store"
        ) from failure
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        raise CorpusError(ADAPTER, f"{path} cannot be opened; check that {folder} exists and its rights") from failure
    if code == sqlite3.SQLITE_IOERR:
        raise CorpusError(
            ADAPTER, f"{path} cannot be read or written ({failure}); check the disk, its quota and free space"
        ) from failure
    raise CorpusCorrupt(ADAPTER, f"{path} is not a readable corpus ({failure}); {_rebuild(folder)}") from failure


def _rebuild(folder: Path) -> str:
    return f"to rebuild, move {folder} away and ingest again: your documents are not touched"


class WriterLock:
    """One writer among all processes. Held by an open transaction on a file of its own, so a dead holder lets go at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection: sqlite3.Connection | None = None

    def take(self) -> None:
        """Raises `CorpusBusy` while someone else holds it."""
        with explained(self._folder):
            connection = sqlite3.connect(
                self._folder / "writer.lock", timeout=0.0, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection

    def release(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
