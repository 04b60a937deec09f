"""The contract: what is held for and against each claim, in; sufficient or the gaps, out. No model has a say in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from satisfice.core.claims import Claim, Impact
from satisfice.core.conflicts import Conflict, find
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId
from satisfice.core.ledger import Ledger
from satisfice.core.passages import Passage, Trust
from satisfice.core.policy import Policy
from satisfice.core.sources import Authority, EvidenceClass


class Status(StrEnum):
    """What became of a claim. Always derived, never stored."""

    SUPPORTED = "SUPPORTED"
    INFERRED = "INFERRED"
    CONTRADICTED = "CONTRADICTED"
    PARTIAL = "PARTIAL"
    UNSUPPORTED = "UNSUPPORTED"


class GapKind(StrEnum):
    """What the contract still misses of a claim."""

    NO_EVIDENCE = "NO_EVIDENCE"
    WRONG_CLASS = "WRONG_CLASS"
    LOW_AUTHORITY = "LOW_AUTHORITY"
    STALE = "STALE"
    NOT_INDEPENDENT = "NOT_INDEPENDENT"
    CONFLICTED = "CONFLICTED"
    NOT_CITED = "NOT_CITED"
    NOT_PERMITTED = "NOT_PERMITTED"
    INDIRECT = "INDIRECT"


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing missing from one claim; `detail` says it to a person."""

    claim_id: ClaimId
    kind: GapKind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The contract over a ledger. `sufficient` when no must-claim has a gap; an empty ledger is not sufficient."""

    sufficient: bool = False
    gaps: tuple[Gap, ...] = ()
    statuses: Mapping[ClaimId, Status] = field(default_factory=dict[ClaimId, Status])
    conflicts: tuple[Conflict, ...] = ()
    sole_authority: tuple[ClaimId, ...] = ()
    """Claims for which one source was enough by a recorded waiver."""

    def status_of(self, claim: ClaimId) -> Status:
        """UNSUPPORTED for a claim the ledger does not know."""
        return self.statuses.get(claim, Status.UNSUPPORTED)


def verdict(ledger: Ledger, policy: Policy, as_of: str, attributes: Sequence[tuple[str, str]] = ()) -> Verdict:
    """The contract applied. Premises are looked at before what is inferred from them."""
    statuses: dict[ClaimId, Status] = {}
    gaps: list[Gap] = []
    conflicts: list[Conflict] = []
    waived: list[ClaimId] = []
    for claim in sorted(ledger.claims.values(), key=lambda c: len(c.premises)):
        conflict = _conflict(ledger, claim, attributes)
        if conflict is not None:
            conflicts.append(conflict)
        mine = _Contract(ledger, policy, as_of, waived).gaps(claim, conflict)
        status = _status(ledger, claim, mine)
        held = all(statuses.get(p) in {Status.SUPPORTED, Status.INFERRED} for p in claim.premises)
        if mine and claim.premises and claim.requirement.allow_inference and held:
            status, mine = Status.INFERRED, []
        statuses[claim.id] = status
        gaps.extend(mine)
    order = {claim_id: i for i, claim_id in enumerate(ledger.claims)}
    gaps.sort(key=lambda gap: order[gap.claim_id])
    open_must = any(ledger.claims[gap.claim_id].requirement.must for gap in gaps)
    return Verdict(bool(ledger.claims) and not open_must, tuple(gaps), statuses, tuple(conflicts), tuple(waived))


def _conflict(ledger: Ledger, claim: Claim, attributes: Sequence[tuple[str, str]]) -> Conflict | None:
    supporting = [e for e in ledger.evidence_for(claim.id) if e.stance is Stance.SUPPORTS and _counts(ledger, e)]
    return find(claim.id, supporting, ledger.passages, attributes)


def _counts(ledger: Ledger, item: Evidence) -> bool:
    """Generated text and suspicious text never settle anything."""
    passage = ledger.passages[item.span.passage_id]
    return passage.trust is Trust.NORMAL and passage.provenance.evidence_class is not EvidenceClass.GENERATED


@dataclass(frozen=True, slots=True)
class _Contract:
    """The contract at one moment, over one ledger. `waived` collects the claims for which one source was enough."""

    ledger: Ledger
    policy: Policy
    as_of: str
    waived: list[ClaimId]

    def gaps(self, claim: Claim, conflict: Conflict | None) -> list[Gap]:
        """The first requirement that no evidence is left for names the gap."""
        known = [e for e in self.ledger.evidence_for(claim.id) if _counts(self.ledger, e)]
        if not known:
            return [Gap(claim.id, GapKind.NO_EVIDENCE, "nothing held speaks to it")]
        for kind, keeps in self._filters(claim):
            left = [e for e in known if keeps(self.ledger.passages[e.span.passage_id])]
            if not left:
                return [Gap(claim.id, kind, _best_of(self.ledger, known))]
            known = left
        supporting = [e for e in known if e.stance is Stance.SUPPORTS]
        judged = self.ledger.judgements.get(claim.id)
        if not supporting or judged is None or judged.support < self.policy.min_support:
            missing = ", ".join(judged.missing[:5]) if judged else ""
            return [Gap(claim.id, GapKind.INDIRECT, f"not covered: {missing}" if missing else "only mentioned")]
        if conflict is not None and not conflict.resolved:
            return [Gap(claim.id, GapKind.CONFLICTED, conflict.why)]
        return self._independence(claim, supporting)

    def _filters(self, claim: Claim) -> tuple[tuple[GapKind, Callable[[Passage], bool]], ...]:
        asked = claim.requirement
        return (
            (GapKind.WRONG_CLASS, lambda p: p.provenance.evidence_class in asked.classes),
            (GapKind.LOW_AUTHORITY, lambda p: p.provenance.authority >= asked.min_authority),
            (GapKind.STALE, lambda p: _fresh(p, asked.max_age_days, self.as_of)),
        )

    def _independence(self, claim: Claim, supporting: Sequence[Evidence]) -> list[Gap]:
        """A claim of high impact needs two official voices."""
        asked = claim.requirement
        wanted, tier = asked.min_independent_sources, Authority.UNKNOWN
        if asked.impact is Impact.HIGH:
            wanted, tier = max(2, wanted), Authority.OFFICIAL
        passages = [self.ledger.passages[e.span.passage_id] for e in supporting]
        own = [p for p in passages if p.provenance.authority >= tier and _own_voice(p, wanted)]
        origins = {self.ledger.lineage[p.id] for p in own}
        if len(origins) >= wanted:
            return []
        if asked.sole_authority and origins:
            self.waived.append(claim.id)
            return []
        return [Gap(claim.id, GapKind.NOT_INDEPENDENT, f"{len(origins)} independent, {wanted} asked for")]


def _own_voice(passage: Passage, wanted: int) -> bool:
    """A community post adds nothing to independence; where one source is enough it may be that one."""
    return wanted == 1 or passage.provenance.authority is not Authority.COMMUNITY


def _fresh(passage: Passage, max_age_days: int | None, as_of: str) -> bool:
    """Undated text is not fresh when an age is asked for."""
    if max_age_days is None:
        return True
    published = passage.provenance.published_at
    if not published:
        return False
    try:
        age = date.fromisoformat(as_of[:10]) - date.fromisoformat(published[:10])
    except ValueError:
        return False
    return age.days <= max_age_days


def _best_of(ledger: Ledger, known: Sequence[Evidence]) -> str:
    best = max(known, key=lambda e: (e.score, e.span.passage_id))
    where = ledger.passages[best.span.passage_id].provenance
    return f"best found: {where.uri} ({where.evidence_class}, {where.authority.name.lower()})"


def _status(ledger: Ledger, claim: Claim, gaps: Sequence[Gap]) -> Status:
    if not gaps:
        return Status.SUPPORTED
    stances = {e.stance for e in ledger.evidence_for(claim.id) if _counts(ledger, e)}
    if stances == {Stance.CONTRADICTS}:
        return Status.CONTRADICTED
    return Status.PARTIAL if stances else Status.UNSUPPORTED
