"""Limits above a run: held before anything starts, told again until they heard it, and closed when they cannot be asked."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.quotas.memory import MemoryQuota
from satisfice.core.access import Principal
from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.facts import Envelope, OrderDenied, Thought
from satisfice.core.ids import ClaimId, RunId
from satisfice.core.orders import Denied, RefusalKind, StopReason
from satisfice.core.queries import Query
from satisfice.errors import QuotaError
from satisfice.ports.reasoner import View
from satisfice.ports.retriever import MAX_HANDLES, Hits
from satisfice.runtime.engine import Run
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

A, B = passage("pa", "alpha is 1"), passage("pb", "beta is 2")
PLAN = planned(
    claims=[Claim(ClaimId("a"), "alpha", "alpha"), Claim(ClaimId("b"), "beta", "beta")],
    proposals=[search("alpha", "a"), search("beta", "b")],
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


class Faulty(MemoryQuota):
    """Shared limits that cannot be asked, or cannot be told, while a flag says so."""

    def __init__(self, limits: dict[Dimension, int]) -> None:
        super().__init__(lambda _: limits)
        self.deaf = self.mute = False

    async def hold(self, key: str, path: Sequence[str], charge: Charge) -> Denied | None:
        if self.mute:
            raise QuotaError("quota", "the store is away", retryable=True)
        return await super().hold(key, path, charge)

    async def settle(self, key: str, charge: Charge) -> None:
        if self.deaf:
            raise QuotaError("quota", "the store is away", retryable=True)
        await super().settle(key, charge)


class Dying(MemoryEventStore):
    """A store whose process dies at one of its appends: before it, so that nothing of it is kept."""

    def __init__(self, clock: FakeClock, at: int) -> None:
        super().__init__(clock)
        self._left = at

    async def append(self, run: RunId, facts: Sequence[Envelope], expected: int, epoch: int) -> None:
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        await super().append(run, facts, expected, epoch)


class Docs(ScriptedRetriever):
    """Two passages, one for each claim, and something that happens when the first search arrives."""

    def __init__(self, clock: FakeClock, before: Callable[[], Awaitable[None]] | None) -> None:
        super().__init__({"alpha": Reply((A,), delay_ms=100), "beta": Reply((B,), delay_ms=100)}, clock=clock)
        self._before = before

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        if self._before is not None and not self.calls:
            await self._before()
        return await super().search(query, principal, limit=limit, handles=handles)


def judged(view: View) -> Thought:
    return supports_by_text(view, {"alpha is 1": "a", "beta is 2": "b"})


def made(
    clock: FakeClock,
    quota: MemoryQuota,
    *,
    store: MemoryEventStore | None = None,
    before_search: Callable[[], Awaitable[None]] | None = None,
) -> tuple[World, ScriptedRetriever]:
    docs = Docs(clock, before_search)
    bound = world(clock, [docs], reasoner(PLAN, judged), store=store, quota=quota, quota_path=["tenant"])
    return bound, docs


async def left(quota: MemoryQuota) -> Amounts:
    return (await quota.left("tenant")).amounts


async def test_limits_that_cannot_be_asked_stop_the_run_at_once(clock: FakeClock) -> None:
    quota = Faulty({})
    quota.mute = True
    bound, retriever = made(clock, quota)

    async with clock.running():
        run = await drive(bound, started("alpha beta", retrievers=[retriever]))

    report = run.report()
    assert report.stop is StopReason.BUDGET_EXHAUSTED
    assert "the store is away" in report.detail
    assert report.denied is not None
    assert report.denied.account == "tenant"
    assert [d.refusal.kind for d in report.denials] == [RefusalKind.QUOTA_UNAVAILABLE]
    assert retriever.calls == []
    assert_sound(run, retriever)


async def test_what_was_denied_waits_for_what_is_in_flight_and_then_goes_ahead(clock: FakeClock) -> None:
    """Room for the reserve and five documents: the second search must wait until the first gives back four."""
    quota = Faulty({Dimension.DOCUMENTS: 6})
    bound, retriever = made(clock, quota)

    async with clock.running():
        run = await drive(bound, started("alpha beta", retrievers=[retriever]))

    assert run.report().stop is StopReason.SUFFICIENT
    assert retriever.peak == 1
    assert sum(isinstance(e.fact, OrderDenied) for e in run.log) == 1
    assert (await left(quota)).documents == 4
    assert_sound(run, retriever)


async def test_spending_that_could_not_be_told_is_told_by_the_next_settlement(clock: FakeClock) -> None:
    quota = Faulty({Dimension.QUERIES: 10, Dimension.STEPS: 100})
    quota.deaf = True

    async def hear_again() -> None:
        quota.deaf = False

    bound, retriever = made(clock, quota, before_search=hear_again)

    async with clock.running():
        run = await drive(bound, started("alpha beta", retrievers=[retriever]))

    assert run.report().stop is StopReason.SUFFICIENT
    rest = await left(quota)
    assert (rest.queries, rest.steps) == (8, 100 - run.state.accounts.spent(ROOT)[Dimension.STEPS])
    assert_sound(run, retriever)


async def test_a_run_that_may_search_may_answer_whatever_others_spend_meanwhile(clock: FakeClock) -> None:
    quota = Faulty({Dimension.STEPS: 8})

    async def spend_all() -> None:
        charge = Charge(Amounts(steps=(await left(quota)).steps))
        assert await quota.hold("other:1", ["tenant"], charge) is None

    bound, retriever = made(clock, quota, before_search=spend_all)

    async with clock.running():
        run = await drive(bound, started("alpha beta", retrievers=[retriever]))

    report = run.report()
    assert report.stop is StopReason.BUDGET_EXHAUSTED
    assert {c.claim.id for c in report.claims if c.evidence} == {"a", "b"}
    assert report.answer == "alpha is 1 beta is 2"


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize("at", range(2, 7))
async def test_a_crash_leaves_nothing_held_once_the_run_was_resumed(clock: FakeClock, at: int, cancelled: bool) -> None:
    quota = Faulty({Dimension.STEPS: 100, Dimension.QUERIES: 100})
    bound, retriever = made(clock, quota, store=Dying(clock, at))
    run = await Run.create(bound, started("alpha beta", retrievers=[retriever]))
    async with clock.running():
        with pytest.raises(KeyboardInterrupt):
            await run.drive()

        run = await resume(bound, run.id)
        if cancelled:
            run.cancel()
        await run.drive()

    assert run.state.stopped is not None
    spent, rest = run.state.accounts.spent(ROOT), await left(quota)
    assert (100 - rest.steps, 100 - rest.queries) == (spent[Dimension.STEPS], spent[Dimension.QUERIES])
