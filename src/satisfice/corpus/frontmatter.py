"""The block of `key: value` lines between two `---` at the top of a text.

Read as events, never as objects: every value stays the string that was written (`version: 2.10` is not the number 2.1),
aliases are not expanded, and nesting costs nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import yaml

from satisfice.corpus.decoding import tidy
from satisfice.corpus.formats import Unreadable

MAX_CHARS = 16_000
"""A longer block is taken for text."""
_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_KEY_LINE = re.compile(r"^[A-Za-z_][\w -]*:(?:\s|$)", re.MULTILINE)
_ACCESS_LINE = re.compile(r"^[ \t]*[\"']?access\b", re.MULTILINE | re.IGNORECASE)
_MEANT = re.compile(
    r"\s*(?:-{3,}|\+{3,}|\{)[^\n]*\n?(?:[^\n]*\n){0,20}?[ \t{,]*[\"']?access[\"']?[ \t]*[:=]", re.IGNORECASE
)
"""A text that opens like front matter of some kind and soon has a key `access`."""
_ABSENT = frozenset({"~", "null", "Null", "NULL"})
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Fields = Mapping[str, tuple[str, ...] | None]
"""What was written under each key, lower case. None: a value with parts of its own, which no key here has."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`body_start` is the offset of the first character after the block. `problem` is empty when it could be read."""

    fields: Fields
    body_start: int = 0
    problem: str = ""


def front_matter(text: str) -> FrontMatter:
    """What stands at the top of `text`; no fields when there is no such block.

    Raises
    ------
    Unreadable
        The block is broken and speaks of access: what may be read by whom is never guessed.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end(), opening.end() + MAX_CHARS) if opening else None
    block = text[opening.end() : closing.start()] if opening and closing else ""
    if closing is None or (block.strip() and not _KEY_LINE.search(block)):  # none, or two rules with text between them
        if _MEANT.match(text):
            raise Unreadable(
                "its first lines look like front matter that names access, but are none. Put `---` alone on the first "
                "line and behind the last key, one `key: value` a line"
            )
        return FrontMatter({})
    try:
        return FrontMatter(dict(_pairs(block)), closing.end())
    except yaml.YAMLError as error:
        why = _where(error)
    if _ACCESS_LINE.search(block):
        raise Unreadable(
            f"its front matter names access but cannot be read ({why}). Correct it, so that access is known"
        )
    return FrontMatter({}, closing.end(), f"front matter left out: {why}")


def _where(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 2}: {error.problem or error.context}"
    return "not YAML"


def _pairs(block: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """The top level of a mapping, key by key. `depth` is 1 there, 2 inside a list of plain values."""
    depth, key, plain, values = 0, "", True, list[str]()
    for event in _events(block):
        value: tuple[str, ...] | None = None
        if isinstance(event, yaml.ScalarEvent):
            value = _present(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > 1:
                plain = depth == 2 and isinstance(event, yaml.SequenceStartEvent)
            elif not isinstance(event, yaml.MappingStartEvent):
                return
            continue
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            value, plain, values = (tuple(values) if plain else None), True, []
        elif not isinstance(event, yaml.AliasEvent):
            continue
        if depth == 2:
            plain, values = plain and value is not None, values + list(value or ())
        elif depth == 1 and not key:
            key = (value[0] if value else "?").strip().lower()
        elif depth == 1:
            yield key, value
            key = ""


def _events(block: str) -> Iterator[yaml.Event]:
    parse = cast("Callable[[str, type[yaml.SafeLoader]], Iterator[yaml.Event]]", yaml.parse)
    return parse(block, _LOADER)


def _present(event: yaml.ScalarEvent) -> tuple[str, ...]:
    text = tidy(event.value).strip()
    return () if not text or (text in _ABSENT and not event.style) else (text,)
