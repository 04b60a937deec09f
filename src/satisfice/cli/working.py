"""Work that takes time: driven to its end, stopped by Ctrl-C or a polite kill, with a bar while a person watches."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from satisfice.cli.terminal import console, one_line

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Steps(Protocol):
    """How far something is."""

    @property
    def files_done(self) -> int: ...

    @property
    def files(self) -> int: ...

    @property
    def passages(self) -> int: ...


OnProgress = Callable[[str, Steps], None]


def drive(main: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine to its end. SIGTERM stops it as Ctrl-C does, with everything closed in order.

    Raises
    ------
    KeyboardInterrupt
        It was stopped from outside.
    """

    async def stoppable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is not None:
            _listen(loop, task.cancel)
        return await main()

    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextmanager
def stopped_by(stop: Callable[[], None]) -> Generator[None]:
    """While this is open, the first signal calls `stop`; one more ends the process as if nobody listened."""
    loop = asyncio.get_running_loop()

    def heard() -> None:
        _ignore(loop)
        stop()

    _listen(loop, heard)
    yield
    _ignore(loop)


def _listen(loop: asyncio.AbstractEventLoop, heard: Callable[[], object]) -> None:
    # Where loops cannot listen (Windows), Ctrl-C still cancels the main task.
    with suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, heard)


def _ignore(loop: asyncio.AbstractEventLoop) -> None:
    with suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


@contextmanager
def bar(*, quiet: bool) -> Generator[OnProgress | None]:
    """A progress bar for each source on stderr, when a person watches."""
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files, {task.fields[passages]:,} passages"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def advance(source: str, steps: Steps) -> None:
            if source not in tasks:
                tasks[source] = progress.add_task(one_line(source, 30), passages=0)
            progress.update(tasks[source], completed=steps.files_done, total=steps.files, passages=steps.passages)

        yield advance
