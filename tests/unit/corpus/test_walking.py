"""Finding the files of a folder, whatever the folder holds."""

import os
import random
import socket
from collections.abc import Generator
from pathlib import Path

import pytest

from satisfice.core.sources import Authority
from satisfice.corpus.formats import Format
from satisfice.corpus.walking import Found, find_files, printable
from satisfice.errors import InputError


def walked(root: Path, *ignore: str) -> Found:
    steps: Generator[None, None, Found] = find_files(root, ignore=ignore)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def uris(found: Found) -> list[str]:
    return [file.uri for file in found.files]


def make(root: Path, *names: str, text: str = "text") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.txt", "a/b/c.html", "c.pdf", "README", "A.JSON")
    assert uris(walked(tmp_path)) == ["A.JSON", "README", "b.md", "c.pdf", "a/z.txt", "a/b/c.html"]


def test_hidden_files_environments_and_packages_stay_out(tmp_path: Path) -> None:
    make(tmp_path, ".git/x.md", ".venv/y.md", ".hidden.md", "node_modules/z.md", "__pycache__/a.txt", "keep.md")
    make(tmp_path, "environment/pyvenv.cfg", "environment/lib/b.txt")
    found = walked(tmp_path)
    assert uris(found) == ["keep.md"]
    assert found.skipped == []


def test_a_root_that_is_itself_hidden_is_read(tmp_path: Path) -> None:
    make(tmp_path, ".notes/a.md")
    assert uris(walked(tmp_path / ".notes")) == ["a.md"]


def test_ignore_files_hold_for_their_folder_and_below_and_the_callers_patterns_come_last(tmp_path: Path) -> None:
    make(tmp_path, "drafts/a.md", "keep/a.md", "keep/b.md", "keep/c.txt", "sub/keep.log.md", "sub/deep/x.md", "top.md")
    (tmp_path / ".gitignore").write_text("drafts/\n*.txt\n/top.md\n")
    (tmp_path / "keep" / ".satisficeignore").write_text("b.md\n!c.txt\n")
    (tmp_path / "sub" / ".gitignore").write_text("/x.md\n")
    assert uris(walked(tmp_path)) == ["keep/a.md", "keep/c.txt", "sub/keep.log.md", "sub/deep/x.md"]
    assert uris(walked(tmp_path, "sub/", "!top.md")) == ["top.md", "keep/a.md", "keep/c.txt"]


def test_links_to_folders_are_not_followed_so_there_are_no_loops(tmp_path: Path) -> None:
    make(tmp_path, "a/x.md")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    found = walked(tmp_path)
    assert uris(found) == ["a/x.md"]
    assert [str(skip) for skip in found.skipped] == ["self.md: a link that leads nowhere"]


def test_a_link_to_a_hidden_file_inside_is_read_once_and_one_that_leads_out_is_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "..data/config.md", "seen.md")
    make(tmp_path, "secret.md")
    (root / "config.md").symlink_to(root / "..data" / "config.md")
    (root / "again.md").symlink_to(root / "seen.md")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    found = walked(root)
    assert uris(found) == ["seen.md", "config.md"]
    assert [str(skip) for skip in found.skipped] == ["links: 1 lead out of the folder and are not followed"]


def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.txt"))
        found = walked(tmp_path)
    assert found.files == []
    assert {skip.uri for skip in found.skipped} == {"pipe.md", "socket.txt"}


def test_names_that_are_no_unicode_can_be_printed_and_keep_their_own_key(tmp_path: Path) -> None:
    names = [b"caf\xe9.md", b"caf\\xe9.md", b"line\nbreak.md", "日本語.md".encode(), b"\xed\xa0\x80.md"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_text("x")
    found = walked(tmp_path)
    assert {file.key for file in found.files} == set(names)
    for file in found.files:
        assert file.uri.isprintable()
        file.uri.encode()
        assert file.path.read_text() == "x"


def test_kinds_that_are_not_read_are_counted_in_one_line(tmp_path: Path) -> None:
    make(tmp_path, "a.png", "b.png", "c.py", "d.md", "README.Debian", "doc.pdf.gz", "doc.txt.gz")
    found = walked(tmp_path)
    assert uris(found) == ["README.Debian", "d.md", "doc.txt.gz"]
    assert [str(skip) for skip in found.skipped] == ["other files: 4 of kinds that are not read (2 .png, 1 .gz, 1 .py)"]


def test_a_single_file_is_a_root_too(tmp_path: Path) -> None:
    make(tmp_path, "corpus.jsonl", "picture.png")
    (only,) = walked(tmp_path / "corpus.jsonl").files
    assert (only.uri, only.format) == ("corpus.jsonl", Format.JSON_LINES)
    with pytest.raises(InputError, match=r"'picture.png' is of a kind.*\.md"):
        walked(tmp_path / "picture.png")


def test_no_such_folder_says_so_and_an_empty_one_is_just_empty(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        walked(tmp_path / "nowhere")
    assert walked(tmp_path) == Found()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_cannot_be_listed_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    make(tmp_path, "locked/a.md", "b.md")
    (tmp_path / "locked").chmod(0)
    try:
        found = walked(tmp_path)
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert uris(found) == ["b.md"]
    assert "cannot be listed" in str(found.skipped[0])


def test_folder_defaults_reach_down_and_a_broken_one_keeps_its_folder_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "in/b.md", "in/deeper/c.md", "broken/d.md", "broken/e/f.md")
    (tmp_path / ".satisfice.toml").write_text('authority = "official"')
    (tmp_path / "in" / ".satisfice.toml").write_text('authority = "community"\naccess = ["hr"]')
    (tmp_path / "broken" / ".satisfice.toml").write_text('acess = ["hr"]')
    found = walked(tmp_path)
    assert {file.uri: (file.declared.authority, file.declared.access) for file in found.files} == {
        "a.md": (Authority.OFFICIAL, frozenset()),
        "in/b.md": (Authority.COMMUNITY, frozenset({"hr"})),
        "in/deeper/c.md": (Authority.COMMUNITY, frozenset({"hr"})),
    }
    (skip,) = found.skipped
    assert skip.uri == "broken/.satisfice.toml"
    assert "did you mean 'access'" in skip.why


def test_a_folder_further_in_that_claims_more_is_kept_out(tmp_path: Path) -> None:
    make(tmp_path, "in/b.md")
    (tmp_path / ".satisfice.toml").write_text('access = ["hr"]')
    (tmp_path / "in" / ".satisfice.toml").write_text('access = ["everyone"]')
    found = walked(tmp_path)
    assert found.files == []
    assert "narrow" in found.skipped[0].why


def test_an_ignore_file_that_is_binary_does_not_stop_the_walk(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / ".gitignore").write_bytes(random.Random(7).randbytes(5000))
    assert "a.md" in uris(walked(tmp_path)) or walked(tmp_path).skipped == []


@pytest.mark.parametrize(
    ("name", "shown"), [(b"a/b.md", "a/b.md"), (b"\xff.md", "\\xff.md"), (b"a\tb\x1b[31m", "a\\tb\\x1b[31m")]
)
def test_printable_names_cannot_command_a_terminal(name: bytes, shown: str) -> None:
    assert printable(name) == shown
