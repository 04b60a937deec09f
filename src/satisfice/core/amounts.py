"""The dimensions in which a run spends, their kinds, and amounts. Integers only; money in micro-dollars."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a dimension is counted: added up, as a set of members, as a largest value, as a level, or by the clock."""

    SUM = "sum"
    SET = "set"
    MAXIMUM = "maximum"
    LEVEL = "level"
    CLOCK = "clock"


class Dimension(StrEnum):
    """What can be limited. Every limit is optional; 0 means none allowed, absent means the documented default."""

    STEPS = "steps"
    QUERIES = "queries"
    UNIQUE_QUERIES = "unique_queries"
    REWRITE_DEPTH = "rewrite_depth"
    SOURCES = "sources"
    DOCUMENTS = "documents"
    RETRIEVED_TOKENS = "retrieved_tokens"
    RERANKS = "reranks"
    MODEL_CALLS = "model_calls"
    MODEL_TOKENS = "model_tokens"
    EVIDENCE_TOKENS = "evidence_tokens"
    BRANCHES = "branches"
    WALL_CLOCK_MS = "wall_clock_ms"
    COST_MICROUSD = "cost_microusd"


KINDS: Mapping[Dimension, Kind] = {
    Dimension.STEPS: Kind.SUM,
    Dimension.QUERIES: Kind.SUM,
    Dimension.UNIQUE_QUERIES: Kind.SET,
    Dimension.REWRITE_DEPTH: Kind.MAXIMUM,
    Dimension.SOURCES: Kind.SET,
    Dimension.DOCUMENTS: Kind.SUM,
    Dimension.RETRIEVED_TOKENS: Kind.SUM,
    Dimension.RERANKS: Kind.SUM,
    Dimension.MODEL_CALLS: Kind.SUM,
    Dimension.MODEL_TOKENS: Kind.SUM,
    Dimension.EVIDENCE_TOKENS: Kind.MAXIMUM,
    Dimension.BRANCHES: Kind.LEVEL,
    Dimension.WALL_CLOCK_MS: Kind.CLOCK,
    Dimension.COST_MICROUSD: Kind.SUM,
}

SUMS: tuple[Dimension, ...] = tuple(d for d, kind in KINDS.items() if kind is Kind.SUM)
SETS: tuple[Dimension, ...] = tuple(d for d, kind in KINDS.items() if kind is Kind.SET)


@dataclass(frozen=True, slots=True)
class Amounts:
    """An amount in each summed dimension. Never negative."""

    steps: int = 0
    queries: int = 0
    documents: int = 0
    retrieved_tokens: int = 0
    reranks: int = 0
    model_calls: int = 0
    model_tokens: int = 0
    cost_microusd: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.steps + other.steps,
            self.queries + other.queries,
            self.documents + other.documents,
            self.retrieved_tokens + other.retrieved_tokens,
            self.reranks + other.reranks,
            self.model_calls + other.model_calls,
            self.model_tokens + other.model_tokens,
            self.cost_microusd + other.cost_microusd,
        )

    def as_tuple(self) -> tuple[int, ...]:
        """In the order of `SUMS`."""
        return (
            self.steps,
            self.queries,
            self.documents,
            self.retrieved_tokens,
            self.reranks,
            self.model_calls,
            self.model_tokens,
            self.cost_microusd,
        )


NOTHING = Amounts()


@dataclass(frozen=True, slots=True)
class Charge:
    """What one order may cost (held), or did cost (settled).

    Members of the two sets are counted once per account however often they are touched. `evidence_tokens`,
    `rewrite_depth` and `branches` are levels this order reaches, compared and never added. `estimated` marks a charge
    whose usage the provider did not report.
    """

    amounts: Amounts = NOTHING
    unique_queries: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    evidence_tokens: int = 0
    rewrite_depth: int = 0
    branches: int = 0
    estimated: bool = False


FREE = Charge()
