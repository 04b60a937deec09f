"""O-33: a deadline is ten seconds of monotonic time whatever happens to the clock on the wall, and stored times are UTC."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import satisfice
from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.evolve import fold
from satisfice.core.facts import RunResumed, Thought
from satisfice.core.orders import StopReason
from satisfice.errors import Conflict
from satisfice.ports.event_store import EventStore, Owner
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import GRACE_MS, assert_quiet, assert_sound, planned, reasoner
from satisfice.testing.building import OWNER, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
DEADLINE_MS = 10_000
ELSEWHERE = Owner("test", 1, "boot", "elsewhere")


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Moves this process to another time zone, and back at the end."""

    def moved(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield moved
    monkeypatch.undo()
    time.tzset()


def judged(view: View) -> Thought:
    return supports_by_text(view, {"alpha is 1": "c1"})


def bench(
    clock: FakeClock, store: EventStore, owner: Owner = OWNER, *, slow_ms: int = DAY_MS
) -> tuple[World, ScriptedRetriever]:
    """A search that answers after so long."""
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((passage("p", "alpha is 1"),), delay_ms=slow_ms))
    thinking = reasoner(planned(proposals=[search("alpha", "c1")]), judged)
    return world(clock, [retriever], thinking, store=store, owner=owner), retriever


async def ended_under(clock: FakeClock, change: Callable[[], None], store: EventStore) -> tuple[Run, int]:
    """A run whose search hangs; after two seconds something happens to the clock on the wall."""
    made, retriever = bench(clock, store)
    first = started("alpha", retrievers=[retriever], budget={"wall_clock_ms": DEADLINE_MS})
    async with clock.running():
        run = await Run.create(made, first)
        driving = asyncio.ensure_future(run.drive())
        await clock.advance(2_000)
        change()
        await driving
        ended_ms = clock.monotonic_ms()
        await assert_quiet(clock, retriever)
    assert_sound(run, retriever)
    return run, ended_ms


CHANGES = ["an hour back", "a day ahead", "another time zone"]


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest, clock: FakeClock, zone: Callable[[str], None]) -> Callable[[], None]:
    return {
        "an hour back": lambda: clock.set_wall(clock.wall_ms() - HOUR_MS),
        "a day ahead": lambda: clock.set_wall(clock.wall_ms() + DAY_MS),
        "another time zone": lambda: zone("Pacific/Kiritimati"),
    }[request.param]


async def test_o_33_the_deadline_fires_at_ten_seconds_of_monotonic_time(
    clock: FakeClock, change: Callable[[], None]
) -> None:
    run, ended_ms = await ended_under(clock, change, MemoryEventStore(clock))

    assert run.report().stop is StopReason.DEADLINE_EXCEEDED
    assert DEADLINE_MS - GRACE_MS <= ended_ms <= DEADLINE_MS + GRACE_MS


async def test_o_33_no_duration_is_negative_and_the_log_is_sorted_by_sequence(
    clock: FakeClock, change: Callable[[], None]
) -> None:
    store = MemoryEventStore(clock)
    run, _ = await ended_under(clock, change, store)

    log = await store.read(run.id)
    assert sorted(log, key=lambda e: e.seq) == list(log)
    times = [envelope.at_ms for envelope in log]
    assert times == sorted(times)
    assert times[0] >= 0
    assert 0 <= run.report().duration_ms <= DEADLINE_MS + GRACE_MS


async def test_o_33_time_between_the_legs_is_not_counted_whatever_the_wall_says(
    clock: FakeClock, change: Callable[[], None]
) -> None:
    """Two seconds in the first leg, an eight-hour break during which the wall is changed, and eight seconds more.

    What a leg took is known up to its last fact: the first search comes back at 1.9 s, the second hangs.
    """
    store = MemoryEventStore(clock)
    looks = [search("alpha", "c1"), search("alpha number", "c1")]
    replies = [Reply((passage("q", "alpha?"),), delay_ms=1_900), Reply(delay_ms=DAY_MS)]
    retriever = ScriptedRetriever(clock=clock, otherwise=replies)
    made = world(clock, [retriever], reasoner(planned(proposals=looks), judged), store=store)
    async with clock.running():
        run = await Run.create(made, started("alpha", retrievers=[retriever], budget={"wall_clock_ms": DEADLINE_MS}))
        driving = asyncio.ensure_future(run.drive())
        await clock.advance(2_000)
        driving.cancel()
        await asyncio.wait([driving])
        await clock.advance(8 * HOUR_MS)
        change()
        resumed_ms = clock.monotonic_ms()

        again = await resume(made, run.id)
        await again.drive()

        assert clock.monotonic_ms() - resumed_ms <= DEADLINE_MS - 1_900 + GRACE_MS
    assert again.report().stop is StopReason.DEADLINE_EXCEEDED
    assert again.report().duration_ms <= DEADLINE_MS + GRACE_MS
    assert_sound(again, retriever)


async def test_o_33_an_owner_whose_lease_seems_over_is_fenced_and_starts_nothing_more(clock: FakeClock) -> None:
    """The wall jumps a day ahead, so that a second process takes the run over while the first still drives it."""
    store = MemoryEventStore(clock)
    made, retriever = bench(clock, store, slow_ms=1_000)
    other, others_retriever = bench(clock, store, ELSEWHERE, slow_ms=1_000)
    async with clock.running():
        run = await Run.create(made, started("alpha", retrievers=[retriever], budget={"wall_clock_ms": DEADLINE_MS}))
        driving = asyncio.ensure_future(run.drive())
        await clock.advance(500)
        clock.set_wall(clock.wall_ms() + DAY_MS)
        taken = await resume(other, run.id)
        report = await taken.drive()

        with pytest.raises(Conflict):
            await driving
        await assert_quiet(clock, retriever, others_retriever)
    assert len(retriever.calls) == 1
    assert report.stop is StopReason.SUFFICIENT
    assert_sound(taken, retriever, others_retriever)
    assert fold(await store.read(run.id)) == taken.state


def test_o_33_stored_times_are_utc_in_any_time_zone(
    clock: FakeClock, tmp_path: Path, zone: Callable[[str], None]
) -> None:
    zone("Pacific/Kiritimati")

    async def main() -> str:
        file = StateFile(tmp_path / "state.db")
        store = SqliteEventStore(file, clock)
        made, retriever = bench(clock, store, slow_ms=1_000)
        run = await Run.create(made, started("alpha", retrievers=[retriever]))
        await store.append(run.id, run.log, 0, 1)
        await store.release(run.id, 1)
        again = await resume(replace(made, owner=ELSEWHERE), run.id)
        await again.drive()
        (resumed_at,) = (e.fact.resumed_at for e in await store.read(run.id) if isinstance(e.fact, RunResumed))
        await file.close()
        return resumed_at

    resumed_at = clock.run(main())

    assert datetime.fromisoformat(resumed_at).utcoffset() == timedelta(0)
    assert datetime.fromisoformat(resumed_at).timestamp() * 1_000 == clock.wall_ms() - clock.wall_ms() % 1_000 - 1_000


async def test_o_33_a_run_of_the_application_is_listed_in_utc(tmp_path: Path, zone: Callable[[str], None]) -> None:
    zone("Pacific/Kiritimati")
    (tmp_path / "docs").mkdir()
    async with satisfice.open(sources=tmp_path / "docs", store=tmp_path / "store") as application:
        await application.ask("What is alpha?")
        (line,) = await application.runs()

    started_at = datetime.fromisoformat(line.started_at)
    assert started_at.utcoffset() == timedelta(0)
    assert abs((datetime.now(UTC) - started_at).total_seconds()) < 60
