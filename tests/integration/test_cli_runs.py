"""`satisfice runs` and its neighbours as a process."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

WINDOW = "How long is the refund window for annual plans?"


def test_a_run_is_kept_told_again_and_verified(cli: Cli) -> None:
    asked = cli("ask", WINDOW, "handbook", "--json")
    run = json.loads(asked.stdout)["run"]
    assert run in cli("runs", "list").stdout
    for name in (run, run[:12], "last"):
        assert "14 days" in cli("runs", "show", name).stdout
    assert json.loads(cli("runs", "show", run, "--json").stdout) == json.loads(asked.stdout)
    assert "Timeline" in cli("runs", "show", run, "--explain").stdout
    verified = cli("runs", "verify", run)
    assert verified.returncode == 0
    assert "each as recorded" in verified.stdout
    resumed = cli("runs", "resume", run, "handbook")
    assert (resumed.returncode, "14 days" in resumed.stdout) == (0, True)


def test_a_run_can_be_forgotten(cli: Cli) -> None:
    run = json.loads(cli("ask", WINDOW, "handbook", "--json").stdout)["run"]
    assert "is gone" in cli("runs", "rm", run).stdout
    assert cli("runs", "show", run).returncode == 2
    cli("ask", WINDOW, "handbook")
    assert "1 older runs are gone" in cli("runs", "rm", "--older-than", "0").stdout


def test_a_document_can_be_blanked_in_every_run(cli: Cli) -> None:
    asked = json.loads(cli("ask", WINDOW, "handbook", "--json").stdout)
    document = asked["citations"][0]["document_id"]
    assert "blank in 1 runs" in cli("runs", "rm", "--redact-document", document).stdout
    assert "14 days" not in cli("runs", "show", "last").stdout


def test_empty_states_say_what_to_do(cli: Cli) -> None:
    assert "No runs yet. Start one: satisfice ask" in cli("runs", "list").stdout
    assert "No sources. Name a folder" in cli("sources").stdout
    nothing = cli("ask", WINDOW)
    assert (nothing.returncode, "there is nothing to search" in nothing.stderr) == (2, True)
    assert "Start one: satisfice ask" in cli("runs", "show", "last").stderr


def test_resuming_needs_the_same_sources(cli: Cli) -> None:
    cli("ask", WINDOW, "handbook")
    done = cli("runs", "resume", "last")
    assert done.returncode == 2
    assert "Name the same folders" in done.stderr


def test_ingest_names_every_file_it_left_out(cli: Cli, home: Path) -> None:
    (home / "handbook" / "broken.md").write_bytes(bytes(range(256)) * 50)
    done = cli("ingest", "handbook")
    assert done.returncode == 0
    assert "3 new documents" in done.stdout
    assert "broken.md" in done.stdout
    [report] = json.loads(cli("ingest", "handbook", "--json").stdout)
    assert report["skipped"][0]["uri"] == "broken.md"


def test_sources_count_what_the_asker_may_read(cli: Cli) -> None:
    cli("ingest", "handbook")
    [open_ones] = json.loads(cli("sources", "handbook", "--json").stdout)
    [all_of_them] = json.loads(cli("sources", "handbook", "--json", "--tags", "hr").stdout)
    assert open_ones["passages"] < all_of_them["passages"]


def test_config_show_names_where_each_value_came_from(cli: Cli, home: Path) -> None:
    (home / "satisfice.toml").write_text('[task.default]\ncomplexity = "low"\n')
    shown = json.loads(cli("config", "show", "--json", "--store", "s", SATISFICE_STORE__FSYNC="true").stdout)
    assert shown["store.dir"]["from"] == "--store"
    assert shown["store.fsync"] == {"value": True, "from": "SATISFICE_STORE__FSYNC"}
    assert shown["task.default.complexity"] == {"value": "low", "from": "satisfice.toml"}
    assert shown["task.default.budget.queries"] == {"value": 4, "from": "default"}


def test_doctor_finds_nothing_wrong_with_a_sound_store(cli: Cli) -> None:
    cli("ask", WINDOW, "handbook")
    done = cli("doctor", "handbook")
    assert done.returncode == 0, done.stdout
    assert "the indexes agree" in done.stdout


def test_doctor_finds_a_damaged_store_and_says_what_to_do(cli: Cli, home: Path) -> None:
    cli("ask", WINDOW, "handbook", "--store", "kept")
    (home / "kept" / "state.db").write_bytes(b"no database at all" * 400)
    done = cli("doctor", "handbook", "--store", "kept")
    assert done.returncode == 6
    assert "bad" in done.stdout
    assert "away" in done.stdout


def test_doctor_lists_mistakes_in_the_settings(cli: Cli, home: Path) -> None:
    (home / "satisfice.toml").write_text("[stor]\n[task.x]\ncomplexty = 1\n")
    done = cli("doctor")
    assert done.returncode == 6
    assert done.stdout.count("not a known key") == 2


DIES = """
import asyncio, os, pathlib
from satisfice.assembly.application import Application
from satisfice.config.reading import load
from satisfice.config.sources import chosen
from satisfice.core.facts import SearchStarted

class Death:
    def observe(self, run, envelope):
        if isinstance(envelope.fact, SearchStarted):
            os._exit(9)

async def main():
    settings = load().settings
    settings = settings.model_copy(update={"source": chosen(settings, [pathlib.Path("handbook")])})
    async with Application(settings, observers=[Death()]) as application:
        await application.ingest()
        async with application.run("How long is the refund window for annual plans?") as run:
            await run.report()

asyncio.run(main())
"""


def test_a_run_cut_short_by_a_crash_is_gone_on_with_on_the_same_budget(
    cli: Cli, home: Path, environment: dict[str, str]
) -> None:
    died = subprocess.run([sys.executable, "-c", DIES], check=False, cwd=home, env=environment, timeout=60)
    assert died.returncode == 9
    assert "open" in cli("runs", "list").stdout
    shown = cli("runs", "show", "last")
    assert "It has not stopped. Go on with: satisfice runs resume" in shown.stdout
    done = cli("runs", "resume", "last", "handbook", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["stop"]["reason"] == "SUFFICIENT"
    assert report["spent"]["queries"]["spent"] == 2, "the search in flight when the process died stays spent"
    assert cli("runs", "verify", "last").returncode == 0
