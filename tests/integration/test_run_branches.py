"""What branches find is nobody's alone: it is judged for everyone's claims, and a branch at its cap gives it back."""

from collections.abc import Sequence

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim
from satisfice.core.facts import BranchClosed, BranchOpened, ThinkStarted, Thought
from satisfice.core.ids import ClaimId, ProposalId
from satisfice.core.orders import BranchProposal, Proposal, Step, StopReason
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

BOTH = passage("both", "alpha is 1. beta is 2.")
CLAIMS = [Claim(ClaimId("a"), "alpha", "alpha"), Claim(ClaimId("b"), "beta", "beta")]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def branch(claim: str, share: float = 0.0) -> Proposal:
    return BranchProposal(ProposalId(""), (ClaimId(claim),), share, goal=claim)


def judged(view: View) -> Thought:
    return supports_by_text(view, {"alpha is 1": "a", "beta is 2": "b"})


async def run_of(
    clock: FakeClock, retriever: ScriptedRetriever, proposals: Sequence[Proposal], **budget: object
) -> Run:
    plan = planned(claims=CLAIMS, proposals=proposals)
    async with clock.running():
        run = await drive(
            world(clock, [retriever], reasoner(plan, judged)),
            started("alpha beta", retrievers=[retriever], budget=budget),
        )
    assert_sound(run, retriever)
    return run


async def test_a_passage_that_two_branches_find_is_judged_for_both(clock: FakeClock) -> None:
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((BOTH,), delay_ms=100))

    run = await run_of(clock, retriever, [branch("a"), branch("b")])

    assert run.report().stop is StopReason.SUFFICIENT
    assert run.report().answer == "alpha is 1 beta is 2"


async def test_what_one_branch_finds_for_another_is_judged_when_the_other_gives_up(clock: FakeClock) -> None:
    retriever = ScriptedRetriever({"alpha": Reply((BOTH,), delay_ms=100)}, clock=clock)

    run = await run_of(clock, retriever, [branch("a"), branch("b")])

    assert run.report().stop is StopReason.SUFFICIENT
    assert [q.returned for q in run.report().queries] == [1, 0]


async def test_a_branch_without_a_step_left_gives_back_what_it_found_and_its_parent_judges_it(clock: FakeClock) -> None:
    """The slice is one step, which the search takes."""
    retriever = ScriptedRetriever({"alpha": Reply((BOTH,), delay_ms=100)}, clock=clock)

    run = await run_of(clock, retriever, [branch("a", share=0.05), search("nothing", "b")], steps=40)

    opened = next(e.fact for e in run.log if isinstance(e.fact, BranchOpened))
    assert opened.order.slice.amounts.steps == 1
    assert any(isinstance(e.fact, BranchClosed) for e in run.log)
    judging = [e.fact.order for e in run.log if isinstance(e.fact, ThinkStarted) and Step.JUDGE in e.fact.order.steps]
    assert [order.branch for order in judging] == ["main"]
    assert run.report().stop is StopReason.SUFFICIENT
    assert sum(b.spent[Dimension.STEPS] for b in run.report().branches) == 1
