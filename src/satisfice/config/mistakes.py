"""What is wrong with settings, in words: what was found, what is allowed, and the name that was probably meant."""

import difflib
from collections.abc import Iterable, Mapping
from typing import cast, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from satisfice.errors import Problem

LATER = {"model": "Models come in a later version; this one answers with exact quotes and needs none."}
"""Tables of the plan that this version does not read, and why."""

_SHOWN_CHARS = 60

_ALLOWED = {
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "path_type": "a path in quotes",
    "tuple_type": "a list of texts",
    "frozen_set_type": "a list of texts",
    "dict_type": "a table",
    "model_type": "a table",
    "missing": "a value, it has no default",
}


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest known name, or nothing when none is close."""
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"Did you mean {match[0]!r}?" if match else ""


def shown(value: object) -> str:
    """A value as a message shows it: quoted, on one line, and never long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}... ({len(text):,} characters)"


def problem(error: ErrorDetails, root: type[BaseModel], where: str) -> Problem:
    """One mistake found by validation, said so that it can be put right."""
    path = tuple(str(part) for part in error["loc"] if part != "[key]")
    kind = error["type"]
    key = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error["loc"] if part != "[key]")[
        1:
    ]
    if kind == "extra_forbidden":
        known = keys_of(root, path[:-1])
        hint = LATER.get(path[0], "") if len(path) == 1 else ""
        return Problem(where, key, "not a known key", ", ".join(known), hint or nearest(path[-1], known))
    if "[key]" in error["loc"]:
        return Problem(where, key, "not a usable name", "letters, digits, '_' and '-', starting with a letter or digit")
    found = "missing" if kind == "missing" else shown(error["input"])
    allowed, hint = _allowed(error), ""
    if kind in {"enum", "literal_error", "one_of"} and isinstance(error["input"], str):
        hint = nearest(error["input"], [word.strip("'") for word in allowed.replace(" or ", ", ").split(", ")])
    return Problem(where, key, found, allowed, hint)


def _allowed(error: ErrorDetails) -> str:
    kind, context = error["type"], cast("Mapping[str, object]", error.get("ctx", {}))
    if kind in {"int_type", "int_from_float", "greater_than_equal", "less_than_equal"}:
        if kind == "less_than_equal":
            return f"a whole number of at most {context['le']}"
        return f"a whole number of {context.get('ge', 0)} or more"
    if kind in {"enum", "literal_error"}:
        return str(context["expected"])
    if kind in {"string_too_short", "too_short"}:
        return "something, not nothing"
    if kind == "string_pattern_mismatch":
        return "letters, digits, '_' and '-', starting with a letter or digit"
    return _ALLOWED.get(kind, error["msg"])


def keys_of(root: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """The keys allowed in the table at a path, sorted. Names of tasks and sources, and positions in lists, are skipped."""
    table: type[BaseModel] | None = root
    for part in path:
        if table is None:
            return []
        fields = {field.alias or name: field for name, field in table.model_fields.items()}
        if part in fields:
            table, held = None, [fields[part].annotation]
            while held and table is None:
                kind = held.pop()
                if isinstance(kind, type) and issubclass(kind, BaseModel):
                    table = kind
                else:
                    held.extend(get_args(kind))
    return sorted(field.alias or name for name, field in table.model_fields.items()) if table else []
