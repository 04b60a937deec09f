"""Writes the reference pages from the code, and fails when one of them was stale."""

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.main import get_command

from satisfice import errors
from satisfice.cli import wording
from satisfice.cli.app import app
from satisfice.cli.exits import MEANINGS
from satisfice.config import tables
from satisfice.core import facts
from satisfice.core.amounts import KINDS, Dimension
from satisfice.core.orders import StopReason
from satisfice.core.tasks import EFFORTS, ROWS

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py from the code. Change the code, then run `make docs`. -->\n\n"


# --- pages ---------------------------------------------------------------------------------------------------------


def command_line() -> Iterator[str]:
    """Every command's help, as it is printed, and the exit codes."""
    yield "# Command line\n"
    yield from _command(get_command(app), "satisfice")
    yield "## Exit codes\n"
    yield "| code | meaning |\n| --- | --- |"
    yield from (f"| {code.value} | {meaning} |" for code, meaning in MEANINGS.items())


def _command(command: Any, name: str) -> Iterator[str]:
    options = [parameter for parameter in command.params if parameter.name != "help"]
    arguments = [
        p.name.upper() if p.required else f"[{p.name.upper()}]..." for p in options if p.param_type_name == "argument"
    ]
    subcommands = sorted(getattr(command, "commands", {}).items())
    usage = [name, *(["COMMAND"] if subcommands else []), *arguments]
    yield f"## `{' '.join(usage)}`\n\n{' '.join((command.help or '').split())}\n"
    if options:
        yield "| | |\n| --- | --- |"
        for parameter in options:
            spelt = ", ".join(parameter.opts) if parameter.param_type_name == "option" else ""
            value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or parameter.name.upper()
            yield f"| `{' '.join(filter(None, (spelt, value)))}` | {' '.join((parameter.help or '').split())} |"
        yield ""
    for child, inner in subcommands:
        yield from _command(inner, f"{name} {child}")


def stop_reasons() -> Iterator[str]:
    """Why a run ends."""
    yield "# Stop reasons\n"
    yield "Every run ends for exactly one of these reasons. The first that holds, in the order of the explanation, is taken;"
    yield "what else was true is in `report.also`. Only SUFFICIENT means that the contract passed.\n"
    yield "| reason | said as | meaning |\n| --- | --- | --- |"
    yield from (f"| `{reason}` | {wording.STOPS[reason]} | {wording.MEANINGS[reason]} |" for reason in StopReason)


def budget() -> Iterator[str]:
    """What can be limited."""
    yield "# Budget\n"
    yield "Every dimension is a limit of its own. 0 allows nothing; a dimension that is left out has the default of the"
    yield "task's complexity (the effort of one question). Whole numbers only.\n"
    efforts = {complexity: effort for effort, complexity in EFFORTS.items()}
    heads = [f"`{c}`" + (f" ({efforts[c]})" if c in efforts else "") for c in ROWS]
    yield "| dimension | counts | kind | " + " | ".join(heads) + " |\n" + "| --- " * (3 + len(heads)) + "|"
    for dimension in Dimension:
        row = " | ".join(wording.amount(dimension, limits[dimension]) for limits in ROWS.values())
        yield f"| `{dimension}` | {wording.DIMENSIONS[dimension]} | {KINDS[dimension]} | {row} |"
    yield '\nIn settings and on the command line the cost may also be written in dollars, as text: `cost_usd = "0.20"`.'


def settings() -> Iterator[str]:
    """Every table and key."""
    yield "# Settings\n"
    yield "Written in `satisfice.toml`. Precedence, lowest first: default, file, environment, command line, call."
    yield "A variable is `SATISFICE_` and the key with two underscores between its parts: `SATISFICE_STORE__DIR=/srv/store`,"
    yield "`SATISFICE_TASK__POLICY__BUDGET=queries=2,steps=9`. Lists are written with commas."
    yield "Two variables are no settings: `SATISFICE_CONFIG` names the file, `SATISFICE_DEBUG=1` shows where an error came from.\n"
    for heading, table in (
        ("[store]", tables.StoreTable),
        ("[source.NAME]", tables.SourceTable),
        ("[task.NAME]", tables.TaskTable),
        ("[task.NAME.budget]", tables.BudgetTable),
        ("[[task.NAME.claim]]", tables.ClaimTable),
    ):
        yield f"## `{heading}`\n\n{inspect.getdoc(table)}\n"
        yield "| key | value | default | |\n| --- | --- | --- | --- |"
        yield from _keys(table)
        yield ""


def _keys(table: type[BaseModel]) -> Iterator[str]:
    notes = _field_notes(table)
    for name, field in table.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if default is PydanticUndefined:
            shown = "required"
        elif isinstance(default, frozenset):
            shown = ", ".join(sorted(f"`{d.value}`" for d in default))
        elif isinstance(default, BaseModel | dict | tuple) or default is None:
            shown = ""
        else:
            shown = f"`{default.name if isinstance(default, Enum) else default}`".lower() if default != "" else ""
        yield f"| `{field.alias or name}` | {_kind(field.annotation, name)} | {shown} | {notes.get(name, '')} |"


_SAID = {"cost_usd": "dollars as text", "outcomes": "a table from stop reason to outcome"}


def _kind(annotation: object, name: str) -> str:
    if name in _SAID:
        return _SAID[name]
    found = [a for a in _flat(annotation) if a is not type(None)]
    words: list[str] = []
    for kind in found:
        if isinstance(kind, str):
            words.append(f"`{kind}`")
        elif isinstance(kind, type) and issubclass(kind, Enum):
            words.append(", ".join(f"`{member.name.lower()}`" for member in kind))
        elif isinstance(kind, type) and issubclass(kind, BaseModel):
            words.append("a table")
        else:
            words.append({int: "whole number", str: "text", bool: "`true` or `false`", Path: "path"}.get(kind, ""))
    said = ", ".join(dict.fromkeys(filter(None, words)))
    return f"list: {said}" if str(annotation).startswith(("tuple", "frozenset")) else said


def _flat(annotation: object) -> Iterator[object]:
    inner = get_args(annotation)
    if not inner:
        yield annotation
    for part in inner:
        if isinstance(part, str | type) or get_args(part):
            yield from _flat(part)


def facts_page() -> Iterator[str]:
    """What a log is made of."""
    yield "# Facts\n"
    yield f"A run is a log of facts, schema version {facts.SCHEMA_VERSION}. Each stands in an envelope: {_fields(facts.Envelope)}.\n"
    yield "| fact | fields | |\n| --- | --- | --- |"
    for fact in get_args(facts.Fact):
        doc = " ".join((fact.__doc__ or "").split())
        yield f"| `{fact.__name__}` | {_fields(fact) or 'none'} | {'' if doc.startswith(fact.__name__ + '(') else doc} |"


def _fields(kind: type) -> str:
    return ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind))


def errors_page() -> Iterator[str]:
    """How satisfice says no."""
    _, _, tree = (errors.__doc__ or "").partition("\n\n")
    yield "# Errors\n"
    yield "Limits, gaps and conflicts are outcomes and stand in the report. These are raised:\n"
    yield f"```text\n{tree.rstrip()}\n```\n"
    yield "| error | |\n| --- | --- |"
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, Exception):
            yield f"| `{name}` | {' '.join((kind.__doc__ or '').split())} |"


PAGES = {
    "command-line.md": command_line,
    "stop-reasons.md": stop_reasons,
    "budget.md": budget,
    "settings.md": settings,
    "facts.md": facts_page,
    "errors.md": errors_page,
}


# --- writing -------------------------------------------------------------------------------------------------------


def _field_notes(kind: type) -> dict[str, str]:
    """The text under each field of a class."""
    notes: dict[str, str] = {}
    field = ""
    [source] = ast.parse(inspect.getsource(kind)).body
    for statement in source.body if isinstance(source, ast.ClassDef) else ():
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                field = name
            case ast.Expr(value=ast.Constant(value=str(text))) if field:
                notes[field] = " ".join(text.split())
            case _:
                field = ""
    return notes


def text(name: str) -> str:
    """A page as it should be."""
    return NOTE + "\n".join(PAGES[name]()).rstrip() + "\n"


def stale() -> list[str]:
    """Bring every page up to date; the names of those that were not."""
    REFERENCE.mkdir(exist_ok=True)
    behind: list[str] = []
    for name in PAGES:
        place = REFERENCE / name
        if not place.exists() or place.read_text(encoding="utf-8") != text(name):
            place.write_text(text(name), encoding="utf-8")
            behind.append(name)
    return behind


if __name__ == "__main__":
    behind = stale()
    for name in behind:
        print(f"docs/reference/{name} was stale and has been written again")
    sys.exit(1 if behind else 0)
