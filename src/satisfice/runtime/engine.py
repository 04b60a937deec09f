"""The loop: decide, hold, record the intent, perform, record the outcome, settle."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence

from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.decide import decide
from satisfice.core.evolve import begin, evolve
from satisfice.core.facts import (
    CancelRequested,
    DeadlinePassed,
    DeniedBy,
    Envelope,
    Fact,
    OrderDenied,
    Outcome,
    PersonAnswered,
    RunStarted,
)
from satisfice.core.ids import MAIN, BranchId, RunId
from satisfice.core.orders import (
    Await,
    Cancel,
    Denied,
    Effect,
    LookUp,
    Pause,
    ReadCache,
    Refusal,
    RefusalKind,
    Rerank,
    Search,
    Think,
)
from satisfice.core.outcomes import charge_of
from satisfice.core.recording import branch_of, decided, given_up, intent
from satisfice.core.report import RunReport, report
from satisfice.core.state import RESERVE, RunState
from satisfice.runtime.deadlines import give_up
from satisfice.runtime.perform import Attempt, Performer, paid_once
from satisfice.runtime.sharing import Shared
from satisfice.runtime.world import World

LEASE_SLACK_MS = 60_000
"""A lease outlives the run's own deadline by this much: it never needs renewing while the run is driven."""

log = logging.getLogger("satisfice")


class Run:
    """One run being driven in this process. Its state is replaced, never changed."""

    def __init__(self, world: World, first: Envelope, epoch: int) -> None:
        self._world = world
        self._performer = Performer(world)
        self.state: RunState = begin(first)
        self.id: RunId = self.state.started.run
        self._shared = Shared(world, self.id)
        self._epoch = epoch
        self.log: list[Envelope] = [first]
        self._unsaved: list[Envelope] = [first]
        self._saved = 0
        self._inbox: asyncio.Queue[tuple[int, Outcome] | Fact] = asyncio.Queue()
        self._tasks: dict[int, asyncio.Future[None]] = {}
        self._attempts: dict[int, Attempt] = {}
        self._timer: tuple[int, asyncio.Future[None]] | None = None
        self._base_ms = first.at_ms - world.clock.monotonic_ms()
        self._news = asyncio.Event()
        self.done = False

    @classmethod
    async def create(cls, world: World, started: RunStarted) -> "Run":
        """A new run, owned by this process. Raises `StoreError`."""
        ttl = dict(started.task.limits())[Dimension.WALL_CLOCK_MS] + LEASE_SLACK_MS
        epoch = await world.store.take(started.run, world.owner, ttl)
        return cls(world, Envelope(1, 0, epoch, started), epoch)

    @classmethod
    def continued(cls, world: World, envelopes: Sequence[Envelope], epoch: int) -> "Run":
        """A stored run, taken over: its clock goes on where the log ended."""
        run = cls(world, envelopes[0], epoch)
        for envelope in envelopes[1:]:
            run.state = evolve(run.state, envelope)
        run.log = list(envelopes)
        run._unsaved, run._saved = [], len(envelopes)
        run._base_ms = run.state.now_ms - world.clock.monotonic_ms()
        return run

    # --- for the caller --------------------------------------------------------------------------------------------

    def cancel(self, by: str = "") -> None:
        """Ask for the end. The report follows within half a second."""
        if not self.done:
            self._inbox.put_nowait(CancelRequested(by))

    async def facts(self, after: int = 0) -> AsyncIterator[Envelope]:
        """Every fact from `after` on, live, each once it is durable."""
        seen = after
        while True:
            while seen < self._saved:
                yield self.log[seen]
                seen += 1
            if self.done:
                return
            self._news.clear()
            await self._news.wait()

    def report(self) -> RunReport:
        """The report as the log stands."""
        return report(self.state)

    # --- the loop --------------------------------------------------------------------------------------------------

    async def drive(self) -> RunReport:
        """Drive the run until it stops or pauses. Raises `StoreError` when the log cannot be kept.

        Cancelling this coroutine leaves an open log that can be resumed; `cancel()` ends the run instead.
        """
        waiting: list[tuple[int, Effect]] = []
        try:
            await self._reserve_above()
            while self.state.stopped is None:
                order = decide(self.state)
                match order:
                    case Think() | Search() | LookUp() | Rerank() | ReadCache():
                        number = await self._intend(order)
                        if number is not None:
                            waiting.append((number, order))
                    case Await():
                        await self._save()
                        self._start(waiting)
                        waiting = []
                        await self._wait(order.until_ms)
                    case Cancel():
                        await self._abandon(order.orders, "given up")
                    case _:
                        self._record(decided(order), branch=branch_of(order))
                        if isinstance(order, Pause):
                            break
            await self._save()
        finally:
            await self._end()
        return self.report()

    async def _intend(self, order: Effect) -> int | None:
        """Record the intent, unless the clock or a shared limit says no at the last moment."""
        now = self._now_ms()
        if now >= self._end_ms():
            self._record(DeadlinePassed())
            return None
        number = self.state.orders + 1
        refusal, by = self._too_late(order, now), DeniedBy.CLOCK
        if refusal is None:
            closing = self.state.stop is not None
            refusal, by = await self._shared.hold(number, order, closing=closing), DeniedBy.QUOTA
        if refusal is not None:
            self._record(OrderDenied(refusal, by, order=order), branch=order.branch)
            return None
        if self._now_ms() >= self._end_ms():  # the shared limits may be slow to answer
            await self._shared.release(number)
            self._record(DeadlinePassed())
            return None
        self._record(intent(order), number, order.branch)
        return number

    async def _reserve_above(self) -> None:
        """Hold the answer reserve in the accounts above as well, once the run is on record."""
        held = self.state.accounts.holds.get(RESERVE)
        if held is None or not self._shared.bound:
            return
        await self._save()
        refusal = await self._shared.reserve(held.ceiling)
        if refusal is not None:
            self._record(OrderDenied(refusal, DeniedBy.QUOTA))

    def _end_ms(self) -> int:
        """When time is up: for searching, or once the run is closing for everything."""
        return self.state.deadline_ms() if self.state.stop is not None else self.state.soft_deadline_ms()

    def _too_late(self, order: Effect, now: int) -> Refusal | None:
        min_ms, end = self._min_ms(order), self._end_ms()
        if min_ms <= end - now:
            return None
        denied = Denied(Dimension.WALL_CLOCK_MS, min_ms, max(0, end - now), order.account)
        return Refusal(RefusalKind.BUDGET, f"needs {min_ms} ms, {end - now} are left", denied)

    def _min_ms(self, order: Effect) -> int:
        match order:
            case Think():
                route = self.state.route(order.by)
                return route.min_ms if route is not None else 0
            case LookUp():
                return self.state.sources[order.source].profile.min_ms
            case Search() | Rerank() | ReadCache():
                return self.state.sources[order.query.source].profile.min_ms

    def _start(self, waiting: Sequence[tuple[int, Effect]]) -> None:
        """Start what is on record; what was given up before it could be started never is."""
        out = {flight.number for flight in self.state.round.out()}
        for number, order in waiting:
            if number in out:
                self._tasks[number] = asyncio.ensure_future(self._perform(number, order))

    async def _perform(self, number: int, order: Effect) -> None:
        starts_at_ms = order.not_before_ms - self._base_ms
        if starts_at_ms > self._world.clock.monotonic_ms():
            await self._world.clock.sleep_until(starts_at_ms)
        left_ms = max(0, self.state.soft_deadline_ms() - self._now_ms())
        attempt = self._attempts[number] = Attempt(order)
        outcome = await self._performer.perform(attempt, self.state, left_ms)
        self._inbox.put_nowait((number, outcome))

    async def _wait(self, until_ms: int) -> None:
        """Until something happens, at most until the given moment on the run's clock; then take all that has."""
        if self._timer is None or self._timer[0] != until_ms:
            if self._timer is not None:
                self._timer[1].cancel()
            self._timer = (until_ms, asyncio.ensure_future(self._ring(until_ms)))
        await self._take(await self._inbox.get())
        while not self._inbox.empty():
            await self._take(self._inbox.get_nowait())

    async def _ring(self, until_ms: int) -> None:
        await self._world.clock.sleep_until(until_ms - self._base_ms)
        self._inbox.put_nowait(DeadlinePassed())

    async def _take(self, item: tuple[int, Outcome] | Fact) -> None:
        """Record what arrived. An outcome whose order was given up meanwhile is late, and discarded."""
        if not isinstance(item, tuple):
            # A timer set for a narrower slice may still ring after an upgrade gave more time.
            if not (isinstance(item, DeadlinePassed) and self._now_ms() < self._end_ms()):
                self._record(item)
            return
        number, outcome = item
        flight = self.state.round.flights.get(number)
        self._tasks.pop(number, None)
        if flight is None or flight.outcome is not None:
            return
        outcome = paid_once(outcome, self.state)
        self._record(outcome, number, flight.branch)
        await self._shared.settle(number, charge_of(flight.order, outcome))

    async def _abandon(self, numbers: Sequence[int], why: str, *, unknown: bool = False) -> None:
        """Give up on orders. One whose call was not made yet costs its step; of the others nobody knows, see `unknown`."""
        tasks = [self._tasks.pop(number) for number in numbers if number in self._tasks]
        stubborn = await give_up(tasks)
        if stubborn:
            log.warning(
                "run %s: %d call(s) ignore cancellation; their results will be discarded", self.id, len(stubborn)
            )
        for number in numbers:
            flight = self.state.round.flights.get(number)
            if flight is not None and flight.outcome is None:
                attempt = self._attempts.get(number)
                made = unknown or (attempt is not None and attempt.called)
                outcome = given_up(flight.order, why, None if made else Charge(Amounts(steps=1)))
                self._record(outcome, number, flight.branch)
                await self._shared.settle(number, charge_of(flight.order, outcome))

    async def _end(self) -> None:
        """Leave nothing running, whatever happened."""
        if self._timer is not None:
            self._timer[1].cancel()
        await give_up(self._tasks.values())
        self._tasks.clear()
        self.done = True
        self._news.set()
        if not self._unsaved:  # else another owner may have taken the run, and the reserve with it
            await self._shared.leave(self.state, self.log)
        await self._world.store.release(self.id, self._epoch)

    # --- the log ---------------------------------------------------------------------------------------------------

    def _now_ms(self) -> int:
        return max(self.state.now_ms, self._world.clock.monotonic_ms() + self._base_ms)

    def _record(self, fact: Fact, order: int = 0, branch: BranchId = MAIN) -> None:
        """One more fact. It is durable before anything is started or waited for."""
        envelope = Envelope(self.state.seq + 1, self._now_ms(), self._epoch, fact, order, branch)
        self.state = evolve(self.state, envelope)
        self.log.append(envelope)
        self._unsaved.append(envelope)

    async def _save(self) -> None:
        if not self._unsaved:
            return
        unsaved = self._unsaved
        await self._world.store.append(self.id, unsaved, self._saved, self._epoch)
        self._unsaved = []
        self._saved += len(unsaved)
        for envelope in unsaved:
            for observer in self._world.observers:
                observer.observe(self.id, envelope)
        self._news.set()

    async def written_off(self, resumed: Fact) -> None:
        """Begin a new leg: orders in flight when the last one ended are given up at their ceiling."""
        await self._shared.catch_up(self.state, self.log)
        self._record(resumed)
        out = tuple(flight.number for flight in self.state.round.out())
        await self._abandon(out, "outcome unknown", unknown=True)

    async def leave_as_it_is(self) -> None:
        """Nothing is to be driven. What the accounts above were not told yet of a finished run, they are told now."""
        if self.state.stopped is not None:
            await self._shared.catch_up(self.state, self.log)
        self.done = True

    def answered(self, answer: PersonAnswered) -> None:
        """A person answered the pause this run was in."""
        self._record(answer)
