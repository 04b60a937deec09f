"""Layers of settings, and what is said about mistakes."""

from pathlib import Path

import pytest

from satisfice.config.reading import Given, Loaded, budget_from_text, load
from satisfice.core.amounts import Dimension
from satisfice.core.sources import Authority
from satisfice.core.tasks import Complexity
from satisfice.errors import ConfigError, Problem

HANDBOOK = """
[task.policy]
complexity = "bounded"
budget = { queries = 8, cost_usd = "0.20" }
always_retrieve = ["price", "refund"]
outcomes = { NO_PROGRESS = "escalated" }

[[task.policy.claim]]
key = "effective_date"
text = "the date from which the policy applies"
classes = ["policy"]
min_authority = "official"
max_age_days = 400

[source.handbook]
kind = "folder"
path = "handbook"
description = "The company handbook: plans, refunds, security, on-call"
class = "policy"
authority = "official"
access = ["staff"]
"""


def read(tmp_path: Path, text: str = "", *given: Given, **environment: str) -> Loaded:
    file = tmp_path / "satisfice.toml"
    file.write_text(text)
    return load(file, given, environment=environment)


def mistakes(tmp_path: Path, text: str = "", *given: Given, **environment: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text, *given, **environment)
    return caught.value.problems


def limits(budget: dict[str, object]) -> tuple[tuple[Dimension, int], ...]:
    given = [Given("call", ("task", "t", "budget", name), value) for name, value in budget.items()]
    return load(given=given, environment={}).settings.task_class("t").budget


def test_nothing_given_means_the_defaults() -> None:
    loaded = load(environment={}, file=None)
    assert loaded.settings.task_class().complexity is Complexity.BOUNDED
    assert loaded.origins == {}
    assert loaded.file is None


def test_a_file_becomes_task_classes_and_sources(tmp_path: Path) -> None:
    settings = read(tmp_path, HANDBOOK).settings
    task = settings.task_class("policy")
    assert dict(task.budget) == {Dimension.QUERIES: 8, Dimension.COST_MICROUSD: 200_000}
    assert task.outcomes == (("NO_PROGRESS", "escalated"),)
    assert task.claims[0].requirement.min_authority is Authority.OFFICIAL
    assert settings.source["handbook"].path == tmp_path / "handbook"
    assert settings.source["handbook"].access == ("staff",)


@pytest.mark.parametrize(
    ("given", "environment", "expected", "where"),
    [
        ((), {}, 8, "satisfice.toml"),
        ((), {"SATISFICE_TASK__POLICY__BUDGET__QUERIES": "5"}, 5, "SATISFICE_TASK__POLICY__BUDGET__QUERIES"),
        ((), {"SATISFICE_TASK__POLICY__BUDGET": "queries=4, steps=9"}, 4, "SATISFICE_TASK__POLICY__BUDGET"),
        ((3,), {"SATISFICE_TASK__POLICY__BUDGET__QUERIES": "5"}, 3, "given 0"),
        ((3, 0), {"SATISFICE_TASK__POLICY__BUDGET__QUERIES": "5"}, 0, "given 1"),
    ],
)
def test_the_later_layer_wins_and_is_named(
    tmp_path: Path, given: tuple[int, ...], environment: dict[str, str], expected: int, where: str
) -> None:
    layers = (Given(f"given {i}", ("task", "policy", "budget", "queries"), value) for i, value in enumerate(given))
    loaded = read(tmp_path, HANDBOOK, *layers, **environment)
    assert dict(loaded.settings.task_class("policy").budget)[Dimension.QUERIES] == expected
    assert loaded.origins["task.policy.budget.queries"].endswith(where)
    assert loaded.origins["task.policy.complexity"].endswith("satisfice.toml")


def test_every_mistake_is_reported_at_once_with_the_place_it_came_from(tmp_path: Path) -> None:
    text = """
    [task.policy]
    complexity = "bunded"
    budget = { queries = -1, stepz = 3 }
    [[task.policy.claim]]
    key = "a b"
    [source.handbook]
    class = "polisy"
    [model.write]
    name = "large"
    """
    found = mistakes(tmp_path, text, Given("--budget", ("task", "x", "budget", "steps"), 2.5), SATISFICE_STOR__DIR="x")
    said = {problem.key: problem for problem in found}
    assert set(said) == {
        "task.policy.complexity",
        "task.policy.budget.queries",
        "task.policy.budget.stepz",
        "task.policy.claim[1].key",
        "task.policy.claim[1].text",
        "source.handbook.class",
        "source.handbook.path",
        "model",
        "stor",
        "task.x.budget.steps",
    }
    assert said["task.policy.complexity"].hint == "Did you mean 'bounded'?"
    assert said["task.policy.budget.stepz"].hint == "Did you mean 'steps'?"
    assert said["source.handbook.class"].hint == "Did you mean 'policy'?"
    assert said["stor"].where == "SATISFICE_STOR__DIR"
    assert said["task.x.budget.steps"].where == "--budget"
    assert "later version" in said["model"].hint
    assert said["task.policy.budget.queries"].found == "-1"


@pytest.mark.parametrize("dimension", sorted(set(Dimension)))
@pytest.mark.parametrize("value", [-1, "5", 2.5, float("nan"), float("inf"), True, [1], 2**63])
def test_a_limit_that_is_no_whole_number_is_refused_by_name(dimension: Dimension, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        limits({dimension.value: value})
    assert [problem.key for problem in caught.value.problems] == [f"task.t.budget.{dimension}"]


@pytest.mark.parametrize("dimension", sorted(set(Dimension)))
@pytest.mark.parametrize("value", [0, 1, 2**63 - 1])
def test_zero_and_any_size_are_limits(dimension: Dimension, value: int) -> None:
    assert limits({dimension.value: value}) == ((dimension, value),)


def test_none_is_an_absent_limit() -> None:
    assert limits({"queries": None, "cost_usd": "0"}) == ((Dimension.COST_MICROUSD, 0),)


@pytest.mark.parametrize(("dollars", "micros"), [("0.20", 200_000), ("0.000001", 1), ("3", 3_000_000), ("1e-3", 1000)])
def test_dollars_become_micro_dollars_exactly(dollars: str, micros: int) -> None:
    assert limits({"cost_usd": dollars}) == ((Dimension.COST_MICROUSD, micros),)


@pytest.mark.parametrize("dollars", [0.2, "0.0000001", "-1", "nan", "inf", "much", ""])
def test_dollars_that_are_not_exact_are_refused(dollars: object) -> None:
    with pytest.raises(ConfigError, match="cost_usd"):
        limits({"cost_usd": dollars})


def test_a_budget_is_read_from_text() -> None:
    assert budget_from_text(" queries=2, wall_clock_ms = 500,cost_usd=0.20,", "--budget") == {
        "queries": 2,
        "wall_clock_ms": 500,
        "cost_usd": "0.20",
    }


@pytest.mark.parametrize("text", ["queries", "=2", "queries=", "queries=1,queries=2"])
def test_a_budget_that_cannot_be_read_names_its_part(text: str) -> None:
    with pytest.raises(ConfigError, match="--budget"):
        budget_from_text(text, "--budget")


def test_words_in_a_budget_are_refused_where_limits_are_checked(tmp_path: Path) -> None:
    found = mistakes(tmp_path, SATISFICE_TASK__DEFAULT__BUDGET="queries=two")
    assert str(found[0]) == (
        "SATISFICE_TASK__DEFAULT__BUDGET: task.default.budget.queries is 'two'; allowed: a whole number of 0 or more."
    )


def test_an_unknown_task_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    settings = read(tmp_path, HANDBOOK).settings
    with pytest.raises(
        ConfigError, match=r"--task: task is 'polcy'; allowed: default, policy\. Did you mean 'policy'\?"
    ):
        settings.task_class("polcy", where="--task")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a = = 1", "not TOML"),
        (b"\xff\xfe", "not TOML"),
        (b"#" * 1_000_001, "too large"),
    ],
)
def test_a_file_that_is_not_settings_says_so(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "s.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        load(file, environment={})


@pytest.mark.parametrize("name", ["absent.toml", "."])
def test_a_named_file_must_be_readable(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="not readable"):
        load(tmp_path / name, environment={})


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[store]\nfsync = true\n")
    assert load(environment={"SATISFICE_CONFIG": str(tmp_path / "other.toml")}).settings.store.fsync


def test_variables_become_the_types_their_keys_ask_for(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        HANDBOOK,
        SATISFICE_STORE__FSYNC="true",
        SATISFICE_STORE__RETENTION_DAYS="30",
        SATISFICE_SOURCE__HANDBOOK__IGNORE="*.log, drafts/",
        SATISFICE_STORE__DIR="",
    ).settings
    assert settings.store.fsync
    assert settings.store.retention_days == 30
    assert settings.source["handbook"].ignore == ("*.log", "drafts/")
    assert settings.store.dir is None


def test_a_value_laid_over_a_table_replaces_it(tmp_path: Path) -> None:
    found = mistakes(tmp_path, HANDBOOK, Given("call", ("task", "policy", "budget"), 3))
    assert [(p.where, p.key, p.allowed) for p in found] == [("call", "task.policy.budget", "a table")]


@pytest.mark.parametrize(
    ("description", "warned"),
    [
        ("Searches the handbook", True),
        ("Can find any document", True),
        ("Tool for looking up refunds", True),
        ("The company handbook: plans, refunds", False),
        ("Candidates and their interviews", False),
        ("", False),
    ],
)
def test_a_description_of_abilities_is_warned_about(tmp_path: Path, description: str, warned: bool) -> None:
    loaded = read(tmp_path, f'[source.a]\npath = "a"\ndescription = "{description}"\n')
    assert [p.key for p in loaded.warnings] == (["source.a.description"] if warned else [])


def test_one_key_for_two_claims_is_refused(tmp_path: Path) -> None:
    claim = '[[task.t.claim]]\nkey = "date"\ntext = "the date"\n'
    assert "'date' is there twice" in mistakes(tmp_path, claim * 2)[0].allowed


def test_long_values_are_cut_in_messages(tmp_path: Path) -> None:
    found = mistakes(tmp_path, f'[task.t]\ncomplexity = "{"x" * 10_000}"\n')
    assert len(found[0].found) < 100
