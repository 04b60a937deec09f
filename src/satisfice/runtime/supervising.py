"""Many runs at once, never more than allowed; none left behind."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


class Supervisor:
    """Bounds how many runs are driven at the same time. Waiting for a place spends nothing of a run's own clock."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"limit is {limit}; at least one run must be allowed")
        self._places = asyncio.Semaphore(limit)

    async def drive(self, start: Callable[[], Awaitable[T]]) -> T:
        """Start something once there is a place, and give the place back whatever happens."""
        async with self._places:
            return await start()

    async def drive_all(self, starts: Iterable[Callable[[], Awaitable[T]]]) -> list[T]:
        """All of them, results in the order given. When one raises, the others are cancelled and waited for."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.drive(start)) for start in starts]
        return [task.result() for task in tasks]
