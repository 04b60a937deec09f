"""Reading a text's structure: headings, paragraphs, list items, tables and code, each with its place. One pass, O(n)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from satisfice.corpus.formats import Layout

MAX_HEADING_CHARS = 200
_MAX_HEADING_LINE = 1_000
"""A longer line is no heading; hostile lines of any length cost no more than reading them."""

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*?)[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.])\1{2,}[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[a-zA-Z][.)])[ \t]+\S")
_TABLE = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+$")
_LINK = re.compile(r"!?\[([^\]\[]*)\](?:\([^()\s]*(?:[ \t]\"[^\"]*\")?\)|\[[^\]]*\])")
_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,3}|`+)(\S(?:.*?\S)?)\1(?!\w)")
_ANCHOR = re.compile(r"[ \t]*(?:\{[#:.][^}]*\}|¶)$")


class Kind(Enum):
    """What a block is. Code and tables are cut between lines, everything else between sentences."""

    HEADING = auto()
    PARAGRAPH = auto()
    ITEM = auto()
    TABLE = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Characters `start` to `end` of the text. `title` and `level` are those of a heading."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""


def blocks(text: str, layout: Layout) -> Iterator[Block]:
    """The blocks in order; together they cover everything but white space.

    Markdown headings are `#` lines and underlined lines; in plain text any line underlined with punctuation to about
    its own length is a heading, whose level is that of its underline's first use, and `== ` lines are.
    """
    return _Reader(text, markdown=layout is Layout.MARKDOWN).run()


def heading_text(raw: str) -> str:
    """A heading as a person reads it: no links, emphasis, code marks or anchors."""
    text = _ANCHOR.sub("", raw[: 4 * MAX_HEADING_CHARS].strip())
    text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text)))  # one may stand inside the other
    return " ".join(text.split())[:MAX_HEADING_CHARS].strip()


class _Reader:
    def __init__(self, text: str, *, markdown: bool) -> None:
        self._text = text
        self._markdown = markdown
        self._underlines: list[str] = []
        self._kind: Kind | None = None
        self._start = self._end = self._lines = 0

    def run(self) -> Iterator[Block]:
        text, at, fence = self._text, 0, ""
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = text[at:stop]
            if fence:
                self._end = stop
                closing = _FENCE.match(line)
                if closing and closing.group(1).startswith(fence) and not line[closing.end() :].strip():
                    fence = ""
                    yield from self._flush()
            elif not line or line.isspace():
                yield from self._flush()
            elif self._markdown and (opening := _FENCE.match(line)):
                yield from self._flush()
                fence = opening.group(1)
                self._open(Kind.CODE, at, stop)
            else:
                yield from self._line(line, at, stop)
            at = stop + 1
        yield from self._flush()

    def _line(self, line: str, at: int, stop: int) -> Iterator[Block]:
        heading = self._heading(line, at, stop) if len(line) <= _MAX_HEADING_LINE else None
        if heading is not None:
            if heading.start >= at:
                yield from self._flush()
            self._kind = None
            yield heading
        elif _TABLE.match(line) or (self._kind is Kind.TABLE and "|" in line):
            yield from self._join(Kind.TABLE, at, stop)
        elif self._kind is Kind.PARAGRAPH and self._lines == 1 and _TABLE_RULE.match(line):
            self._kind, self._end = Kind.TABLE, stop
        elif _ITEM.match(line):
            yield from self._flush()
            self._open(Kind.ITEM, at, stop)
        elif self._kind in {Kind.PARAGRAPH, Kind.ITEM}:
            self._end, self._lines = stop, self._lines + 1
        else:
            yield from self._flush()
            self._open(Kind.PARAGRAPH, at, stop)

    def _heading(self, line: str, at: int, stop: int) -> Block | None:
        """The heading that this line is, or that it makes of the line before it."""
        direct = _ATX.match(line) if self._markdown else _ASCIIDOC.match(line)
        if direct is not None and direct.group(2):
            title = heading_text(direct.group(2))
            return Block(Kind.HEADING, at, stop, len(direct.group(1)), title) if title else None
        if self._kind is not Kind.PARAGRAPH or self._lines != 1:
            return None
        above = self._text[self._start : self._end].rpartition("\n")[2]  # below a line drawn over it, in plain text
        level = self._level_below(above, line)
        title = heading_text(above) if level else ""
        return Block(Kind.HEADING, self._start, stop, level, title) if title else None

    def _level_below(self, above: str, line: str) -> int:
        if self._markdown:
            rule = _SETEXT.match(line)
            return (1 if rule.group(1)[0] == "=" else 2) if rule else 0
        rule = _UNDERLINE.match(line)
        if rule is None or len(above.strip()) > MAX_HEADING_CHARS or len(line.strip()) < 0.6 * len(above.strip()):
            return 0
        mark = rule.group(1)
        if mark not in self._underlines:
            self._underlines.append(mark)
        return min(6, self._underlines.index(mark) + 1)

    def _join(self, kind: Kind, at: int, stop: int) -> Iterator[Block]:
        if self._kind is kind:
            self._end = stop
            return
        yield from self._flush()
        self._open(kind, at, stop)

    def _open(self, kind: Kind, at: int, stop: int) -> None:
        overline = kind is Kind.PARAGRAPH and not self._markdown and _UNDERLINE.match(self._text, at, stop)
        self._kind, self._start, self._end, self._lines = kind, at, stop, 0 if overline else 1

    def _flush(self) -> Iterator[Block]:
        if self._kind is not None:
            yield Block(self._kind, self._start, self._end)
            self._kind = None
