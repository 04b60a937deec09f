"""O-06: Chinese, Japanese and mixed questions find the sentence that answers them, and nothing else passes for a hit."""

from typing import Any

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.reasoners.extractive import ExtractiveReasoner
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import OrderDenied
from satisfice.core.orders import RefusalKind, StopReason
from satisfice.core.queries import Query
from satisfice.runtime.engine import Run
from satisfice.testing.bench import planned, reasoner
from satisfice.testing.building import drive, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_corpus import ANYONE, SOURCE, whole

REFUND_ZH = whole("refund-zh", "年度套餐的退款期限为十四天", title="一")
INVOICE_ZH = whole("invoice-zh", "发票可在账单页面下载", title="二")
REFUND_JA = whole("refund-ja", "年間プランの返金期限は十四日です", title="三")
ENGLISH = (
    whole("refund-en", "The refund window for annual plans is fourteen days."),
    whole("plans-en", "Annual plans and monthly plans are billed in advance."),
    whole("support-en", "Support answers questions on refunds within two days."),
)
CORPUS = (REFUND_ZH, INVOICE_ZH, REFUND_JA, *ENGLISH)

SAME = [
    ("invoice 下载", "ｉｎｖｏｉｃｅ　下载"),
    ("プラン 返金期限", "ﾌﾟﾗﾝ 返金期限"),
    ("API 14 退款期限", "ＡＰＩ １４ 退款期限"),
]
NO_MATCH = "火星移民签证"


@pytest.fixture(params=["words", "words and vectors"])
def vectors(request: pytest.FixtureRequest, embedder: Any) -> Any:
    """With and without an embedder: neither may hide what the other does."""
    return embedder if request.param == "words and vectors" else None


async def ids(corpus: LocalCorpus, text: str) -> list[str]:
    hits = await corpus.search(Query(text, SOURCE), ANYONE, limit=5)
    assert all(handle.score > 0 for handle in hits.handles)
    return [str(p.id) for p in hits.passages]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("退款期限", "refund-zh"),
        ("返金期限", "refund-ja"),
        ("invoice 下载", "invoice-zh"),
        ("ｉｎｖｏｉｃｅ　下载", "invoice-zh"),
        ("ﾌﾟﾗﾝ 返金期限", "refund-ja"),
        ("ＡＰＩ １４ 退款期限", "refund-zh"),
    ],
)
async def test_o_06_the_right_sentence_is_first_with_a_score_above_zero(
    shelf: Any, vectors: Any, text: str, right: str
) -> None:
    async with shelf.holding(*CORPUS, embedder=vectors) as corpus:
        hits = await corpus.search(Query(text, SOURCE), ANYONE, limit=5)

    assert hits.passages[0].id == right
    assert hits.handles[0].id == right
    assert hits.handles[0].lexical > 0
    assert hits.handles[0].score > 0


@pytest.mark.parametrize(("half", "full"), SAME)
async def test_o_06_full_and_half_width_spellings_are_one_query(shelf: Any, vectors: Any, half: str, full: str) -> None:
    assert half != full
    assert Query(half, SOURCE).identity() == Query(full, SOURCE).identity()
    async with shelf.holding(*CORPUS, embedder=vectors) as corpus:
        assert await ids(corpus, half) == await ids(corpus, full) != []


def run_of(shelf: Any, question: str, *texts: str) -> Run:
    """A run on the corpus whose plan asks these texts."""
    clock = FakeClock()

    async def main() -> Run:
        async with shelf.holding(*CORPUS) as corpus:
            thinking = ExtractiveReasoner()
            if texts:
                plan = planned(proposals=[search(text, "c1", source=SOURCE) for text in texts])
                thinking = reasoner(plan, lambda view: supports_by_text(view, {}))
            return await drive(world(clock, [corpus], thinking), started(question, retrievers=[corpus]))

    return clock.run(main())


@pytest.mark.parametrize(("half", "full"), SAME)
def test_o_06_the_other_spelling_is_refused_as_a_repeat_and_not_searched_again(
    shelf: Any, half: str, full: str
) -> None:
    run = run_of(shelf, half, half, full)

    assert run.state.accounts.spent(ROOT)[Dimension.UNIQUE_QUERIES] == 1
    assert run.state.accounts.spent(ROOT)[Dimension.QUERIES] == 1
    refused = [e.fact.refusal.kind for e in run.log if isinstance(e.fact, OrderDenied)]
    assert refused == [RefusalKind.DUPLICATE]


async def test_o_06_a_chinese_query_that_matches_nothing_has_no_hits(shelf: Any) -> None:
    async with shelf.holding(*CORPUS) as corpus:
        assert await ids(corpus, NO_MATCH) == []


async def test_o_06_vectors_bring_no_zero_score_chunks_for_a_query_that_matches_nothing(
    shelf: Any, embedder: Any
) -> None:
    async with shelf.holding(*CORPUS, embedder=embedder) as corpus:
        hits = await corpus.search(Query(NO_MATCH, SOURCE), ANYONE, limit=5)

    assert hits.passages == ()
    assert hits.handles == ()


@pytest.mark.parametrize("text", ["refund window annual plans", "how are annual plans billed", "support on refunds"])
async def test_o_06_english_ranking_is_unchanged_by_the_other_scripts(shelf: Any, vectors: Any, text: str) -> None:
    async with shelf.holding(*ENGLISH, embedder=vectors) as corpus:
        alone = await ids(corpus, text)
    async with shelf.holding(*CORPUS, embedder=vectors) as corpus:
        together = await ids(corpus, text)

    english = [name for name in together if name.endswith("-en")]
    assert alone
    assert english == alone
    assert together[: len(alone)] == alone


@pytest.mark.parametrize(
    ("question", "right"), [("退款期限是多少天？", "refund-zh"), ("返金期限は何日ですか？", "refund-ja")]
)
def test_o_06_a_whole_run_takes_the_sentence_as_evidence(shelf: Any, question: str, right: str) -> None:
    report = run_of(shelf, question).report()

    assert report.queries[0].passages[0] == right
    assert right in {item.span.passage_id for item in report.evidence}


def test_o_06_a_whole_run_on_a_question_that_matches_nothing_has_no_evidence(shelf: Any) -> None:
    report = run_of(shelf, "火星移民签证怎么申请？").report()

    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert report.answer is None
    assert report.evidence == ()
    assert report.passages == {}
