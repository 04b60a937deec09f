"""Progress: what counts as learning, and the two counters that end a search."""

from satisfice.core.claims import Claim
from satisfice.core.conflicts import Conflict, ConflictKind
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.ledger import Ledger
from satisfice.core.passages import Passage, Provenance, Span
from satisfice.core.policy import Policy
from satisfice.core.progress import Progress, progressed
from satisfice.core.sources import Authority
from satisfice.core.sufficiency import Verdict

POLICY = Policy()
C = ClaimId("c")
OPEN = Verdict(conflicts=(Conflict(C, ConflictKind.DATE, (), False),))
SETTLED = Verdict(conflicts=(Conflict(C, ConflictKind.DATE, (), True),))
EMPTY = Ledger().with_claims((Claim(C, "c", "c"),))


def said(
    ledger: Ledger,
    name: str,
    value: str = "1",
    *,
    document: str = "",
    stance: Stance = Stance.SUPPORTS,
    tier: Authority = Authority.OFFICIAL,
    published: str | None = None,
) -> Ledger:
    where = Provenance(
        SourceId("s"), DocumentId(document or name), "", "", 0, 9, authority=tier, published_at=published
    )
    held = Passage(PassageId(name), name, where, name, 3)
    item = Evidence(C, Span(held.id, 0, 1), "", stance, 0.9, value)
    return ledger.with_passages((held,), POLICY.near_duplicate).with_evidence((item,))


def better(before: Ledger, after: Ledger, was: Verdict | None = None, now: Verdict | None = None) -> bool:
    return progressed(before, was or Verdict(), after, now or Verdict())


def test_a_new_cited_fact_is_progress_for_or_against() -> None:
    assert better(EMPTY, said(EMPTY, "a"))
    assert better(EMPTY, said(EMPTY, "a", stance=Stance.CONTRADICTS))


def test_a_mention_a_repetition_and_a_copy_are_none() -> None:
    held = said(EMPTY, "a")
    assert not better(EMPTY, said(EMPTY, "a", stance=Stance.MENTIONS))
    assert not better(held, held)
    assert not better(held, said(held, "b", document="a"))


def test_another_origin_and_another_value_are_progress() -> None:
    held = said(EMPTY, "a")
    assert better(held, said(held, "b"))
    assert better(held, said(held, "b", "2", document="a"))


def test_higher_authority_and_newer_text_are_progress() -> None:
    held = said(EMPTY, "a", tier=Authority.SECONDARY, published="2025-01-01")
    assert better(held, said(held, "b", document="a", tier=Authority.OFFICIAL))
    assert better(held, said(held, "b", document="a", tier=Authority.SECONDARY, published="2026-01-01"))
    assert not better(held, said(held, "b", document="a", tier=Authority.COMMUNITY, published="2024-01-01"))


def test_settling_a_conflict_is_progress_and_finding_one_is_not() -> None:
    held = said(EMPTY, "a")
    assert better(held, held, OPEN, SETTLED)
    assert not better(held, held, SETTLED, OPEN)


def test_two_rounds_in_a_row_without_progress_fire_and_progress_starts_the_row_again() -> None:
    once = Progress().found_something().after_round(progressed=False)
    assert not once.fired(POLICY)
    assert once.after_round(progressed=False).fired(POLICY)
    assert not once.after_round(progressed=True).after_round(progressed=False).fired(POLICY)


def test_a_refused_duplicate_is_a_round_without_progress() -> None:
    assert Progress().repeated().repeated().fired(POLICY)


def test_three_empty_results_in_a_row_fire_only_while_nothing_was_found() -> None:
    three = Progress().empty().empty().empty()
    assert three.starved(POLICY)
    assert not Progress().empty().empty().starved(POLICY)
    assert not Progress().empty().empty().found_something().empty().fired(POLICY)
