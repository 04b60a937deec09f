"""`ingest` and `sources`: what is taken in, what is left out and why, and what there is to search."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from satisfice.assembly.application import Application, SourceInfo
from satisfice.cli import machine
from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.terminal import clean, console, one_line, tell
from satisfice.cli.working import bar, drive
from satisfice.core.access import Principal
from satisfice.corpus.formats import FORMATS
from satisfice.corpus.ingesting import IngestReport
from satisfice.corpus.walking import Skipped
from satisfice.errors import CorpusBusy, InputError

LISTED = 10
"""Files named beside an answer; `ingest` names all of them."""


def something_to_search(application: Application) -> None:
    """Raises `InputError` when no source is known."""
    if not application.settings.source:
        raise InputError(
            "there is nothing to search",
            "a folder, or sources in satisfice.toml",
            'Try: satisfice ask "your question" path/to/folder',
        )


async def refresh(application: Application, *, quiet: bool) -> None:
    """Take in what changed before a question is asked, saying so when something did."""
    try:
        with bar(quiet=quiet) as on_progress:
            reports = await application.ingest(on_progress=on_progress)
    except CorpusBusy:
        tell("Another process is taking documents in; the answer comes from what is there already.", "yellow")
        return
    for report in reports:
        if quiet:
            continue
        if report.generation is not None:
            tell(f"{report.source}: {_did(report)}.")
            _name(report.skipped, "left out", LISTED)
        if not report.files:
            tell(f"{report.source}: no documents in it. {_readable()}", "yellow")


def ingest(asked: Asked, tenant: str, *, as_json: bool, quiet: bool) -> None:
    """Make the store hold what the folders hold, and print what was done."""

    async def main() -> tuple[IngestReport, ...]:
        async with Application(prepare(asked, quiet=quiet).settings, tenant=tenant) as application:
            something_to_search(application)
            with bar(quiet=quiet) as on_progress:
                return await application.ingest(on_progress=on_progress)

    reports = drive(main)
    if as_json:
        machine.write([_as_json(report) for report in reports])
        return
    out = console()
    for report in reports:
        out.print(Text.assemble((clean(report.source), "bold"), f": {_did(report)}."))
        if not report.files:
            out.print(Text(f"  No documents in it. {_readable()}", "yellow"))
        for title, files in (("left out", report.skipped), ("read, with a remark", report.notices)):
            if files:
                out.print(Text(f"  {title}:"))
            for file in files:
                out.print(Text(f"  - {one_line(str(file), 500)}"))


def sources(asked: Asked, principal: Principal, *, as_json: bool) -> None:
    """Print what there is to search, as this caller may know it."""

    async def main() -> tuple[SourceInfo, ...]:
        async with Application(prepare(asked).settings, tenant=principal.tenant) as application:
            return await application.sources(principal)

    found = drive(main)
    if as_json:
        machine.write(
            [{"source_id": s.name, "path": s.path, "description": s.description, "passages": s.passages} for s in found]
        )
        return
    if not found:
        console().print(
            Text("No sources. Name a folder (satisfice sources path/to/folder), or describe some in satisfice.toml.")
        )
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("source", "passages", "path", "description"):
        table.add_column(heading, overflow="fold", justify="right" if heading == "passages" else "left")
    for source in found:
        described = source.description or ("" if source.passages else "nothing taken in that you may read")
        table.add_row(*map(Text, (source.name, f"{source.passages:,}", clean(source.path), one_line(described))))
    console(listing=True).print(table)


def _did(report: IngestReport) -> str:
    if report.generation is None:
        return f"nothing has changed, {report.unchanged:,} documents in {report.seconds:.1f} s"
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (report.added, "new"),
            (report.changed, "changed"),
            (report.removed, "gone"),
            (report.unchanged, "unchanged"),
        )
        if count
    ]
    return f"{', '.join(parts) or 'no'} documents, {report.passages:,} passages stored in {report.seconds:.1f} s"


def _name(files: Iterable[Skipped], title: str, most: int) -> None:
    named = [one_line(str(file), 300) for file in files]
    for line in named[:most]:
        tell(f"  {title}: {line}", "yellow")
    if len(named) > most:
        tell(f"  {title}: {len(named) - most} more; `satisfice ingest` names all of them", "yellow")


def _readable() -> str:
    endings = ", ".join(ending for ending in FORMATS if ending)
    return f"Read are files that end in {endings}; the last two with the extra 'documents'."


def _as_json(report: IngestReport) -> machine.Json:
    return {
        "source_id": report.source,
        "files": report.files,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "passages": report.passages,
        "skipped": [{"uri": s.uri, "why": s.why} for s in report.skipped],
        "notices": [{"uri": s.uri, "why": s.why} for s in report.notices],
        "seconds": round(report.seconds, 3),
        "generation": report.generation,
    }
