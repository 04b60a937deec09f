"""`ask`: one question, one report, one exit code."""

import sys
from collections.abc import Sequence

import typer

from satisfice.assembly.application import Application
from satisfice.cli import machine, showing, timeline
from satisfice.cli.exits import of_outcome
from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.taking_in import refresh, something_to_search
from satisfice.cli.terminal import console, tell
from satisfice.cli.working import drive, stopped_by
from satisfice.config.reading import Loaded
from satisfice.core.access import Principal
from satisfice.core.facts import Envelope
from satisfice.core.policy import Policy
from satisfice.core.report import RunReport
from satisfice.errors import InputError

FROM_STDIN = "-"


def ask(question: str, asked: Asked, principal: Principal, *, as_json: bool, explain: bool, quiet: bool) -> None:
    """Answer a question and end with the code of its outcome."""
    text = _text(question)
    loaded = prepare(asked, quiet=quiet)
    report, envelopes = drive(lambda: _answer(text, loaded, asked.task, principal, quiet=quiet))
    told = envelopes if explain else None
    if as_json:
        machine.write(machine.of_report(report, told))
    else:
        out = console()
        showing.show(report, out)
        if told is not None:
            timeline.show(told, out)
    raise typer.Exit(of_outcome(report.outcome, report.stop))


async def _answer(
    question: str, loaded: Loaded, task: str, principal: Principal, *, quiet: bool
) -> tuple[RunReport, Sequence[Envelope]]:
    async with Application(loaded.settings, tenant=principal.tenant) as application:
        run = application.run(question, principal=principal, task=task)
        something_to_search(application)
        await refresh(application, quiet=quiet)
        async with run as active:
            with stopped_by(active.cancel):
                report = await active.report()
        envelopes = await application.facts(report.run)
        removed = await application.forget_old()
        if removed and not quiet:
            tell(f"Removed {removed} runs older than {loaded.settings.store.retention_days} days, as the settings say.")
        return report, envelopes


def _text(question: str) -> str:
    """The question, from the command line or from stdin. Raises `InputError` for bytes that are no text."""
    if question == FROM_STDIN:
        if sys.stdin.isatty():
            tell("Reading the question from the keyboard; end it with Ctrl-D.")
        # A little more than is allowed is read, so that too long a question is refused without being held whole.
        raw = sys.stdin.buffer.read(4 * Policy().max_question_chars + 4)
        question = raw.decode("utf-8", "surrogateescape")
    bad = next((i for i, character in enumerate(question) if "\ud800" <= character <= "\udfff"), None)
    if bad is not None:
        raise InputError(
            f"the question is not text: what stands at character {bad + 1} is not UTF-8",
            "text in UTF-8 is allowed",
            "Check the encoding of the terminal or of the file it came from.",
        )
    return question.strip()
