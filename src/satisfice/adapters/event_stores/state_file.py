"""`state.db`: one SQLite file, one connection and one thread for everything a machine remembers about runs.

Work is a plain function of a connection. It runs on the file's own thread, one after another, so that the event loop
never waits for a disk or for another process's lock.
"""

import asyncio
import secrets
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from satisfice.errors import Corrupt, StoreError

APPLICATION_ID = 0x73617469
"""Marks the file as ours, for `file` and for ourselves."""

VERSION = 1

BUSY_TIMEOUT_MS = 5_000

_HEADER_BYTES = 100
"""No SQLite file that holds anything is shorter; a shorter one passes for a new one."""

T = TypeVar("T")


class Synchronous(StrEnum):
    """What an acknowledged write survives: NORMAL the death of any process, FULL also the loss of power."""

    NORMAL = "NORMAL"
    FULL = "FULL"


class StateFile:
    """Opened by its first use; several processes may use one file. Close it once, after everything that uses it."""

    def __init__(self, path: Path, *, synchronous: Synchronous = Synchronous.NORMAL) -> None:
        self.path = path
        self._synchronous = synchronous
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="satisfice-state")
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run work in one transaction of its own: all of it is durable on return, or none of it happened.

        A caller cancelled meanwhile does not know which; whatever it asks next is answered after the work is over.
        """
        return await self._on_thread(lambda: self._transaction(work))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run work that changes nothing."""
        return await self._on_thread(lambda: work(self._open()))

    async def forget(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Like `write`, for work that deletes: the bytes are overwritten in the file and gone from its log."""

        def wiped() -> T:
            done = self._transaction(work)
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return done

        return await self._on_thread(wiped)

    async def close(self) -> None:
        """Wait for work under way, then leave no connection and no thread. Closing twice does nothing more."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    async def _on_thread(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise StoreError("sqlite", f"{str(self.path)!r} was closed; open a new StateFile")

        def mapped() -> T:
            try:
                return work()
            except sqlite3.Error as error:
                raise self._explained(error) from error
            except UnicodeDecodeError as error:  # damaged names, or an error of SQLite's that quotes them
                raise self._damaged(f"it holds text that is none ({error.reason})") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, mapped)

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._open()
        # Taking the write lock at the start keeps a reader's snapshot from going stale under it.
        connection.execute("BEGIN IMMEDIATE")
        try:
            done = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return done

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._check_or_create()
            connection = _connected(self.path)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _check_or_create(self) -> None:
        """A file that is there must be whole; one that is missing is made aside and put in place at once.

        So a file without content was cut by someone else, never by a crash of ours, and is not taken for a new one.
        """
        log = self.path.with_name(self.path.name + "-wal")
        try:
            # In this order: another process may be creating both, and puts the log down last.
            log_is_there = log.exists()
            if self.path.exists():
                if self.path.stat().st_size < _HEADER_BYTES:
                    raise self._damaged(f"it has {self.path.stat().st_size} bytes")
            elif log_is_there:
                raise self._damaged(f"it is missing, while {str(log)!r} is here")
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._create()
        except OSError as error:
            raise StoreError(
                "sqlite", f"{str(self.path)!r} cannot be used: {error}; give a path in a folder you may write to"
            ) from error

    def _create(self) -> None:
        aside = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.new")
        try:
            with closing(_connected(aside)) as connection:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
                connection.execute("PRAGMA journal_mode = WAL")
            _put_in_place(aside, self.path)
        finally:
            aside.unlink(missing_ok=True)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        if application != APPLICATION_ID:
            raise StoreError(
                "sqlite", f"{str(self.path)!r} is a database of something else; give the path of a state file"
            )
        if version > VERSION:
            raise StoreError(
                "sqlite",
                f"{str(self.path)!r} has version {version}, this satisfice reads up to {VERSION}; "
                "use the newer satisfice that wrote it",
            )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        connection.execute("PRAGMA secure_delete = ON")

    def _explained(self, error: sqlite3.Error) -> StoreError:
        """SQLite's error in our words: what was found and what to do."""
        name = str(getattr(error, "sqlite_errorname", ""))
        # A plain error: tables that are there do not have the columns they were made with.
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or name == "SQLITE_ERROR":
            return self._damaged(str(error))
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreError(
                "sqlite",
                f"another process kept {str(self.path)!r} locked for {BUSY_TIMEOUT_MS} ms; try again",
                retryable=True,
            )
        if name.startswith("SQLITE_FULL"):
            return StoreError(
                "sqlite",
                f"the disk under {str(self.path)!r} is full; nothing was written, free some space and try again",
                retryable=True,
            )
        return StoreError("sqlite", f"{str(self.path)!r} cannot be used ({name or 'no code'}): {error}")

    def _damaged(self, found: str) -> Corrupt:
        return Corrupt(
            "sqlite",
            f"{str(self.path)!r} is damaged: {found}. Restore it from a backup together with its '-wal' file, save what "
            f"is left with `sqlite3 {self.path.name} .recover`, or move both away to start with no runs; documents are "
            "kept elsewhere and are not concerned",
        )


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    # Names may hold lone surrogates, which SQLite's own reading of text refuses.
    connection.text_factory = bytes
    return connection


def _put_in_place(aside: Path, path: Path) -> None:
    """Give a finished file its name, unless another process was first: then that one's file is used."""
    try:
        path.hardlink_to(aside)
    except FileExistsError:
        return
    except OSError:
        # No hard links on this file system: two processes that create at the same instant are not kept apart there.
        if not path.exists():
            aside.rename(path)
