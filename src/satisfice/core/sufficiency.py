"""The contract: what is held for and against each claim, in; sufficient or the gaps, out. No model has a say in it.

A claim has one gap at most: the first requirement that leaves none of the evidence that settles it. What settles a claim
is support; for an assertion or a yes-or-no question contradiction settles it too. A conflict that the declared order
settled is no dispute any more: its winning side is held to the requirement like any evidence. An open one is a gap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from satisfice.core.access import Use
from satisfice.core.claims import Claim, ClaimKind, Impact
from satisfice.core.conflicts import Conflict, agree, find
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, SourceId
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


def verdict(
    ledger: Ledger,
    policy: Policy,
    as_of: str,
    attributes: Sequence[tuple[str, str]] = (),
    refused: Sequence[SourceId] = (),
) -> Verdict:
    """The contract applied at `as_of` (UTC), for a caller with these attributes.

    `refused` names the sources that refused the caller, when no other is left: what is missing may be there. Premises
    are looked at before what is inferred from them; claims that are premises of themselves are inferred from nothing.
    """
    contract = _Contract(ledger, policy, as_of, tuple(attributes), tuple(refused))
    findings = {claim: contract.finding(claim, ()) for claim in ledger.claims}
    gaps = tuple(f.gap for f in findings.values() if f.gap is not None)
    return Verdict(
        bool(findings) and not any(ledger.claims[gap.claim_id].requirement.must for gap in gaps),
        gaps,
        {claim: f.status for claim, f in findings.items()},
        tuple(f.conflict for f in findings.values() if f.conflict is not None),
        tuple(claim for claim, f in findings.items() if f.waived),
    )


@dataclass(frozen=True, slots=True)
class _Basis:
    """What a settled claim rests on; what is inferred from several rests on the weakest of each."""

    authority: Authority
    published: str
    """The newest date among its evidence; empty when none is dated."""
    origins: int


@dataclass(frozen=True, slots=True)
class _Finding:
    status: Status
    gap: Gap | None
    basis: _Basis | None = None
    conflict: Conflict | None = None
    waived: bool = False


@dataclass(frozen=True, slots=True)
class _Contract:
    """The contract at one moment over one ledger. `found` keeps what was worked out, premises first."""

    ledger: Ledger
    policy: Policy
    as_of: str
    attributes: tuple[tuple[str, str], ...]
    refused: tuple[SourceId, ...]
    found: dict[ClaimId, _Finding] = field(default_factory=dict[ClaimId, "_Finding"])

    def finding(self, claim_id: ClaimId, above: tuple[ClaimId, ...]) -> _Finding:
        """What became of a claim. `above` are the claims it is a premise of."""
        if claim_id not in self.found:
            claim = self.ledger.claims[claim_id]
            direct = self._direct(claim)
            if direct.gap is not None and claim.premises and claim.requirement.allow_inference:
                direct = self._inferred(claim, direct, (*above, claim_id))
            self.found[claim_id] = direct
        return self.found[claim_id]

    # --- from evidence -------------------------------------------------------------------------------------------

    def _direct(self, claim: Claim) -> _Finding:
        known = [e for e in self.ledger.evidence.get(claim.id, {}).values() if self._counts(e)]
        settling = [e for e in known if _settles(claim, e)]
        of_class = [e for e in settling if self._passage(e).provenance.evidence_class in claim.requirement.classes]
        conflict = find(claim, of_class, self.ledger.passages, self.attributes)
        status = Status.PARTIAL if known else Status.UNSUPPORTED
        if known and all(e.stance is Stance.CONTRADICTS for e in known):
            status = Status.CONTRADICTED
        if not settling:
            return _Finding(status, self._nothing_settles(claim, known))
        kept, gap = self._qualified(claim, settling, conflict)
        if gap is None and conflict is not None and not conflict.resolved:
            status, gap = Status.CONTRADICTED, Gap(claim.id, GapKind.CONFLICTED, conflict.why)
        if gap is not None:
            return _Finding(status, gap, conflict=conflict)
        basis, gap, waived = self._independent(claim, kept)
        if gap is not None:
            return _Finding(status, gap, conflict=conflict)
        refuted = all(e.stance is Stance.CONTRADICTS for e in kept)
        return _Finding(Status.CONTRADICTED if refuted else Status.SUPPORTED, None, basis, conflict, waived)

    def _nothing_settles(self, claim: Claim, known: Sequence[Evidence]) -> Gap:
        if known:
            return Gap(claim.id, GapKind.INDIRECT, self._missing(claim) or "what is held only mentions it")
        if self.refused:
            return Gap(claim.id, GapKind.NOT_PERMITTED, f"refused by {', '.join(self.refused)}")
        only = "only generated or suspicious text speaks to it"
        held = bool(self.ledger.evidence.get(claim.id))
        return Gap(claim.id, GapKind.NO_EVIDENCE, only if held else "nothing held speaks to it")

    def _qualified(
        self, claim: Claim, settling: Sequence[Evidence], conflict: Conflict | None
    ) -> tuple[list[Evidence], Gap | None]:
        """What is left of the settling evidence, requirement by requirement, or the first that leaves nothing."""
        asked = claim.requirement
        winning = conflict.holds() if conflict is not None else ()
        tests: tuple[tuple[GapKind, Callable[[Evidence, Passage], bool]], ...] = (
            (GapKind.WRONG_CLASS, lambda _, p: p.provenance.evidence_class in asked.classes),
            (GapKind.CONFLICTED, lambda e, _: not winning or any(agree(claim, e, w) for w in winning)),
            (GapKind.LOW_AUTHORITY, lambda _, p: p.provenance.authority >= asked.min_authority),
            (GapKind.STALE, lambda _, p: _fresh(_dated(p), asked.max_age_days, self.as_of)),
            (GapKind.NOT_CITED, lambda _, p: not asked.citation or Use.QUOTE in p.provenance.permission.uses),
            (GapKind.INDIRECT, lambda e, _: self._strong(claim, e)),
        )
        known = list(settling)
        for kind, keeps in tests:
            left = [e for e in known if keeps(e, self._passage(e))]
            if not left:
                detail = self._missing(claim) if kind is GapKind.INDIRECT else ""
                return [], Gap(claim.id, kind, detail or self._best_of(known))
            known = left
        return known, None

    def _independent(self, claim: Claim, kept: Sequence[Evidence]) -> tuple[_Basis, Gap | None, bool]:
        """A claim of high impact needs two official voices; a community post adds none where more than one is asked for."""
        wanted, tier = _voices(claim)
        own = [p for p in map(self._passage, kept) if p.provenance.authority >= tier and _own_voice(p, wanted)]
        origins = {self.ledger.lineage[p.id] for p in own}
        authority = max(self._passage(e).provenance.authority for e in kept)
        basis = _Basis(authority, max(_dated(self._passage(e)) for e in kept), len(origins))
        if len(origins) >= wanted:
            return basis, None, False
        if claim.requirement.sole_authority and origins:
            return basis, None, True
        official = " official" if tier is Authority.OFFICIAL else ""
        detail = f"{len(origins)} independent{official}, {wanted} asked for"
        return basis, Gap(claim.id, GapKind.NOT_INDEPENDENT, detail), False

    # --- from premises -------------------------------------------------------------------------------------------

    def _inferred(self, claim: Claim, direct: _Finding, above: tuple[ClaimId, ...]) -> _Finding:
        """INFERRED when every premise is settled and the weakest of them meets the claim's own requirement."""
        if any(premise in above or premise not in self.ledger.claims for premise in claim.premises):
            return direct
        if direct.conflict is not None and not direct.conflict.resolved:
            return direct
        bases: list[_Basis] = []
        for premise in claim.premises:
            found = self.finding(premise, above)
            if found.basis is None or found.status not in {Status.SUPPORTED, Status.INFERRED}:
                return direct
            bases.append(found.basis)
        weakest = _Basis(
            min(b.authority for b in bases), min(b.published for b in bases), min(b.origins for b in bases)
        )
        gap = self._inherits(claim, weakest)
        if gap is not None:
            return _Finding(direct.status, gap, conflict=direct.conflict)
        return _Finding(Status.INFERRED, None, weakest, direct.conflict)

    def _inherits(self, claim: Claim, weakest: _Basis) -> Gap | None:
        asked = claim.requirement
        wanted, tier = _voices(claim)
        if weakest.authority < max(asked.min_authority, tier):
            return Gap(claim.id, GapKind.LOW_AUTHORITY, "a premise is of a lower tier")
        if not _fresh(weakest.published, asked.max_age_days, self.as_of):
            return Gap(claim.id, GapKind.STALE, "a premise is too old")
        if weakest.origins < wanted and not asked.sole_authority:
            return Gap(claim.id, GapKind.NOT_INDEPENDENT, f"a premise has {weakest.origins}, {wanted} asked for")
        return None

    # --- evidence ------------------------------------------------------------------------------------------------

    def _passage(self, item: Evidence) -> Passage:
        return self.ledger.passages[item.span.passage_id]

    def _counts(self, item: Evidence) -> bool:
        """Generated text is never evidence, and suspicious text never settles anything."""
        passage = self._passage(item)
        return passage.trust is Trust.NORMAL and passage.provenance.evidence_class is not EvidenceClass.GENERATED

    def _strong(self, claim: Claim, item: Evidence) -> bool:
        """Support is judged per claim; a contradiction stands on its own span's score."""
        if item.stance is Stance.CONTRADICTS:
            return item.score >= self.policy.min_support
        judged = self.ledger.judgements.get(claim.id)
        return judged is not None and judged.support >= self.policy.min_support

    def _missing(self, claim: Claim) -> str:
        judged = self.ledger.judgements.get(claim.id)
        return f"not covered: {', '.join(judged.missing[:5])}" if judged and judged.missing else ""

    def _best_of(self, known: Sequence[Evidence]) -> str:
        best = max(known, key=lambda e: (e.score, e.span.passage_id, e.span.start))
        where = self._passage(best).provenance
        return f"best found: {where.uri} ({where.evidence_class}, {where.authority.name.lower()})"


def _settles(claim: Claim, item: Evidence) -> bool:
    if item.stance is Stance.CONTRADICTS:
        return claim.kind is not ClaimKind.OPEN
    return item.stance is Stance.SUPPORTS


def _voices(claim: Claim) -> tuple[int, Authority]:
    """How many independent voices a claim asks for, and of which tier at least."""
    wanted = claim.requirement.min_independent_sources
    if claim.requirement.impact is Impact.HIGH:
        return max(2, wanted), Authority.OFFICIAL
    return wanted, Authority.UNKNOWN


def _own_voice(passage: Passage, wanted: int) -> bool:
    """A community post counts zero towards independence; where one source is enough it may be that one."""
    where = passage.provenance
    posted = where.authority is Authority.COMMUNITY or where.evidence_class is EvidenceClass.FORUM
    return wanted <= 1 or not posted


def _dated(passage: Passage) -> str:
    """The day from which a passage ages: a live record is as old as its reading."""
    where = passage.provenance
    if where.evidence_class is EvidenceClass.LIVE_RECORD:
        return (where.published_at or where.retrieved_at or "")[:10]
    return (where.published_at or "")[:10]


def _fresh(published: str, max_age_days: int | None, as_of: str) -> bool:
    """Undated text is not fresh when an age is asked for; a month or year counts from its first day."""
    if max_age_days is None:
        return True
    try:
        since = date.fromisoformat(f"{published}-01-01"[:10] if len(published) == 4 else f"{published}-01"[:10])
        age = date.fromisoformat(as_of[:10]) - since
    except ValueError:
        return False
    return age.days <= max_age_days
