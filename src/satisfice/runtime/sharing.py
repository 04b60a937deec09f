"""A run's side of the limits above it: hold before, settle after, and send again what did not arrive."""

import logging
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

from satisfice.core.amounts import NOTHING, SUMS, Charge, Dimension
from satisfice.core.facts import Abandoned, DeniedBy, Envelope, Failed, Finished, OrderDenied, Started, StopDecided
from satisfice.core.ids import AccountName, RunId
from satisfice.core.orders import Denied, Effect, Refusal, RefusalKind
from satisfice.core.outcomes import charge_of
from satisfice.core.state import RESERVE, RunState
from satisfice.errors import QuotaError
from satisfice.runtime.world import World

log = logging.getLogger("satisfice")


class Shared:
    """Without a quota port every call grants and does nothing."""

    def __init__(self, world: World, run: RunId) -> None:
        self._quota, self._path, self._run = world.quota, tuple(world.quota_path), run
        self._owed: dict[str, Charge] = {}
        self._reserved = False

    @property
    def bound(self) -> bool:
        """Whether there is anything above the run."""
        return self._quota is not None

    async def reserve(self, ceiling: Charge) -> Refusal | None:
        """Hold what answering takes, so that a run which may search may also answer."""
        refusal = await self._hold(RESERVE, ceiling)
        self._reserved = refusal is None
        return refusal

    async def hold(self, number: int, order: Effect, *, closing: bool) -> Refusal | None:
        """Hold an order's ceiling in every shared account; closing draws on the reserve, which is held already."""
        return None if closing and self._reserved else await self._hold(str(number), order.ceiling)

    async def settle(self, number: int, charge: Charge) -> None:
        """Tell what an order cost; what cannot be told now is told with the next one, or by the next leg."""
        self._owed[str(number)] = charge
        await self._tell()

    async def release(self, number: int) -> None:
        """Give back a hold whose effect never started."""
        await self._release(str(number))

    async def leave(self, state: RunState, envelopes: Sequence[Envelope]) -> None:
        """The leg is over: a run that stopped settles its reserve, one that waits for a person gives it back."""
        if state.stopped is not None:
            self._owed[RESERVE] = _closing_charge(envelopes)
            await self._tell()
        elif state.paused is not None:
            await self._release(RESERVE)

    async def catch_up(self, state: RunState, envelopes: Sequence[Envelope]) -> None:
        """After a crash: settle everything the log knows again, and give back holds whose intent never was recorded."""
        if self._quota is None:
            return
        orders = {e.order: e.fact.order for e in envelopes if isinstance(e.fact, Started)}
        for envelope in envelopes:
            if isinstance(envelope.fact, Finished | Failed | Abandoned):
                self._owed[str(envelope.order)] = charge_of(orders[envelope.order], envelope.fact)
        await self._tell()
        # A round's intents are recorded together, so as many holds may be without one.
        for number in range(state.orders + 1, state.orders + 1 + state.started.policy.max_in_flight):
            await self._release(str(number))
        self._reserved = state.stop is not None and not any(map(_reserve_refused, envelopes))
        await self.leave(state, envelopes)

    async def _hold(self, name: str, charge: Charge) -> Refusal | None:
        """No answer from the store is a no."""
        if self._quota is None:
            return None
        try:
            denied = await self._quota.hold(self._key(name), self._path, charge)
        except QuotaError as error:
            return Refusal(RefusalKind.QUOTA_UNAVAILABLE, str(error), _nothing_left(charge, self._path))
        return Refusal(RefusalKind.BUDGET, f"{denied.account} has {denied.left} left", denied) if denied else None

    async def _tell(self) -> None:
        if self._quota is None:
            self._owed.clear()
            return
        for owed, amount in list(self._owed.items()):
            try:
                await self._quota.settle(self._key(owed), amount)
            except QuotaError as error:
                log.warning("run %s: spending of order %s is not settled yet: %s", self._run, owed, error)
                return
            del self._owed[owed]

    async def _release(self, name: str) -> None:
        if self._quota is None:
            return
        try:
            await self._quota.release(self._key(name))
        except QuotaError as error:
            log.warning("run %s: the hold of order %s is not released: %s", self._run, name, error)

    def _key(self, name: str) -> str:
        return f"{self._run}:{name}"


def _closing_charge(envelopes: Iterable[Envelope]) -> Charge:
    """What was spent after the stop was decided."""
    orders: dict[int, Effect] = {}
    charges: list[Charge] = []
    closing = False
    for envelope in envelopes:
        fact = envelope.fact
        closing = closing or isinstance(fact, StopDecided)
        if closing and isinstance(fact, Started):
            orders[envelope.order] = fact.order
        elif closing and isinstance(fact, Finished | Failed | Abandoned):
            charges.append(charge_of(orders[envelope.order], fact))
    amounts = reduce(add, (charge.amounts for charge in charges), NOTHING)
    return Charge(amounts, evidence_tokens=max((charge.evidence_tokens for charge in charges), default=0))


def _reserve_refused(envelope: Envelope) -> bool:
    fact = envelope.fact
    return isinstance(fact, OrderDenied) and fact.by is DeniedBy.QUOTA and fact.order is None


def _nothing_left(charge: Charge, path: Sequence[str]) -> Denied:
    """Accounts that cannot be asked have nothing left of whatever was asked for first."""
    dimension, asked = next(
        ((d, n) for d, n in zip(SUMS, charge.amounts.as_tuple(), strict=True) if n), (Dimension.STEPS, 1)
    )
    return Denied(dimension, asked, 0, AccountName(path[0] if path else "quota"))
