"""The ledger: the claims, what is held, and what each passage says for or against each claim."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from satisfice.core.claims import Claim
from satisfice.core.evidence import Evidence, Judgement
from satisfice.core.ids import ClaimId, PassageId
from satisfice.core.lineage import extended
from satisfice.core.passages import Passage, Span


@dataclass(frozen=True, slots=True)
class Ledger:
    """An immutable record. Everything in it was put there by a fact; what follows from it is derived elsewhere.

    `evidence` holds one judgement per claim and span: a later one replaces an earlier one. `lineage` names, for each
    passage, the origin it repeats, and equals `lineages` of them all at every moment.
    """

    claims: Mapping[ClaimId, Claim] = field(default_factory=dict[ClaimId, Claim])
    passages: Mapping[PassageId, Passage] = field(default_factory=dict[PassageId, Passage])
    evidence: Mapping[ClaimId, Mapping[Span, Evidence]] = field(default_factory=dict[ClaimId, Mapping[Span, Evidence]])
    judgements: Mapping[ClaimId, Judgement] = field(default_factory=dict[ClaimId, Judgement])
    lineage: Mapping[PassageId, str] = field(default_factory=dict[PassageId, str])

    def with_claims(self, claims: Iterable[Claim]) -> "Ledger":
        """With these claims added; a known id keeps its first claim."""
        return replace(self, claims={**{c.id: c for c in claims}, **self.claims})

    def without_claims(self) -> "Ledger":
        """With what is held, and nothing to establish: the question was read another way."""
        return Ledger(passages=self.passages, lineage=self.lineage)

    def with_passages(self, passages: Iterable[Passage], near_duplicate: float) -> "Ledger":
        """With these passages held too; one already held is not held twice."""
        new = {p.id: p for p in passages if p.id not in self.passages}
        if not new:
            return self
        lineage = extended(self.lineage, self.passages, new.values(), near_duplicate)
        return replace(self, passages={**self.passages, **new}, lineage=lineage)

    def with_evidence(self, evidence: Iterable[Evidence]) -> "Ledger":
        """With this evidence; the same span judged again for the same claim replaces what was said before."""
        by_claim = dict(self.evidence)
        for item in evidence:
            by_claim[item.claim_id] = {**by_claim.get(item.claim_id, {}), item.span: item}
        return replace(self, evidence=by_claim)

    def with_judgements(self, judgements: Iterable[Judgement]) -> "Ledger":
        """With the latest judgement of each claim."""
        return replace(self, judgements={**self.judgements, **{j.claim_id: j for j in judgements}})

    def evidence_for(self, claim: ClaimId) -> tuple[Evidence, ...]:
        """What was judged about one claim, in the order of passages and places."""
        found = self.evidence.get(claim, {})
        return tuple(found[span] for span in sorted(found, key=lambda s: (s.passage_id, s.start, s.end)))

    def all_evidence(self) -> tuple[Evidence, ...]:
        """All of it, claim by claim."""
        return tuple(item for claim in self.claims for item in self.evidence_for(claim))
