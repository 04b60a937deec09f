"""Limits above a run: conversation, key, tenant, window."""

from collections.abc import Sequence
from typing import Protocol

from satisfice.core.amounts import Charge
from satisfice.core.orders import Denied


class Quota(Protocol):
    """Shared accounts. Idempotent by key (`run:order`), so that a settlement can be sent again after a crash."""

    async def hold(self, key: str, path: Sequence[str], charge: Charge) -> Denied | None:
        """Hold the charge in every account of `path` (outermost first), or in none. Raises `QuotaError`."""
        ...

    async def settle(self, key: str, charge: Charge) -> None:
        """Replace the hold by what was really spent. Settling twice changes nothing."""
        ...

    async def release(self, key: str) -> None:
        """Give a hold back whose effect never started."""
        ...

    async def left(self, account: str) -> Charge:
        """What an account has left in its limited dimensions; the others read as 0 and must not be used."""
        ...
