"""What an attempt costs: a step until its port is called, the ceiling while nobody knows, then what was used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import ThinkFailed, Thought
from satisfice.core.orders import Step, StopReason
from satisfice.errors import ModelError
from satisfice.ports.model import Completion, Message, Prompt, Usage
from satisfice.ports.reasoner import Reasoner, Unusable, View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import MODEL, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedReasoner, ScriptedRetriever

PLAN = planned(proposals=[search("alpha", "c1")])
USED = Usage(300, 100)


def judged(view: View) -> Thought:
    return supports_by_text(view, {"alpha is 1": "c1"})


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@dataclass
class Bench:
    """A run whose thoughts take the route of a model, by whatever reasoner."""

    clock: FakeClock
    thinking: Reasoner
    reply: ModelReply

    async def run(self) -> Run:
        retriever = ScriptedRetriever({"alpha": Reply((passage("p", "alpha is 1"),))}, clock=self.clock)
        self.model = ScriptedModel([self.reply], clock=self.clock)
        made = world(self.clock, [retriever], reasoner(PLAN, judged), models={"scripted": self.model})
        made = replace(made, reasoners={**made.reasoners, "scripted": self.thinking})
        async with self.clock.running():
            run = await drive(made, started("alpha", retrievers=[retriever], routes=(MODEL,)))
        assert_sound(run, retriever, self.model)
        return run

    def spent(self, run: Run, dimension: Dimension) -> int:
        return run.state.accounts.spent(ROOT)[dimension]


ANSWERS = ModelReply(Completion("ok", USED))


async def test_what_the_provider_reports_is_what_is_settled(clock: FakeClock) -> None:
    bench = Bench(clock, by_model(PLAN, judged), ANSWERS)

    run = await bench.run()

    assert run.report().stop is StopReason.SUFFICIENT
    assert bench.spent(run, Dimension.MODEL_CALLS) == len(bench.model.prompts) == 2
    assert bench.spent(run, Dimension.MODEL_TOKENS) == 2 * 400
    assert bench.spent(run, Dimension.COST_MICROUSD) == 2 * (300 + 4 * 100)


async def test_a_thought_that_needed_no_model_costs_no_call(clock: FakeClock) -> None:
    bench = Bench(clock, reasoner(PLAN, judged), ANSWERS)

    run = await bench.run()

    assert run.report().stop is StopReason.SUFFICIENT
    assert [bench.spent(run, d) for d in (Dimension.MODEL_CALLS, Dimension.MODEL_TOKENS, Dimension.COST_MICROUSD)] == [
        0
    ] * 3


async def test_a_reasoner_that_breaks_before_it_asks_costs_no_call(clock: FakeClock) -> None:
    def breaks(steps: Sequence[Step], view: View) -> Thought:
        raise ZeroDivisionError

    bench = Bench(clock, ScriptedReasoner(breaks), ANSWERS)

    run = await bench.run()

    assert run.report().stop is StopReason.SUFFICIENT, "the extractive reasoner stood in"
    assert bench.spent(run, Dimension.MODEL_CALLS) == 0


async def test_a_reasoner_that_breaks_over_the_reply_has_paid_for_it(clock: FakeClock) -> None:
    def ask(steps: Sequence[Step], view: View) -> Prompt:
        return Prompt((Message("user", "think"),), 100)

    def read(steps: Sequence[Step], view: View, completion: Completion) -> Thought | Unusable:
        raise ZeroDivisionError

    bench = Bench(clock, ScriptedReasoner(ask, reads=read), ANSWERS)

    run = await bench.run()

    assert run.report().stop is StopReason.SUFFICIENT
    assert bench.spent(run, Dimension.MODEL_TOKENS) == 400 * len(bench.model.prompts)


@pytest.mark.parametrize("with_usage", [False, True])
async def test_a_failed_call_costs_its_ceiling_or_what_its_error_says_was_used(
    clock: FakeClock, with_usage: bool
) -> None:
    error = ModelError("m", "cut off")
    if with_usage:
        error.charge = Charge(Amounts(steps=1, model_calls=1, model_tokens=7, cost_microusd=3))
    bench = Bench(clock, by_model(PLAN, judged), ModelReply(error=error))

    run = await bench.run()

    failed = [e.fact.charge.amounts for e in run.log if isinstance(e.fact, ThinkFailed)]
    assert len(failed) == len(bench.model.prompts)
    assert {a.model_tokens for a in failed} == ({7} if with_usage else {MODEL.ceiling.model_tokens})


async def test_usage_that_is_not_reported_is_estimated_and_marked(clock: FakeClock) -> None:
    bench = Bench(clock, by_model(PLAN, judged), ModelReply(Completion("x" * 400)))

    run = await bench.run()

    charges = [e.fact.charge for e in run.log if getattr(e.fact, "by", "") == "scripted/1"]
    assert all(charge.estimated for charge in charges if charge.amounts.model_calls)
    assert bench.spent(run, Dimension.MODEL_TOKENS) > 0
