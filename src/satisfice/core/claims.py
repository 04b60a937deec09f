"""What an answer must establish, and what evidence each claim asks for."""

from dataclasses import dataclass, field
from enum import StrEnum

from satisfice.core.ids import ClaimId
from satisfice.core.sources import Authority, EvidenceClass

ANY_CLASS = frozenset(EvidenceClass) - {EvidenceClass.GENERATED}


class ClaimKind(StrEnum):
    """OPEN asks for a value; YES_NO and ASSERTION ask whether something holds."""

    OPEN = "open"
    YES_NO = "yes_no"
    ASSERTION = "assertion"


class AnswerType(StrEnum):
    """What the value of an open claim looks like."""

    NUMBER = "number"
    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    NAME = "name"
    PLACE = "place"
    REASON = "reason"
    ANY = "any"


class Impact(StrEnum):
    """How much hangs on a claim. HIGH asks for two independent official sources."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Requirement:
    """What evidence a claim needs before it counts as supported."""

    classes: frozenset[EvidenceClass] = ANY_CLASS
    min_authority: Authority = Authority.UNKNOWN
    max_age_days: int | None = None
    min_independent_sources: int = 1
    citation: bool = True
    must: bool = True
    impact: Impact = Impact.NORMAL
    allow_inference: bool = False
    sole_authority: str = ""
    """Why one source is enough where two would be asked for; shown in the report when used."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing to establish. `quote` is the part of the question it answers, word for word."""

    id: ClaimId
    text: str
    quote: str
    kind: ClaimKind = ClaimKind.OPEN
    expects: AnswerType = AnswerType.ANY
    requirement: Requirement = field(default_factory=Requirement)
    key: str = ""
    """The task class's name for it, e.g. `effective_date`; empty for a claim taken from the question."""
    premises: tuple[ClaimId, ...] = ()
    """Claims this one is inferred from; empty for a direct claim."""
    weight: float = 1.0
