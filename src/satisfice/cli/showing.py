"""A report as a person reads it: the answer first, then what it stands on, what is missing, and why it stopped."""

import re
from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from satisfice.cli import wording
from satisfice.cli.terminal import clean, one_line
from satisfice.core.amounts import Dimension
from satisfice.core.conflicts import Conflict
from satisfice.core.evidence import Evidence
from satisfice.core.passages import Passage, Span, Trust, lines_of, quote
from satisfice.core.report import Citation, ClaimReport, RunReport
from satisfice.core.sources import Authority
from satisfice.core.sufficiency import Status

QUOTE_CHARS = 400

_OWN_LINE = re.compile(r"([-*+|]|\d+[.)])\s?|[\w -]{1,30}: \S")
"""How a line begins that belongs to a list, a table or a record."""

_STATUS_STYLES = {
    Status.SUPPORTED: "green",
    Status.INFERRED: "cyan",
    Status.PARTIAL: "yellow",
    Status.CONTRADICTED: "red",
    Status.UNSUPPORTED: "red",
}


def show(report: RunReport, out: Console) -> None:
    """Print a report."""
    out.print(Group(*_answer(report)))
    numbers = {citation.span: citation.number for citation in report.citations}
    _section(out, "Evidence", (_evidence(citation, report) for citation in report.citations))
    _section(out, "Claims", (line for claim in report.claims for line in _claim(claim, report, numbers)))
    _section(out, "Conflicts", (line for conflict in report.conflicts for line in _conflict(conflict, report, numbers)))
    _section(out, "Notes", _notes(report))
    _section(out, "", _ending(report))


def _section(out: Console, title: str, rows: Iterable[tuple[Text, Text]]) -> None:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    if table.row_count:
        out.print(Text(f"\n{title}" if title else "", "bold"))
        out.print(table)


def _answer(report: RunReport) -> Iterator[RenderableType]:
    """A sentence a line; what a lead-in ("the policy says:") introduces stands indented below it."""
    if not report.sentences:
        yield Text("No answer.", "bold")
    led = False
    for sentence in report.sentences:
        lead_in = not sentence.citations and sentence.text.rstrip().endswith(":")
        # Without a number nothing stands behind a sentence: it is about the evidence, not from it.
        text = Text(_lines(sentence.text), "" if sentence.citations or not report.citations else "dim italic")
        if sentence.citations:
            text.append(" " + "".join(f"[{number}]" for number in sentence.citations), "cyan")
        yield Padding(text, (0, 0, 0, 2 if led and not lead_in else 0))
        led = led or lead_in


def _lines(text: str) -> str:
    """Prose on one line, wrapped by the screen; lists and tables keep their lines."""
    lines = [" ".join(line.split()) for line in clean(text).splitlines() if line.strip()]
    return "\n".join(lines) if any(_OWN_LINE.match(line) for line in lines[1:]) else " ".join(lines)


def _evidence(citation: Citation, report: RunReport) -> tuple[Text, Text]:
    body = _place(citation.passage, citation.span)
    said = " ".join(clean(citation.quote).split())
    if all(said not in " ".join(clean(sentence.text).split()) for sentence in report.sentences):
        body.append(f"\n“{one_line(said, QUOTE_CHARS)}”")
    return Text(f"  [{citation.number}]", "cyan"), body


def _place(passage: Passage, span: Span) -> Text:
    """File, headings, page or lines; then what makes it worth more or less."""
    origin = passage.provenance
    text = Text(one_line(origin.uri), "bold")
    if origin.headings:
        text.append(" · " + one_line(" › ".join(origin.headings)), "not bold")
    where = where_of(passage, span)
    if where:
        text.append(f" · {where}", "not bold")
    worth = [origin.authority.name.lower()] if origin.authority is not Authority.UNKNOWN else []
    worth += [f"published {one_line(origin.published_at)}"] if origin.published_at else []
    worth += [f"version {one_line(origin.version, 40)}"] if origin.version else []
    worth += ["looks like instructions to a program"] if passage.trust is Trust.SUSPICIOUS else []
    if worth:
        text.append(f" · {', '.join(worth)}", "not bold dim")
    return text


def where_of(passage: Passage, span: Span) -> str:
    """`page 3` or `lines 4-6`: pages of the passage, lines of the very span."""
    pages, lines = passage.provenance.pages, lines_of(passage, span)
    if pages:
        return _range("page", *pages)
    return _range("line", *lines) if lines else ""


def _range(unit: str, first: int, last: int) -> str:
    return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"


def _claim(claim: ClaimReport, report: RunReport, numbers: dict[Span, int]) -> Iterator[tuple[Text, Text]]:
    cited = sorted({numbers[item.span] for item in claim.evidence if item.span in numbers})
    body = Text(one_line(claim.claim.text))
    body.append("".join(f" [{number}]" for number in cited), "cyan")
    if not claim.claim.requirement.must:
        body.append(" (wanted, not required)", "dim")
    for gap in claim.gaps:
        body.append(f"\nmissing: {wording.GAPS[gap.kind]}", "yellow")
        if gap.detail:
            body.append(f" ({one_line(gap.detail)})", "yellow")
    yield Text(f"  {claim.status.lower()}", _STATUS_STYLES[claim.status]), body
    if claim.contradictions:
        yield Text("  against", "yellow"), _side(claim.contradictions, report, numbers)


def _conflict(conflict: Conflict, report: RunReport, numbers: dict[Span, int]) -> Iterator[tuple[Text, Text]]:
    text = next((c.claim.text for c in report.claims if c.claim.id == conflict.claim_id), conflict.claim_id)
    state = Text("  settled", "green") if conflict.resolved else Text("  open", "red")
    why = f": {conflict.why}" if conflict.why else ""
    yield state, Text(one_line(f"{text} ({conflict.kind.replace('_', ' ')}{why})"))
    for side in conflict.sides:
        yield Text("  -"), _side(side, report, numbers)


def _side(side: tuple[Evidence, ...], report: RunReport, numbers: dict[Span, int]) -> Text:
    """One of the values, with the place that says it best."""
    readable = [item for item in side if item.span.passage_id in report.passages]
    if not readable:
        return Text("a value you may not see", "dim")
    best = readable[0]
    passage = report.passages[best.span.passage_id]
    value = " ".join(filter(None, (best.value, best.unit))) or one_line(quote(passage, best.span), 80)
    text = Text(f"{one_line(value, 80)}: ")
    if best.span in numbers:
        text.append(f"{one_line(passage.provenance.uri)} ")
        text.append(f"[{numbers[best.span]}]", "cyan")
    else:
        text.append_text(_place(passage, best.span))
    if len(readable) > 1:
        text.append(f" and {len(readable) - 1} more", "dim")
    return text


def _notes(report: RunReport) -> Iterator[tuple[Text, Text]]:
    for note in (*(wording.FLAGS.get(flag, flag) for flag in report.flags), *report.notes, *report.dropped):
        yield Text("  -"), Text(one_line(note))


def _ending(report: RunReport) -> Iterator[tuple[Text, Text]]:
    if report.stop is None:
        yield (
            Text("Open", "bold yellow"),
            Text(
                f"It has not stopped. Go on with: satisfice runs resume {report.run} and the folders it was asked about."
            ),
        )
    else:
        said = [f"{wording.STOPS[report.stop]} ({report.stop})"]
        if report.denied:
            limited = report.denied.dimension
            asked, left = (wording.amount(limited, number) for number in (report.denied.asked, report.denied.left))
            said.append(f"The limit is on {wording.DIMENSIONS[limited]}: {asked} more needed, {left} left.")
        if report.also:
            said.append(f"Also true: {', '.join(report.also)}.")
        yield Text("Stopped", "bold"), Text("\n".join(said))
    yield Text("Spent", "bold"), Text(spent(report))
    yield Text("Run", "bold"), Text(report.run)


def spent(report: RunReport) -> str:
    """What was used of what was allowed. What was neither used nor forbidden is left out."""
    parts: list[str] = []
    for item in report.spent:
        if item.spent or item.limit == 0 or item.dimension is Dimension.QUERIES:
            used = wording.amount(item.dimension, item.spent)
            allowed = wording.amount(item.dimension, item.limit)
            parts.append(f"{used} of {allowed} {wording.DIMENSIONS[item.dimension]}")
    return ", ".join(parts)
