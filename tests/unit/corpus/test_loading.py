"""From files to documents."""

import gzip
import json
from collections.abc import Generator
from pathlib import Path

import pytest

from satisfice.core.access import OPEN
from satisfice.core.ids import SourceId
from satisfice.core.sources import Authority
from satisfice.corpus import formats
from satisfice.corpus.formats import ChangedWhileReading, Layout, Unreadable
from satisfice.corpus.loading import Content, Loaded, Shelf, documents, examine, text_parts
from satisfice.corpus.walking import Found, SourceFile, find_files

SHELF = Shelf(SourceId("handbook"), OPEN, "cut/1")


def finished(steps: Generator[None, None, Content] | Generator[None, None, Found]) -> Content | Found:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def file_at(path: Path) -> SourceFile:
    found = finished(find_files(path.parent))
    assert isinstance(found, Found)
    return next(file for file in found.files if file.path.name == path.name)


def examined(path: Path) -> Content:
    content = finished(examine(file_at(path)))
    assert isinstance(content, Content)
    return content


def load(path: Path, shelf: Shelf = SHELF) -> list[Loaded]:
    content = examined(path)
    return list(documents(content, text_parts(content), shelf))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_front_matter_is_taken_off_and_lines_stay_those_of_the_file(tmp_path: Path) -> None:
    (only,) = load(write(tmp_path / "a.md", "---\ntitle: T\nauthority: official\n---\n\n# Heading\r\ntext\r\n"))
    assert only.document.text == "\n# Heading\ntext\n"
    assert only.first_line == 5
    assert (only.document.title, only.document.authority, only.document.uri) == ("T", Authority.OFFICIAL, "a.md")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "intro\n\n# First *heading*\n", "First heading"),
        ("a.txt", "Underlined\n==========\ntext", "Underlined"),
        ("notes.txt", "just text", "notes.txt"),
        ("README", "just text", "README"),
    ],
)
def test_titles_come_from_the_first_heading_else_the_name(tmp_path: Path, name: str, text: str, title: str) -> None:
    assert load(write(tmp_path / name, text))[0].document.title == title


@pytest.mark.parametrize(
    ("name", "layout"), [("README", Layout.MARKDOWN), ("notes.txt", Layout.PLAIN), ("notes.md", Layout.MARKDOWN)]
)
def test_a_file_without_a_suffix_is_read_as_markdown_when_it_looks_like_it(
    tmp_path: Path, name: str, layout: Layout
) -> None:
    assert load(write(tmp_path / name, "intro\n\n## Usage\n\nrun it\n\n## Licence\n\nfree\n"))[0].layout is layout
    assert load(write(tmp_path / "hosts", "# first comment\n# second comment\n127.0.0.1"))[0].layout is Layout.PLAIN


def test_ids_are_stable_for_a_place_and_differ_between_places_and_sources(tmp_path: Path) -> None:
    before = load(write(tmp_path / "a.md", "one"))[0].document
    after = load(write(tmp_path / "a.md", "two"))[0].document
    elsewhere = load(write(tmp_path / "b.md", "two"))[0].document
    other = load(tmp_path / "a.md", Shelf(SourceId("other"), OPEN, "cut/1"))[0].document
    assert before.id == after.id
    assert len({before.id, elsewhere.id, other.id}) == 3
    assert before.id.startswith("handbook:")


def test_the_hash_follows_the_text_the_declarations_and_the_cutting_but_not_the_time_of_change(tmp_path: Path) -> None:
    import os

    path = write(tmp_path / "a.md", "---\nversion: 1\n---\ntext")
    first = load(path)[0].document
    os.utime(path, (1, 1))
    touched = load(path)[0].document
    assert touched.content_hash == first.content_hash
    assert dict(touched.metadata)["modified"] == "1970-01-01T00:00:01Z"
    assert touched.published_at is None
    others = {
        load(write(path, "---\nversion: 2\n---\ntext"))[0].document.content_hash,
        load(write(path, "---\nversion: 1\n---\ntext."))[0].document.content_hash,
        load(write(path, "---\nversion: 1\naccess: [hr]\n---\ntext"))[0].document.content_hash,
        load(write(path, "---\nversion: 1\n---\ntext"), Shelf(SourceId("handbook"), OPEN, "cut/2"))[
            0
        ].document.content_hash,
        first.content_hash,
    }
    assert len(others) == 5


def test_a_path_in_supersedes_counts_from_the_documents_own_folder(tmp_path: Path) -> None:
    write(tmp_path / "plans" / "a.md", "---\nsupersedes: [old.md, ../x/y.md, The old policy]\n---\ntext")
    found = finished(find_files(tmp_path))
    assert isinstance(found, Found)
    content = finished(examine(found.files[0]))
    assert isinstance(content, Content)
    (only,) = documents(content, text_parts(content), SHELF)
    assert only.document.supersedes == ("old.md", "../x/y.md", "The old policy", "plans/old.md", "x/y.md")


def test_json_lines_give_a_document_a_line_and_name_the_broken_ones(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "title": "A", "text": "one"},
        {"id": "a", "text": "two"},
        {"text": ""},
        {"id": "c", "text": "three"},
    ]
    path = write(tmp_path / "c.jsonl", "\n".join(map(json.dumps, lines)) + "\n\nnot json\n")
    content = examined(path)
    found = list(documents(content, text_parts(content), SHELF))
    assert [(one.document.uri, one.document.text, one.first_line, one.layout) for one in found] == [
        ("c.jsonl#a", "one", 1, Layout.RECORD),
        ("c.jsonl#a+", "two", 2, Layout.RECORD),
        ("c.jsonl#c", "three", 4, Layout.RECORD),
    ]
    assert content.noted() == "3 has no text; line 6: not JSON: expecting value (line 1, column 1)"


def test_problems_of_a_large_file_are_counted_rather_than_listed(tmp_path: Path) -> None:
    content = examined(write(tmp_path / "c.jsonl", '{"text": "ok"}\n' + "x\n" * 50))
    list(documents(content, text_parts(content), SHELF))
    assert content.noted().count("line 2") == 1
    assert content.noted().endswith("and 45 more")


def test_a_record_of_endless_length_is_named_and_the_next_one_is_read(tmp_path: Path) -> None:
    long = json.dumps({"text": "y" * (formats.MAX_RECORD_CHARS + 10)})
    content = examined(write(tmp_path / "c.jsonl", long + '\n{"text": "next"}'))
    assert [one.document.text for one in documents(content, text_parts(content), SHELF)] == ["next"]
    assert content.noted().startswith("line 1 is longer")


@pytest.mark.parametrize("bom", ["utf-8-sig", "utf-16"])
def test_a_long_text_becomes_parts_that_add_up_to_it(tmp_path: Path, bom: str) -> None:
    text = "---\ntitle: Log\naccess: [hr]\n---\n" + "".join(f"Line {n} of a long log\r\n\r\n" for n in range(120_000))
    path = tmp_path / "log.txt"
    path.write_bytes(text.encode(bom))
    assert path.stat().st_size > formats.WHOLE_FILE_BYTES
    found = load(path)
    body = text.replace("\r\n", "\n").partition("---\n")[2].partition("---\n")[2]
    assert "".join(one.document.text for one in found) == body
    assert len(found) == -(-len(body) // formats.PART_CHARS)
    assert [one.document.uri for one in found[:2]] == ["log.txt#part=1", "log.txt#part=2"]
    assert [one.document.title for one in found[:2]] == ["Log", "Log, part=2"]
    assert all(one.document.permission.tags == {"hr"} for one in found)
    assert all(len(one.document.text) <= formats.PART_CHARS for one in found)
    for one in found:
        assert one.first_line is not None
        first = one.document.text.split("\n", 1)[0]
        assert text.replace("\r\n", "\n").split("\n")[one.first_line - 1] == first
    assert len({one.document.id for one in found}) == len(found)


def test_a_small_file_with_much_text_is_cut_into_parts_as_well(tmp_path: Path) -> None:
    assert [one.document.uri for one in load(write(tmp_path / "a.txt", "word " * 100_000))] == [
        "a.txt#part=1",
        "a.txt#part=2",
    ]


def test_a_compressed_text_is_read_and_a_broken_or_bursting_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "NEWS.gz").write_bytes(gzip.compress(b"Release notes"))
    assert load(tmp_path / "NEWS.gz")[0].document.text == "Release notes"
    (tmp_path / "FAQ.gz").write_bytes(gzip.compress(b"Release notes" * 100)[:-20])
    with pytest.raises(Unreadable, match="damaged"):
        load(tmp_path / "FAQ.gz")
    (tmp_path / "README.gz").write_bytes(b"plain")
    with pytest.raises(Unreadable, match="damaged"):
        load(tmp_path / "README.gz")
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(bytes(formats.MIB)) * 257)
    with pytest.raises(Unreadable, match="unpacks to more than the 256"):
        load(tmp_path / "bomb.txt.gz")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.md", b"", "empty"),
        ("a.md", b" \n\n ", "empty"),
        ("a.md", b"---\ntitle: x\n---\n", "nothing but front matter"),
        ("a.md", bytes(range(256)) * 20, "not text"),
        ("a.jsonl", b"\n\n", "empty"),
        ("a.jsonl", b"{\n", "line 1: not JSON"),
        ("a.md", b"---\naccess: {a: b}\n---\nx", "access"),
    ],
)
def test_a_file_that_gives_nothing_says_why(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Unreadable, match=why):
        load(tmp_path / name)


def test_a_file_too_large_for_its_format_is_not_opened(tmp_path: Path) -> None:
    with (tmp_path / "a.html").open("wb") as sparse:
        sparse.truncate(formats.MAX_FILE_BYTES[formats.Format.HTML] + 1)
    with pytest.raises(Unreadable, match=r"32\.0 MB are read of a html file"):
        examined(tmp_path / "a.html")


def test_a_file_that_grows_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "x" * (2 * formats.MIB))
    steps = examine(file_at(path))
    next(steps)
    write(path, "y" * (2 * formats.MIB + 1))
    with pytest.raises(ChangedWhileReading):
        finished(steps)


def test_a_large_file_that_changes_between_its_parts_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "word " * formats.MIB)
    content = examined(path)
    parts = text_parts(content)
    next(parts)
    with path.open("ab") as more:
        more.write(b"more")
    with pytest.raises(ChangedWhileReading):
        list(parts)


def test_a_file_that_vanishes_is_refused_with_the_systems_reason(tmp_path: Path) -> None:
    file = file_at(write(tmp_path / "a.md", "x"))
    file.path.unlink()
    with pytest.raises(Unreadable, match="no such file"):
        finished(examine(file))


def test_a_declaration_that_cannot_be_used_is_noted_and_the_text_is_read(tmp_path: Path) -> None:
    content = examined(write(tmp_path / "a.md", "---\nauthority: boss\npublished: soon\n---\ntext"))
    (only,) = documents(content, text_parts(content), SHELF)
    assert only.document.text == "text"
    assert "'boss' is unknown" in content.noted()
    assert "'soon' is no date" in content.noted()
