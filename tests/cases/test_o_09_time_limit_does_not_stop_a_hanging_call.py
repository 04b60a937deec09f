"""O-09: a hanging call ends with the run's time, retries do not restart the clock, and what was found is kept."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest

from satisfice.assembly.asking import run_sync
from satisfice.core.access import Principal
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.facts import SearchAbandoned, SearchStarted, ThinkAbandoned, ThinkStarted, Thought
from satisfice.core.ids import ClaimId, SourceId
from satisfice.core.orders import StopReason
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile
from satisfice.errors import ModelError, RetrieverError
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import View
from satisfice.ports.retriever import MAX_HANDLES, Hits
from satisfice.runtime.engine import Run
from satisfice.testing.bench import GRACE_MS, MODEL, assert_quiet, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever

NEVER_MS = 10**9
DEADLINE_MS = 1_000
FOUND = Reply((passage("pa", "alpha is 1"),))
PLAN = planned(
    claims=[Claim(ClaimId("a"), "alpha", "alpha"), Claim(ClaimId("b"), "beta", "beta")],
    proposals=[search("alpha", "a"), search("beta", "b")],
)


def judged(view: View) -> Thought:
    return supports_by_text(view, {"alpha is 1": "a"})


# --- entry points --------------------------------------------------------------------------------------------------


def asynchronously(main: Callable[[], Awaitable[Run]]) -> Run:
    async def run() -> Run:
        return await main()

    return asyncio.run(run())


def synchronously(main: Callable[[], Awaitable[Run]]) -> Run:
    return run_sync(main)


def synchronously_inside_a_loop(main: Callable[[], Awaitable[Run]]) -> Run:
    async def caller() -> Run:
        return run_sync(main)

    return asyncio.run(caller())


Entry = Callable[[Callable[[], Awaitable[Run]]], Run]

entries = pytest.mark.parametrize("entry", [asynchronously, synchronously, synchronously_inside_a_loop])


# --- the bench -----------------------------------------------------------------------------------------------------


class Watched(ScriptedRetriever):
    """Keeps when each call ended, however it ended."""

    ended_ms: list[int]

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        try:
            return await super().search(query, principal, limit=limit, handles=handles)
        finally:
            self.ended_ms.append(self._clock.monotonic_ms())


@dataclass
class Bench:
    """A retriever, perhaps a model, and a deadline on a clock of their own."""

    beta: Reply
    replies: list[ModelReply] = field(default_factory=list)
    deadline_ms: int = DEADLINE_MS
    source_min_ms: int = 0
    model_min_ms: int = 0
    time_share: float = 1.0

    async def run(self) -> Run:
        self.clock = clock = FakeClock()
        profile = SourceProfile(SourceId("docs"), min_ms=self.source_min_ms, time_share=self.time_share)
        self.retriever = Watched({"alpha": FOUND, "beta": self.beta}, clock=clock, profile=profile)
        self.retriever.ended_ms = []
        self.model = ScriptedModel(self.replies or [ModelReply(Completion("ok"))], clock=clock)
        made = world(clock, [self.retriever], reasoner(PLAN, judged), models={"scripted": self.model})
        first = started("alpha beta", retrievers=[self.retriever], budget={"wall_clock_ms": self.deadline_ms})
        if self.replies:
            made = replace(made, reasoners={**made.reasoners, "scripted": by_model(PLAN, judged)})
            first = replace(first, routes=(replace(MODEL, min_ms=self.model_min_ms),))
        async with clock.running():
            run = await drive(made, first)
            self.returned_ms = clock.monotonic_ms()
            await assert_quiet(clock, self.retriever, self.model)
        return run

    def assert_in_time(self, run: Run) -> None:
        assert run.report().stop is StopReason.DEADLINE_EXCEEDED
        assert self.returned_ms <= self.deadline_ms + GRACE_MS
        assert run.report().duration_ms <= self.deadline_ms + GRACE_MS
        assert all(ended <= self.deadline_ms for ended in self.retriever.ended_ms)
        assert_sound(run, self.retriever, self.model)


def assert_alpha_kept(run: Run) -> None:
    report = run.report()
    assert report.answer == "alpha is 1"
    assert [item.claim_id for item in report.evidence] == ["a"]
    assert {gap.claim_id for gap in report.gaps} == {"b"}


# --- hanging -------------------------------------------------------------------------------------------------------


@entries
def test_o_09_a_model_call_that_never_returns_is_cancelled_at_the_deadline(entry: Entry) -> None:
    bench = Bench(Reply(), [ModelReply(Completion("ok"), delay_ms=200), ModelReply(delay_ms=NEVER_MS)])

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert_alpha_kept(run)
    assert len(bench.model.prompts) == 2
    assert any(isinstance(e.fact, ThinkAbandoned) for e in run.log)


@entries
def test_o_09_a_search_that_never_returns_is_cancelled_at_the_deadline(entry: Entry) -> None:
    bench = Bench(Reply(delay_ms=NEVER_MS))

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert_alpha_kept(run)
    assert any(isinstance(e.fact, SearchAbandoned) for e in run.log)
    assert max(bench.retriever.ended_ms) < DEADLINE_MS


# --- failing and retried -------------------------------------------------------------------------------------------


@entries
def test_o_09_searches_that_fail_slowly_and_are_retried_do_not_restart_the_clock(entry: Entry) -> None:
    failing = Reply(error=RetrieverError("docs", "busy", retryable=True), delay_ms=400)
    bench = Bench(failing, [ModelReply(Completion("ok"), delay_ms=200)])

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert_alpha_kept(run)
    attempts = [
        (e.fact.order.attempt, e.at_ms)
        for e in run.log
        if isinstance(e.fact, SearchStarted) and e.fact.order.query.text == "beta"
    ]
    assert attempts == [(1, 200), (2, 600)]


@entries
def test_o_09_model_calls_that_fail_slowly_and_are_retried_do_not_restart_the_clock(entry: Entry) -> None:
    failing = ModelReply(error=ModelError("m", "busy", retryable=True), delay_ms=400)
    bench = Bench(Reply(), [ModelReply(Completion("ok"), delay_ms=200), failing])

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert_alpha_kept(run)
    assert [e.fact.order.attempt for e in run.log if isinstance(e.fact, ThinkStarted)][:3] == [1, 1, 2]


# --- too little time for any call ----------------------------------------------------------------------------------


@entries
def test_o_09_no_search_is_made_when_none_can_finish(entry: Entry) -> None:
    bench = Bench(Reply(delay_ms=200), deadline_ms=50, source_min_ms=200)

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert bench.retriever.calls == []
    report = run.report()
    assert report.answer is None
    assert report.denied is not None
    assert report.denied.dimension is Dimension.WALL_CLOCK_MS


@entries
def test_o_09_no_model_is_called_when_none_can_finish(entry: Entry) -> None:
    bench = Bench(Reply(), [ModelReply(Completion("ok"), delay_ms=200)], deadline_ms=50, model_min_ms=200)

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert bench.model.prompts == []
    assert bench.retriever.calls == []


@entries
def test_o_09_a_call_that_did_not_say_how_long_it_takes_is_cut_off(entry: Entry) -> None:
    bench = Bench(Reply(), [ModelReply(Completion("ok"), delay_ms=200)], deadline_ms=50)

    run = entry(bench.run)

    bench.assert_in_time(run)
    assert run.state.accounts.spent(ROOT)[Dimension.MODEL_CALLS] == 1


# --- each call's own timeout ---------------------------------------------------------------------------------------


def test_o_09_each_calls_own_timeout_is_a_share_of_the_time_left() -> None:
    """Half of what is left each time: 475 of 950, then half of the rest, until the third attempt."""
    bench = Bench(Reply(delay_ms=NEVER_MS), time_share=0.5)

    run = asynchronously(bench.run)

    starts = [call.at_ms for call in bench.retriever.calls if call.query.text == "beta"]
    ends = bench.retriever.ended_ms[-len(starts) :]
    assert len(starts) == 3
    for began, ended in zip(starts, ends, strict=True):
        assert ended - began <= (950 - began) // 2 + 1
    assert bench.returned_ms <= DEADLINE_MS + GRACE_MS
    assert_alpha_kept(run)
    assert_sound(run, bench.retriever, bench.model)
