"""Time, which only the shell may read."""

from typing import Protocol


class Clock(Protocol):
    """Two clocks: one that only moves forward, and the one on the wall, which may jump."""

    def monotonic_ms(self) -> int:
        """Milliseconds from an arbitrary start; never goes back. Deadlines and durations use this one."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since 1970 in UTC. For freshness and for people; may jump either way."""
        ...

    async def sleep_until(self, monotonic_ms: int) -> None:
        """Return once `monotonic_ms()` has reached the given value."""
        ...
