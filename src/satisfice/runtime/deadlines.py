"""Time into cancellation: calls that may not outlive their share, and work that is given up for good."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from satisfice.ports.clock import Clock

T = TypeVar("T")

GRACE_S = 0.05
"""How long cancelled work may take to end. What is still going then is left behind and its result discarded."""


async def within(clock: Clock, call: Awaitable[T], left_ms: int, share: float) -> T:
    """The call's result, if it comes within its share of the time left.

    A share of 1 adds nothing: the run's own deadline ends such a call. Raises `TimeoutError`.
    """
    if share >= 1.0:
        return await call
    task = asyncio.ensure_future(call)
    timer = asyncio.ensure_future(clock.sleep_until(clock.monotonic_ms() + int(left_ms * share)))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError(f"no answer within {int(left_ms * share)} ms, its share of the time left")
    finally:
        await give_up([task, timer])


async def give_up(tasks: Iterable[asyncio.Future[Any]]) -> list[asyncio.Future[Any]]:
    """Cancel tasks and wait for them, at most the grace. The stubborn ones are returned; nobody will read their result."""
    pending = [task for task in tasks if not task.done()]
    for task in pending:
        task.cancel()
    if not pending:
        return []
    _, stubborn = await asyncio.wait(pending, timeout=GRACE_S)
    for task in stubborn:
        task.add_done_callback(_discard)
    return list(stubborn)


def _discard(task: asyncio.Future[Any]) -> None:
    """Read a late result, so that the event loop has nothing to complain about."""
    if not task.cancelled():
        task.exception()
