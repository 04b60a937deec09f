"""How the suites say that something must be refused."""

from collections.abc import Awaitable
from typing import TypeVar

from satisfice.errors import SatisficeError

E = TypeVar("E", bound=SatisficeError)


async def refused(kind: type[E], attempt: Awaitable[object]) -> E:
    """The error that an attempt must end in."""
    try:
        await attempt
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} was raised")
