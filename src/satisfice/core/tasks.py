"""Task classes: a budget, a contract and rules under one name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim


class Complexity(StrEnum):
    """How much work a question may take. Each has a row of default limits; LOW lies between the first two."""

    SINGLE_SHOT = "single_shot"
    LOW = "low"
    BOUNDED = "bounded"
    FULL = "full"
    SUPERVISED = "supervised"


EFFORTS: Mapping[str, Complexity] = {
    "minimal": Complexity.SINGLE_SHOT,
    "low": Complexity.LOW,
    "medium": Complexity.BOUNDED,
    "high": Complexity.FULL,
}

_ORDER = (
    Dimension.STEPS, Dimension.QUERIES, Dimension.UNIQUE_QUERIES, Dimension.REWRITE_DEPTH, Dimension.SOURCES,
    Dimension.DOCUMENTS, Dimension.RETRIEVED_TOKENS, Dimension.RERANKS, Dimension.MODEL_CALLS, Dimension.MODEL_TOKENS,
    Dimension.EVIDENCE_TOKENS, Dimension.BRANCHES, Dimension.WALL_CLOCK_MS, Dimension.COST_MICROUSD,
)  # fmt: skip

_FULL = (80, 24, 20, 3, 24, 160, 96_000, 12, 24, 250_000, 16_000, 4, 120_000, 1_000_000)

ROWS: Mapping[Complexity, Mapping[Dimension, int]] = {
    complexity: dict(zip(_ORDER, row, strict=True))
    for complexity, row in {
        Complexity.SINGLE_SHOT: (8, 2, 1, 0, 2, 10, 4_000, 1, 2, 12_000, 3_000, 1, 3_000, 10_000),
        Complexity.LOW: (16, 4, 3, 1, 4, 20, 10_000, 2, 4, 30_000, 6_000, 2, 8_000, 50_000),
        Complexity.BOUNDED: (24, 8, 6, 2, 12, 40, 24_000, 4, 6, 60_000, 12_000, 3, 15_000, 200_000),
        Complexity.FULL: _FULL,
        Complexity.SUPERVISED: _FULL,
    }.items()
}
"""The documented default of every dimension: what an absent limit means at a run."""


@dataclass(frozen=True, slots=True)
class TaskClass:
    """What a kind of question may spend and must establish.

    `budget` overrides single dimensions of the complexity's row. `claims` are the contract's template; empty means
    that the claims are taken from the question. `always_retrieve` are words that make retrieval mandatory.
    """

    name: str = "default"
    complexity: Complexity = Complexity.BOUNDED
    budget: tuple[tuple[Dimension, int], ...] = ()
    claims: tuple[Claim, ...] = ()
    always_retrieve: tuple[str, ...] = ()
    top_k: int = 5
    outcomes: tuple[tuple[str, str], ...] = field(default=())
    """(stop reason, outcome) pairs that differ from the defaults."""

    def limits(self) -> Mapping[Dimension, int]:
        """Every dimension with its limit: the row, overridden."""
        return {**ROWS[self.complexity], **dict(self.budget)}
