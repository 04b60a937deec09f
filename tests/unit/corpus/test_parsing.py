"""Taking files apart: each failure becomes a reply that says why."""

import io
import os
import random
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from docx import Document
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from satisfice.corpus import formats
from satisfice.corpus.formats import Format
from satisfice.corpus.parsing import LENGTH, Reply, Request, serve, taken_apart


def reply(path: Path, kind: Format) -> Reply:
    return taken_apart(Request(os.fsencode(path), kind))


def pdf(path: Path, *pages: str, **options: object) -> Path:
    canvas = Canvas(str(path), **options)
    for page in pages:
        for row, line in enumerate(page.split("\n")):
            canvas.drawString(72, 720 - 14 * row, line)
        canvas.showPage()
    canvas.save()
    return path


def docx(path: Path, *paragraphs: str, style: str | None = None) -> Path:
    document = Document()
    for text in paragraphs:
        document.add_paragraph(text, style)
    document.save(str(path))
    return path


def test_pdf_pages_start_where_they_say(tmp_path: Path) -> None:
    (part,) = reply(pdf(tmp_path / "a.pdf", "First page.\nMore of it.", "", "Third page."), Format.PDF).parts
    assert len(part.pages) == 3
    starts = [*part.pages, len(part.text)]
    assert [part.text[a:b].strip() for a, b in pairwise(starts)] == [
        "First page.\nMore of it.",
        "",
        "Third page.",
    ]


def test_a_pdf_says_its_title_and_author(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setTitle("Ordnung Straße")
    canvas.setAuthor("Noor")
    canvas.drawString(72, 700, "text")
    canvas.save()
    (part,) = reply(tmp_path / "a.pdf", Format.PDF).parts
    assert (part.fallback_title, part.fields) == ("Ordnung Straße", {"author": ("Noor",)})


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: pdf(path, "", ""), "no text in its 2 pages"),
        (lambda path: pdf(path, "x", encrypt=StandardEncryption("secret")), "password"),
        (lambda path: path.write_bytes(b"%PDF-1.7 nothing else"), "damaged"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_bytes(random.Random(1).randbytes(9000)), "damaged"),
    ],
)
def test_a_pdf_without_usable_text_says_why(tmp_path: Path, make: object, why: str) -> None:
    assert callable(make)
    make(tmp_path / "a.pdf")
    assert why in reply(tmp_path / "a.pdf", Format.PDF).why


def test_a_docx_keeps_headings_lists_and_tables_and_leaves_pictures_out(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("Handbook", 0)
    document.add_heading("Leave", 1)
    document.add_paragraph("30 days.")
    document.add_paragraph("one", "List Bullet")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Subject", "Person"
    document.save(str(tmp_path / "a.docx"))
    (part,) = reply(tmp_path / "a.docx", Format.DOCX).parts
    assert part.text == "# Handbook\n\n# Leave\n\n30 days.\n\n- one\n\n| Subject | Person |"


def test_a_zip_bomb_is_refused_by_what_it_says_it_unpacks_to(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as entry:
        for _ in range(1 + formats.MAX_EXPANDED_BYTES // formats.MIB):
            entry.write(bytes(formats.MIB))
    assert path.stat().st_size < formats.MIB
    assert "unpacks to 257.0 MB" in reply(path, Format.DOCX).why


def test_a_zip_bomb_that_lies_about_its_size_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "liar.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(5 * formats.MIB))
    size = (5 * formats.MIB).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))
    assert reply(path, Format.DOCX).why.startswith("damaged")


def test_many_entries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.docx"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_001):
            archive.writestr(str(number), b"")
    assert "10001 entries" in reply(path, Format.DOCX).why


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\xd0\xcf\x11\xe0 an old .doc", b"text"])
def test_what_is_no_docx_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.docx").write_bytes(content)
    assert "not a .docx" in reply(tmp_path / "a.docx", Format.DOCX).why


def test_a_zip_that_is_no_document_says_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("hello.txt", "x")
    assert reply(tmp_path / "a.docx", Format.DOCX).why.startswith("damaged")


def test_a_missing_or_locked_file_and_broken_json_are_replies(tmp_path: Path) -> None:
    assert reply(tmp_path / "none.html", Format.HTML).why == "no such file or directory"
    assert reply(tmp_path, Format.HTML).why == "is a directory"
    (tmp_path / "a.json").write_text("{")
    assert "not JSON" in reply(tmp_path / "a.json", Format.JSON).why


@pytest.mark.parametrize(("kind", "parser"), [(Format.PDF, "pypdfium2"), (Format.DOCX, "mammoth")])
def test_a_parser_that_is_not_installed_is_named_with_the_command_that_installs_it(
    tmp_path: Path, kind: Format, parser: str
) -> None:
    pdf(tmp_path / "a.pdf", "text")
    docx(tmp_path / "a.docx", "text")
    without = (
        f"import sys; sys.modules[{parser!r}] = None\n"
        "from satisfice.corpus.parsing import Format, Request, taken_apart\n"
        f"print(taken_apart(Request({os.fsencode(tmp_path / f'a.{kind}')!r}, Format({kind.value!r}))).why)"
    )
    run = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=True)
    assert run.stdout == f"reading .{kind} needs the extra 'documents': pip install 'satisfice[documents]'\n"


def test_a_parser_that_fails_in_its_own_way_is_a_reply(tmp_path: Path) -> None:
    docx(tmp_path / "a.docx", "text")
    with zipfile.ZipFile(tmp_path / "a.docx") as good, zipfile.ZipFile(tmp_path / "b.docx", "w") as bad:
        for name in good.namelist():
            bad.writestr(name, b"<w:wrong" if name == "word/document.xml" else good.read(name))
    assert reply(tmp_path / "b.docx", Format.DOCX).why


def test_requests_are_answered_in_order_until_the_input_ends(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>hello")
    requests = [Request(os.fsencode(tmp_path / name), Format.HTML) for name in ("a.html", "b.html")]
    frames = b"".join(LENGTH.pack(len(body)) + body for body in map(msgspec.msgpack.encode, requests))
    sink = io.BytesIO()
    serve(io.BytesIO(frames + b"\x01"), sink, lambda: None)
    answer, replies = sink.getvalue(), []
    while answer:
        (size,) = LENGTH.unpack(answer[: LENGTH.size])
        replies.append(msgspec.msgpack.decode(answer[LENGTH.size : LENGTH.size + size], type=Reply))
        answer = answer[LENGTH.size + size :]
    assert [found.parts[0].text if found.parts else found.why for found in replies] == [
        "hello",
        "no such file or directory",
    ]
