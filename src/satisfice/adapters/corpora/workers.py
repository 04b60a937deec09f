"""The threads and connections of one open corpus: blocking work goes here, in units, and nothing is left behind."""

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from satisfice.adapters.corpora.schema import ADAPTER, connect, explained
from satisfice.errors import CorpusError

_READERS = 2

Result = TypeVar("Result")


class Workers:
    """One thread that writes and a few that read, each read with a connection of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pools: tuple[ThreadPoolExecutor, ThreadPoolExecutor] | None = None
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()

    @property
    def at_work(self) -> bool:
        return self._pools is not None

    def start(self) -> None:
        self._pools = (
            ThreadPoolExecutor(1, thread_name_prefix="corpus-write"),
            ThreadPoolExecutor(_READERS, thread_name_prefix="corpus-read"),
        )

    def stop(self) -> None:
        """Wait for the units at work, at most some 100 ms, and close every thread and connection."""
        pools, self._pools = self._pools, None
        for pool in pools or ():
            pool.shutdown(wait=True)
        while self._idle:
            self._idle.pop().close()

    async def write(self, work: Callable[..., Result], *values: object) -> Result:
        """Run in the one writing thread, after everything given to it before."""

        def run() -> Result:
            with explained(self._folder):
                return work(*values)

        return await asyncio.get_running_loop().run_in_executor(self._started()[0], run)

    async def write_units(self, steps: Generator[None]) -> None:
        """Take a long piece of writing one unit at a time, so that it can be cancelled in between."""
        done = object()
        try:
            while await self.write(next, steps, done) is not done:
                pass
        finally:
            await self.write(steps.close)

    async def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run in a reading thread."""

        def run() -> Result:
            with explained(self._folder), self._connection() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._started()[1], run)

    async def read_units(self, work: Callable[[sqlite3.Connection], Generator[None]]) -> None:
        """A long piece of reading, one unit at a time on one connection."""
        connection = await self.read(lambda _: connect(self._folder, writable=False))
        steps = work(connection)
        done = object()
        try:
            while await self.read(lambda _: next(steps, done)) is not done:
                pass
        finally:
            await self.read(lambda _: steps.close())
            connection.close()

    def _started(self) -> tuple[ThreadPoolExecutor, ThreadPoolExecutor]:
        if self._pools is None:
            raise CorpusError(
                ADAPTER, f"the corpus in {self._folder} is not open; use `async with` or call open() first"
            )
        return self._pools

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = connect(self._folder, writable=False)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
