"""Every quota keeps the contract of its port, and the two we have answer alike whatever is asked of them."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.adapters.quotas.memory import MemoryQuota
from satisfice.adapters.quotas.sqlite import SqliteQuota
from satisfice.core.amounts import SUMS, Amounts, Charge, Dimension
from satisfice.core.limits import Limits
from satisfice.core.orders import Denied
from satisfice.errors import QuotaError, StoreError
from satisfice.ports.quota import Quota
from satisfice.testing.conformance.quota import KEY, PATH, QuotaConformance, limits_of, queries

T = TypeVar("T")


class TestMemoryQuota(QuotaConformance):
    @pytest.fixture
    def quota(self) -> MemoryQuota:
        return MemoryQuota(limits_of)


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[StateFile]:
    file = StateFile(tmp_path / "state.db")
    yield file
    await file.close()


class TestSqliteQuota(QuotaConformance):
    @pytest.fixture
    def quota(self, file: StateFile) -> SqliteQuota:
        return SqliteQuota(file, limits_of)


async def test_accounts_outlive_the_process_that_charged_them(file: StateFile) -> None:
    await SqliteQuota(file, limits_of).hold("run:1", PATH, queries(2))
    await SqliteQuota(file, limits_of).settle("run:1", queries(1))

    assert (await SqliteQuota(file, limits_of).left(PATH[0])).amounts.queries == 9


async def test_limits_may_change_between_two_openings(file: StateFile) -> None:
    await SqliteQuota(file, limits_of).hold("run:1", PATH, queries(3))

    def lowered(account: str) -> Limits:
        return {Dimension.QUERIES: 2}

    narrow = SqliteQuota(file, lowered)

    assert (await narrow.left(KEY)).amounts.queries == 0
    assert await narrow.hold("run:2", (KEY,), queries(1)) == Denied(Dimension.QUERIES, 1, 0, KEY)


class Broken:
    """A state file that cannot be reached."""

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        raise StoreError("sqlite", "locked", retryable=True)


async def test_a_store_that_does_not_answer_is_a_quota_error() -> None:
    with pytest.raises(QuotaError, match="locked") as caught:
        await SqliteQuota(Broken(), limits_of).hold("run:1", PATH, queries(1))

    assert caught.value.retryable


async def test_a_damaged_account_is_a_quota_error(file: StateFile) -> None:
    quota = SqliteQuota(file, limits_of)
    await quota.hold("run:1", PATH, queries(1))
    await file.write(lambda connection: connection.execute("UPDATE quota_accounts SET used = '{\"settled\": 1}'"))

    with pytest.raises(QuotaError, match="damaged"):
        await quota.hold("run:2", PATH, queries(1))


# --- laws ----------------------------------------------------------------------------------------------------------

_ACCOUNTS: dict[str, Limits] = {
    "a": {Dimension.QUERIES: 6, Dimension.COST_MICROUSD: 9},
    "b": {Dimension.QUERIES: 4, Dimension.SOURCES: 2},
    "c": {},
}

Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """One call, with everything any of the three could be given."""

    verb: str
    key: str
    path: Path_
    charge: Charge

    async def of(self, quota: Quota) -> Denied | None:
        match self.verb:
            case "hold":
                return await quota.hold(self.key, self.path, self.charge)
            case "settle":
                return await quota.settle(self.key, self.charge)
            case _:
                return await quota.release(self.key)


_calls = st.builds(
    Call,
    st.sampled_from(["hold", "hold", "settle", "release"]),
    st.sampled_from(["k1", "k2", "k3", "k4"]),
    st.lists(st.sampled_from(sorted(_ACCOUNTS)), max_size=3, unique=True).map(tuple),
    st.builds(
        Charge,
        st.builds(Amounts, queries=st.integers(0, 4), cost_microusd=st.integers(0, 5)),
        sources=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    ),
)


class Plain:
    """The same books, kept as a list of who was granted and who has settled what, and counted from scratch."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[Path_, Charge]] = {}
        self.settled: dict[str, tuple[Path_, Charge]] = {}

    def note(self, call: Call, denied: Denied | None) -> None:
        if call.key in self.settled:
            return
        before = self.held.pop(call.key, None)
        if call.verb == "hold" and denied is None:
            self.held[call.key] = (call.path, call.charge)
        elif call.verb == "settle" and before is not None:
            self.settled[call.key] = (before[0], call.charge)

    def used(self, account: str, dimension: Dimension) -> int:
        charges = [c for path, c in (*self.held.values(), *self.settled.values()) if account in path]
        if dimension is Dimension.SOURCES:
            return len({source for charge in charges for source in charge.sources})
        return sum(getattr(charge.amounts, dimension) for charge in charges)

    def left(self, account: str) -> Charge:
        limits = {d: limit for d, limit in _ACCOUNTS[account].items() if d in SUMS}
        return Charge(Amounts(**{d: max(0, limit - self.used(account, d)) for d, limit in limits.items()}))

    def passed(self, call: Call) -> list[tuple[str, Dimension]]:
        """Limits that a call asked something of and that are passed now."""
        return [
            (account, dimension)
            for account in call.path
            for dimension, limit in _ACCOUNTS[account].items()
            if (call.charge.sources if dimension is Dimension.SOURCES else getattr(call.charge.amounts, dimension))
            and self.used(account, dimension) > limit
        ]


class Unwritten:
    """A database that is never written to a disk, so that many can be made."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return work(self._connection)

    def close(self) -> None:
        self._connection.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(_calls, max_size=25))
def test_whatever_is_asked_no_grant_passes_a_limit_and_both_answer_alike(calls: list[Call]) -> None:
    database, plain = Unwritten(), Plain()
    quotas = (MemoryQuota(_ACCOUNTS.__getitem__), SqliteQuota(database, _ACCOUNTS.__getitem__))

    async def law() -> None:
        for call in calls:
            fresh = call.verb == "hold" and call.key not in plain.settled and call.key not in plain.held
            passed_before = plain.passed(call)

            one, two = [await call.of(quota) for quota in quotas]

            assert one == two
            plain.note(call, one)
            if fresh and one is None:
                # A source that was counted before may be touched again in an account that a settlement overran.
                assert [limit for limit in plain.passed(call) if limit[1] is not Dimension.SOURCES] == []
                assert set(plain.passed(call)) <= set(passed_before)
            for account in _ACCOUNTS:
                assert [await quota.left(account) for quota in quotas] == [plain.left(account)] * 2

    asyncio.run(law())
    database.close()
