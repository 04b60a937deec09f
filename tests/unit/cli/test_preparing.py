"""The command line laid over the settings."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from satisfice.cli.preparing import Asked, prepare
from satisfice.core.amounts import Dimension
from satisfice.core.tasks import Complexity
from satisfice.errors import ConfigError


@pytest.fixture(autouse=True)
def here(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "satisfice.toml").write_text('[task.policy]\nbudget = { queries = 8 }\n[source.a]\npath = "a"\n')
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with chdir(tmp_path):
        yield


def test_budget_and_effort_override_the_task_that_was_asked_for() -> None:
    loaded = prepare(Asked(task="policy", effort="high", budget="queries=2,cost_usd=0.10"))
    task = loaded.settings.task_class("policy")
    assert task.complexity is Complexity.FULL
    assert dict(task.budget) == {Dimension.QUERIES: 2, Dimension.COST_MICROUSD: 100_000}
    assert loaded.origins["task.policy.budget.queries"] == "--budget"


@pytest.mark.parametrize(
    "asked", [Asked(task="polcy"), Asked(task="polcy", budget="queries=1"), Asked(task="polcy", effort="low")]
)
def test_an_override_does_not_invent_a_task(asked: Asked) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'policy'"):
        prepare(asked)


def test_an_unknown_effort_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match="minimal, low, medium, high"):
        prepare(Asked(effort="hihg"))


@pytest.mark.parametrize("budget", ["queries=-1", "queries=two", "queries=2.5", "queries=nan", "quries=1"])
def test_a_budget_that_is_none_is_refused(budget: str) -> None:
    with pytest.raises(ConfigError, match="--budget"):
        prepare(Asked(budget=budget))


def test_ignored_patterns_come_on_top() -> None:
    assert prepare(Asked(ignore=["*.log"])).settings.source["a"].ignore == ("*.log",)


def test_folders_replace_the_sources_of_the_settings() -> None:
    assert list(prepare(Asked(folders=[Path("b")])).settings.source) == ["b"]


def test_warnings_are_told_unless_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    Path("satisfice.toml").write_text('[source.a]\npath = "a"\ndescription = "Searches everything"\n')
    prepare(Asked(), quiet=True)
    assert capsys.readouterr().err == ""
    prepare(Asked())
    assert "source.a.description" in capsys.readouterr().err
