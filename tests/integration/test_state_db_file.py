"""How `state.db` is opened, shared, waited for, emptied and closed."""

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from satisfice.adapters.event_stores.processes import current_owner, has_ended
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile, Synchronous
from satisfice.core.facts import CancelRequested
from satisfice.core.ids import DocumentId, RunId
from satisfice.errors import RunBusy, RunNotFound, StoreError
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_log import (
    HIDDEN,
    RUN,
    TTL_MS,
    ended_process,
    owner,
    placed,
    started,
    whole_run,
)

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc, which this system has not")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a new folder" / "state.db"


@pytest.fixture
async def file(path: Path) -> AsyncIterator[StateFile]:
    file = StateFile(path)
    yield file
    await file.close()


@pytest.fixture
def store(file: StateFile) -> SqliteEventStore:
    return SqliteEventStore(file, FakeClock())


def open_files(path: Path) -> list[str]:
    """Files of the state file that this process holds open."""
    held = (os.path.realpath(link) for link in Path("/proc/self/fd").iterdir())
    return sorted(name for name in held if name.startswith(str(path)))


def threads() -> set[int | None]:
    return {thread.ident for thread in threading.enumerate()}


# --- opening and closing -------------------------------------------------------------------------------------------


async def test_nothing_is_made_before_it_is_needed(path: Path) -> None:
    before = threads()

    file = StateFile(path)

    assert threads() == before
    await file.close()
    assert not path.parent.exists()


@needs_proc
async def test_after_closing_no_thread_and_no_connection_is_left(path: Path) -> None:
    before = threads()
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())
    await store.take(RUN, owner("first"), TTL_MS)
    assert threads() != before
    assert open_files(path) != []

    await file.close()
    await file.close()

    assert threads() == before
    assert open_files(path) == []
    assert [found.name for found in path.parent.iterdir()] == ["state.db"]
    with pytest.raises(StoreError, match="was closed"):
        await store.read(RUN)


async def test_closing_waits_for_work_under_way(path: Path) -> None:
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())
    epoch = await store.take(RUN, owner("first"), TTL_MS)
    append = asyncio.create_task(store.append(RUN, placed([started()], epoch=epoch), 0, epoch))
    await asyncio.sleep(0)

    await file.close()

    await append
    again = StateFile(path)
    assert len(await SqliteEventStore(again, FakeClock()).read(RUN)) == 1
    await again.close()


async def test_two_openings_that_create_the_file_at_once_share_it(path: Path) -> None:
    files = [StateFile(path) for _ in range(8)]
    stores = [SqliteEventStore(file, FakeClock()) for file in files]

    outcomes = await asyncio.gather(
        *(store.take(RUN, owner(str(number)), TTL_MS) for number, store in enumerate(stores)), return_exceptions=True
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["RunBusy"] * 7 + ["int"]
    for file in files:
        await file.close()
    assert [found.name for found in path.parent.iterdir()] == ["state.db"]


def test_one_file_serves_one_event_loop_after_another(path: Path) -> None:
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())

    epoch = asyncio.run(store.take(RUN, owner("first"), TTL_MS))
    asyncio.run(store.append(RUN, placed([started()], epoch=epoch), 0, epoch))

    assert len(asyncio.run(store.read(RUN))) == 1
    asyncio.run(file.close())


@pytest.mark.parametrize(("how", "level"), [(Synchronous.NORMAL, 1), (Synchronous.FULL, 2)])
async def test_what_a_write_survives_is_chosen(path: Path, how: Synchronous, level: int) -> None:
    file = StateFile(path, synchronous=how)

    assert await file.read(lambda c: c.execute("PRAGMA synchronous").fetchone()) == (level,)
    assert await file.read(lambda c: c.execute("PRAGMA journal_mode").fetchone()) == (b"wal",)
    await file.close()


# --- waiting and failing -------------------------------------------------------------------------------------------


async def test_work_that_fails_changes_nothing(file: StateFile, store: SqliteEventStore) -> None:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM runs")
        raise LookupError("on second thoughts")

    await store.take(RUN, owner("first"), TTL_MS)
    with pytest.raises(LookupError):
        await file.write(work)

    with pytest.raises(RunBusy):
        await store.take(RUN, owner("second"), TTL_MS)


async def test_whoever_is_cancelled_leaves_a_log_that_says_what_happened(
    file: StateFile, store: SqliteEventStore
) -> None:
    epoch = await store.take(RUN, owner("first"), TTL_MS)
    await store.append(RUN, placed([started()], epoch=epoch), 0, epoch)
    for _ in range(20):
        done = len(await store.read(RUN))
        append = asyncio.create_task(store.append(RUN, placed([CancelRequested()], after=done), done, epoch))
        await asyncio.sleep(0)
        append.cancel()
        with pytest.raises(asyncio.CancelledError):
            await append

        now = len(await store.read(RUN))

        assert now in (done, done + 1)
        await store.append(RUN, placed([CancelRequested()], after=now), now, epoch)


async def test_the_event_loop_never_waits_for_the_disk(file: StateFile) -> None:
    gate = threading.Event()

    slow = asyncio.create_task(file.read(lambda _: gate.wait(10)))
    await asyncio.sleep(0.001)
    gate.set()  # never reached in time, were the loop waiting

    assert await slow


@pytest.mark.slow
async def test_a_lock_that_another_process_keeps_is_an_error_to_try_again_after(
    file: StateFile, store: SqliteEventStore, path: Path
) -> None:
    await store.list()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"another process kept .* locked for 5000 ms; try again") as caught:
            await store.take(RUN, owner("first"), TTL_MS)
        assert await store.list() == []  # reading goes on meanwhile
        other.execute("ROLLBACK")

    assert caught.value.retryable
    assert await store.take(RUN, owner("first"), TTL_MS) == 1


@pytest.mark.slow
def test_a_disk_that_fills_up_costs_one_append_and_nothing_before_it(path: Path) -> None:
    """The file system is played by a limit on the size of files, which a process can set for itself alone."""
    done = subprocess.run(
        [sys.executable, __file__, str(path)], capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()
    kept, failed = int(done[0]), done[1]

    async def look() -> int:
        file = StateFile(path)
        store = SqliteEventStore(file, FakeClock())
        log = await store.read(RUN)
        assert list(log) == placed([started(), *(CancelRequested("x" * 4_000) for _ in log[1:])])
        epoch = await store.take(RUN, owner("first"), TTL_MS)
        await store.append(RUN, placed([CancelRequested()], after=len(log)), len(log), epoch)
        await file.close()
        return len(log)

    assert failed == "StoreError"
    assert asyncio.run(look()) == kept > 10


async def fill(path: Path) -> None:
    """Append until it fails; say how many were acknowledged, and how it failed."""
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())
    epoch = await store.take(RUN, owner("first"), TTL_MS)
    await store.append(RUN, placed([started()], epoch=epoch), 0, epoch)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    done = 1
    try:
        while True:
            await store.append(RUN, placed([CancelRequested("x" * 4_000)], after=done), done, epoch)
            done += 1
    except StoreError as error:
        print(done, type(error).__name__)


# --- owners --------------------------------------------------------------------------------------------------------


def test_this_process_has_not_ended() -> None:
    assert not has_ended(current_owner())
    assert current_owner() != current_owner()


def test_a_process_that_is_over_has_ended() -> None:
    assert has_ended(ended_process())


@needs_proc
def test_a_pid_that_was_given_to_another_process_does_not_pass_for_the_old_one() -> None:
    assert has_ended(replace(current_owner(), started="some other boot 12345"))


@needs_proc
def test_a_dead_process_that_nobody_reaped_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", _TELL_STARTED], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    zombie = replace(current_owner(), pid=child.pid, started=child.stdout.readline().strip())
    child.stdout.close()
    until = time.monotonic() + 10
    while not has_ended(zombie) and time.monotonic() < until:
        time.sleep(0.01)

    assert has_ended(zombie)
    assert Path(f"/proc/{child.pid}").exists()
    child.wait()


_TELL_STARTED = "from satisfice.adapters.event_stores.processes import current_owner; print(current_owner().started)"


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"started": ""}])
def test_what_cannot_be_told_is_left_to_the_lease(change: dict[str, str]) -> None:
    assert not has_ended(replace(current_owner(), **change))
    assert not has_ended(replace(ended_process(), host="elsewhere"))


# --- forgetting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["remove", "redact"])
async def test_what_is_forgotten_is_nowhere_in_the_file(
    file: StateFile, store: SqliteEventStore, path: Path, how: str
) -> None:
    run = RunId("secret run")
    epoch = await store.take(run, owner("first"), TTL_MS)
    await store.append(run, placed(whole_run(run), epoch=epoch), 0, epoch)
    assert any(HIDDEN.encode() in found.read_bytes() for found in path.parent.iterdir())

    assert await (store.remove(run) if how == "remove" else store.redact(DocumentId("secret")))

    assert not any(HIDDEN.encode() in found.read_bytes() for found in path.parent.iterdir())
    if how == "remove":
        with pytest.raises(RunNotFound):
            await store.read(run)


if __name__ == "__main__":
    asyncio.run(fill(Path(sys.argv[1])))
