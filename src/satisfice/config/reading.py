"""Reading settings: file, environment and what the caller gives, laid over each other, checked once.

Precedence, lowest first: default, file, environment, command line, call. A variable is `SATISFICE_` and the key, with
two underscores between its parts: `SATISFICE_STORE__DIR`, `SATISFICE_TASK__POLICY__BUDGET__QUERIES`.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from satisfice.config.mistakes import problem, shown
from satisfice.config.tables import BudgetTable, Settings
from satisfice.errors import ConfigError, Problem

FILE_NAME = "satisfice.toml"
PREFIX = "SATISFICE_"
SWITCHES = frozenset({"SATISFICE_CONFIG", "SATISFICE_DEBUG"})
"""Variables that are no settings: which file to read, and whether errors are shown in full."""
MAX_FILE_BYTES = 1_000_000

Key = tuple[str, ...]

_NUMBERS = frozenset({*BudgetTable.model_fields, "top_k", "retention_days"} - {"cost_usd"})
_LISTS = frozenset({"access", "ignore", "always_retrieve"})
_SWITCH = {"true": True, "false": False}
_ABILITIES = re.compile(
    r"(access|answer|can|fetch|find|get|look|query|quer|retrieve|return|search|tool|use)(s|es|ies)?\b", re.IGNORECASE
)
"""How a description begins that says what a source does."""


@dataclass(frozen=True, slots=True)
class Given:
    """One value from outside the file; `where` names the option, variable or argument it came by."""

    where: str
    key: Key
    value: object


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, where each value that is no default came from (by dotted key), and what deserves a second thought."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[Problem, ...]
    file: Path | None


def load(
    file: Path | None = None, given: Sequence[Given] = (), *, environment: Mapping[str, str] | None = None
) -> Loaded:
    """Read everything once. Without `file`, SATISFICE_CONFIG names it, else `satisfice.toml` here is read if it exists.

    `given` comes in rising precedence. Relative paths count from the file's folder, or from the working directory
    when they came another way. Raises `ConfigError` with every mistake.
    """
    environment = os.environ if environment is None else environment
    if file is None and environment.get("SATISFICE_CONFIG"):
        file = Path(environment["SATISFICE_CONFIG"])
    if file is None and Path(FILE_NAME).exists():
        file = Path(FILE_NAME)
    layers = [*(_of_file(file) if file else ()), *_of_environment(environment), *given]
    merged: dict[str, object] = {}
    origins: dict[Key, str] = {}
    for layer in layers:
        _lay(merged, origins, layer)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError(tuple(problem(e, Settings, _where(e["loc"], origins)) for e in found)) from None
    return Loaded(settings, {".".join(k): w for k, w in origins.items()}, tuple(_warnings(settings, origins)), file)


def budget_from_text(text: str, where: str) -> dict[str, object]:
    """`queries=2,wall_clock_ms=500` as a table, its values still unchecked. Raises `ConfigError`."""
    table: dict[str, object] = {}
    problems: list[Problem] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (side.strip() for side in part.partition("="))
        if not (name and equals and value):
            problems.append(Problem(where, "budget", shown(part), "NAME=NUMBER, several with commas between"))
        elif name in table:
            problems.append(Problem(where, f"budget.{name}", "given twice", "one value"))
        else:
            table[name] = _typed(name, value)
    if problems:
        raise ConfigError(tuple(problems))
    return table


# --- layers --------------------------------------------------------------------------------------------------------


def _of_file(file: Path) -> Iterator[Given]:
    where = str(file)
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ConfigError((Problem(where, "the file", f"not readable ({why})", "a TOML file"),)) from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError((Problem(where, "the file", "too large", f"at most {MAX_FILE_BYTES:,} bytes"),))
    try:
        tables = tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError((Problem(where, "the file", f"not TOML ({error})", "TOML in UTF-8"),)) from None
    for leaf in _leaves(tables, (), where):
        yield _located(leaf, file.absolute().parent)


def _of_environment(environment: Mapping[str, str]) -> Iterator[Given]:
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in SWITCHES and environment[name]:
            key = tuple(name.removeprefix(PREFIX).lower().split("__"))
            value = environment[name]
            if key[-1] == "budget":
                table = budget_from_text(value, name)
                yield from (Given(name, (*key, limit), amount) for limit, amount in table.items())
            else:
                yield _located(Given(name, key, _typed(key[-1], value)), Path.cwd())


def _typed(name: str, text: str) -> object:
    """Text as the value it spells; what cannot be read stays text and is refused by name later."""
    if name in _LISTS:
        return [word.strip() for word in text.split(",") if word.strip()]
    if name in _NUMBERS:
        try:
            return int(text)
        except ValueError:
            return text
    return _SWITCH.get(text.lower(), text) if name == "fsync" else text


def _leaves(table: Mapping[str, object], path: Key, where: str) -> Iterator[Given]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(cast("dict[str, object]", value), (*path, name), where)
        else:
            yield Given(where, (*path, name), cast("object", value))


def _located(leaf: Given, base: Path) -> Given:
    """Paths are taken from where they were written down."""
    is_path = (leaf.key[0] == "source" and leaf.key[-1] == "path") or leaf.key == ("store", "dir")
    if not (is_path and isinstance(leaf.value, str) and leaf.value):
        return leaf
    return Given(leaf.where, leaf.key, base / Path(leaf.value).expanduser())


def _lay(merged: dict[str, object], origins: dict[Key, str], leaf: Given) -> None:
    table = merged
    for depth, part in enumerate(leaf.key[:-1], start=1):
        below = table.get(part)
        if not isinstance(below, dict):
            origins.pop(leaf.key[:depth], None)
            below = table[part] = {}
        table = cast("dict[str, object]", below)
    for older in [key for key in origins if key[: len(leaf.key)] == leaf.key]:
        del origins[older]
    table[leaf.key[-1]] = leaf.value
    origins[leaf.key] = leaf.where


def _where(place: tuple[int | str, ...], origins: Mapping[Key, str]) -> str:
    """Who gave the value at a place, or the first value inside it, or the table around it."""
    path = tuple(str(part) for part in place if part != "[key]")
    for length in range(len(path), 0, -1):
        if path[:length] in origins:
            return origins[path[:length]]
        inside = [where for key, where in origins.items() if key[:length] == path[:length]]
        if inside:
            return inside[0]
    return "settings"


def _warnings(settings: Settings, origins: Mapping[Key, str]) -> Iterator[Problem]:
    for name, source in settings.source.items():
        if _ABILITIES.match(source.description.strip()):
            where = _where(("source", name, "description"), origins)
            hint = "Name the subjects inside, e.g. 'The company handbook: plans, refunds, security'."
            yield Problem(where, f"source.{name}.description", shown(source.description), "what the source holds", hint)
