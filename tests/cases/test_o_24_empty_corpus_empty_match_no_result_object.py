"""O-24: nothing to search, nothing that matches and nothing returned are ordinary outcomes, and cheap ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.reasoners.extractive import ExtractiveReasoner
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import OrderDenied
from satisfice.core.orders import RefusalKind, StopReason
from satisfice.core.queries import NO_FILTERS, Filters, Query
from satisfice.core.report import RunReport
from satisfice.errors import RetrieverError
from satisfice.ports.reasoner import Reasoner
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_corpus import ANYONE, SOURCE, Whole, whole
from satisfice.testing.scripted import Reply, ScriptedRetriever

QUESTION = "How long is the refund window?"
REFUNDS = whole("refunds", "The refund window is 14 days long.", metadata=[("lang", "en")])
BLANK = (whole("blank", "")[0], ())
WORDINGS = [search(text, "c1") for text in (QUESTION, "refund window long", "refund window length in days")]


def scripted() -> Reasoner:
    """Wants three searches, whatever comes back."""
    return reasoner(planned(proposals=WORDINGS), lambda view: supports_by_text(view, {"14 days": "c1"}))


def on_corpus(
    shelf: Any, *documents: Whole, embedder: Any = None, filters: Filters = NO_FILTERS, thinking: Reasoner | None = None
) -> Run:
    """A run on a real corpus."""
    clock = FakeClock()

    async def main() -> Run:
        async with shelf.holding(*documents, embedder=embedder) as corpus:
            if embedder is not None:
                embedder.texts = 0
            bound = world(clock, [corpus], thinking or scripted())
            return await drive(bound, started(QUESTION, retrievers=[corpus], filters=filters))

    return clock.run(main())


async def on_script(clock: FakeClock, replies: Reply | Sequence[Reply], **more: Any) -> tuple[RunReport, Run, int]:
    """A run on a scripted source."""
    retriever = ScriptedRetriever(clock=clock, otherwise=replies)
    async with clock.running():
        run = await drive(world(clock, [retriever], scripted()), started(QUESTION, retrievers=[retriever], **more))
    assert_sound(run, retriever)
    return run.report(), run, len(retriever.calls)


EMPTY_ONES = [
    pytest.param((), NO_FILTERS, id="a: no documents"),
    pytest.param((REFUNDS,), Filters((("lang", ("fr",)),)), id="b: a filter that matches none"),
    pytest.param((BLANK,), NO_FILTERS, id="e: one document without text"),
]


@pytest.mark.parametrize("thinking", [scripted, ExtractiveReasoner], ids=["scripted", "extractive"])
@pytest.mark.parametrize(("documents", "filters"), EMPTY_ONES)
def test_o_24_nothing_to_find_is_no_authority_after_one_search(
    shelf: Any, documents: tuple[Whole, ...], filters: Filters, thinking: Any
) -> None:
    run = on_corpus(shelf, *documents, filters=filters, thinking=thinking())

    report = run.report()
    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert report.answer is None
    assert report.evidence == ()
    assert run.state.accounts.spent(ROOT)[Dimension.QUERIES] == 1
    assert all(sent.query.filters == filters for sent in run.state.sent.values()), "the filter was not loosened"
    kinds = {e.fact.refusal.kind for e in run.log if isinstance(e.fact, OrderDenied)}
    assert kinds <= {RefusalKind.NOTHING_NEW, RefusalKind.DUPLICATE}


async def test_o_24_a_source_that_says_it_holds_nothing_is_not_asked_again(clock: FakeClock) -> None:
    report, run, calls = await on_script(clock, Reply(readable=0))

    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert calls == 1
    refused = [e.fact.refusal for e in run.log if isinstance(e.fact, OrderDenied)]
    assert [refusal.kind for refusal in refused] == [RefusalKind.NOTHING_NEW] * 2


async def test_o_24_a_narrower_query_that_matches_nothing_says_nothing_about_the_whole(clock: FakeClock) -> None:
    """The first search narrows to a language in which there is nothing; the whole scope still holds the answer."""
    narrow = Query("refund window", SOURCE, filters=Filters((("lang", ("fr",)),)))
    first, second = (search(text, "c1") for text in ("refund window", QUESTION))
    found = Reply((passage("p", "The refund window is 14 days long."),), readable=1)
    retriever = ScriptedRetriever({"refund window": Reply(readable=0), QUESTION: found}, clock=clock)
    plan = planned(proposals=[replace(first, query=narrow), second])
    thinking = reasoner(plan, lambda view: supports_by_text(view, {"14 days": "c1"}))
    async with clock.running():
        run = await drive(world(clock, [retriever], thinking), started(QUESTION, retrievers=[retriever]))

    assert_sound(run, retriever)
    assert len(retriever.calls) == 2
    assert run.report().stop is StopReason.SUFFICIENT


async def test_o_24_no_result_object_is_an_empty_result_with_a_warning(clock: FakeClock) -> None:
    report, _, calls = await on_script(clock, Reply(nothing=True))

    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert "docs returned no result object; treated as empty" in report.notes
    assert calls <= 3


async def test_o_24_a_source_that_raises_twice_is_retried_and_then_answers(clock: FakeClock) -> None:
    down = Reply(error=RetrieverError("docs", "busy", retryable=True))
    found = Reply((passage("p", "The refund window is 14 days long."),))

    report, run, calls = await on_script(clock, [down, down, found])

    assert report.stop is StopReason.SUFFICIENT
    assert report.answer == "14 days"
    assert calls == 3
    assert run.state.accounts.spent(ROOT)[Dimension.QUERIES] == 3
    assert run.state.accounts.spent(ROOT)[Dimension.UNIQUE_QUERIES] == 1


@pytest.mark.parametrize(("queries", "stop"), [(24, StopReason.SOURCE_UNAVAILABLE), (2, StopReason.BUDGET_EXHAUSTED)])
async def test_o_24_a_source_that_keeps_failing_is_unavailable_and_retried_within_the_limits(
    clock: FakeClock, queries: int, stop: StopReason
) -> None:
    down = Reply(error=RetrieverError("docs", "busy", retryable=True))

    report, _, calls = await on_script(clock, down, budget={"queries": queries})

    assert report.stop is stop
    assert StopReason.SOURCE_UNAVAILABLE in {report.stop, *report.also}
    assert calls <= queries
    assert report.answer is None


async def test_o_24_a_source_that_raises_what_is_not_ours_is_unavailable_as_well(clock: FakeClock) -> None:
    class Broken(ScriptedRetriever):
        async def search(self, *arguments: Any, **options: Any) -> Any:
            await super().search(*arguments, **options)
            return 1 / 0

    retriever = Broken(clock=clock)
    async with clock.running():
        run = await drive(world(clock, [retriever], scripted()), started(QUESTION, retrievers=[retriever]))

    assert_sound(run, retriever)
    assert run.report().stop is StopReason.SOURCE_UNAVAILABLE
    assert any("ZeroDivisionError" in note for note in run.report().notes)


async def test_o_24_a_top_k_beyond_the_corpus_gives_fewer_hits_and_no_padding(shelf: Any, embedder: Any) -> None:
    others = whole("support", "Support answers refund questions.")
    async with shelf.holding(REFUNDS, others, embedder=embedder) as corpus:
        hits = await corpus.search(Query("refund", SOURCE, top_k=50), ANYONE, limit=50)

    assert {p.id for p in hits.passages} == {"refunds", "support"}
    assert len(hits.passages) == len(hits.handles) == 2
    assert all(handle.score > 0 for handle in hits.handles)


def test_o_24_an_empty_corpus_costs_no_embedding(shelf: Any, embedder: Any) -> None:
    run = on_corpus(shelf, embedder=embedder)

    assert run.report().stop is StopReason.NO_AUTHORITY_FOUND
    assert embedder.texts == 0


async def test_o_24_a_corpus_that_was_emptied_costs_none_and_one_that_was_filled_again_does(
    shelf: Any, embedder: Any
) -> None:
    async with shelf.holding(REFUNDS, embedder=embedder) as corpus:
        await corpus.begin()
        await corpus.delete([REFUNDS[0].id])
        await corpus.commit()
        embedder.texts = 0
        assert (await corpus.search(Query(QUESTION, SOURCE), ANYONE, limit=5)).readable == 0
        assert embedder.texts == 0

        await corpus.begin()
        await corpus.put(*REFUNDS)
        await corpus.commit()
        hits = await corpus.search(Query(QUESTION, SOURCE), ANYONE, limit=5)
        assert [handle.cosine > 0 for handle in hits.handles] == [True]


async def test_o_24_searching_an_empty_corpus_says_that_nothing_is_readable(shelf: Any) -> None:
    async with shelf.holding() as corpus:
        assert isinstance(corpus, LocalCorpus)
        hits = await corpus.search(Query(QUESTION, SOURCE), ANYONE, limit=5)
        statistics = await corpus.statistics(("refund",), ANYONE)

    assert (hits.passages, hits.handles, hits.readable) == ((), (), 0)
    assert (statistics.passages, dict(statistics.containing)) == (0, {"refund": 0})
