"""Every clock keeps the contract of its port."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.clock import ClockConformance


class TestSystemClock(ClockConformance):
    @pytest.fixture
    def clock(self) -> SystemClock:
        return SystemClock()

    def test_the_wall_shows_utc(self, clock: SystemClock) -> None:
        assert abs(clock.wall_ms() - datetime.now(UTC).timestamp() * 1000) < 5_000


class TestFakeClock(ClockConformance):
    @pytest.fixture
    async def clock(self) -> AsyncIterator[FakeClock]:
        async with FakeClock().running() as clock:
            yield clock


async def test_time_stands_still_until_someone_moves_it() -> None:
    clock = FakeClock(monotonic_ms=7, wall_ms=1_000)

    await asyncio.sleep(0.002)

    assert (clock.monotonic_ms(), clock.wall_ms()) == (7, 1_000)


async def test_the_wall_may_jump_without_moving_monotonic_time() -> None:
    clock = FakeClock(wall_ms=1_000)
    sleeper = asyncio.create_task(clock.sleep_until(10))

    clock.set_wall(500)
    await clock.advance(4)

    assert (clock.monotonic_ms(), clock.wall_ms()) == (4, 504)
    assert not sleeper.done()
    sleeper.cancel()


async def test_advancing_stops_at_every_sleeper_on_the_way() -> None:
    clock = FakeClock()
    seen: list[tuple[str, int]] = []

    async def every(name: str, ms: int) -> None:
        while True:
            await clock.sleep_until(clock.monotonic_ms() + ms)
            seen.append((name, clock.monotonic_ms()))

    tasks = [asyncio.create_task(every("a", 30)), asyncio.create_task(every("b", 45))]
    await clock.advance(100)

    assert seen == [("a", 30), ("b", 45), ("a", 60), ("b", 90), ("a", 90)]
    assert clock.monotonic_ms() == 100
    for task in tasks:
        task.cancel()


async def test_a_running_clock_waits_for_whoever_is_still_busy() -> None:
    clock = FakeClock()
    finished: list[int] = []

    async def busy() -> None:
        for _ in range(1_000):
            await asyncio.sleep(0)
            clock.monotonic_ms()
        finished.append(clock.monotonic_ms())

    async with clock.running():
        await asyncio.gather(busy(), clock.sleep_until(5_000))

    assert finished == [0]


async def test_an_hour_on_a_running_clock_costs_nothing() -> None:
    clock = FakeClock()
    before = time.perf_counter()

    async with clock.running():
        for _ in range(60):
            await clock.sleep_until(clock.monotonic_ms() + 60_000)

    assert clock.monotonic_ms() == 3_600_000
    assert time.perf_counter() - before < 5


async def test_a_running_clock_stands_still_after_its_block() -> None:
    clock = FakeClock()
    async with clock.running():
        await clock.advance(10)

    sleeper = asyncio.create_task(clock.sleep_until(1_000))
    await asyncio.sleep(0.002)

    assert clock.monotonic_ms() == 10
    sleeper.cancel()


def test_in_its_own_loop_a_clock_waits_for_threads(tmp_path: Path) -> None:
    clock = FakeClock()

    async def main() -> list[tuple[str, int]]:
        seen: list[tuple[str, int]] = []

        async def timer() -> None:
            await clock.sleep_until(1_000)
            seen.append(("timer", clock.monotonic_ms()))

        async def worker() -> None:
            file = StateFile(tmp_path / "state.db")
            await file.read(lambda _: time.sleep(0.05))
            seen.append(("file", clock.monotonic_ms()))
            await asyncio.to_thread(time.sleep, 0.05)
            seen.append(("thread", clock.monotonic_ms()))
            await file.close()

        await asyncio.gather(timer(), worker())
        return seen

    assert clock.run(main()) == [("file", 0), ("thread", 0), ("timer", 1_000)]


def test_in_its_own_loop_a_clock_waits_for_bytes_on_their_way() -> None:
    clock = FakeClock()

    async def main() -> tuple[bytes, int]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write((await reader.readexactly(4)).upper())
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        timer = asyncio.create_task(clock.sleep_until(1_000))
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"ping")
            answered = await reader.read()
            writer.close()
            await writer.wait_closed()
        timer.cancel()
        return answered, clock.monotonic_ms()

    assert clock.run(main()) == (b"PING", 0)


def test_in_its_own_loop_a_real_timeout_far_away_does_not_slow_the_clock() -> None:
    clock = FakeClock()

    async def main() -> int:
        async with asyncio.timeout(60):
            await clock.sleep_until(86_400_000)
        return clock.monotonic_ms()

    before = time.perf_counter()

    assert clock.run(main()) == 86_400_000
    assert time.perf_counter() - before < 5


def test_a_clock_may_be_used_in_one_loop_after_another() -> None:
    clock = FakeClock()

    async def turn() -> None:
        async with clock.running():
            await clock.sleep_until(clock.monotonic_ms() + 10)

    asyncio.run(turn())
    asyncio.run(turn())
    clock.run(clock.advance(10))

    assert clock.monotonic_ms() == 30


def test_work_that_fails_in_a_clocks_own_loop_fails_for_the_caller() -> None:
    async def main() -> None:
        raise LookupError("no")

    with pytest.raises(LookupError):
        FakeClock().run(main())
