"""Scores, fusion and repeats, without a store."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.adapters.corpora.ranking import (
    COSINE_SHARE,
    Background,
    Candidate,
    Scored,
    WordsScore,
    inverse_frequency,
    scored,
    without_repeats,
    words_score,
)


def candidate(row: int, body: str = "alpha beta", head: str = "", **more: object) -> Candidate:
    whole = f"{head} {body}".strip()
    made = Candidate(row, f"p{row}", b"d%d" % row, b"title", 0, 10, 0, len(body), len(whole.split()), head, whole)
    return made._replace(**more)


def hit(row: int, score: float, body: str, **more: object) -> Scored:
    return Scored(candidate(row, body, **more), score, score, 0.0, ())


@dataclass
class Ids:
    """Ids of hits, in order."""

    kept: list[str]
    repeats: list[str]


def ids(hits: list[Scored]) -> Ids:
    kept, repeats = without_repeats(hits)
    return Ids([one.candidate.id for one in kept], [one.candidate.id for one in repeats])


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_rare_term_weighs_more_and_none_weighs_less_than_nothing() -> None:
    assert inverse_frequency(1_000, 1) > inverse_frequency(1_000, 500) > inverse_frequency(1_000, 1_000) > 0.0


def test_more_of_a_term_is_better_and_ever_less_so() -> None:
    once, twice, often = (
        words_score(candidate(1, f"{'alpha ' * n}{'other ' * (9 - n)}"), {"alpha": 1.0}, 9.0).score for n in (1, 2, 9)
    )

    assert once < twice < often
    assert twice - once > (often - twice) / 7


def test_a_long_passage_needs_more_of_a_term() -> None:
    short = words_score(candidate(1, "alpha beta"), {"alpha": 1.0}, 50.0)
    long = words_score(candidate(2, "alpha " + "other " * 200), {"alpha": 1.0}, 50.0)

    assert short.score > long.score


def test_a_term_in_the_head_counts_half_again() -> None:
    terms = {"alpha": 1.0}
    plain = words_score(candidate(1, "alpha alpha beta gamma"), terms, 4.0)
    headed = words_score(candidate(2, "alpha beta gamma", head="alpha"), terms, 4.0)

    assert headed.score > plain.score
    assert headed.matched == plain.matched == ("alpha",)


def test_terms_match_whole_and_repeats_in_a_row_count() -> None:
    assert words_score(candidate(1, "alphabet alpha-1"), {"alpha": 1.0}, 2.0).matched == ()
    assert (
        words_score(candidate(1, "alpha alpha"), {"alpha": 1.0}, 2.0).score
        > words_score(candidate(1, "alpha beta"), {"alpha": 1.0}, 2.0).score
    )


# --- fusion -----------------------------------------------------------------------------------------------------------


def test_without_vectors_the_best_word_score_is_one() -> None:
    hits = scored([candidate(1), candidate(2)], [WordsScore(2.0, ("a",)), WordsScore(4.0, ("a",))], 4.0)

    assert [(one.candidate.row, one.score, one.lexical) for one in hits] == [(2, 1.0, 4.0), (1, 0.5, 2.0)]


def test_cosines_decide_between_equal_words() -> None:
    words = [WordsScore(1.0, ("a",))] * 2
    hits = scored([candidate(1), candidate(2)], words, 1.0, [0.1, 0.9], Background(0.1, 0.1))

    assert [(one.candidate.row, one.score) for one in hits] == [(2, 1.0), (1, 1.0 - COSINE_SHARE)]


def test_a_passage_without_the_words_is_a_hit_only_when_it_stands_out() -> None:
    nothing = [WordsScore(0.0, ())] * 2
    hits = scored([candidate(1), candidate(2)], nothing, 1.0, [0.39, 0.41], Background(0.1, 0.1))

    assert [one.candidate.row for one in hits] == [2]
    assert hits[0].matched == ()


def test_what_is_scored_beside_the_candidates_needs_a_word() -> None:
    background = Background(0.1, 0.1)
    words = [WordsScore(0.0, ()), WordsScore(1.0, ("a",))]
    hits = scored([candidate(1), candidate(2)], words, 1.0, [0.9, 0.1], background, beside=True)

    assert [one.candidate.row for one in hits] == [2]


def test_a_background_without_spread_says_nothing() -> None:
    hits = scored([candidate(1)], [WordsScore(0.0, ())], 0.0, [0.3], Background(0.3, 0.0))

    assert hits == []


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(-1, 1)), min_size=1, max_size=8))
def test_scores_are_between_zero_and_one_and_in_order(values: list[tuple[float, float]]) -> None:
    words = [WordsScore(score, ("a",) if score else ()) for score, _ in values]
    cosines = [cosine for _, cosine in values]
    background = Background(sum(cosines) / len(cosines), 0.2)
    hits = scored([candidate(row) for row in range(len(values))], words, max(s for s, _ in values), cosines, background)

    assert all(0.0 < one.score <= 1.0 for one in hits)
    assert [one.score for one in hits] == sorted((one.score for one in hits), reverse=True)


# --- repeats ----------------------------------------------------------------------------------------------------------


def test_equal_texts_keep_the_place_of_the_best_and_the_copy_of_most_authority() -> None:
    found = ids(
        [
            hit(1, 0.9, "same text"),
            hit(2, 0.8, "other"),
            hit(3, 0.7, "same text", authority=3),
            hit(4, 0.6, "same text", authority=3),
        ]
    )

    assert found == Ids(["p3", "p2"], ["p1", "p4"])


def test_a_copy_under_another_title_is_a_copy() -> None:
    assert ids([hit(1, 0.9, "same text", head="here"), hit(2, 0.8, "same text", head="there")]) == Ids(["p1"], ["p2"])


@pytest.mark.parametrize(
    ("start", "repeated"), [(0, True), (40, True), (50, True), (51, False), (100, False), (300, False)]
)
def test_windows_of_one_document_repeat_from_half_of_the_shorter_on(start: int, repeated: bool) -> None:
    one = hit(1, 0.9, "first", document=b"d", start=0, stop=100)
    other = hit(2, 0.8, "second", document=b"d", start=start, stop=start + 100)

    assert bool(without_repeats([one, other])[1]) is repeated


def test_places_in_different_documents_are_not_compared() -> None:
    assert ids([hit(1, 0.9, "first"), hit(2, 0.8, "second")]) == Ids(["p1", "p2"], [])
