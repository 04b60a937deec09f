"""A run's side of the limits above it: hold before, settle after, and send again what did not arrive."""

import logging
from collections.abc import Iterable

from satisfice.core.amounts import Charge
from satisfice.core.facts import Abandoned, Envelope, Failed, Finished, Started
from satisfice.core.ids import RunId
from satisfice.core.orders import Effect, Refusal, RefusalKind
from satisfice.errors import QuotaError
from satisfice.runtime.world import World

log = logging.getLogger("satisfice")


class Shared:
    """Without a quota port every call grants and does nothing."""

    def __init__(self, world: World, run: RunId) -> None:
        self._quota, self._path, self._run = world.quota, tuple(world.quota_path), run
        self._owed: dict[int, Charge] = {}

    async def hold(self, number: int, order: Effect) -> Refusal | None:
        """Hold an order's ceiling in every shared account; no answer from the store is a no."""
        if self._quota is None:
            return None
        try:
            denied = await self._quota.hold(self._key(number), self._path, order.ceiling)
        except QuotaError as error:
            return Refusal(RefusalKind.QUOTA_UNAVAILABLE, str(error))
        return Refusal(RefusalKind.BUDGET, f"{denied.account} has {denied.left} left", denied) if denied else None

    async def settle(self, number: int, charge: Charge) -> None:
        """Tell what an order cost; what cannot be told now is told with the next one, or by the next leg."""
        if self._quota is None:
            return
        self._owed[number] = charge
        for owed, amount in sorted(self._owed.items()):
            try:
                await self._quota.settle(self._key(owed), amount)
            except QuotaError as error:
                log.warning("run %s: spending of order %d is not settled yet: %s", self._run, owed, error)
                return
            del self._owed[owed]

    async def catch_up(self, envelopes: Iterable[Envelope]) -> None:
        """After a crash: settle everything the log knows again, and give back the hold whose intent never was recorded."""
        if self._quota is None:
            return
        ceilings: dict[int, Charge] = {}
        for envelope in envelopes:
            fact = envelope.fact
            if isinstance(fact, Started):
                ceilings[envelope.order] = fact.order.ceiling
            elif isinstance(fact, Finished | Failed | Abandoned):
                await self.settle(envelope.order, fact.charge or ceilings[envelope.order])
        await self.release(max(ceilings, default=0) + 1)

    async def release(self, number: int) -> None:
        """Give back a hold whose effect never started."""
        if self._quota is None:
            return
        try:
            await self._quota.release(self._key(number))
        except QuotaError as error:
            log.warning("run %s: the hold of order %d is not released: %s", self._run, number, error)

    def _key(self, number: int) -> str:
        return f"{self._run}:{number}"
