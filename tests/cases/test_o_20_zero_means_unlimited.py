"""O-20: 0 allows nothing, absent is the documented default, and what is no limit is refused by the name of its field."""

import json
import math
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import satisfice
from satisfice.cli.preparing import Asked, prepare
from satisfice.config.reading import Given, load
from satisfice.core.amounts import Amounts, Dimension
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement
from satisfice.core.facts import BranchOpened, RerankStarted, SearchStarted, Started, Thought
from satisfice.core.ids import ClaimId, ProposalId, SourceId
from satisfice.core.limits import MAX_LIMIT, limits_from
from satisfice.core.orders import BranchProposal, Proposal, StopReason
from satisfice.core.sources import SourceProfile
from satisfice.core.tasks import ROWS, Complexity
from satisfice.errors import ConfigError
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.testing.bench import MODEL, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import drive, passage, search, started, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever

WRONG = [-1, "5", 2.5, math.nan, math.inf, -math.inf, True, MAX_LIMIT + 1, 10**40]
DEFAULTS = ROWS[Complexity.FULL]

dimensions = pytest.mark.parametrize("dimension", list(Dimension))
wrongs = pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:12])


# --- what a run does with 0 ----------------------------------------------------------------------------------------


@dataclass
class Bench:
    """A run that could use every dimension: branches, hops, several sources, and a model at a price when asked for."""

    clock: FakeClock
    with_model: bool = False
    model_cost: int = 8_000
    query_cost: int = 0
    proposals: tuple[Proposal, ...] = (search("alpha", "a"),)

    async def run(self, **budget: object) -> Run:
        profile = SourceProfile(SourceId("docs"), query_microusd=self.query_cost)
        self.retriever = ScriptedRetriever(
            clock=self.clock, profile=profile, otherwise=Reply((passage("p", "something else"),))
        )
        price = (0, 0) if not self.model_cost else (1_000_000, 4_000_000)
        self.model = ScriptedModel([ModelReply(Completion("ok"))], clock=self.clock, price=price)
        plan = planned(claims=[Claim(ClaimId("a"), "alpha", "alpha")], proposals=self.proposals)
        made = world(self.clock, [self.retriever], reasoner(plan, deeper), models={"scripted": self.model})
        first = started("alpha", retrievers=[self.retriever], budget=budget)
        if self.with_model:
            made = replace(made, reasoners={**made.reasoners, "scripted": by_model(plan, deeper)})
            ceiling = Amounts(model_calls=1, model_tokens=2_000, cost_microusd=self.model_cost)
            first = replace(first, routes=(replace(MODEL, ceiling=ceiling),))
        async with self.clock.running():
            run = await drive(made, first)
        assert_sound(run, self.retriever, self.model)
        return run


def deeper(view: View) -> Thought:
    """Nothing settles anything, and what is held leads one hop on."""
    return Thought(
        judgements=tuple(Judgement(c.id, 0.1) for c in view.claims),
        judged=tuple(p.id for p in view.passages),
        proposals=(search(f"alpha hop {len(view.queries)}", "a", depth=1),),
    )


def assert_exhausted(run: Run, dimension: Dimension) -> None:
    report = run.report()
    assert report.stop is StopReason.BUDGET_EXHAUSTED
    assert report.denied is not None
    assert (report.denied.dimension, report.denied.left) == (dimension, 0)
    line = next(s for s in report.spent if s.dimension is dimension)
    assert (line.spent, line.limit) == (0, 0)


@pytest.mark.parametrize(
    "dimension",
    [
        Dimension.STEPS,
        Dimension.QUERIES,
        Dimension.UNIQUE_QUERIES,
        Dimension.SOURCES,
        Dimension.DOCUMENTS,
        Dimension.RETRIEVED_TOKENS,
        Dimension.WALL_CLOCK_MS,
    ],
)
async def test_o_20_zero_searches_nothing(clock: FakeClock, dimension: Dimension) -> None:
    bench = Bench(clock)

    run = await bench.run(**{dimension: 0})

    assert_exhausted(run, dimension)
    assert bench.retriever.calls == []
    if dimension in {Dimension.STEPS, Dimension.WALL_CLOCK_MS}:
        assert not any(isinstance(e.fact, Started) for e in run.log), "no step and no time: nothing at all"


@pytest.mark.parametrize("dimension", [Dimension.MODEL_CALLS, Dimension.MODEL_TOKENS, Dimension.COST_MICROUSD])
async def test_o_20_zero_calls_no_model(clock: FakeClock, dimension: Dimension) -> None:
    bench = Bench(clock, with_model=True)

    run = await bench.run(**{dimension: 0})

    assert_exhausted(run, dimension)
    assert bench.model.prompts == []
    assert bench.retriever.calls == []


async def test_o_20_zero_cost_pays_for_no_search(clock: FakeClock) -> None:
    bench = Bench(clock, query_cost=100)

    run = await bench.run(cost_microusd=0)

    assert_exhausted(run, Dimension.COST_MICROUSD)
    assert bench.retriever.calls == []


async def test_o_20_zero_cost_allows_what_is_free(clock: FakeClock) -> None:
    bench = Bench(clock, with_model=True, model_cost=0)

    run = await bench.run(cost_microusd=0)

    assert bench.model.prompts
    assert bench.retriever.calls
    assert run.report().stop is not StopReason.BUDGET_EXHAUSTED
    line = next(s for s in run.report().spent if s.dimension is Dimension.COST_MICROUSD)
    assert (line.spent, line.limit) == (0, 0)


async def test_o_20_zero_depth_takes_no_hop(clock: FakeClock) -> None:
    run = await Bench(clock).run(rewrite_depth=0)

    assert_exhausted(run, Dimension.REWRITE_DEPTH)
    assert [e.fact.order.lineage.depth for e in run.log if isinstance(e.fact, SearchStarted)] == [0]


async def test_o_20_zero_branches_opens_none(clock: FakeClock) -> None:
    run = await Bench(clock, proposals=(BranchProposal(ProposalId(""), (ClaimId("a"),)),)).run(branches=0)

    assert_exhausted(run, Dimension.BRANCHES)
    assert not any(isinstance(e.fact, BranchOpened) for e in run.log)


@pytest.mark.parametrize("dimension", [Dimension.RERANKS, Dimension.EVIDENCE_TOKENS])
async def test_o_20_zero_of_what_the_run_does_not_use_bars_nothing_else(clock: FakeClock, dimension: Dimension) -> None:
    bench = Bench(clock)

    run = await bench.run(**{dimension: 0})

    assert bench.retriever.calls
    assert not any(isinstance(e.fact, RerankStarted) for e in run.log)
    assert next(s for s in run.report().spent if s.dimension is dimension).spent == 0


@dimensions
@pytest.mark.parametrize("given", [{}, None], ids=["absent", "none"])
async def test_o_20_absent_is_the_documented_default_and_the_result_shows_it(
    clock: FakeClock, dimension: Dimension, given: dict[str, object] | None
) -> None:
    run = await Bench(clock).run(**({dimension: None} if given is None else given))

    assert next(s.limit for s in run.report().spent if s.dimension is dimension) == DEFAULTS[dimension]


# --- building limits -----------------------------------------------------------------------------------------------


@dimensions
def test_o_20_limits_keep_zero_and_a_very_large_integer_exactly(dimension: Dimension) -> None:
    assert limits_from({dimension: 0}, DEFAULTS)[dimension] == 0
    assert limits_from({dimension: MAX_LIMIT}, DEFAULTS)[dimension] == MAX_LIMIT
    assert limits_from({dimension: None}, DEFAULTS)[dimension] == DEFAULTS[dimension]


@wrongs
def test_o_20_what_is_no_limit_is_refused_by_name(wrong: object) -> None:
    for dimension in Dimension:
        with pytest.raises(ConfigError) as caught:
            limits_from({dimension: wrong}, DEFAULTS)
        assert [problem.key for problem in caught.value.problems] == [dimension]


@wrongs
def test_o_20_an_application_refuses_it_before_the_run(tmp_path: Path, wrong: object) -> None:
    application = satisfice.open(store=tmp_path)

    for dimension in Dimension:
        with pytest.raises(ConfigError, match=dimension):
            application.run("alpha", budget={dimension: wrong})


# --- settings ------------------------------------------------------------------------------------------------------


def toml(value: object) -> str:
    return {"True": "true"}.get(str(value)) or (json.dumps(value) if isinstance(value, str) else str(value))


@wrongs
def test_o_20_a_settings_file_refuses_it_by_file_and_key(tmp_path: Path, wrong: object) -> None:
    file = tmp_path / "satisfice.toml"
    file.write_text("".join(f"[task.{d}]\nbudget = {{ {d} = {toml(wrong)} }}\n" for d in Dimension))

    with pytest.raises(ConfigError) as caught:
        load(file, environment={})

    assert {problem.where for problem in caught.value.problems} == {str(file)}
    assert {problem.key for problem in caught.value.problems} == {f"task.{d}.budget.{d}" for d in Dimension}


@dimensions
def test_o_20_a_settings_file_keeps_zero_and_leaves_the_absent_to_the_class(
    tmp_path: Path, dimension: Dimension
) -> None:
    file = tmp_path / "satisfice.toml"
    file.write_text(f'[task.t]\ncomplexity = "full"\nbudget = {{ {dimension} = 0 }}\n')

    task = load(file, environment={}).settings.task_class("t")

    assert task.limits() == {**DEFAULTS, dimension: 0}


@dimensions
def test_o_20_the_environment_keeps_zero_and_refuses_what_is_none(dimension: Dimension) -> None:
    name = f"SATISFICE_TASK__DEFAULT__BUDGET__{dimension.upper()}"
    assert load(environment={name: "0"}).settings.task_class("default").limits()[dimension] == 0
    for wrong in ("-1", "2.5", "nan", "inf", "none", str(MAX_LIMIT + 1)):
        with pytest.raises(ConfigError) as caught:
            load(environment={name: wrong})
        assert name in str(caught.value)


def test_o_20_dollars_keep_zero_and_refuse_what_is_none() -> None:
    def loaded(value: object) -> int:
        given = [Given("here", ("task", "default", "budget", "cost_usd"), value)]
        task = load(given=given, environment={}).settings.task_class("default")
        return task.limits()[Dimension.COST_MICROUSD]

    assert loaded("0") == 0
    assert loaded("0.20") == 200_000
    for wrong in ("-1", "nan", "inf", "0.0000001", 0.2, 5, True):
        with pytest.raises(ConfigError, match="cost_usd"):
            loaded(wrong)


# --- the command line ----------------------------------------------------------------------------------------------


@dimensions
def test_o_20_the_command_line_keeps_zero(tmp_path: Path, dimension: Dimension) -> None:
    settings = prepare(Asked(folders=[tmp_path], store=tmp_path, budget=f"{dimension}=0")).settings

    assert settings.task_class("default").limits() == {**ROWS[Complexity.BOUNDED], dimension: 0}


@pytest.mark.parametrize("wrong", ["-1", "2.5", "nan", "inf", "", "none", "0x5", str(MAX_LIMIT + 1)])
def test_o_20_the_command_line_refuses_it_by_name(tmp_path: Path, wrong: str) -> None:
    for dimension in Dimension:
        with pytest.raises(ConfigError) as caught:
            prepare(Asked(folders=[tmp_path], store=tmp_path, budget=f"{dimension}={wrong}"))
        assert dimension in str(caught.value)
        assert "--budget" in str(caught.value)


def test_o_20_a_whole_command_with_zero_searches_is_exhausted_not_unlimited(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "refunds.md").write_text("# Refunds\n\nThe refund window for annual plans is 14 days.\n")
    (tmp_path / "docs" / "support.md").write_text("# Support\n\nSupport answers within two days.\n")
    question = "How long is the refund window for annual plans?"
    command = [sys.executable, "-m", "satisfice", "ask", question, str(tmp_path / "docs")]
    options = ["--store", str(tmp_path / "store"), "--json", "--budget"]

    zero = subprocess.run([*command, *options, "queries=0"], capture_output=True, text=True, check=False)
    one = subprocess.run([*command, *options, "queries=1"], capture_output=True, text=True, check=False)

    shown: dict[str, Any] = json.loads(zero.stdout)
    assert shown["stop"]["reason"] == "BUDGET_EXHAUSTED"
    assert shown["answer"] is None
    assert json.loads(one.stdout)["stop"]["reason"] == "SUFFICIENT"
