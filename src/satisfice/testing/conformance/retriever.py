"""What every `Retriever` must do. Subclass a suite in a test module and provide the fixture `holding`.

`RetrieverConformance` holds for anything that returns passages, however it finds them: for a source that is asked "refunds"
and returns whatever it has. `SearchConformance` is for sources that search text by words and keep the filters themselves.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from satisfice.core.access import Permission, Principal, may_read
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.passages import Passage
from satisfice.core.queries import Filters
from satisfice.core.sources import Authority
from satisfice.core.text import search_terms
from satisfice.ports.retriever import MAX_HANDLES, Hits, Retriever
from satisfice.testing.conformance.example_corpus import (
    ANYONE,
    INSIDER,
    STAFF,
    STRANGER,
    Whole,
    asking,
    detailed,
    handbook,
    whole,
    windows,
)

Holding = Callable[[Sequence[Whole]], Awaitable[Retriever]]
"""Gives an open retriever that holds these documents."""


def ids(hits: Hits) -> list[str]:
    """The passages that came with text, in order."""
    return [passage.id for passage in hits.passages]


def passages_of(documents: Sequence[Whole]) -> list[Passage]:
    return [passage for _, passages in documents for passage in passages]


class RetrieverConformance:
    """Access, limits and order."""

    async def test_a_search_gives_what_the_caller_may_read_and_nothing_else(self, holding: Holding) -> None:
        documents = handbook()
        retriever = await holding(documents)

        for reader in (ANYONE, INSIDER, STRANGER):
            hits = await retriever.search(asking("refunds"), reader, limit=10)
            may = {p.id for p in passages_of(documents) if may_read(reader, p.provenance.permission)}

            assert hits.passages
            assert set(ids(hits)) <= may
            assert {handle.id for handle in hits.handles} <= may

    async def test_nothing_in_a_reply_names_what_is_hidden(self, holding: Holding) -> None:
        plain = whole("open", "Refunds are explained by Zelda in the Foreign office.", title="Open")
        retriever = await holding([*handbook(), plain])

        reply = repr(await retriever.search(asking("refunds"), ANYONE, limit=10))

        for hidden in ("secret", "foreign", "approved", "Abroad", "kept"):
            assert hidden not in reply

    async def test_the_passages_are_the_first_of_the_handles(self, holding: Holding) -> None:
        retriever = await holding(handbook())

        hits = await retriever.search(asking("refunds"), INSIDER, limit=2)

        assert 0 < len(hits.passages) <= 2
        assert ids(hits) == [handle.id for handle in hits.handles[: len(hits.passages)]]

    async def test_limits_are_kept(self, holding: Holding) -> None:
        retriever = await holding([whole(f"n{n:02}", f"Refunds, note {n} of many.") for n in range(80)])

        for limit, handles in ((1, 5), (5, 5), (3, 64)):
            hits = await retriever.search(asking("refunds"), ANYONE, limit=limit, handles=handles)

            assert len(hits.passages) == limit
            assert len(hits.handles) <= handles
        assert len((await retriever.search(asking("refunds"), ANYONE, limit=5)).handles) <= MAX_HANDLES

    async def test_handles_say_what_reading_would_cost(self, holding: Holding) -> None:
        documents = handbook()
        retriever = await holding(documents)
        known = {passage.id: passage for passage in passages_of(documents)}

        for handle in (await retriever.search(asking("refunds"), INSIDER, limit=2)).handles:
            assert handle.tokens == known[handle.id].tokens
            assert handle.title == known[handle.id].provenance.title
            assert handle.document_id == known[handle.id].provenance.document_id

    async def test_the_same_search_gives_the_same_reply(self, holding: Holding) -> None:
        retriever = await holding(handbook())

        first = await retriever.search(asking("refunds annual plans"), INSIDER, limit=3)

        assert await retriever.search(asking("refunds annual plans"), INSIDER, limit=3) == first

    async def test_searches_of_different_callers_at_once_do_not_mix(self, holding: Holding) -> None:
        tags = [f"team{n}" for n in range(12)]
        retriever = await holding(
            [whole(tag, f"Refunds, word of {tag}.", permission=Permission(tags=frozenset({tag}))) for tag in tags]
        )

        replies = await asyncio.gather(
            *(
                retriever.search(asking("refunds"), Principal(tag, tags=frozenset({tag})), limit=5)
                for tag in tags
                for _ in range(3)
            )
        )

        assert [ids(reply) for reply in replies] == [[tag] for tag in tags for _ in range(3)]

    async def test_passages_come_back_exactly_as_they_were_put(self, holding: Holding) -> None:
        documents = [detailed()]
        retriever = await holding(documents)
        reader = Principal("ana", "acme", frozenset({"eu"}))

        (found,) = await retriever.look_up([documents[0][1][0].id], reader)

        assert found == documents[0][1][0]

    async def test_a_look_up_keeps_the_order_and_leaves_out_what_it_must(self, holding: Holding) -> None:
        retriever = await holding(handbook())
        wanted = [PassageId(name) for name in ("plans/1", "nowhere", "secret", "kept", "plans", "foreign")]

        assert [p.id for p in await retriever.look_up(wanted, ANYONE)] == ["plans/1", "plans"]
        assert [p.id for p in await retriever.look_up(wanted, INSIDER)] == ["plans/1", "secret", "plans"]
        assert [p.id for p in await retriever.look_up(wanted, STRANGER)] == ["foreign"]
        assert list(await retriever.look_up([], ANYONE)) == []

    async def test_neighbours_are_the_passages_around_one_without_itself(self, holding: Holding) -> None:
        retriever = await holding([whole("long", "Refunds one.", "Two.", "Three.", "Four.", "Five."), *handbook()])

        async def near(id_: str, reader: Principal = ANYONE, around: int = 1) -> list[str]:
            return [p.id for p in await retriever.neighbours(PassageId(id_), reader, around=around)]

        assert await near("long/2") == ["long/1", "long/3"]
        assert await near("long/2", around=2) == ["long", "long/1", "long/3", "long/4"]
        assert await near("long") == ["long/1"]
        assert await near("long/4") == ["long/3"]
        assert await near("nowhere") == []

    async def test_versions_are_those_of_readable_documents(self, holding: Holding) -> None:
        documents = handbook()
        retriever = await holding(documents)
        everything = [document.id for document, _ in documents] + [DocumentId("nowhere")]
        hashes = {document.id: document.content_hash for document, _ in documents}

        assert dict(await retriever.versions(everything, ANYONE)) == {"plans": hashes[DocumentId("plans")]}
        assert set(await retriever.versions(everything, INSIDER)) == {"plans", "secret"}
        assert set(await retriever.versions(everything, STRANGER)) == {"foreign", "foreign-staff"}


class SearchConformance(RetrieverConformance):
    """Words, filters, statistics and repeats."""

    # --- finding -----------------------------------------------------------------------------------------------------

    async def test_more_of_the_words_come_first(self, holding: Holding) -> None:
        retriever = await holding(
            [
                whole("one", "The annual report of the garden club."),
                whole("both", "An annual plan is refunded within fourteen days."),
                whole("none", "Nothing of interest here."),
            ]
        )

        hits = await retriever.search(asking("annual refund"), ANYONE, limit=5)

        assert ids(hits)[:2] == ["both", "one"]
        assert "none" not in ids(hits)
        assert all(0.0 < handle.score <= 1.0 for handle in hits.handles)
        assert [handle.score for handle in hits.handles] == sorted((h.score for h in hits.handles), reverse=True)

    async def test_handles_name_the_terms_that_were_found(self, holding: Holding) -> None:
        retriever = await holding(handbook())

        hits = await retriever.search(asking("annual refund of unicorns"), ANYONE, limit=5)

        matched = {handle.id: set(handle.matched) for handle in hits.handles}
        annual, refund = search_terms("annual")[0], search_terms("refund")[0]
        assert matched[PassageId("plans")] == {annual, refund}
        assert matched[PassageId("plans/1")] == {refund}

    @pytest.mark.parametrize("nothing", ["unicorns", "天気予報", "zzz-404", "", "  ", "?!", "\ud800"])
    async def test_no_match_is_no_hit_and_the_passages_are_still_counted(self, holding: Holding, nothing: str) -> None:
        retriever = await holding(handbook())

        hits = await retriever.search(asking(nothing), ANYONE, limit=5)

        assert (hits.passages, hits.handles, hits.readable) == ((), (), 2)

    async def test_an_empty_source_gives_an_empty_reply(self, holding: Holding) -> None:
        retriever = await holding([])

        hits = await retriever.search(asking("refunds"), ANYONE, limit=5)

        assert (hits.passages, hits.handles, hits.readable) == ((), (), 0)

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("退款期限", "zh"),
            ("返金期限", "ja"),
            ("invoice 下载", "zh-invoice"),
            ("ｉｎｖｏｉｃｅ　下载", "zh-invoice"),  # full width
            ("ﾌﾟﾗﾝ", "ja"),  # half width
            ("refund", "en"),
            ("ＲＥＦＵＮＤ", "en"),
            ("cafe", "fr"),
            ("CAFÉ", "fr"),
            ("الفاتورة", "ar"),
            ("환불", "ko"),
        ],
    )
    async def test_every_script_is_found(self, holding: Holding, query: str, first: str) -> None:
        retriever = await holding(
            [
                whole("zh", "年度套餐的退款期限为十四天"),
                whole("zh-invoice", "发票可在账单页面下载"),
                whole("ja", "年間プランの返金期限は十四日です"),
                whole("en", "Refunds are granted within fourteen days."),
                whole("fr", "Le café rembourse en quatorze jours."),
                whole("ar", "يمكن تنزيل الفاتورة من صفحة الحساب."),
                whole("ko", "연간 요금제의 환불 기한은 14일입니다."),
            ]
        )

        hits = await retriever.search(asking(query), ANYONE, limit=5)

        assert hits.handles[0].id == first
        assert hits.handles[0].score > 0.0

    @pytest.mark.parametrize("identifier", ["E1042", "e1042", "SLA-7", "--no-cache", "v2.1", "foo.bar_baz", "§ 7a"])
    async def test_identifiers_are_found_as_they_stand(self, holding: Holding, identifier: str) -> None:
        others = [whole(f"o{n}", f"Error E{n} under SLA-{n + 20}, v3.{n}, --cache no, foo {n}.") for n in range(8)]
        it = whole("it", "Error E1042 under SLA-7: see § 7a of v2.1, pass --no-cache to foo.bar_baz.")
        retriever = await holding([*others, it])

        assert (await retriever.search(asking(identifier), ANYONE, limit=5)).handles[0].id == "it"

    async def test_titles_and_headings_are_searched(self, holding: Holding) -> None:
        retriever = await holding(
            [
                whole("body", "The word vacation is in here, among many others that say nothing."),
                whole("title", "Twenty-five days a year.", title="Vacation"),
                whole("heading", "Twenty-five days.", headings=("People", "Vacation")),
            ]
        )

        hits = await retriever.search(asking("vacation"), ANYONE, limit=5)

        assert set(ids(hits)) == {"body", "title", "heading"}
        assert ids(hits)[-1] == "body"

    async def test_weights_refine_the_order(self, holding: Holding) -> None:
        retriever = await holding([whole("a", "Alpha gamma delta."), whole("b", "Beta gamma delta.")])
        alpha, beta = (search_terms(word)[0] for word in ("alpha", "beta"))

        for weights, order in (
            (((alpha, 3.0), (beta, 1.0)), ["a", "b"]),
            (((alpha, 1.0), (beta, 3.0)), ["b", "a"]),
            (((alpha, 0.0), (beta, 1.0)), ["b"]),
        ):
            assert ids(await retriever.search(asking("alpha beta", weights=weights), ANYONE, limit=5)) == order

    # --- filters -----------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (Filters((("region", ("eu",)),)), {"eu-old", "both"}),
            (Filters((("region", ("eu", "us")),)), {"eu-old", "both", "us-new"}),
            (Filters((("region", ("eu",)), ("plan", ("annual",)))), {"both"}),
            (Filters((("colour", ("red",)),)), set[str]()),
            (Filters(published_from="2026-01-01"), {"us-new", "both"}),
            (Filters(published_to="2024-12-31"), {"eu-old"}),
            (Filters(published_from="2026-03-05", published_to="2026-03-05"), {"both"}),
            (Filters(documents=("both", "plain")), {"both", "plain"}),
            (Filters((("region", ("eu",)),), documents=("plain",)), set[str]()),
        ],
    )
    async def test_filters_hold_for_passages_handles_and_the_count(
        self, holding: Holding, filters: Filters, expected: set[str]
    ) -> None:
        retriever = await holding(
            [
                whole("eu-old", "Refunds once.", metadata=[("region", "eu")], published_at="2024-06-01"),
                whole("us-new", "Refunds now.", metadata=[("region", "us")], published_at="2026-01-01"),
                whole(
                    "both",
                    "Refunds of late, see Plain.",
                    metadata=[("region", "eu"), ("plan", "annual")],
                    published_at="2026-03-05T18:00:00+00:00",
                ),
                whole("plain", "Refunds without a date.", title="Plain"),
            ]
        )

        hits = await retriever.search(asking("refunds", filters=filters), ANYONE, limit=10)

        assert set(ids(hits)) == expected
        assert {handle.id for handle in hits.handles} == expected
        assert hits.readable == len(expected)

    # --- what must not be told ---------------------------------------------------------------------------------------

    async def test_counts_are_those_of_the_callers_own_passages(self, holding: Holding) -> None:
        retriever = await holding(handbook())
        refund, zelda = search_terms("refunds")[0], search_terms("Zelda")[0]

        for reader, passages, refunds, zeldas in ((ANYONE, 2, 2, 0), (INSIDER, 3, 3, 1), (STRANGER, 2, 2, 0)):
            counted = await retriever.statistics([refund, zelda], reader)

            assert counted.passages == passages
            assert dict(counted.containing) == {refund: refunds, zelda: zeldas}

    async def test_hidden_passages_do_not_move_a_score(self, holding: Holding) -> None:
        mine = [whole("a", "Refunds of annual plans."), whole("b", "Annual plans of many kinds.")]
        hidden = [
            whole(f"h{n}", "Refunds, annual refunds, more refunds.", permission=Permission("other", STAFF))
            for n in range(9)
        ]

        alone = await (await holding(mine)).search(asking("annual refunds"), ANYONE, limit=5)
        among = await (await holding([*mine, *hidden])).search(asking("annual refunds"), ANYONE, limit=5)

        assert [(h.id, h.score, h.lexical) for h in among.handles] == [
            (h.id, h.score, h.lexical) for h in alone.handles
        ]

    async def test_links_lead_only_to_readable_passages(self, holding: Holding) -> None:
        retriever = await holding(
            [
                whole("start", "Refunds are handled by the Billing Team and by the Fraud Squad."),
                whole("team", "They sit in Oslo.", title="Billing Team"),
                whole("squad", "They sit in Rome.", title="Fraud Squad", permission=Permission(tags=STAFF)),
            ]
        )

        for reader, targets in ((ANYONE, {"team"}), (INSIDER, {"team", "squad"})):
            hits = await retriever.search(asking("refunds"), reader, limit=5)

            assert {link.target for handle in hits.handles for link in handle.links} <= targets

    # --- repeats -----------------------------------------------------------------------------------------------------

    async def test_copies_of_one_text_fill_one_place(self, holding: Holding) -> None:
        text = "The refund window of annual plans is fourteen days."
        retriever = await holding(
            [
                whole("forum", text),
                whole("policy", text, authority=Authority.OFFICIAL),
                whole("mirror", text.upper()),
                whole("other", "A refund of monthly plans is not possible."),
            ]
        )

        hits = await retriever.search(asking("refund annual plans"), ANYONE, limit=3)

        assert ids(hits) == ["policy", "other"]

    async def test_overlapping_windows_fill_one_place(self, holding: Holding) -> None:
        text = "Refunds of annual plans take fourteen days. " * 5
        half = len(text) // 2
        overlapping = windows(
            whole("long", text), (0, half), (half // 5, half + half // 5), (half + half // 5, len(text))
        )
        retriever = await holding([overlapping])

        hits = await retriever.search(asking("refunds annual"), ANYONE, limit=3)

        assert len(hits.passages) == 2
        assert not {"long/0", "long/1"} <= set(ids(hits))

    async def test_texts_that_differ_in_a_number_are_no_copies(self, holding: Holding) -> None:
        retriever = await holding(
            [whole("old", "The refund window is 14 days."), whole("new", "The refund window is 30 days.")]
        )

        assert set(ids(await retriever.search(asking("refund window"), ANYONE, limit=5))) == {"old", "new"}
