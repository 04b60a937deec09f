"""`doctor`: is everything in order here, and if not, what to do about it."""

import asyncio
import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from satisfice.assembly import wiring
from satisfice.assembly.application import Application
from satisfice.cli import machine
from satisfice.cli.exits import ExitCode
from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.terminal import clean, console
from satisfice.config.tables import Settings
from satisfice.errors import ConfigError, CorpusError, SatisficeError, StoreError

OLDEST_PYTHON = (3, 11)
LOW_DISK_BYTES = 500_000_000
NO_DISK_BYTES = 20_000_000
BUILT_AFTER = datetime(2025, 1, 1, tzinfo=UTC)
"""No correct clock shows an earlier time."""

EXTRAS = {
    "documents": (("pypdfium2", "mammoth"), "PDF and DOCX"),
    "embeddings": (("numpy", "safetensors", "tokenizers", "wordllama"), "search by meaning as well as by words"),
}


class State(StrEnum):
    """How a finding is to be taken."""

    FINE = "fine"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `remedy` says what to do."""

    subject: str
    state: State
    found: str
    remedy: str = ""


_STYLES = {State.FINE: "green", State.NOTE: "yellow", State.BAD: "bold red"}


def doctor(asked: Asked, *, as_json: bool) -> None:
    """Look at everything, print what was found, and end with 6 when something is broken."""
    findings = [*_machine(), *_extras()]
    try:
        settings = prepare(asked, quiet=True).settings
        findings.append(Finding("settings", State.FINE, "no mistakes"))
        findings += [*_disk(settings), *asyncio.run(_stores(settings))]
    except ConfigError as error:
        findings += [Finding("settings", State.BAD, str(problem), "Correct it.") for problem in error.problems]
    except SatisficeError as error:
        findings.append(Finding("settings", State.BAD, str(error), "Correct it."))
    if as_json:
        machine.write([{"subject": f.subject, "state": f.state, "found": f.found, "do": f.remedy} for f in findings])
    else:
        _print(findings)
    if any(finding.state is State.BAD for finding in findings):
        raise typer.Exit(ExitCode.WORLD)


def _print(findings: Sequence[Finding]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        said = Text(clean(finding.found))
        if finding.remedy:
            said.append(f"\n{clean(finding.remedy)}", "italic")
        table.add_row(Text(finding.state, _STYLES[finding.state]), Text(finding.subject), said)
    console().print(table)


# --- the machine ---------------------------------------------------------------------------------------------------


def _machine() -> Iterator[Finding]:
    python = f"{platform.python_implementation()} {platform.python_version()}, satisfice {version('satisfice')}"
    old = sys.version_info[:2] < OLDEST_PYTHON
    yield Finding("python", State.BAD if old else State.FINE, python, "Python 3.11 or newer is needed." if old else "")
    now = datetime.now(UTC)
    wrong = now < BUILT_AFTER
    remedy = "Set the clock: ages of documents and of runs are counted by it." if wrong else ""
    yield Finding("clock", State.BAD if wrong else State.FINE, f"{now:%Y-%m-%d %H:%M} UTC", remedy)
    encoding = (sys.stdout.encoding or "unknown").lower()
    unicode = encoding.replace("-", "") == "utf8"
    remedy = "" if unicode else "Set LANG or PYTHONIOENCODING to UTF-8, or characters are replaced by '?'."
    yield Finding("terminal", State.FINE if unicode else State.NOTE, f"writes {encoding}", remedy)


def _extras() -> Iterator[Finding]:
    for extra, (modules, gives) in EXTRAS.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if missing:
            remedy = f"For {gives}: pip install 'satisfice[{extra}]'"
            yield Finding(f"extra {extra}", State.NOTE, f"not installed ({', '.join(missing)})", remedy)
        else:
            yield Finding(f"extra {extra}", State.FINE, gives)


# --- the store -----------------------------------------------------------------------------------------------------


def _disk(settings: Settings) -> Iterator[Finding]:
    home = wiring.home(settings)
    there = next(place for place in (home, *home.absolute().parents) if place.exists())
    free = shutil.disk_usage(there).free
    state = State.BAD if free < NO_DISK_BYTES else State.NOTE if free < LOW_DISK_BYTES else State.FINE
    remedy = "" if state is State.FINE else "Free some space, or move the store with --store or [store] dir."
    yield Finding("disk", state, f"{free / 1e9:,.1f} GB free at {there}", remedy)


async def _stores(settings: Settings) -> list[Finding]:
    """The runs first, then each source by itself, so that a broken one does not hide the others."""
    runs = await _runs(settings, wiring.home(settings))
    if not settings.source:
        return [runs, Finding("sources", State.NOTE, "none", "Describe some in satisfice.toml, or name a folder here.")]
    return [runs, *[await _source(settings, name) for name in settings.source]]


async def _runs(settings: Settings, home: Path) -> Finding:
    try:
        async with Application(settings.model_copy(update={"source": {}})) as application:
            runs = await application.runs(1)
    except (StoreError, OSError) as error:
        remedy = f"Check its permissions, or move {str(home / 'state.db')!r} away to start with no runs."
        return Finding("runs", State.BAD, str(error), remedy)
    newest = f", the newest of {runs[0].started_at}" if runs else ", none yet"
    if runs and datetime.fromisoformat(runs[0].started_at) > datetime.now(UTC):
        return Finding(
            "runs", State.NOTE, f"in {home}{newest}", "The newest run is in the future: a clock was changed."
        )
    return Finding("runs", State.FINE, f"in {home}{newest}")


async def _source(settings: Settings, name: str) -> Finding:
    subject, path = f"source {name}", settings.source[name].path
    if not await asyncio.to_thread(path.exists):
        return Finding(subject, State.BAD, f"there is no {path}", "Correct its path in the settings.")
    try:
        only = settings.model_copy(update={"source": {name: settings.source[name]}})
        async with Application(only) as application:
            [differences] = (await application.verify_sources()).values()
            [about] = await application.sources()
    except (CorpusError, StoreError, OSError) as error:
        return Finding(subject, State.BAD, str(error))
    if differences:
        return Finding(subject, State.BAD, "; ".join(differences), f"Run: satisfice ingest {name}")
    if not about.passages:
        return Finding(subject, State.NOTE, f"{path}: nothing taken in yet that anybody may read")
    return Finding(subject, State.FINE, f"{path}: {about.passages:,} passages, and the indexes agree with them")
