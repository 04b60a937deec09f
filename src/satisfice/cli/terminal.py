"""What a person sees: answers on stdout, everything about the work on stderr. No text from outside can move the cursor."""

import io
import os
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO, cast

import typer
from rich.console import Console
from rich.text import Text

from satisfice.cli.exits import ExitCode, of_error
from satisfice.errors import ConfigError, SatisficeError

PIPE_WIDTH = 100
"""Columns when nobody watches; a terminal has its own."""

LISTING_WIDTH = 10_000

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters and direction overrides: they could hide text, or rewrite what is already on the screen."""
_TRAILING = re.compile(" +$", re.MULTILINE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Text from outside, safe to print: what cannot be shown becomes a replacement character."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _LONE_SURROGATE.sub("\ufffd", _INVISIBLE.sub("\ufffd", lines))


def one_line(text: str, limit: int = 200) -> str:
    """Text from outside on one line, cut at `limit` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def printable(value: object) -> object:
    """A value made of dicts, lists and texts, its lone surrogates replaced: no encoding could write them."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {str(printable(key)): printable(inner) for key, inner in pairs}
    if isinstance(value, list | tuple):
        return [printable(inner) for inner in cast("Sequence[object]", value)]
    return value


class _Trimmed(io.TextIOBase):
    """A stream without spaces at the ends of lines, which tables pad their cells with."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, /) -> int:
        return self._stream.write(_TRAILING.sub("", text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to `guarded`, which has an exit code for it."""
        raise BrokenPipeError


def console(*, stderr: bool = False, listing: bool = False) -> Console:
    """A console that prints text as it stands. NO_COLOR, FORCE_COLOR, TERM and COLUMNS are honoured.

    A `listing` keeps one line a row when it goes into a pipe, where programs look for lines.
    """
    stream = sys.stderr if stderr else sys.stdout
    watched = stream.isatty() or os.environ.get("COLUMNS")
    width = None if watched else LISTING_WIDTH if listing else PIPE_WIDTH
    return _Console(file=cast("TextIO", _Trimmed(stream)), markup=False, highlight=False, emoji=False, width=width)


def tell(text: str, style: str = "dim") -> None:
    """A line about the work, on stderr."""
    screen = console(stderr=True)
    screen.print(Text(clean(text), style), soft_wrap=not screen.is_terminal)


@contextmanager
def guarded() -> Generator[None]:
    """Whatever happens inside becomes a message and an exit code, never a traceback (unless SATISFICE_DEBUG is set)."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        tell("Cancelled. What was stored before stays.")
        raise typer.Exit(ExitCode.CANCELLED) from None
    except BrokenPipeError:
        # Python flushes stdout once more on its way out and would complain about the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(ExitCode.PIPE) from None
    except SatisficeError as error:
        _show(error)
        raise typer.Exit(of_error(error)) from error
    except OSError as error:
        _say_error(f"{error.strerror or type(error).__name__}: {error.filename or 'unknown file'}")
        _debug_hint()
        raise typer.Exit(ExitCode.WORLD) from error
    except Exception as error:  # the last resort: a person never sees a traceback unasked
        _say_error(f"unexpected {type(error).__name__}: {one_line(str(error))}")
        _debug_hint()
        raise typer.Exit(ExitCode.BUG) from error


def _show(error: SatisficeError) -> None:
    if isinstance(error, ConfigError) and len(error.problems) > 1:
        _say_error(f"{len(error.problems)} problems in the settings")
        for problem in error.problems:
            tell(f"  {one_line(str(problem), 500)}", "")
    else:
        _say_error(one_line(str(error), 1000))
    if os.environ.get("SATISFICE_DEBUG"):
        _traceback()


def _say_error(message: str) -> None:
    screen = console(stderr=True)
    screen.print(Text.assemble(("Error: ", "bold red"), clean(message)), soft_wrap=not screen.is_terminal)


def _debug_hint() -> None:
    if os.environ.get("SATISFICE_DEBUG"):
        _traceback()
    else:
        tell("Set SATISFICE_DEBUG=1 and run again to see where it came from.")


def _traceback() -> None:
    import traceback

    traceback.print_exc()
