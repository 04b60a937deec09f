"""Evidence ties one span to one claim. It never holds text of its own: the quote is read from the passage."""

from dataclasses import dataclass
from enum import StrEnum

from satisfice.core.ids import ClaimId
from satisfice.core.passages import Span


class Stance(StrEnum):
    """What a span says about a claim. MENTIONS is on the subject without settling it."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    MENTIONS = "mentions"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One span, judged against one claim.

    `value` is the extracted answer in canonical form (a number without separators, an ISO date, a folded name) and
    `unit` what it counts; both empty when nothing of the expected type was found. `score` orders spans of one claim,
    0 to 1, higher is better.
    """

    claim_id: ClaimId
    span: Span
    quote_hash: str
    stance: Stance
    score: float
    value: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What judging concluded about one claim over everything held so far.

    `support` is 0 to 1 and compared with the contract's frozen `min_support`; `missing` are the claim's terms or names
    that no held passage covers, in order of weight: the next query is made from them.
    """

    claim_id: ClaimId
    support: float
    missing: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    """Readings of the question that the evidence does not separate; empty when there is one."""
