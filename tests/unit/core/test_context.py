"""Packing: what goes before a model, what is cut, what is merged, and what stays out for which reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.core.access import Permission, Principal, Use
from satisfice.core.claims import Claim
from satisfice.core.context import LEAST_TOKENS, Bundle, Why, pack
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.ledger import Ledger
from satisfice.core.passages import Passage, Provenance, Span, Trust
from satisfice.core.sources import Authority

NEAR = 0.8
ANA = Principal("ana")
A, B = ClaimId("a"), ClaimId("b")


class World:
    """A ledger with two claims and whatever is put into it."""

    def __init__(self) -> None:
        self.ledger = Ledger().with_claims((Claim(A, "a", "a"), Claim(B, "b", "b")))

    def holds(
        self,
        name: str,
        tokens: int = 100,
        *,
        document: str = "",
        source: str = "s",
        text: str = "",
        place: tuple[int, int] | None = None,
        signature: tuple[int, ...] = (),
        tier: Authority = Authority.UNKNOWN,
        permission: Permission | None = None,
        trust: Trust = Trust.NORMAL,
        published: str | None = None,
        says: tuple[tuple[ClaimId, str, float], ...] = (),
        stance: Stance = Stance.SUPPORTS,
    ) -> "World":
        text = text or f"{name} " * 50
        start, end = place or (0, len(text))
        where = Provenance(
            SourceId(source), DocumentId(document or name), name, name, start, end, authority=tier,
            permission=permission or Permission(), published_at=published,
        )  # fmt: skip
        held = Passage(PassageId(name), text, where, text, tokens, signature, "x", trust)
        evidence = [Evidence(c, Span(held.id, 0, 2), "", stance, score, value) for c, value, score in says]
        self.ledger = self.ledger.with_passages((held,), NEAR).with_evidence(evidence)
        return self

    def packed(self, limit: int, **more: object) -> Bundle:
        return pack(self.ledger, ANA, limit, NEAR, **more)  # type: ignore[arg-type]  # passed through by name


def names(bundle: Bundle) -> list[str]:
    return [p.passage.id for p in bundle.packed]


def why(bundle: Bundle) -> dict[str, Why]:
    return {left.passage: left.why for left in bundle.left_out}


def test_overlapping_windows_and_repeats_fill_one_place_and_both_origins_stay_visible() -> None:
    world = World().holds("c1", 200).holds("c2", 200, document="d", place=(0, 1000)).holds("c3", 200)
    world.holds("c4", 200).holds("c2b", 200, document="d", place=(200, 1200)).holds("c1", 200)
    world.holds("c5", 200).holds("c6", 200)
    bundle = world.packed(1000)
    assert sorted(names(bundle)) == ["c1", "c2", "c3", "c4", "c5"]
    assert why(bundle) == {"c2b": Why.DUPLICATE, "c6": Why.NO_ROOM}
    assert next(p for p in bundle.packed if p.passage.id == "c2").merged == ("c2b",)
    assert bundle.tokens == 1000
    assert world.packed(1000) == bundle


def test_the_best_comes_first_and_the_second_best_last() -> None:
    world = World()
    for name, score in (("third", 0.7), ("first", 0.9), ("fourth", 0.6), ("second", 0.8)):
        world.holds(name, says=((A, name, score),))
    assert names(world.packed(1000)) == ["first", "third", "fourth", "second"]


def test_each_claim_that_comes_first_gets_a_passage_before_another_gets_its_second() -> None:
    world = World().holds("a1", says=((A, "1", 0.9),)).holds("a2", says=((A, "2", 0.9),))
    world.holds("b1", says=((B, "1", 0.3),))
    assert sorted(names(world.packed(200, first=(B, A)))) == ["a1", "b1"]
    assert sorted(names(world.packed(100, first=(B, A)))) == ["b1"]


def test_one_passage_may_serve_two_claims() -> None:
    world = World().holds("both", says=((A, "1", 0.8), (B, "1", 0.8))).holds("more", says=((A, "2", 0.9),))
    assert names(world.packed(200, first=(B, A))) == ["both", "more"]


def test_what_adds_more_per_token_goes_before_what_only_scores_higher() -> None:
    world = World().holds("long", 900, says=((A, "1", 0.9),)).holds("short", 100, says=((A, "2", 0.8),))
    assert names(world.packed(900)) == ["short"]


def test_a_second_source_goes_before_a_repetition() -> None:
    world = World().holds("a1", document="d", says=((A, "1", 0.9),), place=(0, 99))
    world.holds("a2", document="d", says=((A, "1", 0.9),), place=(900, 999)).holds("a3", says=((A, "1", 0.5),))
    assert sorted(names(world.packed(200))) == ["a1", "a3"]


def test_near_duplicates_that_say_something_else_both_go_in() -> None:
    same = tuple(range(64))
    world = World().holds("old", signature=same, says=((A, "100", 0.9),))
    assert len(world.holds("new", signature=same, says=((A, "250", 0.9),)).packed(1000).packed) == 2
    world.holds("copy", signature=same, says=((A, "250", 0.8),))
    assert why(world.packed(1000)) == {"copy": Why.DUPLICATE}


def test_of_a_passage_too_large_for_the_budget_the_part_around_the_evidence_goes_in_marked_as_cut() -> None:
    text = "filler words here " * 50_000
    place = len(text) * 7 // 10
    held = World().holds("huge", 200_000, text=text).ledger
    span = Span(PassageId("huge"), place, place + 20)
    world = World()
    world.ledger = held.with_evidence((Evidence(A, span, "", Stance.SUPPORTS, 0.9, "1"),))
    bundle = world.packed(3000, first=(A,))
    (piece,) = bundle.packed
    assert piece.cut
    assert piece.start <= span.start < span.end <= piece.end
    assert bundle.tokens == piece.tokens <= 3000
    assert piece.tokens > 2900
    assert piece.text == text[piece.start : piece.end]
    assert not piece.text.startswith(" ")


def test_the_only_passage_is_cut_rather_than_left_out_and_one_too_small_to_read_is_not_made() -> None:
    world = World().holds("huge", 5000, text="word " * 4000)
    assert world.packed(1000).packed[0].cut
    assert world.packed(LEAST_TOKENS - 1) == Bundle((), world.packed(0).left_out, 0)


def test_forty_large_hits_never_pass_the_limit() -> None:
    world = World()
    for i in range(40):
        world.holds(f"p{i}", 2000, says=((A, str(i), 0.9),))
    bundle = world.packed(3000, first=(A,))
    assert bundle.tokens == 2000
    assert len(bundle.left_out) == 39


def test_what_the_caller_may_not_read_is_neither_packed_nor_named() -> None:
    world = World().holds("secret", permission=Permission(tags=frozenset({"hr"})), says=((A, "1", 0.9),))
    assert world.holds("open", says=((A, "1", 0.5),)).packed(1000).left_out == ()
    assert names(world.packed(1000)) == ["open"]


def test_judged_passages_that_say_nothing_stay_out_and_unjudged_ones_may_come() -> None:
    world = World().holds("says", says=((A, "1", 0.9),)).holds("silent").holds("new")
    bundle = world.packed(1000, unjudged=frozenset({PassageId("new")}))
    assert names(bundle) == ["says", "new"]
    assert why(bundle) == {"silent": Why.SAYS_NOTHING}


@pytest.mark.parametrize(
    "better",
    [
        {"tier": Authority.OFFICIAL},
        {"published": "2026-01-01"},
        {"trust": Trust.NORMAL},
        {"permission": Permission(uses=frozenset(Use))},
    ],
    ids=["tier", "date", "trust", "quotable"],
)
def test_of_two_equal_passages_the_better_kept_one_goes_in(better: dict[str, object]) -> None:
    worse: dict[str, object] = {
        "published": "2020-01-01", "trust": Trust.SUSPICIOUS, "permission": Permission(uses=frozenset({Use.READ}))
    }  # fmt: skip
    kept = {name: worse[name] for name in worse if name in better}
    world = World().holds("worse", says=((A, "1", 0.9),), **kept)  # type: ignore[arg-type]  # by name
    world.holds("better", says=((A, "1", 0.9),), **better)  # type: ignore[arg-type]  # by name
    assert names(world.packed(100)) == ["better"]


def test_a_bundle_is_addressed_by_what_it_shows_and_in_which_order() -> None:
    world = World().holds("a", says=((A, "1", 0.9),)).holds("b", says=((A, "2", 0.8),))
    assert world.packed(200).hash() == world.packed(250).hash()
    assert world.packed(200).hash() != world.packed(100).hash()


def test_a_ranking_limits_and_orders_what_was_not_judged() -> None:
    world = World().holds("a").holds("b").holds("c")
    bundle = world.packed(100, ranking=(PassageId("c"), PassageId("a"), PassageId("gone")))
    assert names(bundle) == ["c"]
    assert why(bundle) == {"a": Why.NO_ROOM}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 400), st.integers(0, 3), st.sampled_from(["", "d1", "d2"]), st.sampled_from([A, B]),
            st.sampled_from(["", "1", "2"]), st.floats(0.1, 1.0), st.booleans(),
        ),
        max_size=10,
    ),
    st.integers(0, 900),
)  # fmt: skip
def test_no_bundle_passes_its_limit_and_every_readable_passage_is_packed_or_accounted_for(
    drawn: list[tuple[int, int, str, ClaimId, str, float, bool]], limit: int
) -> None:
    world = World()
    for i, (tokens, copies, document, claim, value, score, judged) in enumerate(drawn):
        signature = tuple(range(copies * 100, copies * 100 + 64)) if copies else ()
        says = ((claim, value, score),) if judged else ()
        world.holds(f"p{i}", tokens, document=document, signature=signature, says=says, place=(i * 40, i * 40 + 100))
    bundle = world.packed(limit, first=(A, B))
    assert bundle.tokens == sum(p.tokens for p in bundle.packed) <= limit
    assert {*names(bundle), *why(bundle)} == set(world.ledger.passages)
    assert len(bundle.packed) + len(bundle.left_out) == len(world.ledger.passages)
    merged = [m for p in bundle.packed for m in p.merged]
    assert {left.passage for left in bundle.left_out if left.why is Why.DUPLICATE} >= set(merged)
