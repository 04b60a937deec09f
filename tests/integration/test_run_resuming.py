"""Going on with a stored run: who may, with what, and what comes back when there is nothing to go on with."""

from collections.abc import Sequence

import pytest

from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.core.evidence import Judgement
from satisfice.core.facts import Envelope, PersonAnswered, PersonVerdict, RunPaused, Thought
from satisfice.core.ids import RunId
from satisfice.core.orders import StopReason
from satisfice.errors import Corrupt, InputError, RunBusy
from satisfice.ports.event_store import Owner
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import assert_sound, planned, reasoner
from satisfice.testing.building import OWNER, drive, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import Reply, ScriptedRetriever

OTHER = Owner("test", 1, "boot", "two")
CHOSEN = PersonAnswered(PersonVerdict.READING, "alpha in the north")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def unsure(view: View) -> Thought:
    """Two readings, until the caller has said which one was meant."""
    if view.question != "alpha":
        return supports_by_text(view, {"north is 1": "c1"})
    readings = ("alpha in the north", "alpha in the south")
    return Thought(judgements=tuple(Judgement(c.id, 0.2, ambiguous=readings) for c in view.claims))


def made(clock: FakeClock, store: MemoryEventStore, owner: Owner = OWNER) -> tuple[World, ScriptedRetriever]:
    retriever = ScriptedRetriever(clock=clock, otherwise=Reply((passage("p", "north is 1"),), delay_ms=100))
    thinking = reasoner(planned(proposals=[search("alpha", "c1")]), unsure)
    return world(clock, [retriever], thinking, store=store, owner=owner), retriever


async def paused(clock: FakeClock, store: MemoryEventStore) -> tuple[Run, World, ScriptedRetriever]:
    bound, retriever = made(clock, store)
    run = await drive(bound, started("alpha", retrievers=[retriever], attended=True))
    assert isinstance(run.log[-1].fact, RunPaused)
    return run, bound, retriever


async def test_a_paused_run_resumed_without_an_answer_comes_back_as_it_is(clock: FakeClock) -> None:
    store = MemoryEventStore(clock)
    async with clock.running():
        run, bound, retriever = await paused(clock, store)
        again = await resume(bound, run.id)

    assert again.done
    assert again.state == run.state
    assert again.report().outcome == "open"
    assert list(await store.read(run.id)) == run.log
    assert len(retriever.calls) == 1


async def test_the_reading_a_person_chose_is_answered_on_the_same_budget(clock: FakeClock) -> None:
    store = MemoryEventStore(clock)
    async with clock.running():
        run, bound, retriever = await paused(clock, store)
        await clock.advance(3_600_000)
        again = await resume(bound, run.id, CHOSEN)
        await again.drive()

    report = again.report()
    assert report.stop is StopReason.SUFFICIENT
    assert report.answer == "north is 1"
    assert report.duration_ms < 1_000
    assert_sound(again, retriever)


@pytest.mark.parametrize("finished", [False, True])
async def test_an_answer_nobody_asked_for_is_refused_and_changes_nothing(clock: FakeClock, finished: bool) -> None:
    store = MemoryEventStore(clock)
    bound, retriever = made(clock, store)
    async with clock.running():
        run = await Run.create(bound, started("alpha", retrievers=[retriever]))
        if finished:
            await run.drive()
        else:
            await store.append(run.id, run.log, 0, 1)
        before = await store.read(run.id)

        with pytest.raises(InputError, match="asked nobody"):
            await resume(bound, run.id, CHOSEN)

    assert await store.read(run.id) == before


class Finishing(MemoryEventStore):
    """A store in which the last owner finishes its run just before somebody else takes it."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.before_take: Sequence[Envelope] = ()

    async def take(self, run: RunId, owner: Owner, ttl_ms: int) -> int:
        if self.before_take:
            missing, self.before_take = self.before_take, ()
            await self.append(run, missing, missing[0].seq - 1, 1)
            await self.release(run, 1)
        return await super().take(run, owner, ttl_ms)


async def test_a_run_that_finished_while_it_was_being_taken_comes_back_as_it_is(clock: FakeClock) -> None:
    whole, store = MemoryEventStore(clock), Finishing(clock)
    async with clock.running():
        bound, retriever = made(clock, whole)
        run = await drive(bound, started("alpha", retrievers=[retriever]))
        await store.take(run.id, OWNER, 1_000)
        await store.append(run.id, run.log[:4], 0, 1)
        store.before_take = run.log[4:]
        bound, retriever = made(clock, store, OTHER)

        again = await resume(bound, run.id)

        assert again.done
        assert again.report() == run.report()
        assert retriever.calls == []
        assert await store.take(run.id, OWNER, 1_000) == 3  # nobody holds it


class Damaged(MemoryEventStore):
    """A store that can be read once."""

    async def take(self, run: RunId, owner: Owner, ttl_ms: int) -> int:
        epoch = await super().take(run, owner, ttl_ms)
        self.broken = True
        return epoch

    async def read(self, run: RunId, after: int = 0) -> Sequence[Envelope]:
        if getattr(self, "broken", False):
            raise Corrupt("memory", "fact 3 is not there", run=run, seq=3)
        return await super().read(run, after)


async def test_a_log_that_cannot_be_read_is_not_kept_from_others(clock: FakeClock) -> None:
    store = Damaged(clock)
    bound, retriever = made(clock, store)
    run = await Run.create(bound, started("alpha", retrievers=[retriever]))
    await store.append(run.id, run.log, 0, 1)
    await store.release(run.id, 1)
    store.broken = False

    with pytest.raises(Corrupt):
        await resume(bound, run.id)

    assert await store.take(run.id, OTHER, 1_000) == 3


async def test_a_run_that_somebody_drives_is_refused_to_everyone_else(clock: FakeClock) -> None:
    store = MemoryEventStore(clock)
    bound, retriever = made(clock, store)
    run = await Run.create(bound, started("alpha", retrievers=[retriever]))
    await store.append(run.id, run.log, 0, 1)
    other, _ = made(clock, store, OTHER)

    with pytest.raises(RunBusy):
        await resume(other, run.id)
