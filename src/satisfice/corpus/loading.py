"""From a file to documents: read and decode it, take the declarations off its top, name and hash what it holds."""

import codecs
import gzip
import hashlib
import io
import json
import posixpath
import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, TextIO, cast

from satisfice.core.access import Permission
from satisfice.core.ids import DocumentId, SourceId
from satisfice.core.passages import Document
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.corpus.declaring import Declared, declare, within
from satisfice.corpus.decoding import SAMPLE_BYTES, decode, encoding_of, tidy
from satisfice.corpus.formats import (
    COMPRESSED,
    MAX_EXPANDED_BYTES,
    MAX_FILE_BYTES,
    MAX_RECORD_CHARS,
    PARSED,
    PART_CHARS,
    WHOLE_FILE_BYTES,
    ChangedWhileReading,
    Format,
    Layout,
    Part,
    Unreadable,
    in_units,
)
from satisfice.corpus.frontmatter import MAX_CHARS, front_matter
from satisfice.corpus.outlining import Kind, blocks
from satisfice.corpus.records import parse_json, record
from satisfice.corpus.walking import SourceFile, printable

LOADED_BY = "loading/1"
"""Names this way of loading; part of what is remembered about a file, so that a better way reads it again."""

_BLOCK_BYTES = 1024 * 1024
_TITLE_WITHIN_CHARS = 20_000
_MAX_TITLE_CHARS = 300
_MAX_KEY_CHARS = 200
_MAX_PROBLEMS = 5
_MARKDOWN_HEADING = re.compile(r"^#{2,4} [^\W\d_]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells, without reading, that a file is still what it was."""

    size: int
    mtime_ns: int


@dataclass(slots=True)
class Content:
    """A file that was read once. `data` is kept of small text files only; `problems` grow while its parts are made."""

    file: SourceFile
    stamp: Stamp
    digest: str
    data: bytes = b""
    encoding: str = ""
    problems: list[str] = field(default_factory=list[str])

    def unchanged(self) -> None:
        """Raises `ChangedWhileReading` when the file is no longer what was read."""
        if _stamp(self.file) != self.stamp:
            raise ChangedWhileReading("it was changed while it was read. Run the ingest again when it is at rest")

    def note(self, problem: str) -> None:
        """Remember something for the report; beyond a few, only how many there were."""
        self.problems.append(problem)

    def noted(self) -> str:
        """The problems in one line, empty when there were none."""
        more = f"; and {len(self.problems) - _MAX_PROBLEMS} more" if len(self.problems) > _MAX_PROBLEMS else ""
        return "; ".join(self.problems[:_MAX_PROBLEMS]) + more


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document and how to cut it. `first_line` is the line of its file on which its text starts."""

    document: Document
    layout: Layout
    first_line: int | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where documents go: their source, the tenant and uses they get, and the name of how they will be cut."""

    source: SourceId
    permission: Permission
    cut_by: str


# --- reading ---------------------------------------------------------------------------------------------------------


def examine(file: SourceFile) -> Generator[None, None, Content]:
    """Read a file once: its digest, and for text its encoding. Pauses after every block.

    Raises
    ------
    Unreadable
        Empty, too large for its format, binary where text was expected, or the system refuses.
    ChangedWhileReading
        It was written to meanwhile.
    """
    stamp = _stamp(file)
    if stamp.size == 0:
        raise Unreadable("empty")
    allowed = MAX_FILE_BYTES.get(file.format)
    if allowed is not None and stamp.size > allowed:
        raise Unreadable(
            f"{in_units(stamp.size)}; up to {in_units(allowed)} are read of a {file.format} file. Split it"
        )
    keep = file.format not in PARSED and stamp.size <= WHOLE_FILE_BYTES and not _compressed(file)
    digest, kept, sample, size = hashlib.sha256(), list[bytes](), b"", 0
    valid: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
    try:
        with _open(file) as source:
            while block := source.read(_BLOCK_BYTES):
                size += len(block)
                if _compressed(file) and size > MAX_EXPANDED_BYTES:
                    raise Unreadable(f"it unpacks to more than the {in_units(MAX_EXPANDED_BYTES)} that are read")
                digest.update(block)
                sample = sample or block[:SAMPLE_BYTES]
                if keep:
                    kept.append(block)
                elif file.format not in PARSED and valid is not None:
                    valid = _still_valid(valid, block)
                yield
    except (OSError, EOFError, zlib.error) as error:
        raise _refused(error) from error
    if size == 0:
        raise Unreadable("empty")
    content = Content(file, stamp, digest.hexdigest(), b"".join(kept))
    content.unchanged()
    if file.format not in PARSED and not keep:
        content.encoding = encoding_of(sample, utf8=valid is not None)
    return content


def text_parts(content: Content) -> Iterator[Part]:
    """The documents in a text, Markdown or JSON Lines file, never more than one part in memory.

    Raises
    ------
    Unreadable
        Binary data, nothing in it, front matter that leaves access unknown, or the system refuses.
    ChangedWhileReading
        It was written to since it was examined. Parts given out before are to be forgotten.
    """
    try:
        with _text(content) as source:
            yield from (
                _records(content, source) if content.file.format is Format.JSON_LINES else _texts(content, source)
            )
    except (OSError, EOFError, zlib.error) as error:
        raise _refused(error) from error
    if not content.data:
        content.unchanged()


def _text(content: Content) -> TextIO:
    if content.data:
        return io.StringIO(decode(content.data))
    return io.TextIOWrapper(_open(content.file), encoding=content.encoding, errors="replace")


def _texts(content: Content, source: TextIO) -> Iterator[Part]:
    held = tidy(source.read(PART_CHARS + MAX_CHARS))
    top = front_matter(held)
    if top.problem:
        content.note(top.problem)
    line, held = 1 + held.count("\n", 0, top.body_start), held[top.body_start :]
    if not held.strip():
        raise Unreadable("empty" if top.body_start == 0 else "nothing but front matter")
    layout, number = _layout(content.file, held), 0
    while held:
        ended = len(held) <= PART_CHARS
        cut = len(held) if ended else _place_to_cut(held)
        number += 0 if ended and number == 0 else 1
        if not held[:cut].isspace():
            yield Part(held[:cut], layout, fields=top.fields, key=f"part={number}" if number else "", line=line)
        line += held.count("\n", 0, cut)
        held = held[cut:] + tidy(source.read(PART_CHARS))


def _layout(file: SourceFile, text: str) -> Layout:
    """By the name's suffix; a name without one (README, METADATA) is judged by what its text looks like."""
    looks = not file.path.suffix and len(_MARKDOWN_HEADING.findall(text, 0, _TITLE_WITHIN_CHARS)) >= 2
    return Layout.MARKDOWN if file.format is Format.MARKDOWN or looks else Layout.PLAIN


def _place_to_cut(text: str) -> int:
    """Where a part ends: before a blank line, else after a line, else after a word, in its second half."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, PART_CHARS // 2, PART_CHARS)
        if at >= 0:
            return at + len(mark)
    return PART_CHARS


def _records(content: Content, source: TextIO) -> Iterator[Part]:
    line = found = 0
    while text := source.readline(MAX_RECORD_CHARS + 1):
        line += 1
        if len(text) > MAX_RECORD_CHARS and not text.endswith("\n"):
            content.note(f"line {line} is longer than {MAX_RECORD_CHARS} characters")
            while text and not text.endswith("\n"):
                text = source.readline(MAX_RECORD_CHARS)
        elif not text.isspace():
            try:
                part = record(parse_json(text), line)
            except Unreadable as error:
                content.note(f"line {line}: {error}")
                continue
            found += 1
            yield replace(part, line=line)
    if not found:
        raise Unreadable(content.noted() or "empty")


def _open(file: SourceFile) -> BinaryIO:
    return cast("BinaryIO", gzip.open(file.path)) if _compressed(file) else file.path.open("rb")


def _compressed(file: SourceFile) -> bool:
    return file.path.suffix.lower() == COMPRESSED


def _stamp(file: SourceFile) -> Stamp:
    try:
        status = file.path.stat()
    except OSError as error:
        raise _refused(error) from error
    return Stamp(status.st_size, status.st_mtime_ns)


def _still_valid(decoder: codecs.IncrementalDecoder, block: bytes) -> codecs.IncrementalDecoder | None:
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return None
    return decoder


def _refused(error: Exception) -> Unreadable:
    if not isinstance(error, OSError) or isinstance(error, gzip.BadGzipFile):
        return Unreadable(f"damaged: {str(error).lower()}")
    return Unreadable(
        f"the system refuses it ({(error.strerror or type(error).__name__).lower()}); check its permissions"
    )


# --- documents -------------------------------------------------------------------------------------------------------


def document_id(source: SourceId, file: SourceFile, key: str = "") -> DocumentId:
    """Stable for a place: the source, the path below its root and, for files of many documents, the record's key."""
    material = b"\0".join((source.encode("utf-8", "surrogatepass"), file.key, key.encode("utf-8", "surrogatepass")))
    return DocumentId(f"{source}:{hashlib.sha256(material).hexdigest()[:20]}")


def documents(content: Content, parts: Iterable[Part], shelf: Shelf) -> Iterator[Loaded]:
    """The parts as documents.

    The file's time of change becomes the metadata `modified`, never the publication date: copying a file changes it, so
    it says nothing about the text. It is no part of the hash either.

    Raises
    ------
    Unreadable
        A part's access cannot be known or would widen its folder's. Nothing more of the file is given out.
    """
    seen: set[str] = set()
    first_title = ""
    for part in parts:
        if not part.text or part.text.isspace():
            if part.key:
                content.note(f"{part.key} has no text")
            continue
        declared = within(content.file.declared, declare(part.fields))
        for problem in declared.problems:
            content.note(f"{part.key or 'front matter'}: {problem}")
        key = part.key[:_MAX_KEY_CHARS]
        while key in seen:
            key = f"{key}+"
        seen.add(key)
        title = _title(content.file, part, declared) if not first_title else f"{first_title}, {key}"
        if key.startswith("part=") and part.layout is not Layout.RECORD:
            first_title = first_title or title
        yield Loaded(
            _document(content.file, replace(part, title=title, key=key), declared, shelf), part.layout, part.line
        )


def _document(file: SourceFile, part: Part, declared: Declared, shelf: Shelf) -> Document:
    key = part.key
    document = Document(
        id=document_id(shelf.source, file, key),
        source_id=shelf.source,
        uri=f"{file.uri}#{printable(key.encode('utf-8', 'surrogatepass'))}" if key else file.uri,
        title=part.title,
        text=part.text,
        content_hash="",
        evidence_class=declared.evidence_class or EvidenceClass.DOCUMENT,
        authority=declared.authority or Authority.UNKNOWN,
        permission=replace(shelf.permission, tags=declared.access),
        published_at=declared.published_at,
        version=declared.version,
        supersedes=_named(declared.supersedes, file.uri),
        origin=declared.origin,
        pages=part.pages,
        metadata=declared.metadata,
    )
    modified = datetime.fromtimestamp(file.mtime_ns // 1_000_000_000, UTC).isoformat().replace("+00:00", "Z")
    return replace(
        document,
        content_hash=_hash(document, part, shelf.cut_by),
        metadata=(*document.metadata, ("modified", modified)),
    )


def _title(file: SourceFile, part: Part, declared: Declared) -> str:
    title = declared.title or part.title or _first_heading(part) or part.fallback_title
    return title[:_MAX_TITLE_CHARS] or posixpath.basename(file.uri)


def _first_heading(part: Part) -> str:
    if part.layout is Layout.RECORD:
        return ""
    found = blocks(part.text[:_TITLE_WITHIN_CHARS], part.layout)
    return next((block.title for block in found if block.kind is Kind.HEADING), "")


def _named(supersedes: tuple[str, ...], uri: str) -> tuple[str, ...]:
    """As declared, and, for what looks like a path, also as the URI it has when it counts from the document's folder."""
    beside = (posixpath.normpath(posixpath.join(posixpath.dirname(uri), name)) for name in supersedes if "." in name)
    return tuple(dict.fromkeys((*supersedes, *beside)))


def _hash(document: Document, part: Part, cut_by: str) -> str:
    declared = [
        LOADED_BY, cut_by, part.layout, part.line, document.uri, document.title, document.evidence_class,
        int(document.authority), document.permission.tenant, sorted(document.permission.tags),
        sorted(document.permission.uses), document.published_at, document.version, document.supersedes, document.origin,
        document.pages, document.metadata,
    ]  # fmt: skip
    digest = hashlib.sha256(json.dumps(declared).encode())
    digest.update(document.text.encode("utf-8", "surrogatepass"))
    return "sha256:" + digest.hexdigest()
