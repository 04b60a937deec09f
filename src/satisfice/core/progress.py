"""Is the run still learning? Counted in rounds that returned something, and in results that returned nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from satisfice.core.evidence import Stance
from satisfice.core.ids import ClaimId, PassageId
from satisfice.core.ledger import Ledger
from satisfice.core.policy import Policy
from satisfice.core.sufficiency import Verdict


@dataclass(frozen=True, slots=True)
class Progress:
    """A branch's counters. Failures count in neither."""

    rounds_without: int = 0
    """Rounds in a row that returned passages, or repeated a query, and brought nothing."""
    empty_results: int = 0
    """Empty results in a row while nothing had been found."""
    found: bool = False
    dry: int = 0
    """Results in a row with nothing new to judge."""

    def fired(self, policy: Policy) -> bool:
        """Whether searching on is no longer worthwhile."""
        return self.rounds_without >= policy.max_rounds_without_progress or self.starved(policy)

    def starved(self, policy: Policy) -> bool:
        """Whether nothing was found at all, often enough."""
        return not self.found and self.empty_results >= policy.max_empty_results

    def after_round(self, *, progressed: bool) -> "Progress":
        """One more round that returned passages."""
        return replace(self, rounds_without=0 if progressed else self.rounds_without + 1)

    def repeated(self) -> "Progress":
        """A refused duplicate: a round without progress."""
        return replace(self, rounds_without=self.rounds_without + 1)

    def empty(self) -> "Progress":
        """One more empty result."""
        return self if self.found else replace(self, empty_results=self.empty_results + 1)

    def found_something(self) -> "Progress":
        """A result with passages ends every row of empty ones."""
        return self if self.found else replace(self, found=True, empty_results=0)

    def after_result(self, *, fresh: bool) -> "Progress":
        """One more result, with something new to judge or without."""
        return replace(self, dry=0 if fresh else self.dry + 1)


@dataclass(frozen=True, slots=True)
class Standing:
    """How well one claim stands: everything that can get better."""

    facts: frozenset[tuple[str, Stance, str, str]]
    """What each origin says of it: a copy, or another sentence to the same effect, adds nothing."""
    authority: int
    newest: str
    conflicted: bool


def progressed(before: Ledger, before_verdict: Verdict, after: Ledger, after_verdict: Verdict) -> bool:
    """Whether a judging added a cited fact, resolved a conflict, or raised a claim's authority or freshness."""
    for claim in after.claims:
        was = standing(before, before_verdict, claim, after.lineage)
        now = standing(after, after_verdict, claim, after.lineage)
        if now.facts - was.facts or now.authority > was.authority or now.newest > was.newest:
            return True
        if was.conflicted and not now.conflicted:
            return True
    return False


def standing(ledger: Ledger, verdict: Verdict, claim: ClaimId, lineage: Mapping[PassageId, str]) -> Standing:
    """How a claim stands in a ledger, its passages' origins named by `lineage`. What only mentions it counts for nothing."""
    found = [e for e in ledger.evidence_for(claim) if e.stance is not Stance.MENTIONS]
    origins = [ledger.passages[e.span.passage_id].provenance for e in found]
    return Standing(
        frozenset((lineage[e.span.passage_id], e.stance, e.value, e.unit) for e in found),
        max((int(origin.authority) for origin in origins), default=-1),
        max((origin.published_at or "" for origin in origins), default=""),
        any(c.claim_id == claim and not c.resolved for c in verdict.conflicts),
    )
