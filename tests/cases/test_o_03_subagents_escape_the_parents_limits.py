"""O-03: delegated branches draw on slices of what the parent has left, and their spending reaches its total."""

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement
from satisfice.core.facts import BranchOpened, Thought
from satisfice.core.ids import ClaimId, ProposalId
from satisfice.core.orders import BranchProposal, StopReason
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

PARTS = ("alpha", "beta", "gamma")


def greedy(view: View) -> Thought:
    """Every branch wants four more searches for its claim, and settles nothing."""
    n = len(view.queries)
    wanted = tuple(
        search(f"{claim.text} {word}{n}", claim.id)
        for claim in view.claims
        for word in ("red", "green", "blue", "white")
    )
    return Thought(
        judgements=tuple(Judgement(c.id, 0.1) for c in view.claims),
        judged=tuple(p.id for p in view.passages),
        proposals=wanted,
    )


def branches(n: int) -> Thought:
    claims = [Claim(ClaimId(part), f"{part} rules", part) for part in PARTS]
    opened = [BranchProposal(ProposalId("b"), (ClaimId(PARTS[i % 3]),), goal=f"branch {i}") for i in range(n)]
    return planned(claims=claims, proposals=opened)


async def run_with(clock: FakeClock, budget: dict[str, object], n: int) -> tuple[Run, ScriptedRetriever]:
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((passage("p", "text"),), delay_ms=100))
    first = started(" and ".join(PARTS), retrievers=[retriever], budget=budget)
    async with clock.running():
        run = await drive(world(clock, [retriever], reasoner(branches(n), greedy)), first)
    return run, retriever


@pytest.mark.parametrize("queries", [5, 3])
async def test_o_03_the_whole_tree_stays_within_the_parents_limits(clock: FakeClock, queries: int) -> None:
    run, retriever = await run_with(clock, {"queries": queries, "branches": 3}, 3)

    assert_sound(run, retriever)
    assert len(retriever.calls) <= queries
    opened = [e.fact for e in run.log if isinstance(e.fact, BranchOpened)]
    assert sum(f.order.slice.amounts.queries for f in opened) <= queries


async def test_o_03_the_report_shows_spend_per_branch_and_the_root_total(clock: FakeClock) -> None:
    run, retriever = await run_with(clock, {"queries": 5, "branches": 3}, 3)

    report = run.report()
    total = next(s.spent for s in report.spent if s.dimension is Dimension.QUERIES)
    assert total == len(retriever.calls)
    assert {b.goal for b in report.branches} >= {"branch 0"}
    assert sum(b.spent[Dimension.QUERIES] for b in report.branches) <= total


async def test_o_03_of_sixty_branches_at_most_three_are_in_flight(clock: FakeClock) -> None:
    run, retriever = await run_with(clock, {"queries": 24, "branches": 3}, 60)

    assert_sound(run, retriever)
    assert run.state.accounts.spent("run")[Dimension.BRANCHES] <= 3
    assert run.report().stop is not StopReason.FAILED
    assert "52 of 60 proposals were left out: at most 8 of one thought are kept" in run.report().notes
