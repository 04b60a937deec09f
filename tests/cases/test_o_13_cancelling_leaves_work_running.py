"""O-13: a cancelled run gives its report at once, and nothing of it goes on, whoever ended it."""

import asyncio
import gc
import logging
import threading
from dataclasses import dataclass, replace

import pytest

from satisfice.assembly.application import ActiveRun
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.evolve import fold
from satisfice.core.facts import RunStarted, SearchAbandoned, SearchFinished, ThinkAbandoned, Thought
from satisfice.core.ids import ClaimId, ProposalId
from satisfice.core.orders import BranchProposal, StopReason
from satisfice.core.policy import Policy
from satisfice.core.report import RunReport
from satisfice.errors import RetrieverError
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.world import World
from satisfice.testing.bench import MODEL, assert_quiet, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
QUESTION = " ".join(NAMES)
CLAIMS = [Claim(ClaimId(name), name, name) for name in NAMES]
SLOW_MS = 5_000


def judged(view: View) -> Thought:
    return supports_by_text(view, {"epsilon is 5": "epsilon"})


@dataclass
class Bench:
    """Four searches of 5 s at once on the main line, beside a branch whose own model call takes as long.

    A quick round leads there: the four fail and will be tried again, the branch finds its passage.
    """

    clock: FakeClock
    stubborn: bool = False
    budget_ms: int = 120_000

    def __post_init__(self) -> None:
        busy = Reply(error=RetrieverError("docs", "busy", retryable=True, retry_after_ms=10), delay_ms=10)
        found = Reply((passage("p-epsilon", "epsilon is 5"),), delay_ms=10)
        replies = {name: [busy, self._slow(name)] for name in NAMES[:4]}
        self.retriever = ScriptedRetriever({**replies, "epsilon": found}, clock=self.clock)
        ok = ModelReply(Completion("ok"))
        self.model = ScriptedModel([ok, replace(ok, delay_ms=SLOW_MS)], clock=self.clock)

    def _slow(self, name: str) -> Reply:
        return Reply((passage(f"p-{name}", name),), delay_ms=SLOW_MS, stubborn=self.stubborn and name == "alpha")

    def world(self) -> World:
        branch = BranchProposal(ProposalId(""), (ClaimId("epsilon"),), share=0.5, goal="epsilon")
        plan = planned(claims=CLAIMS, proposals=[branch, *(search(name, name) for name in NAMES[:4])])
        made = world(self.clock, [self.retriever], reasoner(plan, judged), models={"scripted": self.model})
        return replace(made, reasoners={**made.reasoners, "scripted": by_model(plan, judged)})

    def first(self) -> RunStarted:
        return started(
            QUESTION,
            retrievers=[self.retriever],
            budget={"wall_clock_ms": self.budget_ms},
            routes=(MODEL,),
            policy=Policy(max_in_flight=6),
        )

    async def assert_over(self, run: Run | None = None) -> None:
        """Nothing is left: no call, no task, no thread."""
        await assert_quiet(self.clock, self.retriever, self.model)
        if run is not None:
            assert_sound(run, self.retriever, self.model)


def tasks() -> set[str]:
    """What runs in this loop beside the test and the clock."""
    names = {task.get_coro().__qualname__ for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    return {name for name in names if not name.startswith("FakeClock")}


async def in_flight(bench: Bench, run: Run) -> asyncio.Future[RunReport]:
    """The run under way at 0.1 s, with all five calls out."""
    driving = asyncio.ensure_future(run.drive())
    await bench.clock.advance(100)
    assert bench.retriever.running == 4
    assert bench.model.running == 1
    return driving


async def test_o_13_cancel_gives_the_report_at_once_and_nothing_goes_on(clock: FakeClock) -> None:
    bench = Bench(clock)
    threads = threading.active_count()
    async with clock.running():
        run = await Run.create(bench.world(), bench.first())
        driving = await in_flight(bench, run)
        asked_ms, asked = clock.monotonic_ms(), asyncio.get_running_loop().time()
        run.cancel("ana")
        report = await driving

        assert clock.monotonic_ms() - asked_ms <= 500
        assert asyncio.get_running_loop().time() - asked <= 0.5
        assert tasks() == set()
        await bench.assert_over(run)
    assert threading.active_count() <= threads
    assert report.stop is StopReason.CANCELLED
    assert report.outcome == "cancelled"
    assert report.answer is None
    assert list(report.passages) == ["p-epsilon"]


async def test_o_13_calls_in_flight_stay_in_the_ledger_as_possibly_billed(clock: FakeClock) -> None:
    bench = Bench(clock)
    async with clock.running():
        run = await Run.create(bench.world(), bench.first())
        driving = await in_flight(bench, run)
        run.cancel()
        await driving
        await bench.assert_over(run)

    abandoned = [e.fact for e in run.log if isinstance(e.fact, SearchAbandoned | ThinkAbandoned)]
    assert [fact.charge for fact in abandoned] == [None] * 5, "nobody knows: the whole ceiling"
    spent = run.state.accounts.spent(ROOT)
    assert spent[Dimension.QUERIES] == 9
    assert spent[Dimension.MODEL_CALLS] == 2
    assert spent[Dimension.MODEL_TOKENS] > MODEL.ceiling.model_tokens
    assert [q.status for q in run.report().queries].count("abandoned") == 4


async def test_o_13_a_caller_who_leaves_the_stream_after_the_first_event_cancels_the_run(clock: FakeClock) -> None:
    bench = Bench(clock)
    async with clock.running():
        active = ActiveRun(bench.world, bench.first)
        async with active as run:
            async for _ in run:
                break
            await clock.advance(100)
            assert bench.retriever.running == 4
        assert tasks() == set()
        report = await active.report()
        await bench.assert_over()

    assert report.stop is StopReason.CANCELLED


async def test_o_13_a_caller_whose_code_fails_cancels_the_run(clock: FakeClock) -> None:
    bench = Bench(clock)
    async with clock.running():
        active = ActiveRun(bench.world, bench.first)

        async def caller() -> None:
            async with active:
                await clock.advance(100)
                raise LookupError

        with pytest.raises(LookupError):
            await caller()
        assert (await active.report()).stop is StopReason.CANCELLED
        await bench.assert_over()


async def test_o_13_the_deadline_ends_everything_as_well(clock: FakeClock) -> None:
    bench = Bench(clock, budget_ms=150)
    async with clock.running():
        run = await Run.create(bench.world(), bench.first())
        driving = await in_flight(bench, run)
        report = await driving

        assert clock.monotonic_ms() <= 150 + 200
        assert tasks() == set()
        await bench.assert_over(run)
    assert report.stop is StopReason.DEADLINE_EXCEEDED
    assert report.answer == "epsilon is 5"


async def test_o_13_a_tool_that_swallows_cancellation_is_logged_and_its_late_result_discarded(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """The clock stands still while the run ends, so that the stubborn call cannot come to its own end meanwhile."""
    bench = Bench(clock, stubborn=True)
    run = await Run.create(bench.world(), bench.first())
    driving = await in_flight(bench, run)
    asked = asyncio.get_running_loop().time()
    with caplog.at_level(logging.WARNING, logger="satisfice"):
        run.cancel()
        report = await driving
    assert asyncio.get_running_loop().time() - asked <= 0.5
    assert "1 call(s) ignore cancellation" in caplog.text
    assert bench.retriever.running == 1
    facts = len(run.log)

    await clock.advance(20_000)

    assert bench.retriever.finished == 2, "the stubborn call came to its end"
    await bench.assert_over(run)
    assert tasks() == set()
    gc.collect()  # a result nobody reads would be reported here
    assert len(run.log) == facts
    assert list(report.passages) == list(run.report().passages) == ["p-epsilon"]


async def test_o_13_cancelling_the_task_that_drives_leaves_nothing_running_and_a_log_to_resume(
    clock: FakeClock,
) -> None:
    bench = Bench(clock)
    made = bench.world()
    async with clock.running():
        run = await Run.create(made, bench.first())
        driving = await in_flight(bench, run)
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving

        assert tasks() == set()
        await bench.assert_over()
    stored = fold(await made.store.read(run.id))
    assert stored.stopped is None
    assert len(stored.round.out()) == 5
    assert sum(isinstance(e.fact, SearchFinished) for e in await made.store.read(run.id)) == 1


async def test_o_13_cancelling_twice_or_after_the_end_changes_nothing(clock: FakeClock) -> None:
    bench = Bench(clock)
    async with clock.running():
        run = await Run.create(bench.world(), bench.first())
        driving = await in_flight(bench, run)
        run.cancel()
        run.cancel()
        await driving
        log = list(run.log)
        run.cancel()
        await bench.assert_over(run)

    assert run.log == log
