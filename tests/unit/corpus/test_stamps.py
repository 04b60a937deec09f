"""What is remembered about files."""

from dataclasses import replace
from pathlib import Path

from satisfice.core.ids import DocumentId
from satisfice.corpus.formats import Format
from satisfice.corpus.loading import Content, Stamp
from satisfice.corpus.stamps import Stamps
from satisfice.corpus.walking import SourceFile

SECOND = 1_000_000_000
FILE = SourceFile(Path("/x/a.md"), "a.md", b"a.md", Format.MARKDOWN, 10, 5 * SECOND)
CONTENT = Content(FILE, Stamp(10, 5 * SECOND), "digest")
DOCUMENTS = ((DocumentId("s:1"), "hash"),)


def learnt(path: Path, now_ns: int) -> Stamps:
    stamps = Stamps(path)
    stamps.learn(CONTENT, "context", DOCUMENTS, now_ns)
    stamps.write()
    return Stamps(path)


def test_a_file_with_the_same_size_time_and_context_is_known(tmp_path: Path) -> None:
    stamps = learnt(tmp_path / "new" / "stamps", 60 * SECOND)
    seen = stamps.by_time(FILE, "context")
    assert seen is not None
    assert seen.documents == DOCUMENTS
    assert stamps.by_time(replace(FILE, size=11), "context") is None
    assert stamps.by_time(replace(FILE, mtime_ns=6), "context") is None
    assert stamps.by_time(replace(FILE, key=b"b.md"), "context") is None
    assert stamps.by_time(FILE, "another context") is None


def test_a_file_written_just_before_it_was_read_is_only_known_by_its_bytes(tmp_path: Path) -> None:
    stamps = learnt(tmp_path / "stamps", 6 * SECOND)
    assert stamps.by_time(FILE, "context") is None
    assert stamps.by_digest(CONTENT, "context") is not None
    assert stamps.by_digest(CONTENT, "another context") is None
    assert stamps.by_digest(replace(CONTENT, digest="other"), "context") is None


def test_what_the_store_does_not_confirm_does_not_stand(tmp_path: Path) -> None:
    seen = learnt(tmp_path / "stamps", 60 * SECOND).by_time(FILE, "context")
    assert seen is not None
    assert seen.stands({DocumentId("s:1"): "hash", DocumentId("s:2"): "x"})
    assert not seen.stands({DocumentId("s:1"): "other"})
    assert not seen.stands({})


def test_files_not_met_again_are_forgotten(tmp_path: Path) -> None:
    learnt(tmp_path / "stamps", 60 * SECOND).write()
    assert Stamps(tmp_path / "stamps").by_time(FILE, "context") is None


def test_a_damaged_or_missing_memory_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "stamps").write_bytes(b"\xc1garbage")
    assert Stamps(tmp_path / "stamps").by_time(FILE, "context") is None
    assert Stamps(tmp_path / "none").by_time(FILE, "context") is None
    assert Stamps(None).by_time(FILE, "context") is None


def test_a_place_that_cannot_be_written_costs_nothing_but_the_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert learnt(tmp_path / "file" / "stamps", 60 * SECOND).by_time(FILE, "context") is None
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
