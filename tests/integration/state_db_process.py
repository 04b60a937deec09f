"""A process of its own that works on a state file until it is done or killed. Run by the tests beside it.

    python state_db_process.py append FILE RUN
    python state_db_process.py die FOLDER RUN COUNT
    python state_db_process.py take FILE NAME...
    python state_db_process.py hold FILE KEY COUNT

It says on its output, a line each and unbuffered, what was acknowledged to it.
"""

import asyncio
import itertools
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.processes import current_owner
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.adapters.quotas.sqlite import SqliteQuota
from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.facts import CancelRequested, Envelope, RunStarted
from satisfice.core.ids import RunId
from satisfice.core.orders import Denied
from satisfice.errors import RunBusy, RunNotFound
from satisfice.testing.conformance.example_log import started

T = TypeVar("T")

HOUR_MS = 3_600_000


def fact(run: RunId, seq: int) -> RunStarted | CancelRequested:
    """What stands at a place of the log: no two places hold the same, and sizes go up to several pages."""
    return started(run) if seq == 1 else CancelRequested(f"{run} {seq} " + "x" * (seq * 2_711 % 20_000))


def envelope(run: RunId, seq: int, epoch: int) -> Envelope:
    return Envelope(seq, seq, epoch, fact(run, seq))


class Deadly(StateFile):
    """Kills its process when the given number of SQL statements has begun, counted over everything it does."""

    def __init__(self, path: Path, statement: int) -> None:
        super().__init__(path)
        self._left = statement

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        await self.read(lambda connection: connection.set_trace_callback(self._began))
        return await super().write(work)

    def _began(self, _: str) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def say(*words: object) -> None:
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


async def append(file: StateFile, run: RunId) -> None:
    """Append one, two or three facts at a time, for ever; acknowledged ones are said by their last number."""
    store = SqliteEventStore(file, SystemClock())
    epoch = await store.take(run, current_owner(), HOUR_MS)
    say("epoch", epoch)
    try:
        done = len(await store.read(run))
    except RunNotFound:
        done = 0
    for size in itertools.cycle((1, 2, 3)):
        await store.append(run, [envelope(run, done + n, epoch) for n in range(1, size + 1)], done, epoch)
        done += size
        say(done)


def die(folder: Path, run: RunId, count: int) -> None:
    """Fork a process for each statement up to a count, which appends to a file of its own and dies at that one."""
    for statement in range(1, count + 1):
        child = os.fork()
        if child == 0:
            asyncio.run(append(Deadly(folder / f"{statement}.db", statement), run))
        _, status = os.waitpid(child, 0)
        say("died", statement, os.WTERMSIG(status))


async def take(file: StateFile, names: list[str]) -> None:
    """Take each run once the parent says go; say which were won."""
    store, me = SqliteEventStore(file, SystemClock()), current_owner()
    await store.list()
    say("ready")
    sys.stdin.readline()
    for name in names:
        try:
            await store.take(RunId(name), me, HOUR_MS)
        except RunBusy:
            continue
        say(name)
    say("done")
    sys.stdin.readline()


async def hold(file: StateFile, key: str, count: int) -> None:
    """Start calls that may cost 0.04 each against a shared limit of 0.10 (O-35); say which were let through."""
    quota = SqliteQuota(file, lambda _: {Dimension.COST_MICROUSD: 100_000})
    await quota.left("tenant")
    say("ready")
    sys.stdin.readline()
    charge = Charge(Amounts(cost_microusd=40_000))
    outcomes = await asyncio.gather(*(quota.hold(f"{key}:{n}", ["tenant"], charge) for n in range(count)))
    say(*(n for n, denied in enumerate(outcomes) if not isinstance(denied, Denied)))
    sys.stdin.readline()
    for n, denied in enumerate(outcomes):
        if denied is None:
            await quota.settle(f"{key}:{n}", Charge(Amounts(cost_microusd=10_000)))
    say("settled")


async def main(what: str, path: Path, *rest: str) -> None:
    file = StateFile(path)
    match what:
        case "append":
            await append(file, RunId(rest[0]))
        case "take":
            await take(file, list(rest))
        case _:
            await hold(file, rest[0], int(rest[1]))
    await file.close()


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    if what == "die":
        die(Path(path), RunId(rest[0]), int(rest[1]))
    else:
        asyncio.run(main(what, Path(path), *rest))
