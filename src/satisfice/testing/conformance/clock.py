"""What every `Clock` must do. Subclass it in a test module and provide a fixture `clock`."""

import asyncio

from satisfice.ports.clock import Clock


class ClockConformance:
    """Waits of some tens of milliseconds on a real clock. A clock that a test moves must move by itself here."""

    async def test_monotonic_time_never_goes_back(self, clock: Clock) -> None:
        readings: list[int] = []
        for _ in range(1_000):
            readings.append(clock.monotonic_ms())
            await asyncio.sleep(0)

        assert readings == sorted(readings)

    async def test_both_times_move_on_while_someone_sleeps(self, clock: Clock) -> None:
        monotonic_ms, wall_ms = clock.monotonic_ms(), clock.wall_ms()

        await clock.sleep_until(monotonic_ms + 20)

        assert clock.monotonic_ms() >= monotonic_ms + 20
        assert clock.wall_ms() > wall_ms

    async def test_a_sleep_never_ends_early(self, clock: Clock) -> None:
        for ms in (1, 2, 3, 5, 8):
            until = clock.monotonic_ms() + ms
            await clock.sleep_until(until)

            assert clock.monotonic_ms() >= until

    async def test_a_time_that_has_passed_is_not_waited_for(self, clock: Clock) -> None:
        now_ms = clock.monotonic_ms()

        await asyncio.wait_for(clock.sleep_until(now_ms), timeout=5)
        await asyncio.wait_for(clock.sleep_until(now_ms - 1_000), timeout=5)

    async def test_sleepers_wake_in_the_order_of_their_times(self, clock: Clock) -> None:
        start_ms = clock.monotonic_ms()
        woken: list[int] = []

        async def sleep(ms: int) -> None:
            await clock.sleep_until(start_ms + ms)
            woken.append(ms)

        await asyncio.gather(*(sleep(ms) for ms in (60, 20, 40)))

        assert woken == [20, 40, 60]

    async def test_a_cancelled_sleeper_disturbs_nobody(self, clock: Clock) -> None:
        start_ms = clock.monotonic_ms()
        given_up = asyncio.create_task(clock.sleep_until(start_ms + 3_600_000))
        other = asyncio.create_task(clock.sleep_until(start_ms + 20))
        await asyncio.sleep(0)

        given_up.cancel()
        await other

        assert given_up.cancelled()
        assert start_ms + 20 <= clock.monotonic_ms() < start_ms + 3_600_000

    async def test_thousands_may_sleep_at_once(self, clock: Clock) -> None:
        start_ms = clock.monotonic_ms()
        sleepers = [clock.sleep_until(start_ms + number % 50) for number in range(5_000)]

        await asyncio.wait_for(asyncio.gather(*sleepers), timeout=30)

        assert clock.monotonic_ms() >= start_ms + 49
