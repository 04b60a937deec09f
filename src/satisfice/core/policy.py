"""The frozen numbers that decisions are made with. Stored in every log; a changed number is a changed policy."""

import hashlib
from dataclasses import dataclass, fields

PRIOR: tuple[tuple[str, float], ...] = (
    ("first_look", 0.70),
    ("read_linked", 0.55),
    ("follow_bridge", 0.50),
    ("decompose", 0.45),
    ("resolve_reference", 0.45),
    ("resolve_alias", 0.35),
    ("resolve_conflict", 0.30),
    ("verify_claim", 0.30),
    ("other_source", 0.30),
    ("narrow_entity", 0.25),
    ("add_time_filter", 0.25),
    ("translate", 0.25),
    ("broaden_terms", 0.15),
)
"""Chance that an action adds a supporting, independent item, before any log has been read."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Numbers and rules fixed for a run."""

    min_support: float = 0.5
    """A claim's `support` must reach this to count as supported."""
    max_claims: int = 8
    p_min: float = 0.05
    """An action is worthwhile only with at least this chance."""
    prior: tuple[tuple[str, float], ...] = PRIOR
    search_price: float = 1.0
    """Relative price of a search; money is added at one unit per cent (10,000 micro-dollars)."""
    look_up_price: float = 0.35
    branch_price: float = 2.0
    repeat_discount: float = 0.5
    """Each earlier action of one kind for one claim multiplies the chance by this."""
    max_rounds_without_progress: int = 2
    max_empty_results: int = 3
    max_attempts: int = 3
    backoff_ms: int = 100
    """The wait before a second attempt, doubled for each further one; a provider's own wish goes first."""
    max_in_flight: int = 4
    max_proposals: int = 8
    """Proposals kept from one thought; the rest are dropped and noted."""
    reserve_steps: int = 2
    reserve_share: float = 0.05
    """Share of the wall clock kept for an extractive writer, at most `reserve_max_ms`."""
    reserve_max_ms: int = 200
    model_reserve_share: float = 0.2
    """The share kept for a writer that is a model."""
    near_duplicate: float = 0.8
    """Estimated resemblance from which two passages count as one text."""
    max_question_chars: int = 20_000

    def hash(self) -> str:
        """Names this policy in certificates and cache keys."""
        material = "\x1f".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return hashlib.sha256(material.encode()).hexdigest()[:16]
