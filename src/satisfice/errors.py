"""How we say no. Limits, gaps and conflicts are outcomes and never appear here.

SatisficeError
├── UsageError                you can fix it: your code, input or settings
│   ├── ConfigError               every mistake at once
│   ├── MissingExtraError         what to install
│   └── InputError                a folder, file or question that cannot be used
├── AdapterError              the world failed; has .retryable and .adapter
│   ├── ModelError
│   ├── RetrieverError            .forbidden when access was refused
│   ├── EmbedderError
│   ├── QuotaError
│   ├── CorpusError
│   │   ├── CorpusBusy                another process writes
│   │   └── CorpusCorrupt             says how to rebuild
│   └── StoreError
│       ├── RunNotFound
│       ├── RunBusy                   another owner's lease holds
│       ├── Conflict                  expected and found
│       └── Corrupt                   run and seq
└── HistoryError              the log and the code disagree
    ├── IllegalFact               seq, fact, why
    ├── UnknownFact               kind, schema version, newest known
    └── Diverged                  run, seq, recorded, decided
"""

from dataclasses import dataclass


class SatisficeError(Exception):
    """Everything satisfice raises."""


class UsageError(SatisficeError):
    """Your code, input or settings; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in settings."""

    where: str
    """File, option or environment variable."""
    key: str
    found: str
    allowed: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.where}: {self.key} is {self.found}; allowed: {self.allowed}.{hint}"


class ConfigError(UsageError):
    """Settings that cannot be used; carries every problem found."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__(problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class MissingExtraError(UsageError):
    """A part that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(what, extra)

    def __str__(self) -> str:
        return f"{self.what} needs the extra {self.extra!r}: pip install 'satisfice[{self.extra}]'"


class InputError(UsageError):
    """Input that cannot be used: what was found, what is allowed, what to do."""

    def __init__(self, found: str, allowed: str, remedy: str) -> None:
        self.found, self.allowed, self.remedy = found, allowed, remedy
        super().__init__(found, allowed, remedy)

    def __str__(self) -> str:
        return f"{self.found}; {self.allowed}. {self.remedy}"


class AdapterError(SatisficeError):
    """The world failed. `retryable` says whether the same call may succeed later."""

    def __init__(self, adapter: str, why: str, *, retryable: bool = False, retry_after_ms: int = 0) -> None:
        self.adapter, self.why, self.retryable, self.retry_after_ms = adapter, why, retryable, retry_after_ms
        super().__init__(adapter, why)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.adapter, self.why, self.__dict__))

    def __str__(self) -> str:
        return f"{self.adapter}: {self.why}"


def _rebuild(cls: type[AdapterError], adapter: str, why: str, state: dict[str, object]) -> AdapterError:
    """Exceptions survive pickling with everything they carry."""
    error = cls.__new__(cls)
    Exception.__init__(error, adapter, why)
    error.__dict__.update(state)
    return error


class ModelError(AdapterError):
    """A model could not be reached, refused, or answered with nonsense."""


class RetrieverError(AdapterError):
    """A source could not be searched."""

    def __init__(
        self, adapter: str, why: str, *, retryable: bool = False, retry_after_ms: int = 0, forbidden: bool = False
    ) -> None:
        super().__init__(adapter, why, retryable=retryable, retry_after_ms=retry_after_ms)
        self.forbidden = forbidden


class EmbedderError(AdapterError):
    """No vectors."""


class QuotaError(AdapterError):
    """The shared limits could not be asked; the answer is then no."""


class CorpusError(AdapterError):
    """The document store failed."""


class CorpusBusy(CorpusError):
    """Another process is writing."""


class CorpusCorrupt(CorpusError):
    """The document store cannot be read; the message says how to rebuild it."""


class StoreError(AdapterError):
    """The store of runs failed."""


class RunNotFound(StoreError):
    """No run of this name."""


class RunBusy(StoreError):
    """Another owner drives this run."""


class Conflict(StoreError):
    """The log moved on, or a newer owner took it. `expected` and `found` are lengths or epochs."""

    def __init__(self, adapter: str, why: str, *, expected: int = 0, found: int = 0) -> None:
        super().__init__(adapter, why)
        self.expected, self.found = expected, found


class Corrupt(StoreError):
    """A stored log cannot be read from fact `seq` on; without a `run`, the whole store cannot."""

    def __init__(self, adapter: str, why: str, *, run: str = "", seq: int = 0) -> None:
        super().__init__(adapter, why)
        self.run, self.seq = run, seq


class HistoryError(SatisficeError):
    """The log and the code disagree."""


class IllegalFact(HistoryError):
    """A fact that cannot follow what came before it."""

    def __init__(self, seq: int, fact: str, why: str) -> None:
        self.seq, self.fact, self.why = seq, fact, why
        super().__init__(seq, fact, why)

    def __str__(self) -> str:
        return f"fact {self.seq} ({self.fact}) cannot stand here: {self.why}"


class UnknownFact(HistoryError):
    """A fact of a kind or schema this version does not know."""

    def __init__(self, kind: str, schema: int, newest: int) -> None:
        self.kind, self.schema, self.newest = kind, schema, newest
        super().__init__(kind, schema, newest)

    def __str__(self) -> str:
        return f"unknown fact {self.kind!r} of schema {self.schema}; this version knows schemas up to {self.newest}"


class Diverged(HistoryError):
    """Deciding again over a stored log gave another order."""

    def __init__(self, run: str, seq: int, recorded: str, decided: str) -> None:
        self.run, self.seq, self.recorded, self.decided = run, seq, recorded, decided
        super().__init__(run, seq, recorded, decided)

    def __str__(self) -> str:
        return f"run {self.run!r}, fact {self.seq}: recorded {self.recorded}, decided {self.decided}"
