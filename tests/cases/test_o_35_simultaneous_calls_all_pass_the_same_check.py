"""O-35: what a call may cost is held before it starts, so that calls made at once cannot spend what is left many times."""

import asyncio
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.adapters.quotas.memory import MemoryQuota
from satisfice.adapters.quotas.sqlite import SqliteQuota
from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.facts import OrderDenied
from satisfice.core.orders import StopReason
from satisfice.errors import ModelError
from satisfice.ports.model import Completion
from satisfice.ports.quota import Quota
from satisfice.runtime.engine import Run
from satisfice.testing.bench import assert_sound
from satisfice.testing.building import OWNER
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, ScriptedModel

PROCESS = Path(__file__).with_name("shared_limit_process.py")
_shared = runpy.run_path(str(PROCESS))
greet: Callable[..., Coroutine[Any, Any, Run]] = _shared["greet"]
LIMIT, USED, world_of = _shared["LIMIT"], _shared["USED"], _shared["world_of"]

COST_MICROUSD = 10_000
"""What a call really costs."""
ANSWERS = ModelReply(Completion("ok", USED), delay_ms=100)


@dataclass
class Tenant:
    """Many runs under one limit of 0.10, each with one model call that may cost 0.04."""

    clock: FakeClock
    quota: Quota
    model: ScriptedModel

    async def left_microusd(self) -> int:
        return (await self.quota.left("tenant")).amounts.cost_microusd

    async def start(self, wave: str, count: int) -> list[Run]:
        """As many at once, to their ends."""
        world = world_of(self.clock, self.model, self.quota)
        owners = [replace(world, owner=replace(OWNER, token=f"{wave}{n}")) for n in range(count)]
        return list(await asyncio.gather(*(greet(owned, f"{wave}{n}") for n, owned in enumerate(owners))))

    def paid_microusd(self) -> int:
        """What the model's owner really charged."""
        return COST_MICROUSD * len(self.model.prompts)


Scenario = Callable[[Tenant], Coroutine[Any, Any, None]]


@pytest.fixture(params=["memory", "sqlite"])
def under_a_limit(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Callable[..., None]:
    """Plays a scenario against either kind of shared accounts, in a loop of its own."""

    def play(scenario: Scenario, *replies: ModelReply) -> None:
        async def main() -> None:
            file = StateFile(tmp_path / "state.db")
            quota = MemoryQuota(lambda _: LIMIT) if request.param == "memory" else SqliteQuota(file, lambda _: LIMIT)
            await scenario(Tenant(clock, quota, ScriptedModel(list(replies) or [ANSWERS], clock=clock)))
            await file.close()

        clock.run(main())

    return play


def test_o_35_of_eight_at_once_two_are_in_flight_and_the_model_never_sees_the_others(
    under_a_limit: Callable[..., None],
) -> None:
    async def scenario(tenant: Tenant) -> None:
        runs = await tenant.start("a", 8)

        assert tenant.model.peak == len(tenant.model.prompts) == 2
        assert Counter(run.report().stop for run in runs) == {
            StopReason.NOT_NEEDED: 2,
            StopReason.BUDGET_EXHAUSTED: 6,
        }
        for run in runs:
            if run.report().stop is StopReason.BUDGET_EXHAUSTED:
                denied = run.report().denied
                assert denied is not None
                assert (denied.dimension, denied.account) == (Dimension.COST_MICROUSD, "tenant")
                assert denied.left < denied.asked == 40_000
                assert sum(isinstance(e.fact, OrderDenied) for e in run.log) == 1
                assert_sound(run)

    under_a_limit(scenario)


def test_o_35_unused_reserve_is_free_again_and_true_spend_never_passes_the_limit(
    under_a_limit: Callable[..., None],
) -> None:
    async def scenario(tenant: Tenant) -> None:
        answered = 0
        for wave in "abcdefgh":
            runs = await tenant.start(wave, 8)
            answered += sum(run.report().stop is StopReason.NOT_NEEDED for run in runs)
            assert tenant.model.peak <= 2
            assert tenant.paid_microusd() <= 100_000
            assert await tenant.left_microusd() == 100_000 - tenant.paid_microusd()
            spent = [run.state.accounts.spent(ROOT)[Dimension.COST_MICROUSD] for run in runs]
            assert sum(spent) == COST_MICROUSD * sum(run.report().stop is StopReason.NOT_NEEDED for run in runs)
        # Two of each wave while two ceilings fit, then one, until less than one ceiling is left.
        assert answered == len(tenant.model.prompts) == 7
        assert await tenant.left_microusd() == 30_000

    under_a_limit(scenario)


def test_o_35_a_call_that_fails_without_usage_keeps_its_whole_reserve(under_a_limit: Callable[..., None]) -> None:
    async def scenario(tenant: Tenant) -> None:
        (run,) = await tenant.start("a", 1)

        assert await tenant.left_microusd() == 60_000
        assert run.state.accounts.spent(ROOT)[Dimension.COST_MICROUSD] == 40_000

    under_a_limit(scenario, ModelReply(error=ModelError("m", "cut off")))


def test_o_35_a_call_that_fails_with_usage_keeps_what_it_used(under_a_limit: Callable[..., None]) -> None:
    error = ModelError("m", "cut off")
    error.charge = Charge(Amounts(steps=1, model_calls=1, model_tokens=4_000, cost_microusd=COST_MICROUSD))

    async def scenario(tenant: Tenant) -> None:
        await tenant.start("a", 1)

        assert await tenant.left_microusd() == 100_000 - COST_MICROUSD

    under_a_limit(scenario, ModelReply(error=error))


def test_o_35_two_processes_share_one_limit(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for wave, answered in (("a", 2), ("b", 2)):
        children = [_Child(path, f"{wave}{name}") for name in ("one", "two")]
        said = [child.settle_down() for child in children]
        assert sum(lines.count("called") for lines in said) == answered
        ends = [child.end() for child in children]
        assert Counter(stop for stops in ends for stop in stops) == {"NOT_NEEDED": answered, "BUDGET_EXHAUSTED": 14}

    async def left() -> int:
        file = StateFile(path)
        amounts = (await SqliteQuota(file, lambda _: LIMIT).left("tenant")).amounts
        await file.close()
        return amounts.cost_microusd

    assert asyncio.run(left()) == 100_000 - 4 * COST_MICROUSD


class _Child:
    """A process with eight runs of its own."""

    def __init__(self, path: Path, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(PROCESS), str(path), name, "8"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def settle_down(self) -> list[str]:
        """What became of its runs once none is undecided: called or refused."""
        assert self._process.stdout is not None
        return [self._process.stdout.readline().strip() for _ in range(8)]

    def end(self) -> list[str]:
        """Let its calls answer; what its runs ended as."""
        said, _ = self._process.communicate("go\n", timeout=60)
        return said.split()
