"""`state.db` under real processes: killed at random and at every statement, racing for runs, sharing one limit."""

import asyncio
import itertools
import random
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.processes import current_owner
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.adapters.quotas.sqlite import SqliteQuota
from satisfice.core.amounts import Dimension
from satisfice.core.facts import Envelope
from satisfice.core.ids import RunId
from satisfice.errors import Conflict, RunNotFound

PROCESS = Path(__file__).with_name("state_db_process.py")

_written = runpy.run_path(str(PROCESS))
envelope: Callable[[RunId, int, int], Envelope] = _written["envelope"]
HOUR_MS: int = _written["HOUR_MS"]

RUN = RunId("run")


class Child:
    """A process that works on a state file."""

    def __init__(self, *arguments: object) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(PROCESS), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    def says(self) -> str:
        """The next line it says, empty once it is dead."""
        return self._out.readline().strip()

    def go(self) -> None:
        """Let it go on from where it waits."""
        self._in.write("go\n")
        self._in.flush()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)

    def end(self) -> list[str]:
        """Wait for its end, and give what else it said."""
        said = self._out.read().splitlines()
        # Its output ends a moment before it does.
        self._process.wait()
        return said

    def close(self) -> None:
        self._in.close()
        self._out.close()
        self._process.wait()


@pytest.fixture
def start() -> Iterator[Callable[..., Child]]:
    """Starts processes, and ends those that the test leaves."""
    children: list[Child] = []

    def started(*arguments: object) -> Child:
        children.append(Child(*arguments))
        return children[-1]

    yield started
    for child in children:
        child.kill()
        child.close()


async def taken_over(path: Path, run: RunId = RUN) -> tuple[int, Sequence[Envelope]]:
    """What the next owner finds: its epoch and the log. The one before must be dead, for its lease is an hour."""
    file = StateFile(path)
    store = SqliteEventStore(file, SystemClock())
    epoch = await store.take(run, current_owner(), HOUR_MS)
    try:
        log = await store.read(run)
    except RunNotFound:
        log = ()
    if epoch > 1:
        # Whoever comes back from the dead is fenced.
        with pytest.raises(Conflict):
            await store.append(run, [envelope(run, len(log) + 1, epoch - 1)], len(log), epoch - 1)
    await store.release(run, epoch)
    await file.close()
    return epoch, log


def assert_whole(log: Sequence[Envelope], acknowledged: int, run: RunId = RUN) -> None:
    """Every fact up to the acknowledged one is there and as it was written; what follows is whole as well."""
    assert len(log) >= acknowledged
    assert list(log) == [envelope(run, seq, log[seq - 1].epoch) for seq in range(1, len(log) + 1)]


@pytest.mark.slow
def test_a_process_killed_at_random_loses_nothing_that_was_acknowledged(
    tmp_path: Path, start: Callable[..., Child]
) -> None:
    path, dice = tmp_path / "state.db", random.Random(7)
    epochs: list[int] = []
    known = 0
    for _ in range(8):
        child = start("append", path, RUN)
        epochs.append(int(child.says().removeprefix("epoch ")))
        for _ in range(dice.randrange(1, 60)):
            known = int(child.says())
        time.sleep(dice.random() * 0.003)  # somewhere inside the appends that follow
        child.kill()
        known = int((child.end() or [known])[-1])

        epoch, log = asyncio.run(taken_over(path))

        epochs.append(epoch)
        assert_whole(log, known)
    assert epochs == sorted(set(epochs))


@pytest.mark.slow
def test_a_process_killed_at_any_statement_leaves_whole_appends_only(
    tmp_path: Path, start: Callable[..., Child]
) -> None:
    """Statement by statement through making tables, taking the run and appending one, two and three facts."""
    whole = {0, 1, 3, 6}
    seen: set[int] = set()
    child = start("die", tmp_path, RUN, 30)
    for statement in range(1, 31):
        acknowledged = 0
        for line in iter(child.says, f"died {statement} {signal.SIGKILL}"):
            acknowledged = acknowledged if line.startswith("epoch") else int(line)

        _, log = asyncio.run(taken_over(tmp_path / f"{statement}.db"))

        assert_whole(log, acknowledged)
        assert len(log) in whole
        seen.add(len(log))
    assert seen == whole


@pytest.mark.slow
def test_of_several_processes_that_take_a_run_at_once_exactly_one_gets_it(
    tmp_path: Path, start: Callable[..., Child]
) -> None:
    names = [str(number) for number in range(60)]
    children = [start("take", tmp_path / "state.db", *names) for _ in range(3)]
    assert [child.says() for child in children] == ["ready"] * 3
    for child in children:
        child.go()

    # All of them live until every run has been asked for by all.
    won = [list(iter(child.says, "done")) for child in children]

    assert sorted(itertools.chain(*won)) == sorted(names)


@pytest.mark.slow
def test_processes_that_append_at_once_do_not_disturb_each_other(tmp_path: Path, start: Callable[..., Child]) -> None:
    path, runs = tmp_path / "state.db", [RunId(f"run {number}") for number in range(3)]
    children = [start("append", path, run) for run in runs]
    said = [[child.says() for _ in range(60)] for child in children]
    for child in children:
        child.kill()

    for run, child, lines in zip(runs, children, said, strict=True):
        acknowledged = int([*lines, *child.end()][-1])
        _, log = asyncio.run(taken_over(path, run))
        assert acknowledged > 100
        assert_whole(log, acknowledged, run)


@pytest.mark.slow
def test_a_limit_shared_by_two_processes_is_never_passed(tmp_path: Path, start: Callable[..., Child]) -> None:
    """O-35 with a shared store: eight calls of at most .04 from each process, a limit of .10 over both."""
    path = tmp_path / "state.db"
    children = [start("hold", path, name, 8) for name in ("one", "two")]
    assert [child.says() for child in children] == ["ready"] * 2
    for child in children:
        child.go()

    let_through = [child.says().split() for child in children]

    assert len(list(itertools.chain(*let_through))) == 2
    for child in children:
        child.go()
        assert child.end() == ["settled"]
    assert asyncio.run(cost_left(path)) == 80_000


async def cost_left(path: Path) -> int:
    file = StateFile(path)
    left = await SqliteQuota(file, lambda _: {Dimension.COST_MICROUSD: 100_000}).left("tenant")
    await file.close()
    return left.amounts.cost_microusd
