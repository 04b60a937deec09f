"""Text from outside cannot harm the screen, and nothing reaches a person as a traceback."""

import errno

import pytest
import typer

from satisfice.cli.exits import ExitCode
from satisfice.cli.terminal import clean, guarded, one_line
from satisfice.errors import ConfigError, CorpusCorrupt, Diverged, InputError, Problem, RunNotFound, SatisficeError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\ufffd[2Jgone"),
        ("a\x00b\x9bc", "a\ufffdb\ufffdc"),
        ("abc\u202eexe", "abc\ufffdexe"),
        ("\ud83d alone", "\ufffd alone"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("tab\tnewline\n", "tab\tnewline\n"),
        ("العربية 中文 é 🙂", "العربية 中文 é 🙂"),
    ],
)
def test_text_is_shown_without_its_power_over_the_screen(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_line_is_one_line_and_bounded() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert len(one_line("x" * 1000)) == 200


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("nothing asked", "a question", "Ask one."), ExitCode.USAGE),
        (ConfigError((Problem("f", "a", "1", "2"), Problem("f", "b", "1", "2"))), ExitCode.USAGE),
        (CorpusCorrupt("sqlite", "broken; rebuild it"), ExitCode.WORLD),
        (RunNotFound("sqlite", "no run 'x'"), ExitCode.USAGE),
        (Diverged("r", 3, "a", "b"), ExitCode.HISTORY),
        (OSError(errno.ENOSPC, "No space left on device", "store"), ExitCode.WORLD),
        (ZeroDivisionError("1 / 0"), ExitCode.BUG),
    ],
)
def test_errors_become_a_message_and_a_code(
    error: Exception, code: ExitCode, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, guarded():
        raise error
    said = capsys.readouterr()
    assert ended.value.exit_code == code
    assert said.out == ""
    assert said.err.startswith("Error: ")
    assert "Traceback" not in said.err


def test_every_settings_problem_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), guarded():
        raise ConfigError((Problem("f.toml", "a", "1", "2"), Problem("f.toml", "b", "3", "4")))
    assert capsys.readouterr().err == (
        "Error: 2 problems in the settings\n  f.toml: a is 1; allowed: 2.\n  f.toml: b is 3; allowed: 4.\n"
    )


def test_an_error_of_the_family_nobody_listed_is_a_failed_world() -> None:
    with pytest.raises(typer.Exit) as ended, guarded():
        raise SatisficeError("something")
    assert ended.value.exit_code == ExitCode.WORLD
