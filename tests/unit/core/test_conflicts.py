"""Conflicts: found among documents, classified, and settled only by a declared order."""

from dataclasses import replace
from itertools import permutations

import pytest

from satisfice.core.claims import AnswerType, Claim, ClaimKind
from satisfice.core.conflicts import Conflict, ConflictKind, find
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.passages import Passage, Provenance, Span
from satisfice.core.sources import Authority

LIMIT = Claim(ClaimId("c"), "upload limit", "upload limit", expects=AnswerType.NUMBER)


class World:
    """Documents, each with what it says about the claim."""

    def __init__(self, claim: Claim = LIMIT) -> None:
        self.claim = claim
        self.passages: dict[PassageId, Passage] = {}
        self.evidence: list[Evidence] = []

    def says(
        self,
        value: str,
        unit: str = "mb",
        *,
        document: str = "",
        tier: Authority = Authority.OFFICIAL,
        published: str | None = None,
        version: str | None = None,
        replaces: tuple[str, ...] = (),
        scope: tuple[tuple[str, str], ...] = (),
        stance: Stance = Stance.SUPPORTS,
        score: float = 0.9,
    ) -> "World":
        name = PassageId(f"p{len(self.passages)}")
        document = document or f"d{name}"
        where = Provenance(
            SourceId("s"), DocumentId(document), f"{document}.md", document, 0, 10, authority=tier,
            published_at=published, version=version, supersedes=replaces, metadata=scope,
        )  # fmt: skip
        self.passages[name] = Passage(name, "0123456789", where, name, 3)
        self.evidence.append(Evidence(self.claim.id, Span(name, 0, 10), "", stance, score, value, unit))
        return self

    def conflict(self, attributes: tuple[tuple[str, str], ...] = ()) -> Conflict | None:
        found = {find(self.claim, order, self.passages, attributes) for order in permutations(self.evidence)}
        assert len(found) == 1
        return found.pop()

    def open(self, kind: ConflictKind, attributes: tuple[tuple[str, str], ...] = ()) -> Conflict:
        conflict = self.conflict(attributes)
        assert conflict is not None
        assert (conflict.resolved, conflict.kind) == (False, kind), conflict
        assert conflict.holds() == ()
        return conflict

    def settled(self, value: str, kind: ConflictKind, attributes: tuple[tuple[str, str], ...] = ()) -> Conflict:
        conflict = self.conflict(attributes)
        assert conflict is not None
        assert (conflict.resolved, conflict.kind) == (True, kind), conflict
        assert {item.value for item in conflict.holds()} == {value}
        return conflict


def values(conflict: Conflict) -> list[set[str]]:
    return [{item.value for item in side} for side in conflict.sides]


def test_documents_that_agree_are_no_conflict() -> None:
    assert World().says("250").says("250").says("0.25", "gb").conflict() is None


def test_of_two_dated_official_values_the_newer_holds_the_older_is_disclosed_and_a_blog_never_wins() -> None:
    world = World().says("100", published="2025-03-01").says("250", published="2026-02-01")
    conflict = world.says("175", tier=Authority.COMMUNITY).settled("250", ConflictKind.DATE)
    assert values(conflict) == [{"250"}, {"100"}, {"175"}]
    assert "2026-02-01 is newer than 2025-03-01" in conflict.why


@pytest.mark.parametrize("blog_date", [None, "2027-01-01"])
def test_two_official_values_of_one_date_stay_open_with_both_stated(blog_date: str | None) -> None:
    world = World().says("100", published="2026-02-01").says("250", published="2026-02-01")
    conflict = world.says("175", tier=Authority.COMMUNITY, published=blog_date).open(ConflictKind.GENUINE)
    assert {"100", "250"} <= set().union(*values(conflict))


def test_a_newer_blog_does_not_win_against_an_older_official_text() -> None:
    world = World().says("100", published="2020-01-01")
    world.says("175", tier=Authority.COMMUNITY, published="2026-01-01").settled("100", ConflictKind.AUTHORITY)


def test_a_blog_does_not_win_against_a_text_of_unknown_authority_either() -> None:
    World().says("1", tier=Authority.UNKNOWN).says("2", tier=Authority.COMMUNITY).open(ConflictKind.AUTHORITY)


def test_dates_of_undeclared_documents_settle_nothing() -> None:
    world = World().says("1", tier=Authority.UNKNOWN, published="2020-01-01")
    world.says("2", tier=Authority.UNKNOWN, published="2026-01-01").open(ConflictKind.DATE)


def test_an_undated_text_is_neither_newer_nor_older() -> None:
    World().says("1", published="2020-01-01").says("2").open(ConflictKind.GENUINE)


def test_a_year_is_not_newer_than_a_day_in_it() -> None:
    World().says("1", published="2026").says("2", published="2026-03-01").open(ConflictKind.DATE)


def test_a_declared_supersession_holds_against_date_and_tier() -> None:
    world = World().says("1", document="old", tier=Authority.PRIMARY, published="2027-01-01")
    world.says("2", tier=Authority.OFFICIAL, replaces=("old.md",)).settled("2", ConflictKind.AUTHORITY)


def test_a_draft_never_holds_against_a_stable_text_however_new() -> None:
    world = World().says("1", version="2.0", published="2020-01-01")
    world.says("2", version="3.0-draft", published="2026-01-01").settled("1", ConflictKind.VERSION)


def test_an_older_text_of_a_higher_tier_holds_against_a_newer_one_of_a_lower_tier() -> None:
    world = World().says("1", tier=Authority.PRIMARY, published="2020-01-01")
    world.says("2", tier=Authority.SECONDARY, published="2026-01-01").settled("1", ConflictKind.AUTHORITY)


def test_rules_for_two_regions_are_settled_by_the_callers_region_and_not_by_date() -> None:
    world = World().says("30", scope=(("region", "EU"),), published="2020-01-01")
    world.says("14", scope=(("region", "US, CA"),), published="2026-01-01")
    world.open(ConflictKind.JURISDICTION)
    world.open(ConflictKind.JURISDICTION, (("region", "JP"),))
    world.settled("30", ConflictKind.JURISDICTION, (("region", "eu"),))
    world.settled("14", ConflictKind.JURISDICTION, (("region", "ca"),))


def test_another_attribute_of_the_caller_settles_scope() -> None:
    world = World().says("30", scope=(("cohort", "a"),)).says("14", scope=(("cohort", "b"),))
    world.open(ConflictKind.GENUINE)
    world.settled("14", ConflictKind.SCOPE, (("cohort", "b"),))


def test_metadata_that_is_no_scope_is_ignored() -> None:
    World().says("30", scope=(("author", "x"),)).says("14", scope=(("author", "y"),)).open(ConflictKind.GENUINE)


def test_values_that_cannot_be_compared_are_no_conflict() -> None:
    assert World().says("30", "day").says("2", "user").conflict() is None
    free = replace(LIMIT, expects=AnswerType.ANY)
    assert World(free).says("as written", "").says("in other words", "").conflict() is None


def test_a_vague_value_does_not_join_two_exact_ones() -> None:
    when = replace(LIMIT, expects=AnswerType.DATE)
    conflict = World(when).says("2021", "").says("2021-03-05", "").says("2021-04-01", "").open(ConflictKind.GENUINE)
    assert len(conflict.sides) == 2


def test_a_document_with_both_values_agrees_with_either() -> None:
    assert World().says("30", document="d").says("14", document="d").says("14").conflict() is None


def test_a_weak_span_starts_no_conflict() -> None:
    assert World().says("30", score=0.9).says("14", score=0.7).conflict() is None


def test_what_only_mentions_the_subject_says_nothing() -> None:
    assert World().says("30").says("14", stance=Stance.MENTIONS).conflict() is None


def test_support_and_contradiction_from_two_documents_are_a_conflict_and_from_one_are_not() -> None:
    yes_no = replace(LIMIT, kind=ClaimKind.YES_NO)
    World(yes_no).says("", "").says("", "", stance=Stance.CONTRADICTS).open(ConflictKind.GENUINE)
    World(yes_no).says("yes", "").says("no", "").open(ConflictKind.GENUINE)
    one = World(yes_no).says("", "", document="d").says("", "", document="d", stance=Stance.CONTRADICTS, score=0.89)
    assert one.conflict() is None


def test_copies_of_the_losing_value_do_not_outvote_the_winner() -> None:
    world = World().says("250", published="2026-02-01")
    for _ in range(4):
        world.says("100", published="2025-03-01")
    world.settled("250", ConflictKind.DATE)
