"""The machine's own clocks."""

import asyncio
import time

_NS_PER_MS = 1_000_000


class SystemClock:
    """`Clock` on the monotonic and the wall clock of this machine."""

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // _NS_PER_MS

    def wall_ms(self) -> int:
        return time.time_ns() // _NS_PER_MS

    async def sleep_until(self, monotonic_ms: int) -> None:
        # The event loop may wake a timer one tick of its clock early.
        while True:
            left_ms = monotonic_ms - self.monotonic_ms()
            await asyncio.sleep(max(0, left_ms) / 1000)
            if self.monotonic_ms() >= monotonic_ms:
                return
