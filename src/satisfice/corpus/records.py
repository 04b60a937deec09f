"""JSON as documents: a record is one document, anything else is written out as headed lines."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from satisfice.corpus.declaring import DECLARING_KEYS, fields_of
from satisfice.corpus.decoding import tidy
from satisfice.corpus.formats import Layout, Part, Unreadable
from satisfice.corpus.frontmatter import Fields

TEXT_KEYS = ("text", "content", "contents", "body", "passage")
_ID_KEYS = ("id", "_id", "doc_id", "docid")
_TITLE_KEYS = ("title", "name", "headline")
_MAX_DEPTH = 32
_MAX_VALUE_CHARS = 200


def parse_json(text: str) -> object:
    """The value. Raises `Unreadable` with line and column."""
    try:
        return cast("object", json.loads(text))
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg.lower()} (line {error.lineno}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON that can be read: {error}") from error


def record(value: object, position: int) -> Part:
    """One record. Its `id` names it, else its position, counted from 1.

    The text is the first of `text`, `content`, `contents`, `body`, `passage`; without one all values are written out.
    Keys that front matter has mean the same here; other short plain values become metadata.
    """
    values = _mapping(value)
    if values is None:
        return Part(_tidy_text(value), Layout.RECORD, key=str(position))
    identity = next((str(values[key]) for key in _ID_KEYS if isinstance(values.get(key), str | int)), str(position))
    title = next((str(values[key]) for key in _TITLE_KEYS if isinstance(values.get(key), str | int)), "")
    text_key = next((key for key in TEXT_KEYS if isinstance(values.get(key), str)), None)
    if text_key is None:
        text, kept = (
            _written({key: item for key, item in values.items() if key not in DECLARING_KEYS}),
            _declared(values),
        )
    else:
        text, kept = str(values[text_key]), {key: item for key, item in values.items() if key != text_key}
    layout = Layout.MARKDOWN if text_key is None else Layout.RECORD
    return Part(tidy(text), layout, title=tidy(title).strip(), fields=_fields(kept), key=tidy(identity))


def documents(value: object) -> Iterator[Part]:
    """A list of records gives one document each; anything else gives one document."""
    items = _items(value)
    if items is not None and any(_mapping(item) is not None for item in items):
        for position, item in enumerate(items, start=1):
            yield record(item, position)
    else:
        yield replace(record(value if _mapping(value) is not None else {"": value}, 0), key="")


def _mapping(value: object) -> Mapping[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _items(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None


def _declared(values: Mapping[str, object]) -> Mapping[str, object]:
    return {key: item for key, item in values.items() if key.lower() in DECLARING_KEYS}


def _fields(values: Mapping[str, object]) -> Fields:
    """Long values are content rather than declarations, and only `access` may not be dropped for being of the wrong kind."""
    fields = fields_of({key: item for key, item in values.items() if not _long(item) or key.lower() == "access"})
    return {key: found for key, found in fields.items() if found is not None or key == "access"}


def _long(value: object) -> bool:
    return isinstance(value, str) and len(value) > _MAX_VALUE_CHARS


def _tidy_text(value: object) -> str:
    return tidy(value) if isinstance(value, str) else _written({"": value})


def _written(values: Mapping[str, object]) -> str:
    return re.sub(r"\n{3,}", "\n\n", tidy("\n".join(_lines(values, 1)))).strip()


def _lines(values: Mapping[str, object], depth: int) -> Iterator[str]:
    """`key: value` lines; lists of objects and objects become sections under a heading of their own."""
    for key, value in values.items():
        nested = _mapping(value)
        items = _items(value)
        if depth > _MAX_DEPTH:
            yield f"{key}: {json.dumps(value, ensure_ascii=False)[:_MAX_VALUE_CHARS]}"
        elif nested is not None:
            yield from _section(key, nested, depth)
        elif items is not None and any(isinstance(item, dict | list) for item in items):
            yield from _section(key, {}, depth)
            for position, item in enumerate(items, start=1):
                inner = _mapping(item)
                named = next((str(inner[name]) for name in _named(inner) if inner.get(name)), "") if inner else ""
                yield from _section(named or f"{key} {position}", inner if inner is not None else {"": item}, depth + 1)
        else:
            shown = ", ".join(map(_plain, items)) if items is not None else _plain(value)
            if shown:
                yield f"{key}: {shown}" if key else shown


def _section(title: str, values: Mapping[str, object], depth: int) -> Iterator[str]:
    if title:
        yield f"\n{'#' * min(6, depth)} {' '.join(title.split())[:_MAX_VALUE_CHARS]}\n"
    yield from _lines(values, depth + 1)


def _named(values: Mapping[str, object] | None) -> Iterator[str]:
    """The keys that may name an item: those made for it, then the first short text."""
    if values is not None:
        yield from (*_TITLE_KEYS, *_ID_KEYS)
        yield from (key for key, value in values.items() if isinstance(value, str) and len(value) <= 60)


def _plain(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
