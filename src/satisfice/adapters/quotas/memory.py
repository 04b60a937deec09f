"""Shared accounts in memory: for one process, and gone with it."""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.adapters.quotas import books
from satisfice.adapters.quotas.books import Hold, LimitsOf
from satisfice.core.accounts import Account
from satisfice.core.amounts import Charge
from satisfice.core.orders import Denied


class MemoryQuota:
    """`Quota` for one process and for tests."""

    def __init__(self, limits: LimitsOf) -> None:
        self._limits = limits
        self._accounts: dict[str, Account] = {}
        self._holds: dict[str, Hold] = {}

    async def hold(self, key: str, path: Sequence[str], charge: Charge) -> Denied | None:
        """A key that is still held stands for an intent that never appeared: its hold makes way for the new one."""
        before = self._holds.get(key)
        asked = Hold(tuple(dict.fromkeys(path)), charge)
        if before is not None and (before.settled or before == asked):
            return None
        if before is not None:
            await self.release(key)
        accounts = books.held(self._of(asked.path), charge)
        if isinstance(accounts, Denied):
            return accounts
        self._keep(accounts)
        self._holds[key] = asked
        return None

    async def settle(self, key: str, charge: Charge) -> None:
        """A key under which nothing is held has nothing to replace, and changes nothing either."""
        hold = self._holds.get(key)
        if hold is not None and not hold.settled:
            self._keep(books.settled(self._of(hold.path), hold.charge, charge))
            self._holds[key] = replace(hold, settled=True)

    async def release(self, key: str) -> None:
        hold = self._holds.get(key)
        if hold is not None and not hold.settled:
            self._keep(books.released(self._of(hold.path), hold.charge))
            del self._holds[key]

    async def left(self, account: str) -> Charge:
        return books.left(self._of((account,))[0])

    def _of(self, path: Sequence[str]) -> Sequence[Account]:
        return [self._accounts.get(name) or books.fresh(name, self._limits(name)) for name in path]

    def _keep(self, accounts: Sequence[Account]) -> None:
        for account in accounts:
            self._accounts[account.name] = account
