"""Exit codes: what a script may rely on."""

from collections.abc import Mapping
from enum import IntEnum

from satisfice.errors import HistoryError, RunNotFound, SatisficeError, UsageError


class ExitCode(IntEnum):
    """How a command ended."""

    ANSWERED = 0
    BUG = 1
    USAGE = 2
    PARTIAL = 3
    NO_ANSWER = 4
    PERSON = 5
    WORLD = 6
    HISTORY = 7
    CANCELLED = 130
    PIPE = 141


MEANINGS: Mapping[ExitCode, str] = {
    ExitCode.ANSWERED: "answered, or done",
    ExitCode.BUG: "an unexpected error: a bug in satisfice",
    ExitCode.USAGE: "a mistake in the command line, the settings or the input",
    ExitCode.PARTIAL: "answered in part; the report says what is missing",
    ExitCode.NO_ANSWER: "no answer that qualifies was found",
    ExitCode.PERSON: "a person has to say what is meant, or to approve",
    ExitCode.WORLD: "a source or the store failed",
    ExitCode.HISTORY: "a stored run cannot be read, or does not follow from itself",
    ExitCode.CANCELLED: "cancelled; the report is printed all the same",
    ExitCode.PIPE: "the reader of the output went away",
}

_OUTCOMES: Mapping[str, ExitCode] = {
    "answered": ExitCode.ANSWERED,
    "partial": ExitCode.PARTIAL,
    "refused": ExitCode.NO_ANSWER,
    "clarify": ExitCode.PERSON,
    "escalated": ExitCode.PERSON,
    "cancelled": ExitCode.CANCELLED,
    "failed": ExitCode.WORLD,
}


def of_outcome(outcome: str, stop: str | None) -> ExitCode:
    """The code of a run: a source that failed is told apart from one that holds nothing, and a pause waits for a person.

    Both are taken as text, so that the command line's help need not load the core.
    """
    if stop == "CANCELLED":
        return ExitCode.CANCELLED
    if outcome == "refused" and stop in {"FAILED", "SOURCE_UNAVAILABLE"}:
        return ExitCode.WORLD
    return _OUTCOMES.get(outcome, ExitCode.PERSON)


def of_error(error: SatisficeError) -> ExitCode:
    """The code of an error that reached the command line."""
    if isinstance(error, UsageError | RunNotFound):
        return ExitCode.USAGE
    return ExitCode.HISTORY if isinstance(error, HistoryError) else ExitCode.WORLD
