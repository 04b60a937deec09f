"""Long work can be stopped, and what was done is kept."""

import asyncio
import os
import signal
import time

import pytest

from satisfice.adapters.clocks.system import SystemClock
from satisfice.cli.working import bar, drive, stopped_by
from satisfice.core.claims import Claim
from satisfice.core.facts import Thought
from satisfice.core.ids import ClaimId
from satisfice.core.orders import StopReason
from satisfice.core.report import RunReport
from satisfice.runtime.engine import Run
from satisfice.testing.bench import planned, reasoner
from satisfice.testing.building import search, started, world
from satisfice.testing.scripted import Reply, ScriptedRetriever


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_hanging_run_with_its_report(number: int) -> None:
    clock = SystemClock()
    hanging = ScriptedRetriever(clock=clock, otherwise=Reply(delay_ms=60_000))
    plan = planned(claims=[Claim(ClaimId("c"), "the window", "window")], proposals=[search("window", "c")])

    async def main() -> RunReport:
        made = world(clock, [hanging], reasoner(plan, lambda _: Thought()))
        run = await Run.create(made, started("the window?", retrievers=[hanging]))
        driving = asyncio.ensure_future(run.drive())
        with stopped_by(run.cancel):
            while not hanging.running:
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), number)
            return await driving

    begun = time.monotonic()
    report = drive(main)
    assert time.monotonic() - begun < 5
    assert report.stop is StopReason.CANCELLED
    assert [query.text for query in report.queries] == ["window"]
    assert hanging.running == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_without_a_report_is_cancelled_and_cleaned_up(number: int) -> None:
    ended: list[str] = []

    async def main() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(60)
        finally:
            ended.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        drive(main)
    assert ended == ["cleaned up"]


def test_a_second_signal_is_not_listened_to() -> None:
    heard: list[str] = []

    async def main() -> None:
        with stopped_by(lambda: heard.append("once")):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        drive(main)
    assert heard == ["once"]


def test_there_is_no_bar_where_nobody_watches() -> None:
    with bar(quiet=False) as advance:
        assert advance is None
