"""Which kinds of file are read, how, and how large they may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath

MIB = 1024 * 1024


class Format(StrEnum):
    """A kind of file. `PARSED` ones are taken apart in a process of their own; the others are read here, piece by piece."""

    MARKDOWN = "markdown"
    TEXT = "text"
    JSON_LINES = "json_lines"
    JSON = "json"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"


PARSED = frozenset({Format.JSON, Format.HTML, Format.PDF, Format.DOCX})

FORMATS = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".mdx": Format.MARKDOWN,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".rst": Format.TEXT,
    ".adoc": Format.TEXT,
    ".org": Format.TEXT,
    "": Format.TEXT,  # README, LICENSE, copyright: what is not text among these is found out on reading
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".json": Format.JSON,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
}
"""By suffix, lower case."""
_TEXT_NAMES = frozenset({"readme", "news", "faq", "changelog", "changes", "license", "copying", "authors", "install"})
"""Text whatever follows the dot: README.Debian, LICENSE.MIT."""


COMPRESSED = ".gz"
"""What systems compress their documentation with; the name before it says what is inside."""


def format_of(name: str) -> Format | None:
    """How a file of this name is read; None when it is not. Compressed text is read, compressed files of other kinds are not."""
    path = PurePath(name)
    suffix = path.suffix.lower()
    if suffix == COMPRESSED:
        inside = format_of(path.stem)
        return None if inside in PARSED else inside
    known = FORMATS.get(suffix)
    return Format.TEXT if known is None and path.stem.lower() in _TEXT_NAMES else known


MAX_FILE_BYTES = {
    Format.JSON: 32 * MIB,
    Format.HTML: 32 * MIB,
    Format.PDF: 512 * MIB,
    Format.DOCX: 128 * MIB,
}
"""Formats that are read whole. Text, Markdown and JSON Lines have no limit: they are read piece by piece."""

WHOLE_FILE_BYTES = 2 * MIB
"""A text file up to this size is read at once, a larger one twice: to know it, and then piece by piece."""
PART_CHARS = 400_000
"""A longer text becomes several documents (`name#part=2` ...), each at most this long, so that memory stays flat."""
MAX_RECORD_CHARS = 4 * MIB
"""The longest line of a JSON Lines file."""
MAX_PARSED_CHARS = 32 * MIB
"""The most text taken from one parsed file."""
MAX_EXPANDED_BYTES = 256 * MIB
"""The most a compressed document may unpack to."""


class Layout(StrEnum):
    """How a document's text shows its structure, for cutting it into passages."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Part:
    """One document taken out of a file.

    `key` names it inside the file, empty when the file is one document. `title` is what it is called outright,
    `fallback_title` what to call it when its text has no heading. `fields` are what it declares (see
    `frontmatter.Fields`), `pages` the offsets at which its pages start, `line` the file's line on which its text starts.
    """

    text: str
    layout: Layout
    title: str = ""
    fallback_title: str = ""
    fields: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict[str, tuple[str, ...] | None])
    key: str = ""
    pages: tuple[int, ...] = ()
    line: int | None = None


class Unreadable(Exception):
    """A file that cannot become documents; the message says why and what to do. Caught where the report is made."""


class ChangedWhileReading(Unreadable):
    """The file was written to meanwhile; reading again may help."""


def in_units(size: int) -> str:
    """A size for people: `3.2 MB`."""
    for unit, scale in (("GB", 1024 * MIB), ("MB", MIB), ("KB", 1024)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} bytes"
