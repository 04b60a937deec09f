"""Stored logs come to what they came to, are decided again as they were, and are made again to the letter."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from satisfice.core.evolve import fold
from satisfice.core.facts import Abandoned, Envelope, OrderDenied, RunPaused, RunResumed
from satisfice.core.orders import StopReason

MAKE = Path(__file__).with_name("make.py")
_make = runpy.run_path(str(MAKE))
LOGS: Path = _make["LOGS"]
NAMES = sorted(_make["RUNS"])

logs = pytest.mark.parametrize("name", NAMES)


def expected(name: str) -> dict[str, Any]:
    return json.loads((LOGS / f"{name}.json").read_text())


def log_of(name: str) -> list[Envelope]:
    return _make["stored"](name)


@logs
def test_a_stored_log_comes_to_what_it_came_to(name: str) -> None:
    found = json.loads(json.dumps(_make["comes_to"](log_of(name))))

    assert found == expected(name)
    assert found["differences"] == []
    assert found["decisions"] > 3


@logs
def test_a_stored_log_is_written_back_as_it_stands(name: str) -> None:
    lines = (LOGS / f"{name}.jsonl").read_text().splitlines()

    assert [_make["to_line"](_make["of_line"](line)) for line in lines] == lines


@logs
def test_the_same_run_makes_the_same_log_again(name: str) -> None:
    assert _make["made_now"](name) == (LOGS / f"{name}.jsonl").read_text().splitlines()


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_order_of_hashes_changes_nothing(seed: str) -> None:
    shown = subprocess.run(
        [sys.executable, str(MAKE), "show"],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr

    for name, found in json.loads(shown.stdout).items():
        assert found["comes_to"] == expected(name), name
        assert found["made_now"] == (LOGS / f"{name}.jsonl").read_text().splitlines(), name


def test_the_logs_tell_the_stories_they_are_named_after() -> None:
    states = {name: fold(log_of(name)) for name in NAMES}
    stops = {name: state.stopped for name, state in states.items()}
    assert stops == {
        "branches": StopReason.SOURCE_UNAVAILABLE,
        "budget_exhausted": StopReason.BUDGET_EXHAUSTED,
        "cancelled": StopReason.CANCELLED,
        "conflict": StopReason.CONTRADICTION_UNRESOLVED,
        "crash_and_resume": StopReason.SOURCE_UNAVAILABLE,
        "pause": StopReason.SUFFICIENT,
        "sufficient": StopReason.SUFFICIENT,
    }
    kinds = {name: [type(e.fact) for e in log_of(name)] for name in NAMES}
    assert sum(issubclass(k, Abandoned) for k in kinds["crash_and_resume"]) == 3
    assert RunResumed in kinds["crash_and_resume"]
    assert RunPaused in kinds["pause"]
    assert OrderDenied in kinds["budget_exhausted"]
    assert states["conflict"].verdict.conflicts[0].resolved is False
    assert len(states["branches"].branches) == 4
    for name in ("crash_and_resume", "branches"):
        report = expected(name)["report"]
        assert report["answer"] == "beta is 2 gamma is 3"
        assert report["gaps"] == [["a", "NO_EVIDENCE"]]
