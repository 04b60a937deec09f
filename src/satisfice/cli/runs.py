"""`runs`: what was asked before, told again, checked, gone on with, or forgotten."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import typer
from rich.table import Table
from rich.text import Text

from satisfice.assembly.application import Application
from satisfice.cli import machine, showing, timeline
from satisfice.cli.exits import ExitCode, of_outcome
from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.terminal import clean, console, one_line, tell
from satisfice.cli.working import drive
from satisfice.config.mistakes import nearest
from satisfice.core.access import LOCAL_TENANT, Principal
from satisfice.core.facts import RunStarted
from satisfice.errors import InputError, RunNotFound

T = TypeVar("T")

NEWEST = "last"
LOOKED_THROUGH = 10_000
"""Runs among which a shortened name is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which store, and whose runs."""

    config: Path | None
    store: Path | None
    tenant: str


def place(config: Path | None, store: Path | None, tenant: str) -> Place:
    """From the command line."""
    return Place(config, store, tenant or LOCAL_TENANT)


def list_runs(place: Place, limit: int, *, as_json: bool) -> None:
    """Print the newest runs, one line each."""
    found = _with(place, lambda application: application.runs(limit))
    if as_json:
        machine.write(
            [
                {
                    "run": run.run,
                    "started_at": run.started_at,
                    "principal": run.principal,
                    "task": run.task,
                    "stop": run.stop or None,
                    "facts": run.facts,
                    "question": run.question,
                }
                for run in found
            ]
        )
        return
    if not found:
        console().print(Text('No runs yet. Start one: satisfice ask "your question" path/to/folder'))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "asked by", "stopped", "question"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "question")
    for run in found:
        stop = Text(run.stop.lower(), "") if run.stop else Text("open", "yellow")
        table.add_row(Text(run.run, "bold"), Text(one_line(run.principal, 20)), stop, Text(one_line(run.question)))
    console(listing=True).print(table)


def show(place: Place, name: str, reader: Principal | None, *, as_json: bool, explain: bool) -> None:
    """Print a stored report; as another reader, only what that reader may see."""

    async def find(application: Application) -> None:
        run = await _named(application, name)
        report = await application.report(run, reader)
        envelopes = await application.facts(run)
        started = envelopes[0].fact
        told = envelopes if explain else None
        if (
            reader is not None
            and isinstance(started, RunStarted)
            and reader.fingerprint() != started.principal.fingerprint()
        ):
            if explain:
                tell("The timeline is shown only to one who may read what the asker could.", "yellow")
            told = None
        if as_json:
            machine.write(machine.of_report(report, told))
            return
        out = console()
        out.print(Text(one_line(report.question, 1_000), "italic"))
        out.print()
        showing.show(report, out)
        if told is not None:
            timeline.show(told, out)

    _with(place, find)


def verify(place: Place, name: str, *, as_json: bool) -> None:
    """Decide again over a stored log; any difference is an exit code of its own."""

    async def check(application: Application) -> None:
        run = await _named(application, name)
        found = await application.verify(run)
        if as_json:
            differences = [{"seq": d.seq, "recorded": d.recorded, "decided": d.decided} for d in found.differences]
            machine.write({"run": run, "facts": found.facts, "decisions": found.decisions, "differences": differences})
        elif not found.differences:
            console().print(Text(f"{run}: {found.facts} facts, {found.decisions} decisions, each as recorded."))
        for difference in () if as_json else found.differences:
            console().print(Text(one_line(str(difference), 1_000), "red"))
        if found.differences:
            raise typer.Exit(ExitCode.HISTORY)

    _with(place, check)


def resume(place: Place, name: str, folders: Sequence[Path], *, as_json: bool) -> None:
    """Go on with a run that was left open, on what is left of its budget."""
    asked = Asked(place.config, folders, place.store)

    async def go_on(application: Application) -> None:
        run = await _named(application, name)
        started = (await application.facts(run))[0].fact
        wanted = [source.id for source in started.sources] if isinstance(started, RunStarted) else []
        missing = [source for source in wanted if source not in application.settings.source]
        if missing:
            raise InputError(
                f"the run searches {', '.join(map(repr, missing))}, which is not here",
                "a run goes on with the sources it began with",
                f"Name the same folders: satisfice runs resume {run} FOLDER...",
            )
        report = await application.resume(run)
        if as_json:
            machine.write(machine.of_report(report))
        else:
            showing.show(report, console())
        raise typer.Exit(of_outcome(report.outcome, report.stop))

    _with(place, go_on, asked)


def remove(place: Place, names: Sequence[str], older_than: int | None, document: str | None) -> None:
    """Forget runs, or blank a document in all of them."""
    if not names and older_than is None and document is None:
        raise InputError(
            "nothing to remove was named",
            "names of runs, --older-than DAYS or --redact-document ID",
            "satisfice runs list names them.",
        )

    async def forget(application: Application) -> None:
        for run in [await _named(application, name) for name in names]:
            await application.remove(run)
            console().print(Text(f"{run} is gone."))
        if older_than is not None:
            console().print(Text(f"{await application.remove_older_than(older_than)} older runs are gone."))
        if document is not None:
            touched = await application.redact(document)
            console().print(Text(clean(f"{document} is blank in {touched} runs.")))

    _with(place, forget)


def _with(place: Place, work: Callable[[Application], Awaitable[T]], asked: Asked | None = None) -> T:
    """Open the store, and the sources only for work that searches."""
    loaded = prepare(asked or Asked(place.config, store=place.store), quiet=True)
    settings = loaded.settings if asked else loaded.settings.model_copy(update={"source": {}})

    async def main() -> T:
        async with Application(settings, tenant=place.tenant) as application:
            return await work(application)

    return drive(main)


async def _named(application: Application, name: str) -> str:
    """A run by its name, by the beginning of it, or the newest. Raises `RunNotFound` or `InputError`."""
    runs = [summary.run for summary in await application.runs(LOOKED_THROUGH)]
    if name in runs:
        return name
    if not runs:
        raise RunNotFound("runs", 'there are none yet. Start one: satisfice ask "your question" path/to/folder')
    if name == NEWEST:
        return runs[0]
    found = [run for run in runs if run.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name!r} begins {len(found)} runs", "one is needed", "Write more of its name.")
    hint = nearest(name, runs) or "`satisfice runs list` names them."
    raise RunNotFound("runs", f"no run is called {name!r}. {hint}")
