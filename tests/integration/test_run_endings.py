"""How a run ends: nothing is started that was given up, and what was never called is not booked as called."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.adapters.quotas.memory import MemoryQuota
from satisfice.adapters.reasoners.extractive import ExtractiveReasoner
from satisfice.core.access import Principal
from satisfice.core.amounts import Charge, Dimension
from satisfice.core.claims import Claim
from satisfice.core.facts import (
    Classification,
    RetrievalAction,
    RouteUpgraded,
    SearchAbandoned,
    SearchStarted,
    ThinkStarted,
    Thought,
)
from satisfice.core.ids import ClaimId, PassageId, ProposalId
from satisfice.core.orders import Denied, LookUpProposal, Step, StopReason
from satisfice.core.queries import Query, ReasonCode
from satisfice.core.sources import Shape
from satisfice.core.tasks import Complexity
from satisfice.errors import EmbedderError, RetrieverError
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import View
from satisfice.ports.retriever import MAX_HANDLES, Hits, TermStatistics
from satisfice.runtime.engine import Run
from satisfice.testing.bench import MODEL, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import DOCS, drive, passage, retrieve, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever, without_text


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


class SlowQuota(MemoryQuota):
    """Shared limits that take their time over one of the holds."""

    def __init__(self, clock: FakeClock, slow_key: str, ms: int) -> None:
        super().__init__(lambda _: {})
        self._clock, self._slow_key, self._ms = clock, slow_key, ms
        self.held: set[str] = set()

    async def hold(self, key: str, path: Sequence[str], charge: Charge) -> Denied | None:
        if key == self._slow_key:
            self._slow_key = ""
            await self._clock.sleep_until(self._clock.monotonic_ms() + self._ms)
        self.held.add(key)
        return await super().hold(key, path, charge)

    async def settle(self, key: str, charge: Charge) -> None:
        self.held.discard(key)
        await super().settle(key, charge)

    async def release(self, key: str) -> None:
        self.held.discard(key)
        await super().release(key)


PLAN = planned(
    claims=[Claim(ClaimId("a"), "alpha", "alpha"), Claim(ClaimId("b"), "beta", "beta")],
    proposals=[search("alpha", "a"), search("beta", "b")],
)


async def test_what_is_given_up_before_it_was_started_is_never_started_nor_booked_as_a_call(clock: FakeClock) -> None:
    """The second hold takes until searching time is over: by then the first search is on record, and waits for its round."""
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((passage("p", "text"),)))
    quota = SlowQuota(clock, "r1:3", 970)
    made = world(clock, [retriever], reasoner(PLAN, lambda v: supports_by_text(v, {})), quota=quota, quota_path=["t"])
    first = started("alpha beta", retrievers=[retriever], budget={"wall_clock_ms": 1_000})

    async with clock.running():
        run = await drive(made, first)
        await clock.advance(20_000)

    assert run.report().stop is StopReason.DEADLINE_EXCEEDED
    assert retriever.calls == []
    assert [type(e.fact) for e in run.log if e.order == 2][1:] == [SearchAbandoned]
    assert quota.held == set()
    assert_sound(run, retriever)


async def test_a_retry_that_still_waits_when_the_run_ends_is_not_booked_as_a_call(clock: FakeClock) -> None:
    error = RetrieverError("docs", "busy", retryable=True, retry_after_ms=600)
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply(error=error, delay_ms=100))
    made = world(clock, [retriever], reasoner(PLAN, lambda v: supports_by_text(v, {})))
    first = started("alpha beta", retrievers=[retriever], budget={"wall_clock_ms": 60_000})

    async with clock.running():
        run = await Run.create(made, first)
        driving = asyncio.ensure_future(run.drive())
        await clock.advance(300)
        run.cancel()
        await driving

    assert run.report().stop is StopReason.CANCELLED
    assert [e.fact.order.attempt for e in run.log if isinstance(e.fact, SearchStarted)] == [1, 1, 2, 2]
    assert len(retriever.calls) == 2
    assert_sound(run, retriever)


class SelfCancelling(ScriptedRetriever):
    """A retriever whose own timeout ends its call by cancelling it, and lets that out."""

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        await super().search(query, principal, limit=limit, handles=handles)
        raise asyncio.CancelledError


async def test_an_adapter_that_cancels_its_own_call_has_failed_and_the_run_goes_on(clock: FakeClock) -> None:
    retriever = SelfCancelling(clock=clock)
    made = world(clock, [retriever], reasoner(PLAN, lambda v: supports_by_text(v, {})))

    async with clock.running():
        run = await drive(made, started("alpha beta", retrievers=[retriever], budget={"wall_clock_ms": 60_000}))

    assert run.report().stop is StopReason.SOURCE_UNAVAILABLE
    assert run.report().duration_ms < 1_000
    assert_sound(run, retriever)


class Uncounted(ScriptedRetriever):
    """A retriever that finds passages and cannot count terms."""

    async def statistics(self, terms: Sequence[str], principal: Principal) -> TermStatistics:
        raise RetrieverError("docs", "no statistics today")


class NoVectors(WordllamaEmbedder):
    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        raise EmbedderError("wordllama", "out of memory")


async def test_what_only_weighs_passages_may_fail_without_failing_the_run(clock: FakeClock) -> None:
    found = Reply((passage("p", "The refund window for annual plans is 14 days."),))
    retriever = Uncounted(clock=clock, otherwise=found)
    made = world(clock, [retriever], ExtractiveReasoner(), embedder=NoVectors())

    async with clock.running():
        run = await drive(made, started("How long is the refund window?", retrievers=[retriever]))

    report = run.report()
    assert report.stop is not StopReason.FAILED
    assert [item.span.passage_id for item in report.evidence] == ["p"]
    assert_sound(run, retriever)


async def test_a_retry_that_no_query_is_left_for_keeps_nothing_else_from_being_done(clock: FakeClock) -> None:
    """Both queries are spent: alpha's failed and waits to be repeated, beta's found a passage that leads to the answer."""
    failing = Reply(error=RetrieverError("docs", "busy", retryable=True))
    linked = passage("linked", "beta is 2")
    retriever = ScriptedRetriever(
        {"alpha": failing, "beta": Reply((passage("p", "see elsewhere"),))},
        clock=clock,
        links={"beta": [without_text(linked)]},
    )
    retriever.add([linked])

    def judged(view: View) -> Thought:
        reading = LookUpProposal(ProposalId(""), DOCS, (linked.id,), ClaimId("b"))
        return replace(supports_by_text(view, {"beta is 2": "b"}), proposals=(reading,))

    made = world(clock, [retriever], reasoner(PLAN, judged))
    async with clock.running():
        run = await drive(made, started("alpha beta", retrievers=[retriever], budget={"queries": 2}))

    assert retriever.looked_up == [("linked",)]
    assert run.report().stop is StopReason.BUDGET_EXHAUSTED
    assert run.report().denied is not None
    assert run.report().denied.dimension is Dimension.QUERIES
    assert run.report().answer == "beta is 2"
    assert_sound(run, retriever)


async def test_what_nobody_judged_is_judged_before_a_model_writes(clock: FakeClock) -> None:
    """One call to plan, one reserved to write: none is left to judge with."""
    retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha is 1"),))}, clock=clock)
    model = ScriptedModel([ModelReply(Completion("ok"))], clock=clock)

    def judged(view: View) -> Thought:
        return supports_by_text(view, {"alpha is 1": "a"})

    made = world(clock, [retriever], reasoner(PLAN, judged), models={"scripted": model})
    made = replace(made, reasoners={**made.reasoners, "scripted": by_model(PLAN, judged)})
    first = started("alpha beta", retrievers=[retriever], budget={"model_calls": 2}, routes=(MODEL,), writer="scripted")
    async with clock.running():
        run = await drive(made, first)

    assert run.report().stop is StopReason.BUDGET_EXHAUSTED
    assert run.report().answer == "alpha is 1"
    closing = [e.fact.order for e in run.log if isinstance(e.fact, ThinkStarted)][-2:]
    assert [(order.steps[0], order.by) for order in closing] == [("judge", "extractive"), ("write", "scripted")]
    assert_sound(run, retriever, model)


async def test_results_that_bring_nothing_new_are_not_answered_with_ever_more_wordings(clock: FakeClock) -> None:
    """Something was found once, and nothing ever after: asked again, a thought always has another wording."""
    retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha?"),))}, clock=clock)
    reasons = [reason for reason in ReasonCode if reason is not ReasonCode.FIRST_LOOK]

    def rewords(view: View) -> Thought:
        n = len(view.queries)
        wording = search(f"alpha beta {n} {n}", "a", depth=1)
        lineage = replace(wording.lineage, reason=reasons[n % len(reasons)])
        return replace(supports_by_text(view, {}), proposals=(replace(wording, lineage=lineage),))

    plan = planned(claims=[Claim(ClaimId("a"), "alpha", "alpha")], proposals=[search("alpha", "a")])
    async with clock.running():
        run = await drive(
            world(clock, [retriever], reasoner(plan, rewords)), started("alpha beta", retrievers=[retriever])
        )

    assert run.report().stop is not StopReason.BUDGET_EXHAUSTED
    assert len(retriever.calls) <= 2 + run.state.started.policy.max_empty_results
    assert_sound(run, retriever)


async def test_no_retrieval_and_no_draft_is_no_answer(clock: FakeClock) -> None:
    nothing = Thought(
        classification=Classification(
            Shape.CHAT, Complexity.SINGLE_SHOT, RetrievalAction.NO_RETRIEVE, "intent", "small talk"
        )
    )
    retriever = ScriptedRetriever(clock=clock)
    async with clock.running():
        run = await drive(
            world(clock, [retriever], reasoner(nothing, lambda _: Thought())), started("hello", retrievers=[retriever])
        )

    report = run.report()
    assert (report.stop, report.answer, report.outcome) == (StopReason.NOT_NEEDED, None, "refused")
    assert_sound(run, retriever)


async def test_a_run_cancelled_while_its_answer_is_written_quotes_what_it_has_and_asks_nobody_else(
    clock: FakeClock,
) -> None:
    retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha is 1"),))}, clock=clock)
    ok = ModelReply(Completion("ok"))
    model = ScriptedModel([ok, ok, replace(ok, delay_ms=60_000)], clock=clock)
    plan = planned(claims=[Claim(ClaimId("a"), "alpha", "alpha")], proposals=[search("alpha", "a")])

    def judged(view: View) -> Thought:
        return supports_by_text(view, {"alpha is 1": "a"})

    made = world(clock, [retriever], reasoner(plan, judged), models={"scripted": model})
    made = replace(made, reasoners={**made.reasoners, "scripted": by_model(plan, judged)})
    async with clock.running():
        run = await Run.create(made, started("alpha", retrievers=[retriever], routes=(MODEL,), writer="scripted"))
        driving = asyncio.ensure_future(run.drive())
        await clock.advance(1_000)
        assert run.state.stop is not None
        run.cancel()
        await driving

    writes = [e.fact.order.by for e in run.log if isinstance(e.fact, ThinkStarted) and Step.WRITE in e.fact.order.steps]
    assert writes == ["scripted"]
    assert run.report().stop is StopReason.SUFFICIENT, "that was decided before"
    assert run.report().answer == "alpha is 1"
    assert_sound(run, retriever, model)


async def test_a_timer_set_for_a_narrower_slice_does_not_end_the_run_after_the_upgrade(clock: FakeClock) -> None:
    """The slice's time runs out while a shared limit makes up its mind; the class's own time has hardly begun."""
    retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha is 1"),), delay_ms=10)}, clock=clock)
    plan = planned(claims=[Claim(ClaimId("a"), "alpha", "alpha")], proposals=[search("alpha", "a")])
    plan = replace(plan, classification=retrieve(Complexity.SINGLE_SHOT))
    quota = SlowQuota(clock, "r1:3", 3_000)
    made = world(
        clock,
        [retriever],
        reasoner(plan, lambda v: supports_by_text(v, {"alpha is 1": "a"})),
        quota=quota,
        quota_path=["t"],
    )

    async with clock.running():
        run = await drive(made, started("alpha", retrievers=[retriever]))

    assert [type(e.fact) for e in run.log].count(RouteUpgraded) == 1
    assert run.report().stop is StopReason.SUFFICIENT
    assert quota.held == set()
    assert_sound(run, retriever)


async def test_a_thought_that_names_none_of_what_it_was_shown_is_not_asked_for_ever(clock: FakeClock) -> None:
    retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha?"),))}, clock=clock)
    plan = planned(claims=[Claim(ClaimId("a"), "alpha", "alpha")], proposals=[search("alpha", "a")])
    elsewhere = Thought(judged=(PassageId("another"),))
    made = world(clock, [retriever], reasoner(plan, lambda _: elsewhere))

    async with clock.running():
        run = await drive(made, started("alpha", retrievers=[retriever]))

    assert run.report().stop is not StopReason.BUDGET_EXHAUSTED
    assert len([e for e in run.log if isinstance(e.fact, ThinkStarted)]) <= 3
    assert_sound(run, retriever)
