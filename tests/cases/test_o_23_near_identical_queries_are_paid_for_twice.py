"""O-23: a query in other words, in another order or with a token thrown in is the one that ran, and another one is not."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import OrderDenied, SearchStarted, Thought
from satisfice.core.orders import RefusalKind, StopReason
from satisfice.core.policy import Policy
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

QUESTION = "What are the tax rules for contractors and for an employee in Ruritania?"
FIRST = "contractor tax rules in Ruritania"
REORDERED = "Ruritania tax rules for contractors"
THROWAWAY = f"{FIRST} ref 8f3a"
OTHER_DATE = f"{FIRST} 2026"
OTHER_SUBJECT = "employee tax rules in Ruritania"
IN_TURN = [FIRST, REORDERED, THROWAWAY, OTHER_DATE, OTHER_SUBJECT]


@dataclass
class Bench:
    """A model that asks one of the five each time, or all of them at once."""

    clock: FakeClock
    at_once: bool

    async def run(self) -> Run:
        self.retriever = ScriptedRetriever(
            {text: Reply((passage(f"p{i}", f"page {i} on tax rules"),)) for i, text in enumerate(IN_TURN)},
            clock=self.clock,
        )
        self.left = IN_TURN[1:]
        plan = planned(proposals=[search(text, "c1") for text in (IN_TURN if self.at_once else IN_TURN[:1])])
        self.thinking = reasoner(plan, self.next)
        first = started(
            QUESTION,
            retrievers=[self.retriever],
            budget={"unique_queries": 5},
            policy=Policy(max_rounds_without_progress=9),
        )
        async with self.clock.running():
            run = await drive(world(self.clock, [self.retriever], self.thinking), first)
        assert_sound(run, self.retriever)
        return run

    def next(self, view: View) -> Thought:
        asked, self.left = (self.left[:1], self.left[1:]) if not self.at_once else ([], [])
        return replace(supports_by_text(view, {}), proposals=tuple(search(text, "c1") for text in asked))


@pytest.fixture(params=["in turn", "at once"])
def bench(request: pytest.FixtureRequest, clock: FakeClock) -> Bench:
    return Bench(clock, request.param == "at once")


async def test_o_23_two_and_three_are_the_first_and_four_and_five_are_not(bench: Bench) -> None:
    run = await bench.run()

    assert [call.query.text for call in bench.retriever.calls] == [FIRST, OTHER_DATE, OTHER_SUBJECT]
    spent = run.state.accounts.spent(ROOT)
    assert spent[Dimension.QUERIES] == 3
    assert spent[Dimension.UNIQUE_QUERIES] == 3


async def test_o_23_a_repeat_is_answered_from_the_ledger_and_names_the_query_it_repeats(bench: Bench) -> None:
    run = await bench.run()

    first = next(e.fact.order.query for e in run.log if isinstance(e.fact, SearchStarted))
    refusals = [e.fact.refusal for e in run.log if isinstance(e.fact, OrderDenied)]
    assert [(r.kind, r.same_as) for r in refusals] == [(RefusalKind.DUPLICATE, first.identity())] * 2
    known = run.report().queries[0]
    assert known.text == FIRST
    assert known.passages == ("p0",)
    assert run.report().passages["p0"].text == "page 0 on tax rules"


async def test_o_23_every_decision_is_on_record_with_its_reason(bench: Bench) -> None:
    run = await bench.run()

    refused = {e.fact.proposal.query.text: e.fact.refusal.detail for e in run.log if isinstance(e.fact, OrderDenied)}
    assert set(refused) == {REORDERED, THROWAWAY}
    for text, detail in refused.items():
        assert repr(text) in detail
        assert repr(FIRST) in detail
        assert detail.rpartition(": ")[2]
    assert "throwaway" in refused[THROWAWAY]
    allowed = [e.fact.order for e in run.log if isinstance(e.fact, SearchStarted)]
    assert all(order.lineage.reason for order in allowed)
    assert [d.refusal.detail for d in run.report().denials] == list(refused.values())


async def test_o_23_the_model_is_told_that_the_repeat_brought_nothing_new(clock: FakeClock) -> None:
    bench = Bench(clock, at_once=False)

    await bench.run()

    told = [[refusal.detail for refusal in view.refused] for _, view in bench.thinking.asked]
    first_told = next(i for i, details in enumerate(told) if details)
    assert REORDERED in told[first_told][0]
    assert len(told[-1]) == 2
    assert told[first_told - 1] == []


async def test_o_23_under_the_usual_policy_repeats_end_the_run_as_rounds_without_progress(clock: FakeClock) -> None:
    """Two rounds that brought nothing are enough: the first search settled nothing, its repeat is the second."""
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((passage("p0", "page on tax rules"),)))
    repeating = reasoner(planned(proposals=[search(FIRST, "c1")]), _repeats)
    async with clock.running():
        run = await drive(world(clock, [retriever], repeating), started(QUESTION, retrievers=[retriever]))

    assert_sound(run, retriever)
    assert len(retriever.calls) == 1
    assert run.report().stop is not StopReason.BUDGET_EXHAUSTED
    assert run.state.accounts.spent(ROOT)[Dimension.STEPS] <= 5


def _repeats(view: View) -> Thought:
    return replace(supports_by_text(view, {}), proposals=(search(REORDERED, "c1"),))


@pytest.mark.parametrize("text", [OTHER_DATE, OTHER_SUBJECT])
async def test_o_23_the_unique_query_limit_counts_what_was_really_sent(clock: FakeClock, text: str) -> None:
    retriever = ScriptedRetriever(clock=clock)
    plan = planned(proposals=[search(t, "c1") for t in (FIRST, REORDERED, text)])
    thinking: Any = reasoner(plan, lambda view: supports_by_text(view, {}))
    async with clock.running():
        run = await drive(
            world(clock, [retriever], thinking),
            started(QUESTION, retrievers=[retriever], budget={"unique_queries": 1}),
        )

    assert_sound(run, retriever)
    assert [call.query.text for call in retriever.calls] == [FIRST]
    assert run.report().stop is StopReason.BUDGET_EXHAUSTED
    assert run.report().denied is not None
    assert run.report().denied.dimension is Dimension.UNIQUE_QUERIES
