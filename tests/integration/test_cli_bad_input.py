"""What cannot be used is answered with what was found, what is allowed and what to do; never with a traceback."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

QUESTION = "How long is the refund window?"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "", "handbook"], "the question is empty"),
        (["ask", "   \n", "handbook"], "the question is empty"),
        (["ask", b"caf\xe9?", "handbook"], "not UTF-8"),
        (["ask", QUESTION, "handbok"], "Did you mean 'handbook'"),
        (["ask", "How", "long", "is", "it?"], "stands in quotes"),
        (["ask", QUESTION, "handbook", "--budget", "queries=-1"], "queries is -1"),
        (["ask", QUESTION, "handbook", "--budget", "queries=two,steps=2.5,quries=1"], "3 problems"),
        (["ask", QUESTION, "handbook", "--budget", "queries"], "NAME=NUMBER"),
        (["ask", QUESTION, "handbook", "--task", "defualt"], "Did you mean 'default'"),
        (["ask", QUESTION, "handbook", "--effort", "hihg"], "Did you mean 'high'"),
        (["ask", QUESTION, "handbook", "--config", "absent.toml"], "not readable"),
        (["ask", QUESTION, "handbook", "--jsn"], "--json"),
        (["aks", QUESTION], "Did you mean 'ask'"),
        (["runs", "show", "nope"], "none yet"),
        (["runs", "rm"], "nothing to remove"),
    ],
)
def test_a_mistake_on_the_command_line_is_answered(cli: Cli, arguments: list[str | bytes], said: str) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_unknown_settings_are_all_reported_at_once(cli: Cli, home: Path) -> None:
    (home / "satisfice.toml").write_text("[stor]\ndir = 1\n[task.a]\nbudgt = 1\n[source.b]\nauthorty = 'x'\n")
    done = cli("ask", QUESTION)
    assert done.returncode == 2
    assert all(key in done.stderr for key in ("stor", "task.a.budgt", "source.b.authorty", "source.b.path"))


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_a_huge_question_is_refused_whole(cli: Cli, size: int) -> None:
    done = cli("ask", "-", "handbook", stdin=b"word " * (size // 5))
    assert done.returncode == 2
    assert "characters" in done.stderr
    assert len(done.stderr) < 1_000


def as_a_mortal(command: list[str], home: Path, environment: dict[str, str]) -> CompletedProcess[str]:
    """Run a command that has to mind permissions, also when the tests are run by root."""
    dropped = "--bounding-set=-dac_override,-dac_read_search"
    bound = ["setpriv", dropped] if os.geteuid() == 0 else []
    if bound and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and there is no setpriv here")
    whole = [*bound, sys.executable, "-m", "satisfice", *command]
    return subprocess.run(whole, check=False, cwd=home, env=environment, capture_output=True, text=True, timeout=60)


def test_what_may_not_be_read_is_named(home: Path, environment: dict[str, str]) -> None:
    (home / "handbook" / "refunds.md").chmod(0)
    done = as_a_mortal(["ingest", "handbook"], home, environment)
    assert done.returncode == 0
    assert "refunds.md" in done.stdout
    assert "permission" in done.stdout
    (home / "handbook").chmod(0)
    for folder in ("handbook", "handbook/hr"):
        done = as_a_mortal(["ask", QUESTION, folder], home, environment)
        assert (done.returncode, folder in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    (home / "handbook").chmod(0o755)


def test_a_read_only_folder_can_be_asked(home: Path, environment: dict[str, str]) -> None:
    (home / "handbook").chmod(0o555)
    done = as_a_mortal(["ask", "How long is the refund window for annual plans?", "handbook"], home, environment)
    assert done.returncode == 0
    assert "14 days" in done.stdout
    (home / "handbook").chmod(0o755)


def test_a_read_only_store_is_named_with_the_way_out(home: Path, environment: dict[str, str]) -> None:
    (home / "kept").mkdir(mode=0o555)
    done = as_a_mortal(["ask", QUESTION, "handbook", "--store", "kept"], home, environment)
    assert done.returncode == 6
    assert "kept" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_store_that_cannot_be_made_is_named(cli: Cli, home: Path) -> None:
    (home / "file").write_text("not a folder")
    done = cli("ask", QUESTION, "handbook", "--store", "file")
    assert done.returncode == 6
    assert "--store" in done.stderr


def test_a_damaged_store_says_how_to_go_on(cli: Cli, home: Path) -> None:
    cli("ask", QUESTION, "handbook", "--store", "kept")
    for database in (home / "kept").rglob("corpus.db*"):
        database.write_bytes(b"no database at all" * 400)
    done = cli("ask", QUESTION, "handbook", "--store", "kept")
    assert done.returncode in {0, 6}
    if done.returncode:
        assert "rebuil" in done.stderr or "delete" in done.stderr.lower()


def on_a_tiny_disk(
    command: list[str], kilobytes: int, home: Path, environment: dict[str, str]
) -> CompletedProcess[str]:
    """Run a command whose folder `small` is a file system of its own; skips where that is not allowed."""
    (home / "small").mkdir()
    mounted = f"mount -t tmpfs -o size={kilobytes}k tmpfs small"
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", f'{mounted} || exit 99; exec "$@"', "sh"]
    try:
        done = subprocess.run(
            [*inside, *command], check=False, cwd=home, env=environment, capture_output=True, text=True, timeout=60
        )
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("this machine does not allow a file system of one's own")
    return done


@pytest.mark.parametrize("kilobytes", [16, 64, 200, 400])
def test_a_full_disk_is_told_and_loses_nothing(home: Path, environment: dict[str, str], kilobytes: int) -> None:
    command = [sys.executable, "-m", "satisfice", "ask", QUESTION, "handbook", "--store", "small"]
    done = on_a_tiny_disk(command, kilobytes, home, environment)
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 4, 6}, done.stderr
    if done.returncode == 6:
        assert "full" in done.stderr.lower() or "space" in done.stderr.lower()


def test_ctrl_c_during_an_ingest_ends_it_and_the_next_one_goes_on(
    cli: Cli, home: Path, environment: dict[str, str]
) -> None:
    for number in range(3_000):
        (home / "handbook" / f"page-{number}.md").write_text(f"# Page {number}\n\n" + f"Text of page {number}. " * 40)
    started = subprocess.Popen(
        [sys.executable, "-m", "satisfice", "ingest", "handbook"],
        cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list((home / "cache").rglob("corpus.db")):
        time.sleep(0.02)
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, err = started.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    assert started.returncode == 130
    assert "Cancelled" in err
    assert "Traceback" not in err
    assert cli("ask", "How long is the refund window for annual plans?", "handbook").returncode == 0


def test_a_reader_that_goes_away_is_no_error(home: Path, environment: dict[str, str]) -> None:
    command = f"{sys.executable} -m satisfice config show; echo code $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | true"], check=False, cwd=home, env=environment, capture_output=True, text=True
    )
    assert done.stderr.strip() in {"code 0", "code 141"}


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_and_can_be_declined(
    home: Path, environment: dict[str, str], no_color: str, coloured: bool
) -> None:
    import pty

    output = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 1024)
        output.extend(data)
        return data

    names = {**environment, "NO_COLOR": no_color, "TERM": "xterm-256color"}
    if not no_color:
        del names["NO_COLOR"]
    code = f"import os; os.chdir({str(home)!r}); os.environ.clear(); os.environ.update({names!r}); "
    code += "os.execv(os.sys.executable, [os.sys.executable, '-m', 'satisfice', 'runs', 'rm'])"
    pty.spawn([sys.executable, "-c", code], read)
    assert b"nothing to remove" in output
    assert (b"31m" in output) is coloured
