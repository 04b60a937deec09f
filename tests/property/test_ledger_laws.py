"""The ledger: what is derived equals its recomputation, however things arrived."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.core.claims import AnswerType, Claim, Requirement
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.ledger import Ledger
from satisfice.core.lineage import lineages
from satisfice.core.passages import Passage, Provenance, Span
from satisfice.core.policy import Policy
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.core.sufficiency import GapKind, Status, verdict

POLICY = Policy()
AS_OF = "2026-06-01"
CLAIMS = tuple(
    Claim(ClaimId(name), name, name, expects=AnswerType.NUMBER, requirement=requirement)
    for name, requirement in (
        ("plain", Requirement()),
        ("strict", Requirement(min_authority=Authority.OFFICIAL, min_independent_sources=2, max_age_days=400)),
        ("optional", Requirement(must=False)),
    )
)
PASSAGES = st.lists(
    st.builds(
        lambda n, document, origin, tier, kind, published: Passage(
            PassageId(f"p{n}"),
            f"text {n}",
            Provenance(
                SourceId("s"), DocumentId(document), document, document, 0, 6, authority=tier, evidence_class=kind,
                published_at=published, origin=origin,
            ),
            f"text {n % 5}",
            3,
        ),
        st.integers(0, 30),
        st.sampled_from(["d1", "d2", "d3", "d4"]),
        st.sampled_from([None, "o"]),
        st.sampled_from(list(Authority)),
        st.sampled_from([EvidenceClass.DOCUMENT, EvidenceClass.FORUM, EvidenceClass.GENERATED]),
        st.sampled_from([None, "2020-01-01", "2026-01-01"]),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda p: p.id,
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Passage], list[Evidence], list[Judgement]]:
    passages = draw(PASSAGES)
    spans = st.builds(Span, st.sampled_from([p.id for p in passages]), st.integers(0, 2), st.integers(3, 6))
    names = st.sampled_from([c.id for c in CLAIMS])
    evidence = st.builds(
        Evidence, names, spans, st.just("h"), st.sampled_from(list(Stance)), st.sampled_from([0.4, 0.8, 0.9]),
        st.sampled_from(["", "1", "2"]),
    )  # fmt: skip
    judgements = st.builds(Judgement, names, st.sampled_from([0.2, 0.9]))
    return passages, draw(st.lists(evidence, max_size=8)), draw(st.lists(judgements, max_size=4))


@settings(max_examples=200, deadline=None)
@given(histories(), st.randoms(use_true_random=False), st.data())
def test_a_ledger_filled_in_steps_and_in_another_order_comes_to_the_same(
    history: tuple[list[Passage], list[Evidence], list[Judgement]], dice: object, data: st.DataObject
) -> None:
    passages, evidence, judgements = history
    evidence = list({(e.claim_id, e.span): e for e in evidence}.values())
    whole = Ledger().with_claims(CLAIMS).with_passages(passages, POLICY.near_duplicate)
    whole = whole.with_evidence(evidence).with_judgements(judgements)

    shuffled = list(passages)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis's Random
    steps = Ledger().with_claims(CLAIMS)
    while shuffled:
        size = data.draw(st.integers(1, len(shuffled)))
        steps = steps.with_passages(shuffled[:size], POLICY.near_duplicate)
        shuffled = shuffled[size:]
    for item in data.draw(st.permutations(evidence)):
        steps = steps.with_evidence((item,))
    steps = steps.with_judgements(judgements)

    assert steps.lineage == whole.lineage == lineages(passages, POLICY.near_duplicate)
    assert steps.all_evidence() == whole.all_evidence()
    assert verdict(steps, POLICY, AS_OF) == verdict(whole, POLICY, AS_OF)


@settings(max_examples=200, deadline=None)
@given(histories())
def test_a_verdict_is_whole_and_never_grants_a_claim_that_nothing_settles(
    history: tuple[list[Passage], list[Evidence], list[Judgement]],
) -> None:
    passages, evidence, judgements = history
    ledger = Ledger().with_claims(CLAIMS).with_passages(passages, POLICY.near_duplicate)
    ledger = ledger.with_evidence(evidence).with_judgements(judgements)
    found = verdict(ledger, POLICY, AS_OF)
    gaps = {gap.claim_id: gap.kind for gap in found.gaps}
    assert set(found.statuses) == {c.id for c in CLAIMS}
    assert len(gaps) == len(found.gaps)
    assert found.sufficient == (not any(c.requirement.must and c.id in gaps for c in CLAIMS))
    for claim in CLAIMS:
        settled = found.status_of(claim.id) is Status.SUPPORTED
        assert settled == (claim.id not in gaps)
        if settled:
            said = [e for e in ledger.evidence_for(claim.id) if e.stance is Stance.SUPPORTS]
            kinds = {ledger.passages[e.span.passage_id].provenance.evidence_class for e in said}
            assert kinds - {EvidenceClass.GENERATED}
        if gaps.get(claim.id) is GapKind.CONFLICTED:
            assert any(c.claim_id == claim.id and not c.resolved and len(c.sides) > 1 for c in found.conflicts)


def test_what_is_held_is_not_held_twice_and_a_span_judged_again_replaces_what_was_said() -> None:
    where = Provenance(SourceId("s"), DocumentId("d"), "d", "d", 0, 4)
    held = Passage(PassageId("p"), "text", where, "h", 1)
    ledger = Ledger().with_claims(CLAIMS).with_passages((held,), 0.8)
    assert ledger.with_passages((held,), 0.8) is ledger
    first = Evidence(CLAIMS[0].id, Span(held.id, 0, 4), "h", Stance.MENTIONS, 0.1)
    second = Evidence(CLAIMS[0].id, Span(held.id, 0, 4), "h", Stance.SUPPORTS, 0.9)
    assert ledger.with_evidence((first,)).with_evidence((second,)).all_evidence() == (second,)
    assert ledger.all_evidence() == ()
