"""`satisfice ask` as a process: answers, access, budgets, and what is said where."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

WINDOW = "How long is the refund window for annual plans?"
SALARY = "What is the salary band of a senior engineer?"


def test_an_answer_is_quoted_cited_and_priced(cli: Cli) -> None:
    done = cli("ask", WINDOW, "handbook")
    assert done.returncode == 0
    assert "The refund window for annual plans is 14 days. [1]" in done.stdout
    assert "refunds.md · Refunds › Annual plans · line 9 · official, published 2026-04-01" in done.stdout
    assert "(SUFFICIENT)" in done.stdout
    assert "1 of 8 queries" in done.stdout
    assert "3 new documents" in done.stderr


def test_json_is_alone_on_stdout(cli: Cli) -> None:
    done = cli("ask", WINDOW, "handbook", "--json", "--explain")
    found = json.loads(done.stdout)
    assert found["stop"]["reason"] == "SUFFICIENT"
    assert found["citations"][0]["quote"] in (Path("handbook") / "x").name + found["answer"]
    assert found["claims"][0]["evidence"][0]["supports"] is True
    assert [fact["seq"] for fact in found["timeline"]] == list(range(1, len(found["timeline"]) + 1))


def test_a_second_ask_takes_in_only_what_changed(cli: Cli, home: Path) -> None:
    cli("ask", WINDOW, "handbook")
    assert cli("ask", WINDOW, "handbook").stderr == ""
    (home / "handbook" / "refunds.md").write_text("The refund window for annual plans is 30 days.\n")
    done = cli("ask", WINDOW, "handbook")
    assert "1 changed" in done.stderr
    assert "30 days" in done.stdout


def test_quiet_says_nothing_about_the_work(cli: Cli) -> None:
    assert cli("ask", WINDOW, "handbook", "--quiet").stderr == ""


def test_nothing_is_written_into_the_folder(cli: Cli, home: Path) -> None:
    before = sorted((home / "handbook").rglob("*"))
    cli("ask", WINDOW, "handbook")
    assert sorted((home / "handbook").rglob("*")) == before


def test_a_restricted_page_is_found_only_by_one_who_has_the_tag(cli: Cli) -> None:
    without = cli("ask", SALARY, "handbook", "--as", "ana")
    assert without.returncode == 4
    assert "71,000" not in without.stdout + without.stderr
    other_tag = cli("ask", SALARY, "handbook", "--as", "ana", "--tags", "staff,hrx")
    assert other_tag.returncode == 4
    having = cli("ask", SALARY, "handbook", "--as", "noor", "--tags", "staff,hr")
    assert having.returncode == 0
    assert "71,000 to 88,000 EUR" in having.stdout
    assert "71,000" not in cli("runs", "show", "last", "--as", "ana", "--explain").stdout


def test_another_reader_learns_nothing_from_what_was_written_about_hidden_pages(cli: Cli, home: Path) -> None:
    folder = home / "handbook" / "secret"
    folder.mkdir()
    (folder / ".satisfice.toml").write_text('access = ["board"]\nauthority = "official"\npublished = "2026-05-18"\n')
    (folder / "falcon.md").write_text("# Project Falcon\n\nThe upload limit for a single file is 2 GB.\n")
    (folder / "heron.md").write_text("# Project Heron\n\nThe upload limit for a single file is 5 GB.\n")
    told = cli("ask", "What is the upload limit for a single file?", "handbook", "--tags", "board").stdout
    assert all(secret in told for secret in ("2 GB", "5 GB", "falcon", "heron"))
    for form in ([], ["--json"], ["--explain"]):
        told = cli("runs", "show", "last", "--as", "eve", *form).stdout.lower()
        assert not any(secret in told for secret in ("2 gb", "5 gb", "falcon", "heron"))
        assert "disagree" in told or "contradiction_unresolved" in told


def test_a_tenant_has_documents_and_runs_of_its_own(cli: Cli) -> None:
    cli("ask", WINDOW, "handbook", "--tenant", "acme")
    assert "refund window" in cli("runs", "list", "--tenant", "acme").stdout
    assert "No runs yet" in cli("runs", "list").stdout


def test_no_query_allowed_means_no_query(cli: Cli) -> None:
    done = cli("ask", WINDOW, "handbook", "--budget", "queries=0")
    assert done.returncode == 4
    assert "(BUDGET_EXHAUSTED)" in done.stdout
    assert "The limit is on queries" in done.stdout
    assert "0 of 0 queries" in done.stdout


def test_an_unanswerable_question_has_no_answer(cli: Cli) -> None:
    done = cli("ask", "What is the capital of Peru?", "handbook")
    assert done.returncode == 4
    assert done.stdout.startswith("No answer.")


def test_a_greeting_is_not_searched_for(cli: Cli) -> None:
    done = cli("ask", "Hello, how are you?", "handbook")
    assert done.returncode == 0
    assert "0 of 8 queries" in done.stdout


def test_an_empty_folder_is_answered_with_what_could_be_read(cli: Cli, home: Path) -> None:
    (home / "empty").mkdir()
    done = cli("ask", WINDOW, "empty")
    assert done.returncode == 4
    assert "no documents in it" in done.stderr
    assert ".md, " in done.stderr
    assert ".pdf, .docx; the last two" in done.stderr


def test_settings_describe_sources_and_tasks(cli: Cli, home: Path) -> None:
    (home / "satisfice.toml").write_text(
        '[source.rules]\npath = "handbook"\nauthority = "official"\naccess = ["staff"]\n[task.one]\nbudget = { queries = 1 }\n'
    )
    done = cli("ask", WINDOW, "--task", "one", "--tags", "staff")
    assert done.returncode == 0
    assert "1 of 1 queries" in done.stdout
    assert cli("ask", WINDOW, "handbook").returncode == 4, "a path must not lead round the access of a described source"


def test_ignored_files_are_not_read(cli: Cli) -> None:
    assert cli("ask", WINDOW, "handbook", "--ignore", "refunds.md").returncode == 4


def test_the_question_can_come_from_stdin(cli: Cli) -> None:
    assert cli("ask", "-", "handbook", stdin=WINDOW.encode()).returncode == 0


def test_a_store_elsewhere_holds_everything(cli: Cli, home: Path) -> None:
    cli("ask", WINDOW, "handbook", "--store", "kept")
    assert not (home / "cache").exists()
    assert "refund window" in cli("runs", "list", "--store", "kept").stdout


def test_old_runs_are_removed_as_the_settings_say(cli: Cli, home: Path) -> None:
    cli("ask", WINDOW, "handbook")
    (home / "satisfice.toml").write_text("[store]\nretention_days = 1\n")
    assert "Removed" not in cli("ask", WINDOW, "handbook").stderr
    assert len(json.loads(cli("runs", "list", "--json").stdout)) == 2
