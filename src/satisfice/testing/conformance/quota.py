"""What every `Quota` must do. Subclass it in a test module and provide a fixture `quota` that limits by `limits_of`."""

import asyncio
from collections.abc import Mapping, Sequence

from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.ids import AccountName
from satisfice.core.limits import Limits
from satisfice.core.orders import Denied
from satisfice.ports.quota import Quota

TENANT, CONVERSATION, KEY = "tenant:acme", "conversation:1", "key:free"

PATH = (TENANT, CONVERSATION, KEY)

_LIMITS: Mapping[str, Limits] = {
    TENANT: {Dimension.COST_MICROUSD: 100_000, Dimension.QUERIES: 10},
    CONVERSATION: {
        Dimension.QUERIES: 3,
        Dimension.UNIQUE_QUERIES: 2,
        Dimension.SOURCES: 2,
        Dimension.EVIDENCE_TOKENS: 500,
    },
}


def limits_of(account: str) -> Limits:
    """What the quota under test must allow; `KEY` and every other account are not limited."""
    return _LIMITS.get(account, {})


def queries(count: int, *texts: str, sources: Sequence[str] = ()) -> Charge:
    """A charge of some queries."""
    return Charge(Amounts(queries=count), unique_queries=texts, sources=tuple(sources))


def cost(microusd: int) -> Charge:
    """A charge of money."""
    return Charge(Amounts(cost_microusd=microusd))


class QuotaConformance:
    """Holding, settling and releasing over a path of accounts."""

    async def _queries_left(self, quota: Quota) -> tuple[int, int]:
        tenant, conversation = await quota.left(TENANT), await quota.left(CONVERSATION)
        return tenant.amounts.queries, conversation.amounts.queries

    async def test_a_hold_is_taken_from_every_account_of_its_path(self, quota: Quota) -> None:
        assert await self._queries_left(quota) == (10, 3)

        assert await quota.hold("run:1", PATH, queries(2)) is None

        assert await self._queries_left(quota) == (8, 1)

    async def test_a_denial_names_what_was_asked_and_what_was_left(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(2))

        denied = await quota.hold("run:2", PATH, queries(2))

        assert denied == Denied(Dimension.QUERIES, 2, 1, AccountName(CONVERSATION))

    async def test_the_outermost_account_is_asked_first(self, quota: Quota) -> None:
        denied = await quota.hold("run:1", PATH, queries(11))

        assert denied == Denied(Dimension.QUERIES, 11, 10, AccountName(TENANT))

    async def test_a_denied_hold_leaves_nothing_in_any_account(self, quota: Quota) -> None:
        for number in range(5):
            assert await quota.hold(f"run:{number}", PATH, queries(4)) is not None

        assert await self._queries_left(quota) == (10, 3)
        assert await quota.hold("run:0", PATH, queries(3)) is None

    async def test_holding_again_under_one_key_holds_once(self, quota: Quota) -> None:
        for _ in range(5):
            assert await quota.hold("run:1", PATH, queries(2)) is None

        assert await self._queries_left(quota) == (8, 1)

    async def test_what_is_held_stays_held_when_others_overrun(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(2))
        await quota.hold("run:2", PATH, queries(1))
        await quota.settle("run:2", queries(9))

        assert await quota.hold("run:1", PATH, queries(2)) is None
        await quota.settle("run:1", queries(1))

        assert await self._queries_left(quota) == (0, 0)

    async def test_another_charge_under_one_key_takes_the_place_of_the_first(self, quota: Quota) -> None:
        """The first belonged to an intent that never appeared: its process died before the log had it."""
        await quota.hold("run:1", PATH, queries(1))

        assert await quota.hold("run:1", PATH, queries(3)) is None
        assert await self._queries_left(quota) == (7, 0)
        assert await quota.hold("run:1", PATH, queries(4)) is not None
        assert await self._queries_left(quota) == (10, 3)

    async def test_settling_gives_back_what_was_not_used(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(3))

        await quota.settle("run:1", queries(1))

        assert await self._queries_left(quota) == (9, 2)

    async def test_settling_twice_changes_nothing(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(3))
        await quota.settle("run:1", queries(1))

        await quota.settle("run:1", queries(1))
        await quota.settle("run:1", queries(3))

        assert await self._queries_left(quota) == (9, 2)

    async def test_what_is_settled_is_not_held_again(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(3))
        await quota.settle("run:1", queries(3))

        assert await quota.hold("run:1", PATH, queries(3)) is None
        assert await self._queries_left(quota) == (7, 0)

    async def test_more_than_was_held_is_booked_in_full(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(1))

        await quota.settle("run:1", queries(5))

        assert await self._queries_left(quota) == (5, 0)
        denied = await quota.hold("run:2", PATH, queries(1))
        assert denied == Denied(Dimension.QUERIES, 1, 0, AccountName(CONVERSATION))

    async def test_a_released_hold_was_never_there(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(3))

        await quota.release("run:1")
        await quota.release("run:1")
        await quota.settle("run:1", queries(3))

        assert await self._queries_left(quota) == (10, 3)
        assert await quota.hold("run:1", PATH, queries(3)) is None

    async def test_what_is_settled_is_not_released(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(3))
        await quota.settle("run:1", queries(3))

        await quota.release("run:1")

        assert await self._queries_left(quota) == (7, 0)

    async def test_a_key_nobody_held_changes_nothing(self, quota: Quota) -> None:
        await quota.release("run:9")
        await quota.settle("run:9", queries(1))

        assert await self._queries_left(quota) == (10, 3)

    async def test_an_account_without_limits_never_denies(self, quota: Quota) -> None:
        assert await quota.hold("run:1", (KEY,), queries(10**6, "a", "b", "c")) is None
        assert await quota.hold("run:2", (KEY,), cost(2**70)) is None
        await quota.settle("run:2", cost(2**70))

        assert await quota.left(KEY) == Charge()

    async def test_an_account_named_twice_is_charged_once(self, quota: Quota) -> None:
        assert await quota.hold("run:1", (CONVERSATION, CONVERSATION), queries(2)) is None

        assert await self._queries_left(quota) == (10, 1)

    async def test_accounts_and_keys_may_have_any_name(self, quota: Quota) -> None:
        names = ["", "a", "A", "a ", "\ud800", "a\x00", "'; DROP TABLE"]
        for name in names:
            assert await quota.hold(f"key {name}", (TENANT, f"account {name}"), queries(1)) is None

        assert await self._queries_left(quota) == (10 - len(names), 3)
        for name in names:
            await quota.release(f"key {name}")
        assert await self._queries_left(quota) == (10, 3)

    # --- dimensions of other kinds ---------------------------------------------------------------------------------

    async def test_a_member_of_a_set_is_counted_once(self, quota: Quota) -> None:
        assert await quota.hold("run:1", PATH, queries(0, "a", "b")) is None

        assert await quota.hold("run:2", PATH, queries(0, "b", "a")) is None
        denied = await quota.hold("run:3", PATH, queries(0, "a", "c"))

        assert denied == Denied(Dimension.UNIQUE_QUERIES, 1, 0, AccountName(CONVERSATION))

    async def test_a_member_counts_until_nobody_holds_it(self, quota: Quota) -> None:
        await quota.hold("run:1", PATH, queries(0, sources=("x", "y")))
        await quota.hold("run:2", PATH, queries(0, sources=("y",)))

        await quota.release("run:1")

        assert await quota.hold("run:3", PATH, queries(0, sources=("z",))) is None
        assert await quota.hold("run:4", PATH, queries(0, sources=("x",))) is not None
        await quota.settle("run:2", queries(0))
        assert await quota.hold("run:4", PATH, queries(0, sources=("x",))) is None

    async def test_a_settled_member_stays(self, quota: Quota) -> None:
        for key, text in (("run:1", "a"), ("run:2", "b")):
            await quota.hold(key, PATH, queries(0, text))
            await quota.settle(key, queries(0, text))

        assert await quota.hold("run:3", PATH, queries(0, "c")) is not None
        assert await quota.hold("run:4", PATH, queries(0, "a")) is None

    async def test_a_maximum_is_compared_and_never_used_up(self, quota: Quota) -> None:
        for number in range(4):
            assert await quota.hold(f"run:{number}", PATH, Charge(evidence_tokens=500)) is None

        denied = await quota.hold("run:9", PATH, Charge(evidence_tokens=501))

        assert denied == Denied(Dimension.EVIDENCE_TOKENS, 501, 500, AccountName(CONVERSATION))
        assert (await quota.left(CONVERSATION)).evidence_tokens == 500

    # --- at once ---------------------------------------------------------------------------------------------------

    async def test_simultaneous_calls_do_not_all_pass_the_same_check(self, quota: Quota) -> None:
        """O-35: each of eight calls may cost .04 of a shared .10, and turns out to cost .01."""
        spent = 0
        for batch in range(4):
            keys = [f"{batch}:{number}" for number in range(8)]
            denied = await asyncio.gather(*(quota.hold(key, PATH, cost(40_000)) for key in keys))
            let_through = [key for key, no in zip(keys, denied, strict=True) if no is None]

            assert len(let_through) == (100_000 - spent) // 40_000
            for key in let_through:
                await quota.settle(key, cost(10_000))
            spent += 10_000 * len(let_through)

        assert (await quota.left(TENANT)).amounts.cost_microusd == 100_000 - spent
        assert spent == 60_000
