"""O-18: runs that share one runtime object share nothing else: words, sources, spending and reasons stay their own."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import satisfice
from satisfice.adapters.clocks.system import SystemClock
from satisfice.core.access import Permission, Principal
from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim
from satisfice.core.facts import RunStarted, Thought
from satisfice.core.ids import ClaimId
from satisfice.core.orders import Step, StopReason
from satisfice.core.policy import Policy
from satisfice.core.report import RunReport
from satisfice.ports.clock import Clock
from satisfice.ports.model import Completion, Message, Prompt
from satisfice.ports.reasoner import Unusable, View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.runtime.supervising import Supervisor
from satisfice.runtime.world import World
from satisfice.testing.bench import MODEL, planned
from satisfice.testing.building import passage, quoting, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedReasoner, ScriptedRetriever

CODES = [f"code{chr(97 + n)}{chr(97 + n)}" for n in range(20)]
PAGES = 5
ANSWER_PAGE = 3


def queries_allowed(code: str) -> int:
    """From 1 to 5."""
    return CODES.index(code) % 5 + 1


def code_of(view: View) -> str:
    """The code word of whoever asks."""
    return view.question.split()[-1]


def thought(steps: Sequence[Step], view: View) -> Thought:
    """Wants five pages one after the other; the third settles the claim."""
    code = code_of(view)
    if Step.PLAN in steps:
        wanted = [search(f"{code} page {n}", "c") for n in range(1, PAGES + 1)]
        return planned(claims=[Claim(ClaimId("c"), code, code)], proposals=wanted)
    if Step.WRITE in steps:
        return Thought(answer=quoting(view))
    return supports_by_text(view, {f"the answer of {code}": "c"})


class Together:
    """One runtime object: a retriever, a model, a reasoner and a store for all, each of which yields at every step."""

    def __init__(self, clock: Clock) -> None:
        pages = {f"{code} page {n}": self._page(code, n) for code in CODES for n in range(1, PAGES + 1)}
        self.retriever = ScriptedRetriever(pages, clock=clock)
        self.model = ScriptedModel([ModelReply(Completion("ok"), delay_ms=1)], clock=clock)

        def ask(steps: Sequence[Step], view: View) -> Prompt:
            return Prompt((Message("user", view.question),), 100)

        def read(steps: Sequence[Step], view: View, completion: Completion) -> Thought | Unusable:
            return thought(steps, view)

        made = world(clock, [self.retriever], ScriptedReasoner(thought), models={"scripted": self.model})
        by_model = ScriptedReasoner(ask, reads=read)
        self.world: World = replace(made, reasoners={**made.reasoners, "scripted": by_model})

    def _page(self, code: str, number: int) -> Reply:
        text = f"the answer of {code}" if number == ANSWER_PAGE else f"page {number} of {code}"
        held = passage(f"{code}-{number}", text, permission=Permission(f"tenant of {code}"))
        return Reply((held,), delay_ms=1)

    def first(self, code: str) -> RunStarted:
        made = started(
            f"what is {code}",
            run=code,
            retrievers=[self.retriever],
            budget={"queries": queries_allowed(code)},
            principal=Principal(f"user of {code}", f"tenant of {code}"),
            routes=(MODEL,),
        )
        return replace(made, policy=Policy(max_rounds_without_progress=9))

    async def run(self, code: str) -> Run:
        run = await Run.create(self.world, self.first(code))
        await run.drive()
        return run

    def assert_apart(self, runs: Sequence[Run]) -> None:
        """Each run is its own, and together they are what the world saw."""
        assert [run.id for run in runs] == CODES
        calls = Counter(call.principal.tenant for call in self.retriever.calls)
        prompts = Counter(prompt.messages[0].content for prompt in self.model.prompts)
        for code, run in zip(CODES, runs, strict=True):
            report = run.report()
            allowed = queries_allowed(code)
            assert_only(report, code)
            enough = allowed >= ANSWER_PAGE
            assert report.stop is (StopReason.SUFFICIENT if enough else StopReason.BUDGET_EXHAUSTED)
            assert report.answer == (f"the answer of {code}" if enough else None)
            spent = {line.dimension: line.spent for line in report.spent}
            assert spent[Dimension.QUERIES] == min(allowed, ANSWER_PAGE) == calls[f"tenant of {code}"]
            assert spent[Dimension.MODEL_CALLS] == prompts[f"what is {code}"]
            assert verify(run.log).differences == ()
        assert sum(calls.values()) == len(self.retriever.calls)
        assert sum(prompts.values()) == len(self.model.prompts)
        for call in self.retriever.calls:
            assert call.principal.tenant == f"tenant of {call.query.text.split()[0]}"


def assert_only(report: RunReport, code: str) -> None:
    """No other run's word, in whatever the caller gets."""
    shown = repr(report)
    assert code in shown
    assert not [other for other in CODES if other != code and other in shown]


async def test_o_18_twenty_runs_at_once_stay_apart(clock: FakeClock) -> None:
    together = Together(clock)
    async with clock.running():
        runs = await asyncio.gather(*(together.run(code) for code in CODES))

    together.assert_apart(runs)
    assert together.retriever.peak > 10, "they really ran at the same time"


async def test_o_18_twenty_runs_under_a_supervisor_stay_apart(clock: FakeClock) -> None:
    together = Together(clock)
    async with clock.running():
        runs = await Supervisor(7).drive_all([lambda code=code: together.run(code) for code in CODES])

    together.assert_apart(runs)
    assert together.retriever.peak <= 7


def test_o_18_eight_threads_on_one_runtime_object_stay_apart() -> None:
    together = Together(SystemClock())
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda code: asyncio.run(together.run(code)), CODES))

    together.assert_apart(runs)


# --- through the application ---------------------------------------------------------------------------------------


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A page for each of eight groups, readable by that group alone, and one for everybody."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    for code in CODES[:8]:
        page = f"---\naccess: [{code}]\n---\n# Refunds\n\nThe refund window for annual plans is 14 days ({code}).\n"
        (folder / f"{code}.md").write_text(page)
    (folder / "support.md").write_text("# Support\n\nSupport answers within two days.\n")
    return folder


QUESTION = "How long is the refund window for annual plans?"


def assert_own_page(report: RunReport, code: str, allowed: int) -> None:
    assert_only(report, code)
    assert report.stop is StopReason.SUFFICIENT
    assert report.answer == f"The refund window for annual plans is 14 days ({code})."
    line = next(s for s in report.spent if s.dimension is Dimension.QUERIES)
    assert (line.limit, line.spent <= allowed) == (allowed, True)


@pytest.mark.parametrize("threads", [False, True], ids=["one loop", "eight threads"])
async def test_o_18_one_application_serves_many_at_once(handbook: Path, tmp_path: Path, threads: bool) -> None:
    callers = [(code, n % 5 + 1) for n, code in enumerate(CODES[:8] * 2)]
    async with satisfice.open(sources=handbook, store=tmp_path / "store") as application:
        await application.ingest()

        async def ask(code: str, allowed: int) -> RunReport:
            asker = Principal(f"user of {code}", tags=frozenset({code}))
            return await application.ask(QUESTION, principal=asker, budget={"queries": allowed})

        if threads:
            loop = asyncio.get_running_loop()
            with ThreadPoolExecutor(8) as pool:
                waiting = [
                    loop.run_in_executor(pool, lambda caller=caller: asyncio.run(ask(*caller))) for caller in callers
                ]
                reports = await asyncio.gather(*waiting)
        else:
            reports = await asyncio.gather(*(ask(*caller) for caller in callers))
        lines = await application.runs()

    for (code, allowed), report in zip(callers, reports, strict=True):
        assert_own_page(report, code, allowed)
    assert len({report.run for report in reports}) == len(lines) == len(callers)
    assert Counter(line.principal for line in lines) == Counter(f"user of {code}" for code, _ in callers)


def test_o_18_eight_threads_with_a_tenant_each_share_one_store(handbook: Path, tmp_path: Path) -> None:
    def ask(code: str) -> RunReport:
        asker = Principal(f"user of {code}", f"tenant of {code}", frozenset({code}))
        return satisfice.ask(QUESTION, sources=handbook, store=tmp_path / "store", principal=asker)

    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(ask, CODES[:8]))

    for code, report in zip(CODES[:8], reports, strict=True):
        assert_own_page(report, code, 8)
