"""O-22: three empty results are enough, a third wording is still reached, and a source that is down is no empty one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import ThinkStarted, Thought
from satisfice.core.orders import SearchProposal, Step, StopReason
from satisfice.core.queries import ReasonCode
from satisfice.errors import RetrieverError
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import MODEL, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever

QUESTION = "overdue shipments in the north"
WORDINGS = [
    f"{QUESTION} {word}" for word in ("late", "slow", "held", "lost", "cold", "wet", "odd", "new", "old", "red")
]
EMPTY = Reply()
FOUND = Reply((passage("p", "two shipments are overdue"),))


@dataclass
class Bench:
    """A model that rephrases as often as it is asked, one wording or several at a time, and writes the answer."""

    clock: FakeClock
    replies: Reply | Sequence[Reply]
    at_once: int = 1

    async def run(self) -> Run:
        self.retriever = ScriptedRetriever(clock=self.clock, otherwise=self.replies)
        self.model = ScriptedModel([ModelReply(Completion("ok"))], clock=self.clock)
        self.asked = 0
        plan = planned(proposals=[search(QUESTION, "c1")])
        made = world(self.clock, [self.retriever], reasoner(plan, self.rephrase), models={"scripted": self.model})
        made = replace(made, reasoners={**made.reasoners, "scripted": by_model(plan, self.rephrase)})
        first = started(
            QUESTION, retrievers=[self.retriever], budget={"queries": 10}, routes=(MODEL,), writer="scripted"
        )
        async with self.clock.running():
            run = await drive(made, first)
        assert_sound(run, self.retriever, self.model)
        return run

    def rephrase(self, view: View) -> Thought:
        judged = supports_by_text(view, {"two shipments are overdue": "c1"})
        wordings = WORDINGS[self.asked : self.asked + self.at_once]
        self.asked += self.at_once
        proposals = [search(text, "c1") for text in wordings]
        return replace(judged, proposals=tuple(_reworded(p) for p in proposals))

    def sent(self) -> list[str]:
        return [call.query.text for call in self.retriever.calls]


def _reworded(proposal: SearchProposal) -> SearchProposal:
    """A search for the same in other words."""
    lineage = replace(proposal.lineage, reason=ReasonCode.BROADEN_TERMS, depth=1)
    return replace(proposal, lineage=lineage)


@pytest.mark.parametrize("at_once", [1, 5])
async def test_o_22_three_empty_results_are_enough(clock: FakeClock, at_once: int) -> None:
    bench = Bench(clock, EMPTY, at_once)

    run = await bench.run()

    report = run.report()
    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert bench.sent() == [QUESTION, *WORDINGS[:2]]
    assert [(q.text, q.returned) for q in report.queries] == [(text, 0) for text in bench.sent()]


async def test_o_22_nothing_is_invented_and_nobody_is_asked_to_write_about_nothing(clock: FakeClock) -> None:
    run = await Bench(clock, EMPTY).run()

    report = run.report()
    assert report.answer is None
    assert report.sentences == ()
    assert report.evidence == ()
    assert report.passages == {}
    assert [gap.kind for gap in report.gaps] == ["NO_EVIDENCE"]
    steps = [e.fact.order.steps for e in run.log if isinstance(e.fact, ThinkStarted)]
    assert not any(Step.WRITE in taken for taken in steps)
    assert run.state.accounts.spent(ROOT)[Dimension.MODEL_CALLS] == len(steps) == 3


@pytest.mark.parametrize("at_once", [1, 5])
async def test_o_22_the_third_wording_is_still_reached(clock: FakeClock, at_once: int) -> None:
    bench = Bench(clock, [EMPTY, EMPTY, FOUND], at_once)

    report = (await bench.run()).report()

    assert report.stop is StopReason.SUFFICIENT
    assert report.answer == "two shipments are overdue"
    assert len(bench.sent()) == 3


async def test_o_22_two_errors_and_then_nothing_is_told_from_nothing_at_all(clock: FakeClock) -> None:
    """The same wording is tried again until the source answers; what it answers then counts, not what failed."""
    down = Reply(error=RetrieverError("docs", "connection refused", retryable=True))
    bench = Bench(clock, [down, down, EMPTY])

    report = (await bench.run()).report()

    assert report.stop is StopReason.NO_AUTHORITY_FOUND
    assert [(q.text, q.attempts, q.status) for q in report.queries] == [
        (QUESTION, 3, "finished"),
        (WORDINGS[0], 1, "finished"),
        (WORDINGS[1], 1, "finished"),
    ]


@pytest.mark.parametrize("retryable", [True, False])
async def test_o_22_a_source_that_never_answers_is_unavailable_not_empty(clock: FakeClock, retryable: bool) -> None:
    bench = Bench(clock, Reply(error=RetrieverError("docs", "connection refused", retryable=retryable)))

    report = (await bench.run()).report()

    assert report.stop is StopReason.SOURCE_UNAVAILABLE
    assert report.answer is None
    assert bench.sent() == [QUESTION] * (3 if retryable else 1)
    assert [q.status for q in report.queries] == ["failed"]
    assert any("connection refused" in note for note in report.notes)


async def test_o_22_passages_that_settle_nothing_end_the_rephrasing_as_well(clock: FakeClock) -> None:
    bench = Bench(clock, Reply((passage("p", "shipments are late"),)))

    report = (await bench.run()).report()

    assert report.stop in {StopReason.NO_AUTHORITY_FOUND, StopReason.NO_PROGRESS}
    assert len(bench.sent()) <= 3
    assert list(report.passages) == ["p"]
