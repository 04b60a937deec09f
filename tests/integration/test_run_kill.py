"""A run killed at every boundary, once and again: totals hold, no limit is passed in the world, the answer is the same."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROCESS = Path(__file__).with_name("run_kill_process.py")
RESULT = ("answer", "stop", "gaps", "evidence")

pytestmark = pytest.mark.slow

Told = dict[str, Any]


def played(folder: Path, budget: str) -> tuple[Told, list[Told]]:
    """What an uninterrupted run came to, and what came of each boundary."""
    process = subprocess.run(
        [sys.executable, str(PROCESS), str(folder), budget], capture_output=True, text=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stderr
    first, *rest = map(json.loads, process.stdout.splitlines())
    return first["whole"], rest


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Told, list[Told]]:
    return played(tmp_path_factory.mktemp("roomy"), "roomy")


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> tuple[Told, list[Told]]:
    return played(tmp_path_factory.mktemp("tight"), "tight")


def ends(boundaries: list[Told]) -> list[Told]:
    """Everything that came to an end, however often it was killed on the way."""
    return [found[way] for found in boundaries for way in ("resumed", "killed again") if way in found]


def assert_totals_hold(told: Told) -> None:
    """Every call the world saw is paid for; what is paid beyond that are orders of which nobody knows what became."""
    for kind in ("searches", "models"):
        ledger = told["queries" if kind == "searches" else "model_calls"]
        seen, back = told[f"{kind}_seen"], told[f"{kind}_back"]
        assert back <= seen <= ledger <= back + told["unknown"]
    queries, model_calls = told["limits"]
    assert told["queries"] <= queries
    assert told["model_calls"] <= model_calls
    spent, taken = told["steps"]
    assert spent == taken
    assert told["differences"] == 0
    assert told["held"] == 0


def test_every_boundary_was_met(roomy: tuple[Told, list[Told]]) -> None:
    """As many as there are appends and calls in an uninterrupted run, twice."""
    whole, boundaries = roomy
    assert (whole["stop"], whole["unknown"], whole["legs"]) == ("SUFFICIENT", 0, 1)
    calls = whole["searches_seen"] + whole["models_seen"] + 1  # and one reading of a linked passage
    assert len(boundaries) > 2 * calls
    assert len(boundaries) % 2 == 0
    assert any(found.get("killed again", {}).get("legs") == 3 for found in boundaries)


def test_totals_hold_wherever_the_process_died(roomy: tuple[Told, list[Told]]) -> None:
    whole, boundaries = roomy
    for told in (whole, *ends(boundaries)):
        assert_totals_hold(told)


def test_the_result_equals_an_uninterrupted_runs(roomy: tuple[Told, list[Told]]) -> None:
    whole, boundaries = roomy
    for told in ends(boundaries):
        assert {part: told[part] for part in RESULT} == {part: whole[part] for part in RESULT}


def test_at_most_what_was_in_flight_is_done_again(roomy: tuple[Told, list[Told]]) -> None:
    whole, boundaries = roomy
    for told in ends(boundaries):
        assert told["searches_seen"] + told["models_seen"] <= (
            whole["searches_seen"] + whole["models_seen"] + told["unknown"]
        )


def test_no_limit_is_passed_in_the_world_though_nothing_is_to_spare(tight: tuple[Told, list[Told]]) -> None:
    whole, boundaries = tight
    queries, model_calls = whole["limits"]
    assert (whole["stop"], whole["queries"], whole["model_calls"]) == ("SUFFICIENT", queries, model_calls)
    for told in ends(boundaries):
        assert_totals_hold(told)
        assert told["searches_seen"] <= queries
        assert told["models_seen"] <= model_calls
        assert told["stop"] in {"SUFFICIENT", "BUDGET_EXHAUSTED"}
        if told["stop"] == "SUFFICIENT":
            assert told["answer"] == whole["answer"]
    assert {told["stop"] for told in ends(boundaries)} == {"SUFFICIENT", "BUDGET_EXHAUSTED"}


def test_of_two_that_resume_at_once_one_is_refused_or_both_find_it_finished(roomy: tuple[Told, list[Told]]) -> None:
    _, boundaries = roomy
    for found in boundaries:
        done = [told for told in found["raced"] if "error" not in told]
        refused = [told for told in found["raced"] if "error" in told]
        assert done
        assert all(told == done[0] for told in done)
        assert {told["error"] for told in refused} <= {"RunBusy"}
        assert_totals_hold(done[0])
        assert {part: done[0][part] for part in RESULT} == {part: found["resumed"][part] for part in RESULT}


def test_a_state_file_that_was_cut_is_a_clear_error(roomy: tuple[Told, list[Told]]) -> None:
    _, boundaries = roomy
    damaged = [found["cut"] for found in boundaries if "cut" in found]
    assert len(damaged) >= 5
    for told in damaged:
        assert told["error"] == "Corrupt"
        assert "Restore it from a backup" in told["message"]
