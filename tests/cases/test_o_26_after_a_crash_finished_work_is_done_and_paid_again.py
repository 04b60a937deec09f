"""O-26: a run killed with calls in flight goes on where it was: what is finished stays, what is unknown counts and is repeated."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROCESS = Path(__file__).with_name("six_branches_process.py")
IN_FLIGHT = ["one", "four"]

pytestmark = pytest.mark.slow


@dataclass
class Disk:
    """A state file, and beside it the file in which the world notes every search it performs."""

    folder: Path
    limit: int = 8

    @property
    def state(self) -> Path:
        return self.folder / "state.db"

    def start(self, what: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(PROCESS), what, str(self.state), str(self.folder / "calls"), str(self.limit)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, what: str) -> dict[str, Any]:
        return _result(self.start(what))

    def die(self) -> None:
        process = self.start("die")
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().split()


def _result(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=60)
    assert errors == ""
    return json.loads(out)


@pytest.fixture(scope="module", params=[8, 7], ids=["limit 8", "limit 7"])
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """The disk as a killed process left it."""
    disk = Disk(tmp_path_factory.mktemp("killed"), request.param)
    disk.die()
    assert Counter(disk.calls()) == Counter(["one", "two", "three", "four", "five", "six"])
    return disk


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an uninterrupted run comes to."""
    return Disk(tmp_path_factory.mktemp("whole")).run("whole")


@pytest.fixture
def disk(killed: Disk, tmp_path: Path) -> Disk:
    """A copy of it, to go on with."""
    shutil.copytree(killed.folder, tmp_path, dirs_exist_ok=True)
    return Disk(tmp_path, killed.limit)


def test_o_26_only_what_was_in_flight_runs_again_and_the_totals_go_on(disk: Disk) -> None:
    resumed = disk.run("resume")

    again = disk.calls()[6:]
    assert again == (IN_FLIGHT if disk.limit == 8 else IN_FLIGHT[:1])
    assert resumed["queries"] == len(disk.calls()) == disk.limit
    assert resumed["unknown"] == ["main.1", "main.4"]
    assert resumed["steps"] == resumed["steps_taken"]
    assert resumed["differences"] == 0
    if disk.limit == 8:
        assert {name for name, attempts in resumed["attempts"].items() if attempts == 2} == set(IN_FLIGHT)


def test_o_26_the_result_equals_an_uninterrupted_runs_or_says_what_was_denied(
    disk: Disk, whole: dict[str, Any]
) -> None:
    resumed = disk.run("resume")

    assert whole["stop"] == "SUFFICIENT"
    if disk.limit == 8:
        for part in ("answer", "stop", "gaps", "evidence"):
            assert resumed[part] == whole[part], part
    else:
        assert (resumed["stop"], resumed["denied"]) == ("BUDGET_EXHAUSTED", "queries")
        assert resumed["gaps"] == ["c4"]
        assert resumed["evidence"] == [p for p in whole["evidence"] if p != "p-four"]


def test_o_26_resuming_a_second_time_changes_nothing(disk: Disk) -> None:
    once = disk.run("resume")
    calls = disk.calls()

    assert disk.run("resume") == once
    assert disk.calls() == calls


def test_o_26_two_processes_that_resume_at_the_same_moment_do_the_work_once(disk: Disk) -> None:
    processes = [disk.start("resume") for _ in range(3)]
    results = [_result(process) for process in processes]

    done = [result for result in results if "error" not in result]
    assert done
    assert all(result == done[0] for result in done)
    assert {result["error"] for result in results if "error" in result} <= {"RunBusy"}
    assert done[0]["queries"] == len(disk.calls()) == disk.limit


@pytest.mark.parametrize("finished", [False, True])
def test_o_26_a_state_file_cut_in_half_is_a_clear_error_and_no_fresh_start(disk: Disk, finished: bool) -> None:
    if finished:
        disk.run("resume")
    with closing(sqlite3.connect(disk.state)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it is in the state file, nothing in its log
    calls = disk.calls()
    content = disk.state.read_bytes()
    disk.state.write_bytes(content[: len(content) // 2])

    result = disk.run("resume")

    assert result["error"] == "Corrupt"
    assert "is damaged" in result["message"]
    assert "Restore it from a backup" in result["message"]
    assert disk.calls() == calls
    assert disk.state.read_bytes() == content[: len(content) // 2]


def test_o_26_a_cut_state_file_whose_log_has_everything_loses_nothing(disk: Disk) -> None:
    content = disk.state.read_bytes()
    disk.state.write_bytes(content[: len(content) // 2])

    assert disk.run("resume")["queries"] == len(disk.calls()) == disk.limit


def test_o_26_a_missing_state_file_beside_its_log_is_a_clear_error_too(disk: Disk) -> None:
    disk.state.unlink()

    result = disk.run("resume")

    assert result["error"] == "Corrupt"
    assert not disk.state.exists()
