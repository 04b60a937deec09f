"""O-17: one text is held once, paid for once and shown once, however many lists and rounds bring it."""

from dataclasses import replace
from typing import Any

from satisfice.adapters.corpora.signatures import SIGNED_BY, signature
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.context import Bundle, Why, pack
from satisfice.core.evidence import Judgement
from satisfice.core.facts import SearchFinished, Thought
from satisfice.core.ids import ClaimId, PassageId, SourceId
from satisfice.core.passages import Passage
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_corpus import ANYONE, SOURCE, whole, windows
from satisfice.testing.scripted import Reply, ScriptedRetriever

WORDS, VECTORS = SourceId("words"), SourceId("vectors")
CLAIMS = [Claim(ClaimId("a"), "alpha", "alpha"), Claim(ClaimId("b"), "beta", "beta")]


def chunk(name: str, *, first: int = 0, document: str = "", **where: object) -> Passage:
    """200 tokens: a hundred words that no other document has, from the given one on."""
    document = document or name
    text = " ".join(f"{document}w{n}" for n in range(first, first + 100))
    made = passage(name, text, document=document, tokens=200, **where)
    return replace(made, signature=signature(text), signature_by=SIGNED_BY)


C1, C3, C4, C5, C6 = (chunk(f"c{n}") for n in (1, 3, 4, 5, 6))
C2 = chunk("c2", start=0, end=1_000)
C2B = chunk("c2b", first=20, document="c2", start=200, end=1_200)


def asks_again(view: View) -> Thought:
    """Nothing settles anything; after the first round there is one more search."""
    asked = any(past.query.text == "alpha more" for past in view.queries)
    more = () if asked else (search("alpha more", "a", source=WORDS),)
    return Thought(
        judgements=tuple(Judgement(c.id, 0.1) for c in view.claims),
        judged=tuple(p.id for p in view.passages),
        proposals=more,
    )


async def two_rounds(clock: FakeClock) -> tuple[Run, tuple[ScriptedRetriever, ScriptedRetriever]]:
    """Round 1 asks both lists at once, and the second answers first."""
    words = ScriptedRetriever(
        {"alpha": Reply((C1, C2, C3), delay_ms=50), "alpha more": Reply((C1, C5, C6))},
        clock=clock,
        profile=SourceProfile(WORDS, passage_tokens=200),
    )
    vectors = ScriptedRetriever(
        {"beta": Reply((C1, C4, C2B), delay_ms=20)}, clock=clock, profile=SourceProfile(VECTORS, passage_tokens=200)
    )
    plan = planned(claims=CLAIMS, proposals=[search("alpha", "a", source=WORDS), search("beta", "b", source=VECTORS)])
    async with clock.running():
        run = await drive(
            world(clock, [words, vectors], reasoner(plan, asks_again)),
            started("alpha beta", retrievers=[words, vectors], budget={"evidence_tokens": 1_000}),
        )
    assert_sound(run, words, vectors)
    return run, (words, vectors)


def bundle(run: Run) -> Bundle:
    started_with = run.state.started
    limit = started_with.task.limits()[Dimension.EVIDENCE_TOKENS]
    return pack(run.state.ledger, started_with.principal, limit, started_with.policy.near_duplicate)


async def test_o_17_the_context_holds_five_different_texts(clock: FakeClock) -> None:
    run, _ = await two_rounds(clock)

    packed = bundle(run)

    assert {p.passage.id for p in packed.packed} == {"c1", "c2", "c3", "c4", "c5"}
    assert packed.tokens == 1_000
    assert {p.passage.id: p.merged for p in packed.packed if p.merged} == {"c2": ("c2b",)}
    assert [(out.passage, out.why) for out in packed.left_out] == [
        ("c2b", Why.DUPLICATE),
        ("c6", Why.NO_ROOM),
    ]


async def test_o_17_a_chunk_is_charged_once_whichever_list_brings_it_first(clock: FakeClock) -> None:
    run, _ = await two_rounds(clock)

    charges = [e.fact.charge.amounts.documents for e in run.log if isinstance(e.fact, SearchFinished)]
    # What the other source was asked brings nothing and costs no passage.
    assert [n for n in charges if n] == [3, 2, 2]  # as they arrived: c1 c4 c2b, then c2 c3, then c5 c6
    spent = run.state.accounts.spent(ROOT)
    assert spent[Dimension.DOCUMENTS] == 7
    assert spent[Dimension.RETRIEVED_TOKENS] == 7 * 200


async def test_o_17_round_two_is_credited_with_two_new_chunks(clock: FakeClock) -> None:
    run, _ = await two_rounds(clock)

    tried = {query.text: (query.returned, query.new) for query in run.report().queries if query.returned}
    assert tried == {"alpha": (3, 3), "beta": (3, 2), "alpha more": (3, 2)}


async def test_o_17_every_origin_of_a_chunk_stays_visible(clock: FakeClock) -> None:
    run, _ = await two_rounds(clock)

    origins = [(q.source, q.text) for q in run.report().queries if "c1" in q.passages]
    assert origins == [("words", "alpha"), ("vectors", "beta"), ("words", "alpha more")]


async def test_o_17_the_order_is_the_same_on_every_run() -> None:
    orders: set[tuple[Any, ...]] = set()
    for _ in range(3):
        run, _ = await two_rounds(FakeClock())
        orders.add((tuple(run.report().passages), tuple(p.passage.id for p in bundle(run).packed)))

    assert len(orders) == 1


async def test_o_17_the_local_corpus_returns_a_chunk_once_though_words_and_vectors_find_it(
    shelf: Any, embedder: Any
) -> None:
    text = " ".join(f"The refund window number {n} is {n} days long." for n in range(40))
    overlapping = windows(whole("overlap", text), (0, 400), (80, 480), (400, 800))
    others = [whole(f"d{n}", f"Refunds of plan {n} take {n} days.") for n in range(3)]
    query = Query("refund window days", SOURCE)
    async with shelf.holding(overlapping, *others, embedder=embedder) as corpus:
        rounds = [await corpus.search(query, ANYONE, limit=5) for _ in range(3)]
        small = await corpus.search(Query("refund", SOURCE), ANYONE, limit=50)

    first = [p.id for p in rounds[0].passages]
    assert len(first) == len(set(first)) == 5
    assert all([p.id for p in hits.passages] == first for hits in rounds)
    handles = [h.id for h in rounds[0].handles]
    assert len(handles) == len(set(handles))
    assert sum(h.lexical > 0 and h.cosine > 0 for h in rounds[0].handles) >= 5, "both lists found them"
    assert len(small.passages) == len({p.id for p in small.passages})
    assert PassageId("d0") in {p.id for p in small.passages}
