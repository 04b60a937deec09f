"""The contract: each requirement, the gap it names, and what never settles a claim."""

from dataclasses import replace

import pytest

from satisfice.core.access import Permission, Use
from satisfice.core.claims import AnswerType, Claim, ClaimKind, Impact, Requirement
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.ledger import Ledger
from satisfice.core.passages import Passage, Provenance, Span, Trust
from satisfice.core.policy import Policy
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.core.sufficiency import GapKind, Status, Verdict, verdict

AS_OF = "2026-06-01T00:00:00+00:00"
POLICY = Policy()
C = ClaimId("c")


class World:
    """A ledger built sentence by sentence."""

    def __init__(self, *claims: Claim) -> None:
        self.ledger = Ledger().with_claims(claims)
        self.count = 0

    def says(
        self,
        claim: str = "c",
        value: str = "",
        stance: Stance = Stance.SUPPORTS,
        *,
        unit: str = "",
        document: str = "",
        tier: Authority = Authority.OFFICIAL,
        evidence_class: EvidenceClass = EvidenceClass.DOCUMENT,
        published: str | None = None,
        retrieved: str | None = None,
        origin: str | None = None,
        uses: frozenset[Use] = frozenset(Use),
        trust: Trust = Trust.NORMAL,
        support: float | None = 0.9,
        score: float = 0.9,
    ) -> "World":
        self.count += 1
        name = PassageId(f"p{self.count}")
        where = Provenance(
            SourceId("s"), DocumentId(document or f"d{self.count}"), f"{name}.md", name, 0, 10, authority=tier,
            evidence_class=evidence_class, published_at=published, retrieved_at=retrieved, origin=origin,
            permission=Permission(uses=uses),
        )  # fmt: skip
        held = Passage(name, "0123456789", where, name, 3, trust=trust)
        item = Evidence(ClaimId(claim), Span(name, 0, 10), "", stance, score, value, unit)
        self.ledger = self.ledger.with_passages((held,), POLICY.near_duplicate).with_evidence((item,))
        if support is not None:
            self.ledger = self.ledger.with_judgements((Judgement(ClaimId(claim), support),))
        return self

    def verdict(self, **more: tuple[object, ...]) -> Verdict:
        return verdict(self.ledger, POLICY, AS_OF, **more)  # type: ignore[arg-type]  # passed through by name

    def settled(self, status: Status = Status.SUPPORTED) -> Verdict:
        found = self.verdict()
        assert found.sufficient, found
        assert found.status_of(C) is status
        return found

    def gap(self, kind: GapKind, status: Status = Status.PARTIAL) -> Verdict:
        found = self.verdict()
        assert [g.kind for g in found.gaps if g.claim_id == C] == [kind], found
        assert not found.sufficient
        assert found.status_of(C) is status
        return found


def claim(name: str = "c", **requirement: object) -> Claim:
    return Claim(ClaimId(name), name, name, requirement=Requirement(**requirement))  # type: ignore[arg-type]  # by name


def test_an_empty_ledger_is_not_sufficient() -> None:
    assert not verdict(Ledger(), POLICY, AS_OF).sufficient


def test_one_supporting_span_settles_a_claim_of_default_requirement() -> None:
    World(claim()).says(tier=Authority.UNKNOWN).settled()


def test_a_claim_nothing_speaks_to_is_unsupported() -> None:
    World(claim()).gap(GapKind.NO_EVIDENCE, Status.UNSUPPORTED)


def test_when_every_source_refused_what_is_missing_is_not_permitted() -> None:
    found = World(claim()).verdict(refused=(SourceId("hr"),))
    assert [(g.kind, g.detail) for g in found.gaps] == [(GapKind.NOT_PERMITTED, "refused by hr")]


def test_a_mention_is_indirect_however_well_it_scores() -> None:
    World(claim()).says(stance=Stance.MENTIONS).gap(GapKind.INDIRECT)


@pytest.mark.parametrize("support", [None, 0.49])
def test_support_below_the_policy_is_indirect(support: float | None) -> None:
    World(claim()).says(support=support).gap(GapKind.INDIRECT)


def test_what_the_evidence_does_not_cover_is_named() -> None:
    world = World(claim()).says(support=None)
    world.ledger = world.ledger.with_judgements((Judgement(C, 0.1, missing=("annual", "refund")),))
    assert world.gap(GapKind.INDIRECT).gaps[0].detail == "not covered: annual, refund"


def test_generated_text_is_never_evidence() -> None:
    found = World(claim()).says(evidence_class=EvidenceClass.GENERATED)
    assert "generated or suspicious" in found.gap(GapKind.NO_EVIDENCE, Status.UNSUPPORTED).gaps[0].detail


def test_suspicious_text_never_settles_a_claim() -> None:
    World(claim()).says(trust=Trust.SUSPICIOUS).gap(GapKind.NO_EVIDENCE, Status.UNSUPPORTED)


def test_evidence_of_another_class_does_not_count() -> None:
    asked = claim(classes=frozenset({EvidenceClass.POLICY}))
    World(asked).says(evidence_class=EvidenceClass.NEWS).gap(GapKind.WRONG_CLASS)
    World(asked).says(evidence_class=EvidenceClass.NEWS).says(evidence_class=EvidenceClass.POLICY).settled()


def test_a_lower_tier_than_asked_for_is_a_gap() -> None:
    World(claim(min_authority=Authority.OFFICIAL)).says(tier=Authority.SECONDARY).gap(GapKind.LOW_AUTHORITY)
    World(claim(min_authority=Authority.OFFICIAL)).says(tier=Authority.PRIMARY).settled()


@pytest.mark.parametrize("published", [None, "2026-05-01", "2026-05", "soon"])
def test_old_or_undated_text_is_stale(published: str | None) -> None:
    World(claim(max_age_days=30)).says(published=published).gap(GapKind.STALE)


@pytest.mark.parametrize("published", ["2026-05-02", "2026-06", "2026-05-31T23:00:00+00:00"])
def test_text_within_the_age_is_fresh(published: str) -> None:
    World(claim(max_age_days=30)).says(published=published).settled()


def test_a_live_record_is_as_old_as_its_reading() -> None:
    live = EvidenceClass.LIVE_RECORD
    World(claim(max_age_days=1)).says(evidence_class=live, retrieved=AS_OF).settled()
    World(claim(max_age_days=1)).says(retrieved=AS_OF).gap(GapKind.STALE)


def test_text_that_may_not_be_quoted_cannot_be_cited() -> None:
    read = frozenset({Use.READ})
    World(claim()).says(uses=read).gap(GapKind.NOT_CITED)
    World(claim(citation=False)).says(uses=read).settled()


def test_two_sources_must_be_independent() -> None:
    asked = claim(min_independent_sources=2)
    World(asked).says(origin="press").says(origin="press").gap(GapKind.NOT_INDEPENDENT)
    World(asked).says(document="d").says(document="d").gap(GapKind.NOT_INDEPENDENT)
    World(asked).says().says().settled()


def test_a_community_post_adds_nothing_to_independence_and_may_stand_alone() -> None:
    post = Authority.COMMUNITY
    World(claim(min_independent_sources=2)).says().says(tier=post).gap(GapKind.NOT_INDEPENDENT)
    forum = EvidenceClass.FORUM
    World(claim(min_independent_sources=2)).says().says(evidence_class=forum).gap(GapKind.NOT_INDEPENDENT)
    World(claim()).says(tier=post).settled()


def test_a_claim_of_high_impact_asks_for_two_independent_official_sources() -> None:
    asked = claim(impact=Impact.HIGH)
    World(asked).says().gap(GapKind.NOT_INDEPENDENT)
    World(asked).says().says(tier=Authority.SECONDARY).gap(GapKind.NOT_INDEPENDENT)
    World(asked).says().says(tier=Authority.PRIMARY).settled()


def test_a_waiver_lets_one_source_do_and_is_on_record_only_when_used() -> None:
    asked = claim(impact=Impact.HIGH, sole_authority="only the regulator publishes it")
    assert World(asked).says().settled().sole_authority == (C,)
    assert World(asked).says().says().settled().sole_authority == ()
    World(asked).says(tier=Authority.SECONDARY).gap(GapKind.NOT_INDEPENDENT)


NUMBER = replace(claim(), expects=AnswerType.NUMBER)


def test_an_open_conflict_blocks_a_must_claim_and_is_disclosed_on_an_optional_one() -> None:
    found = World(NUMBER).says(value="100", unit="mb").says(value="250", unit="mb")
    assert len(found.gap(GapKind.CONFLICTED, Status.CONTRADICTED).conflicts) == 1
    optional = replace(NUMBER, requirement=Requirement(must=False))
    disclosed = World(optional).says(value="100", unit="mb").says(value="250", unit="mb").verdict()
    assert disclosed.sufficient
    assert len(disclosed.conflicts) == 1


def test_a_settled_conflict_is_disclosed_and_its_winner_meets_the_requirement_itself() -> None:
    world = World(NUMBER).says(value="100", unit="mb", published="2025-03-01")
    world.says(value="250", unit="mb", published="2026-02-01")
    found = world.settled()
    assert [[e.value for e in side] for side in found.conflicts[0].sides] == [["250"], ["100"]]
    asked = replace(NUMBER, requirement=Requirement(min_independent_sources=2))
    again = World(asked).says(value="100", unit="mb", published="2025-03-01")
    again.says(value="250", unit="mb", published="2026-02-01").gap(GapKind.NOT_INDEPENDENT)
    again.says(value="0.25", unit="gb", score=0.5).settled()


def test_text_of_another_class_starts_no_conflict() -> None:
    asked = replace(NUMBER, requirement=Requirement(classes=frozenset({EvidenceClass.POLICY})))
    world = World(asked).says(value="100", evidence_class=EvidenceClass.POLICY)
    assert world.says(value="250", evidence_class=EvidenceClass.NEWS).settled().conflicts == ()


def test_contradiction_settles_a_yes_or_no_question_but_not_an_open_one() -> None:
    against = Stance.CONTRADICTS
    World(replace(claim(), kind=ClaimKind.ASSERTION)).says(stance=against, support=0.0).settled(Status.CONTRADICTED)
    World(replace(claim(), kind=ClaimKind.ASSERTION)).says(stance=against, score=0.4).gap(
        GapKind.INDIRECT, Status.CONTRADICTED
    )
    World(claim()).says(stance=against).gap(GapKind.INDIRECT, Status.CONTRADICTED)


# --- inference -----------------------------------------------------------------------------------------------------


def inferred(**requirement: object) -> Claim:
    made = claim(allow_inference=True, **requirement)
    return replace(made, premises=(ClaimId("a"), ClaimId("b")))


def test_a_claim_is_inferred_when_every_premise_is_settled() -> None:
    World(inferred(), claim("a"), claim("b")).says("a").says("b").settled(Status.INFERRED)
    found = World(inferred(), claim("a"), claim("b")).says("a").verdict()
    assert found.status_of(C) is Status.UNSUPPORTED


def test_a_requirement_that_does_not_allow_inference_is_not_met_by_it() -> None:
    direct = replace(claim(), premises=(ClaimId("a"),))
    World(direct, claim("a")).says("a").gap(GapKind.NO_EVIDENCE, Status.UNSUPPORTED)


def test_what_is_inferred_is_no_better_than_its_weakest_premise() -> None:
    def world(**requirement: object) -> World:
        made = World(inferred(**requirement), claim("a"), claim("b")).says("a", published="2026-05-20")
        return made.says("b", tier=Authority.SECONDARY, published="2020-01-01")

    unsupported = Status.UNSUPPORTED
    world(min_authority=Authority.SECONDARY).settled(Status.INFERRED)
    world(min_authority=Authority.OFFICIAL).gap(GapKind.LOW_AUTHORITY, unsupported)
    world(max_age_days=90).gap(GapKind.STALE, unsupported)
    world(min_independent_sources=2).gap(GapKind.NOT_INDEPENDENT, unsupported)
    world(impact=Impact.HIGH).gap(GapKind.LOW_AUTHORITY, unsupported)


def test_inference_chains_and_never_runs_in_a_circle() -> None:
    chain = replace(claim("a", allow_inference=True), premises=(ClaimId("x"),))
    World(inferred(), chain, claim("b"), claim("x")).says("x").says("b").settled(Status.INFERRED)
    circle = replace(claim("a", allow_inference=True), premises=(C,))
    World(inferred(), circle, claim("b")).says("b").gap(GapKind.NO_EVIDENCE, Status.UNSUPPORTED)


def test_gaps_and_statuses_are_in_the_order_of_the_claims() -> None:
    found = World(claim("z"), claim("a"), claim("m")).verdict()
    assert [gap.claim_id for gap in found.gaps] == ["z", "a", "m"]
    assert list(found.statuses) == ["z", "a", "m"]
