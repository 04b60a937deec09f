"""A clock on which waiting costs nothing. It moves when a test says so, or by itself when nothing else can happen.

Three ways to use it:

- By hand: `await clock.advance(250)` moves it, waking every sleeper on the way in the order of their times.
- `async with clock.running():` in any event loop. While the block runs, the clock moves to its next sleeper whenever the
  loop has been quiet: fifty turns of the loop in which nobody read the clock or went to sleep on it. That is the same
  in every run as long as nothing works in threads or waits for sockets, which a turn of the loop cannot see.
- `clock.run(main())` in a loop of its own, where quiet is exact: no callback is ready, no socket is readable and no
  executor is at work. Use this one when something works in threads, SQLite for instance.
"""

import asyncio
import heapq
import itertools
import selectors
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_QUIET_TURNS = 50

_START_WALL_MS = 1_900_000_000_000
"""Some time in 2030: far enough from today to show where a real clock was read by mistake."""


class FakeClock:
    """`Clock` whose two times are set apart: moving it moves both, and the wall may also be set on its own."""

    def __init__(self, *, monotonic_ms: int = 0, wall_ms: int = _START_WALL_MS) -> None:
        self._monotonic_ms = monotonic_ms
        self._wall_ms = wall_ms
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._automatic = False
        self._arrival = asyncio.Event()
        self._touched = 0

    def monotonic_ms(self) -> int:
        self._touched += 1
        return self._monotonic_ms

    def wall_ms(self) -> int:
        self._touched += 1
        return self._wall_ms

    async def sleep_until(self, monotonic_ms: int) -> None:
        self._touched += 1
        if monotonic_ms <= self._monotonic_ms:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (monotonic_ms, next(self._numbers), woken))
        self._arrival.set()
        await woken

    def set_wall(self, wall_ms: int) -> None:
        """Let the clock on the wall jump, either way. Nobody wakes from it."""
        self._wall_ms = wall_ms

    async def advance(self, ms: int) -> None:
        """Move on, stopping at each sleeper on the way until what it woke has come to rest."""
        until = self._monotonic_ms + ms
        if self._automatic:
            await self.sleep_until(until)
            return
        await self._quiet()
        while (next_ms := self._next()) is not None and next_ms <= until:
            self._move(next_ms)
            await self._quiet()
        self._move(until)
        await self._quiet()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["FakeClock", None]:
        """Move by itself while the block runs. See the top of this module for what it can see."""
        self._automatic = True
        self._arrival = asyncio.Event()
        self._arrival.set()
        driver = asyncio.create_task(self._drive())
        try:
            yield self
        finally:
            self._automatic = False
            driver.cancel()
            await asyncio.wait([driver])

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Run to the end in an event loop of its own, moving whenever everything in it waits for this clock."""
        self._automatic = True
        try:
            with asyncio.Runner(loop_factory=lambda: _IdleLoop(self._wake_next)) as runner:
                return runner.run(main)
        finally:
            self._automatic = False

    async def _drive(self) -> None:
        while True:
            await self._arrival.wait()
            await self._quiet()
            if not self._wake_next():
                self._arrival.clear()

    async def _quiet(self) -> None:
        """Return after enough turns of the loop in which nobody touched this clock."""
        quiet = 0
        while quiet < _QUIET_TURNS:
            touched = self._touched
            await asyncio.sleep(0)
            quiet = quiet + 1 if touched == self._touched else 0

    def _wake_next(self) -> bool:
        """Move to the earliest sleeper; False when nobody sleeps."""
        next_ms = self._next()
        if next_ms is None:
            return False
        self._move(next_ms)
        return True

    def _next(self) -> int | None:
        while self._sleepers and self._sleepers[0][2].done():  # cancelled while asleep
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    def _move(self, monotonic_ms: int) -> None:
        """Both clocks go on to this moment, and whoever sleeps until then wakes, first come first."""
        self._wall_ms += monotonic_ms - self._monotonic_ms
        self._monotonic_ms = monotonic_ms
        while (next_ms := self._next()) is not None and next_ms <= monotonic_ms:
            heapq.heappop(self._sleepers)[2].set_result(None)


class _IdleLoop(asyncio.SelectorEventLoop):
    """An event loop that says when it is about to wait although no thread works for it."""

    def __init__(self, on_idle: Callable[[], bool]) -> None:
        self._at_work = 0
        super().__init__(_IdleSelector(lambda: self._at_work == 0 and on_idle()))

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._at_work += 1
        future.add_done_callback(self._one_less)
        return future

    def _one_less(self, _: asyncio.Future[Any]) -> None:
        self._at_work -= 1


class _IdleSelector(selectors.BaseSelector):
    """The platform's selector; asked to wait while nothing is ready, it first offers `on_idle` to make something ready."""

    def __init__(self, on_idle: Callable[[], bool]) -> None:
        self._real = selectors.DefaultSelector()
        self._on_idle = on_idle

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        # The loop passes 0 when callbacks are ready; anything else means that it would wait.
        ready = self._real.select(0)
        if ready or timeout == 0 or self._on_idle():
            return ready
        return self._real.select(timeout)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()
