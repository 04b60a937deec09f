"""Following bridges without a model. The little world below needs two hops for every question."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.adapters.reasoners.bridge_names import names_in
from satisfice.adapters.reasoners.bridging import (
    Hop,
    Pool,
    enough,
    is_comparison,
    next_query,
    rank,
    to_read,
    wanted_terms,
)
from satisfice.adapters.reasoners.ranking import Asked, Ranking, unseen_names
from satisfice.core.claims import Claim
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.passages import Handle, Link, Passage, Provenance
from satisfice.core.queries import Lineage, Query
from satisfice.core.text import search_terms
from satisfice.ports.reasoner import PastQuery, View
from satisfice.ports.retriever import TermStatistics

SOURCE = SourceId("films")
WORLD = {
    "film": ("Night Crawler (film)", "Night Crawler is a film of June 1957. It was directed by Anna Petrova in Oslo."),
    "director": ("Anna Petrova", "Petrova (born in Varna) made films."),
    "other": ("Day Crawler", "Day Crawler is a film about a director who was born at sea."),
    "noise": ("Born", "A film by this name was directed by nobody."),
}
QUESTION = "Where was the director of Night Crawler born?"


def passage(name: str) -> Passage:
    title, text = WORLD[name]
    place = Provenance(SOURCE, DocumentId(name), name, title, 0, len(text))
    return Passage(PassageId(name), text, place, content_hash="", tokens=len(text) // 4)


def handle(name: str, score: float, question: str = QUESTION, *links: str, cosine: float = 0.0) -> Handle:
    title, text = WORLD.get(name, (name.title(), ""))
    has = frozenset(search_terms(f"{title} {text}"))
    matched = tuple(sorted(stem for stem in wanted_terms(question) if stem in has))
    named = tuple(Link(PassageId(link), 1.0, ("direct",)) for link in links)
    return Handle(PassageId(name), DocumentId(name), title, score, score, cosine, matched, named, tokens=20)


def past(*handles: Handle, lineage: Lineage | None = None, text: str = QUESTION) -> PastQuery:
    return PastQuery(Query(text, SOURCE), lineage or Lineage(), handles)


def pool(*queries: PastQuery, held: tuple[str, ...] = (), question: str = QUESTION, total: int = 1000) -> Pool:
    counts = {
        stem: 1 + sum(stem in search_terms(" ".join(pair)) for pair in WORLD.values())
        for stem in wanted_terms(question)
    }
    statistics = TermStatistics(total, counts)
    return Pool(question, queries, {PassageId(name): passage(name) for name in held}, statistics)


def order(ranking: Ranking) -> list[str]:
    return [candidate.id for candidate in ranking.candidates]


FIRST = past(handle("film", 0.9, QUESTION, "director"), handle("other", 0.7), handle("director", 0.1))


# --- ranking -------------------------------------------------------------------------------------------------------


def test_a_passage_that_a_named_passage_links_to_passes_one_with_more_of_the_words() -> None:
    assert order(rank(pool(FIRST))) == ["film", "director", "other"]
    unlinked = past(*(replace(one, links=()) for one in FIRST.handles))
    assert order(rank(pool(unlinked))) == ["film", "other", "director"]


def test_each_next_link_of_a_passage_is_worth_less() -> None:
    links = (
        Link(PassageId("a"), 1.0),
        Link(PassageId("b"), 1.0, ("direct", "birth")),
        Link(PassageId("c"), 1.0, ("direct",)),
    )
    looked = past(replace(handle("film", 1.0), links=links), *(handle(name, 0.01) for name in "abc"))
    ranking = rank(pool(looked))
    found = ranking.links[PassageId("film")]
    assert [target for target, _ in found] == ["b", "c", "a"]
    assert found[2][1] == pytest.approx(0.5 * 0.7**2)
    assert order(ranking) == ["film", "b", "c", "a"]


def test_a_passage_that_the_question_names_is_trusted_wherever_a_search_puts_it() -> None:
    looked = past(handle("noise", 1.0), handle("other", 0.5, QUESTION, "y"), handle("film", 0.2, QUESTION, "z"))
    found = order(rank(pool(past(*looked.handles, handle("y", 0.01), handle("z", 0.01)))))
    assert found.index("z") < found.index("y")


def test_equals_are_ordered_by_id_whatever_came_first() -> None:
    one, two = past(handle("b", 1.0)), past(handle("a", 1.0), text="other")
    assert order(rank(pool(one, two))) == order(rank(pool(two, one))) == ["a", "b"]


def test_hits_of_a_query_are_worth_what_the_passage_it_followed_is_worth() -> None:
    good = Lineage(depth=1, expands=PassageId("film"))
    poor = Lineage(depth=1, expands=PassageId("other"))
    first = past(handle("film", 0.9), handle("other", 0.2))
    ranking = rank(pool(first, past(handle("x", 1.0), lineage=good), past(handle("y", 1.0), lineage=poor)))
    scores = {candidate.id: candidate.score for candidate in ranking.candidates}
    assert scores[PassageId("x")] == pytest.approx(0.6 + 1.0)
    assert scores[PassageId("y")] == pytest.approx((0.6 + 1.0) * 0.2 / 0.9)


def test_finding_the_followed_passage_again_says_nothing_for_it() -> None:
    again = past(handle("film", 1.0), lineage=Lineage(depth=1, expands=PassageId("film")))
    assert rank(pool(FIRST, again)).candidates == rank(pool(FIRST)).candidates


def test_a_hit_with_a_whole_name_of_the_followed_passage_gains_by_it() -> None:
    followed = Lineage(depth=1, expands=PassageId("film"))

    def score(*matched: str) -> float:
        hit = replace(handle("x", 0.5), matched=matched)
        hits = past(handle("z", 1.0), hit, lineage=followed)
        return next(one.score for one in rank(pool(FIRST, hits, held=("film",))).candidates if one.id == "x")

    assert score("anna", "petrova") > score("oslo") > score("anna") == score()


def test_a_narrowed_query_speaks_for_less_than_a_first_look() -> None:
    narrow = past(handle("x", 1.0), lineage=Lineage(parent="p", depth=1))
    ranking = rank(pool(past(handle("y", 1.0)), narrow))
    assert [(one.id, one.first) for one in ranking.candidates] == [("y", 1.0), ("x", 0.6)]


def test_words_and_vectors_are_fused_and_either_may_be_missing() -> None:
    by_vector = past(handle("x", 0.5, cosine=0.1), handle("y", 0.45, cosine=0.9))
    assert order(rank(pool(by_vector))) == ["y", "x"]
    assert order(rank(pool(past(handle("x", 0.5), handle("y", 0.45))))) == ["x", "y"]
    scored = past(*(replace(handle(name, 0.0), score=score) for name, score in (("x", 0.2), ("y", 0.4))))
    assert order(rank(pool(scored))) == ["y", "x"]


def test_a_passage_in_hand_that_no_search_returned_is_judged_by_its_words() -> None:
    ranking = rank(pool(past(handle("noise", 0.5)), held=("film",)))
    film = next(candidate for candidate in ranking.candidates if candidate.id == "film")
    assert film.named
    assert film.first == film.cover > 0.5


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.floats(0, 1), st.floats(-1, 1), st.sampled_from("abcdef")),
        max_size=12,
        unique_by=lambda hit: hit[0],
    ),
    st.booleans(),
)
def test_everything_seen_is_ranked_once_and_equals_by_id(
    hits: list[tuple[str, float, float, str]], following: bool
) -> None:
    handles = [handle(name, score, QUESTION, link, cosine=cosine) for name, score, cosine, link in hits]
    lineage = Lineage(depth=1, expands=PassageId("a")) if following else None
    ranking = rank(pool(past(*handles), past(*reversed(handles), lineage=lineage)))
    assert sorted(order(ranking)) == sorted(name for name, *_ in hits)
    keys = [(-candidate.score, candidate.id) for candidate in ranking.candidates]
    assert keys == sorted(keys)
    assert all(0 <= candidate.cover <= 1.000001 and 0 <= candidate.first <= 1 for candidate in ranking.candidates)


def test_the_rest_is_not_worth_its_tokens_but_three_always_are() -> None:
    looked = past(handle("a", 1.0), handle("b", 0.21), handle("c", 0.05), handle("d", 0.19), handle("e", 0.01))
    assert [candidate.id for candidate in rank(pool(looked)).best(10)] == ["a", "b", "d"]
    assert [candidate.id for candidate in rank(pool(looked)).best(2)] == ["a", "b"]
    assert rank(pool()).best(10) == ()


# --- the question --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Night Crawler (film)", True),
        ("The Night Crawler", True),
        ("Crawler", True),
        ("Night", True),
        ("Born", False),
        ("Where", False),
        ("Night Crawl", False),
        ("", False),
    ],
)
def test_one_word_is_a_title_only_when_it_is_rare_or_written_as_a_name(title: str, named: bool) -> None:
    common = TermStatistics(1000, {"birth": 300, "crawl": 1, "night": 300, "direct": 300})
    assert Asked.of(QUESTION, common).names(title) is named


def test_cover_counts_rare_words_for_more() -> None:
    asked = Asked.of("born crawler", TermStatistics(1000, {"birth": 300, "crawl": 2}))
    assert asked.cover(["crawl"]) > 0.8
    assert asked.cover(["crawl", "birth", "else"]) == pytest.approx(1.0)
    assert asked.rare == {"crawl"}


def test_a_question_without_statistics_counts_every_word_alike() -> None:
    asked = Asked.of("born crawler", TermStatistics())
    assert asked.cover(["crawl"]) == pytest.approx(0.5)
    assert Asked.of("", TermStatistics()).cover(["crawl"]) == 0.0


# --- names ---------------------------------------------------------------------------------------------------------


def test_names_carry_their_sentence_and_dates_are_none() -> None:
    found = names_in(passage("film").text)
    assert [(name.text, name.sentence) for name in found] == [("Night Crawler", 0), ("Anna Petrova", 1), ("Oslo", 1)]
    assert "direct" in found[1].context


def test_unseen_names_leave_out_the_question_and_the_title_and_put_known_passages_first() -> None:
    asked = Asked.of(QUESTION, TermStatistics())
    title, text = WORLD["film"]
    plain = [name.text for _, name in unseen_names(asked, title, text, frozenset())]
    known = [name.text for _, name in unseen_names(asked, title, text, frozenset({"oslo"}))]
    assert plain == ["Anna Petrova", "Oslo"]
    assert known == ["Oslo", "Anna Petrova"]
    title, text = WORLD["director"]
    assert [name.text for _, name in unseen_names(asked, title, text, frozenset())] == ["Varna"]


# --- the next query ------------------------------------------------------------------------------------------------


def hop(found: Pool) -> Hop:
    proposed = next_query(found, rank(found))
    assert proposed is not None
    return proposed


def test_the_next_query_asks_for_what_is_missing_with_the_names_that_the_best_passage_brings_in() -> None:
    proposed = hop(pool(FIRST, held=("film", "other")))
    assert proposed.text == "born Anna Petrova Oslo"
    weights = dict(proposed.weights)
    assert weights["birth"] == weights["anna"] == 1.0
    assert weights["oslo"] == 0.8
    assert weights["crawl"] == weights["direct"] == 0.1
    lineage = proposed.lineage
    assert (lineage.expands, lineage.depth, lineage.parent) == ("film", 1, FIRST.query.identity())


def test_a_passage_is_followed_once_and_only_when_it_is_in_hand() -> None:
    assert next_query(pool(FIRST), rank(pool(FIRST))) is None
    followed = past(handle("director", 1.0), lineage=Lineage(depth=1, expands=PassageId("film")), text="born Anna")
    both = pool(FIRST, followed, held=("film", "director"))
    second = hop(both)
    assert second.lineage.expands == "director"
    assert "Varna" in second.text
    rest = pool(
        FIRST, followed, past(lineage=Lineage(depth=2, expands=PassageId("director"))), held=("film", "director")
    )
    assert next_query(rest, rank(rest)) is None


def test_after_the_first_hop_what_the_question_names_goes_first() -> None:
    first = past(handle("noise", 1.0), handle("film", 0.2), handle("other", 0.9))
    followed = past(lineage=Lineage(depth=1, expands=PassageId("noise")), text="nothing")
    titles = {PassageId("noise"): passage("noise"), PassageId("film"): passage("film")}
    rival = passage("other")
    titles[rival.id] = replace(rival, text="It was directed by Boris Ivanov, who was born in Ruse.")
    found = replace(pool(first, followed), passages=titles)
    assert hop(found).lineage.expands == "film"


def test_a_hop_is_one_deeper_than_the_query_that_found_the_passage() -> None:
    first = past(handle("film", 1.0))
    followed = past(handle("director", 1.0), lineage=Lineage(depth=1, expands=PassageId("film")), text="born Anna")
    lineage = hop(pool(first, followed, held=("director",))).lineage
    assert (lineage.depth, lineage.parent) == (2, followed.query.identity())


def test_what_ranks_high_and_is_not_in_hand_is_read() -> None:
    found = pool(FIRST, held=("film",))
    assert to_read(found, rank(found), 5) == ("director", "other")
    assert to_read(found, rank(found), 1) == ("director",)


# --- enough --------------------------------------------------------------------------------------------------------


def test_a_linked_pair_that_has_the_whole_question_is_enough() -> None:
    found = pool(FIRST)
    assert enough(found, rank(found))


def test_it_is_not_enough_without_a_link() -> None:
    unlinked = pool(past(*(replace(one, links=()) for one in FIRST.handles)))
    assert not enough(unlinked, rank(unlinked))
    assert not enough(pool(), rank(pool()))


def test_it_is_not_enough_while_much_of_the_question_is_missing_even_if_common() -> None:
    asked = QUESTION + " Plain words often seen"
    common = dict.fromkeys(wanted_terms(asked), 100)
    found = replace(pool(FIRST, question=asked), statistics=TermStatistics(1000, common))
    assert not rank(found).asked.rare
    assert not enough(found, rank(found))


def test_it_is_not_enough_while_a_rare_word_is_missing_even_if_little() -> None:
    asked = QUESTION + " Bulgarian"
    counts = dict.fromkeys(wanted_terms(QUESTION), 1)
    # one of five is about 15 % less than its share of 20 %, because it is a little more common
    found = replace(pool(FIRST, question=asked), statistics=TermStatistics(1000, {**counts, "bulgarian": 15}))
    ranking = rank(found)
    assert ranking.asked.cover(wanted_terms(QUESTION)) > 0.85
    assert not enough(found, ranking)
    common = replace(found, statistics=TermStatistics(1000, {**counts, "bulgarian": 30}))
    assert enough(common, rank(common))


def test_it_is_not_enough_while_a_named_title_ranks_low() -> None:
    asked = "Where was the director of Night Crawler born, in Oslo?"
    handles = [replace(one, matched=(*one.matched, "oslo")) for one in FIRST.handles]
    crowd = [handle(f"x{number}", 0.8 - number / 100, "") for number in range(5)]
    oslo = replace(handle("oslo", 0.001, ""), title="Oslo")
    found = pool(past(*handles, *crowd, oslo), question=asked)
    assert order(rank(found)).index("oslo") >= 6
    assert not enough(found, rank(found))
    without = pool(past(*handles, *crowd), question=asked)
    assert enough(without, rank(without))


def test_a_comparison_is_enough_when_both_sides_are_named_and_found() -> None:
    question = "Was Night Crawler or Day Crawler directed first?"
    both = pool(past(handle("film", 0.9, question), handle("other", 0.8, question)), question=question)
    assert is_comparison(question)
    assert enough(both, rank(both))
    one = pool(past(handle("film", 0.9, question)), question=question)
    assert not enough(one, rank(one))


@pytest.mark.parametrize(
    ("question", "compares"),
    [
        ("Who is older, Anna or Boris?", True),
        ("Are Varna and Oslo both ports?", True),
        ("Where were Anna and Boris born?", False),
        ("Who is the older sister of Anna?", False),
        ("", False),
    ],
)
def test_a_comparison_sets_two_things_against_each_other(question: str, compares: bool) -> None:
    assert is_comparison(question) is compares


# --- from a view ---------------------------------------------------------------------------------------------------


def test_the_pool_of_a_claim_holds_its_own_queries_and_no_failed_one() -> None:
    mine = past(handle("film", 1.0), lineage=Lineage(claim=ClaimId("c1")))
    anyones = past(handle("other", 1.0))
    others = past(handle("noise", 1.0), lineage=Lineage(claim=ClaimId("c2")))
    failed = replace(past(handle("director", 1.0)), failed=True)
    view = View(QUESTION, sources=(), as_of="", queries=(mine, anyones, others, failed), passages=(passage("film"),))
    claim = Claim(ClaimId("c1"), "Who directed Night Crawler?", "Night Crawler")
    assert Pool.of(view, claim).queries == (mine, anyones)
    assert Pool.of(view, claim).question == claim.text
    assert Pool.of(view).queries == (mine, anyones, others)
    assert Pool.of(view).question == QUESTION
    assert list(Pool.of(view).passages) == ["film"]
