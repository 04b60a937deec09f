"""PDF and DOCX as text. Needs the extra `documents`; runs in the parsing process only."""

import io
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol, cast

from satisfice.corpus.decoding import tidy
from satisfice.corpus.formats import MAX_EXPANDED_BYTES, MAX_PARSED_CHARS, Layout, Part, Unreadable, in_units
from satisfice.corpus.markup import html_part
from satisfice.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

_EXTRA = "documents"
_BLOCK_BYTES = 1024 * 1024
_MAX_ENTRIES = 10_000
_TITLE_STYLE = "p[style-name='Title'] => h1:fresh"
_SOFT_BREAK = "\ufffe"
"""What pdfium writes for a hyphen at the end of a line that was put there by typesetting."""


class _TextPage(Protocol):
    def get_text_bounded(self) -> str: ...


class _Converted(Protocol):
    value: str


def pdf_part(data: bytes) -> Part:
    """The text of every page in order, with the offset at which each page starts.

    Raises
    ------
    Unreadable
        Damaged, behind a password, or without text (a scan).
    """
    if find_spec("pypdfium2") is None:
        raise MissingExtraError("reading .pdf", _EXTRA)
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unreadable("it is behind a password. Save a copy without one") from error
        raise Unreadable(f"damaged: {str(error).lower()}") from error
    texts: list[str] = []
    pages: list[int] = []
    length = 0
    for page in pdf:
        text = (
            tidy(cast("_TextPage", page.get_textpage()).get_text_bounded())
            .replace(_SOFT_BREAK + "\n", "")
            .replace(_SOFT_BREAK, "")
        )
        pages.append(length)
        texts.append(text.rstrip())
        length += len(texts[-1]) + 2
        page.close()
        _bounded(length)
    if not any(text.strip() for text in texts):
        raise Unreadable(f"no text in its {len(pages)} pages, only pictures. Run text recognition (OCR) on it first")
    about = pdf.get_metadata_dict(skip_empty=True)
    fields = {"author": (tidy(about["Author"]).strip(),)} if about.get("Author") else {}
    name = tidy(about.get("Title", "")).strip()
    return Part("\n\n".join(texts), Layout.PLAIN, fallback_title=name, fields=fields, pages=tuple(pages))


def docx_part(data: bytes) -> Part:
    """Headings, paragraphs, lists and tables; pictures are left out.

    Raises
    ------
    Unreadable
        Damaged, or unpacking to more than is allowed.
    """
    _refuse_bombs(data)
    if find_spec("mammoth") is None:
        raise MissingExtraError("reading .docx", _EXTRA)
    import mammoth

    def no_picture(_: object) -> list[object]:
        return []

    convert = cast("Callable[..., _Converted]", mammoth.convert_to_html)
    try:
        html = convert(io.BytesIO(data), convert_image=no_picture, style_map=_TITLE_STYLE).value
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, SyntaxError) as error:
        raise Unreadable(f"damaged: {error}") from error
    _bounded(len(html))
    return html_part(html)


def _refuse_bombs(data: bytes) -> None:
    """Judged by what the archive says it unpacks to, then by what it really does."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            declared = sum(entry.file_size for entry in entries)
            if len(entries) > _MAX_ENTRIES or declared > MAX_EXPANDED_BYTES:
                raise Unreadable(_too_much(declared, len(entries)))
            unpacked = 0
            for entry in entries:
                for size in _sizes(archive, entry):
                    unpacked += size
                    if unpacked > MAX_EXPANDED_BYTES:
                        raise Unreadable(_too_much(unpacked, len(entries)))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise Unreadable(f"damaged, or not a .docx: {error}") from error


def _sizes(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[int]:
    with archive.open(entry) as file:
        while block := file.read(_BLOCK_BYTES):
            yield len(block)


def _too_much(size: int, entries: int) -> str:
    return (
        f"it unpacks to {in_units(size)} in {entries} entries; up to {in_units(MAX_EXPANDED_BYTES)} in {_MAX_ENTRIES} are "
        "read. A file made to fill memory looks like this"
    )


def _bounded(chars: int) -> None:
    if chars > MAX_PARSED_CHARS:
        raise Unreadable(f"its text is longer than {MAX_PARSED_CHARS} characters. Split it into several files")
