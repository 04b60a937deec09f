"""A damaged `state.db` says so and what to do; it never passes for a new one, and never gives back something else."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from satisfice.adapters.event_stores import rows
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.facts import CancelRequested, Envelope
from satisfice.core.ids import DocumentId, RunId
from satisfice.errors import Corrupt, RunNotFound, StoreError, UnknownFact
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_log import HIDDEN, RUN, owner, placed, whole_run

OTHER = RunId("other")

T = TypeVar("T")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed state file with two runs, of which a test takes its own copy."""
    path = tmp_path_factory.mktemp("good") / "state.db"

    async def build() -> None:
        file = StateFile(path)
        store = SqliteEventStore(file, FakeClock())
        for run in (RUN, OTHER):
            epoch = await store.take(run, owner("first"), 1_000)
            await store.append(run, placed(whole_run(run), epoch=epoch), 0, epoch)
        await file.close()

    asyncio.run(build())
    return path


@pytest.fixture
def path(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(good, tmp_path / "state.db"))


async def read(path: Path, run: RunId = RUN) -> Sequence[Envelope]:
    file = StateFile(path)
    try:
        return await SqliteEventStore(file, FakeClock()).read(run)
    finally:
        await file.close()


def change(path: Path, statement: str, *values: object) -> None:
    """Change a closed state file behind the store's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement, values).rowcount > 0


# --- the file ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9])
async def test_a_file_that_was_cut_is_damaged_and_stays_as_it_is(path: Path, share: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    cut = path.read_bytes()

    for attempt in (read(path), read(path, RunId("never"))):
        with pytest.raises(Corrupt, match=r"'.*state.db' is damaged: .*[Rr]estore .* backup") as caught:
            await attempt
        assert caught.value.run == ""
    assert path.read_bytes() == cut


async def test_a_file_of_something_else_is_not_touched(tmp_path: Path) -> None:
    text, database = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database at all, but long enough to be one. " * 20)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE notes (text)")
    before = text.read_bytes(), database.read_bytes()

    with pytest.raises(Corrupt, match="is damaged"):
        await read(text)
    with pytest.raises(StoreError, match="database of something else; give the path of a state file"):
        await read(database)

    assert (text.read_bytes(), database.read_bytes()) == before


async def test_a_file_whose_log_was_left_behind_is_not_started_anew(path: Path) -> None:
    path.with_name("state.db-wal").write_bytes(b"what was not yet moved over")
    path.unlink()

    with pytest.raises(Corrupt, match="it is missing, while"):
        await read(path)
    assert not path.exists()


async def test_a_file_of_a_newer_version_is_left_to_that_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")

    with pytest.raises(StoreError, match="has version 9, this satisfice reads up to 1"):
        await read(path)


async def test_a_path_that_cannot_be_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for path in (tmp_path / "file" / "state.db", tmp_path):
        with pytest.raises(StoreError, match=str(path)):
            await read(path)


@pytest.mark.parametrize("start", range(7))
async def test_no_flipped_bit_changes_what_is_read(good: Path, tmp_path: Path, start: int) -> None:
    """One bit in every 700th byte, from another start each time: the same facts, or an error of ours."""
    whole, want = good.read_bytes(), list(await read(good))
    wrong: list[int] = []
    for place in range(start * 100, len(whole), 700):
        path = tmp_path / f"{place}.db"
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        try:
            if list(await read(path)) != want:
                wrong.append(place)
        except (StoreError, UnknownFact):
            continue

    assert wrong == []


# --- one log -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "seq", "found"),
    [
        ("UPDATE facts SET data = replace(data, 'opening', 'closing') WHERE number = 1", 2, "checksum"),
        ("UPDATE facts SET epoch = 7 WHERE number = 1 AND seq = 3", 3, "checksum"),
        ("UPDATE facts SET data = x'' WHERE number = 1 AND seq = 3", 3, "checksum"),
        ("UPDATE facts SET kind = 'RunResumed' WHERE number = 1 AND seq = 4", 4, "checksum"),
        ("DELETE FROM facts WHERE number = 1 AND seq = 1", 1, "missing"),
        ("DELETE FROM facts WHERE number = 1 AND seq = 4", 4, "missing"),
        ("DELETE FROM facts WHERE number = 1 AND seq > 4", 5, "has 6 facts, and the last one here is 4"),
        ("UPDATE runs SET facts = 4 WHERE number = 1", 5, "has 4 facts, and the last one here is 6"),
        ("UPDATE OR REPLACE facts SET number = 1 WHERE number = 2 AND seq = 6", 6, "checksum"),
    ],
)
async def test_a_damaged_fact_is_named_by_run_and_place(path: Path, statement: str, seq: int, found: str) -> None:
    change(path, statement)

    with pytest.raises(Corrupt, match=rf"run 'run-1', fact {seq}: .*{found}.*; the log cannot be trusted") as caught:
        await read(path)

    assert (caught.value.run, caught.value.seq) == (RUN, seq)


async def test_damage_in_one_run_does_not_concern_another(path: Path) -> None:
    change(path, "UPDATE facts SET epoch = 7 WHERE number = 1")

    assert len(await read(path, OTHER)) == 6


async def test_damage_shows_wherever_reading_starts(path: Path) -> None:
    change(path, "DELETE FROM facts WHERE number = 1 AND seq = 6")
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())

    for after in (0, 3, 5, 9):
        with pytest.raises(Corrupt):
            await store.read(RUN, after)
    await file.close()


async def test_a_fact_of_a_newer_satisfice_is_told_from_damage(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.text_factory = bytes
        seq, _, *rest = connection.execute(
            "SELECT seq, kind, schema, order_number, branch, at_ms, epoch, data FROM facts WHERE number = 1 AND seq = 6"
        ).fetchone()
        # As that version would have written it, checksum and all.
        checksum = rows._checksum(RUN, (seq, b"Dreamt", *rest))
    change(path, "UPDATE facts SET kind = 'Dreamt', checksum = ? WHERE number = 1 AND seq = 6", checksum)

    with pytest.raises(UnknownFact, match="Dreamt"):
        await read(path)


class Losing(StateFile):
    """Loses a run to another process after its first page was read."""

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        found = await super().read(work)
        await self.write(lambda connection: connection.execute("DELETE FROM facts WHERE seq > 500"))
        return found


async def test_a_log_that_vanishes_while_it_is_read_is_not_given_in_part(path: Path) -> None:
    file = Losing(path)
    store = SqliteEventStore(file, FakeClock())
    run = RunId("long")
    epoch = await store.take(run, owner("first"), 1_000)
    await store.append(run, placed([CancelRequested()] * 1_200), 0, epoch)

    with pytest.raises(Corrupt, match="run 'long', fact 501: it is missing"):
        await store.read(run)
    await file.close()


async def test_redacting_goes_on_past_a_damaged_log_and_says_so(path: Path) -> None:
    change(path, "UPDATE facts SET epoch = 7 WHERE number = 1 AND seq = 1")
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())

    with pytest.raises(Corrupt, match="run 'run-1', fact 1"):
        await store.redact(DocumentId("secret"))

    assert HIDDEN not in repr([envelope.fact for envelope in await store.read(OTHER)])
    await file.close()


async def test_a_damaged_run_can_be_removed(path: Path) -> None:
    change(path, "DELETE FROM facts WHERE number = 1 AND seq < 4")
    file = StateFile(path)
    store = SqliteEventStore(file, FakeClock())

    assert await store.remove(RUN)

    with pytest.raises(RunNotFound):
        await store.read(RUN)
    await file.close()
