"""A corpus in bad shape: damaged files, foreign files, full disks, read-only folders, other versions. It heals or says what to do."""

import asyncio
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.corpora.schema import WriterLock, explained
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.sources import SourceProfile
from satisfice.errors import CorpusBusy, CorpusCorrupt, CorpusError, EmbedderError
from satisfice.ports.embedder import Vectors
from satisfice.testing.conformance.corpus_store import found, ingested, refused
from satisfice.testing.conformance.example_corpus import ANYONE, SOURCE, asking, whole

DOCUMENTS = [whole(f"d{n}", f"Refunds of kind {n}.", f"More about kind {n}.", title=f"Kind {n}") for n in range(30)]


@pytest.fixture(scope="module")
def embedder() -> WordllamaEmbedder:
    return WordllamaEmbedder()


def corpus_in(folder: Path, embedder: WordllamaEmbedder | None = None) -> LocalCorpus:
    return LocalCorpus(folder, SourceProfile(SOURCE), embedder)


@pytest.fixture
async def folder(tmp_path: Path, embedder: WordllamaEmbedder) -> Path:
    """Two generations, closed."""
    path = tmp_path / "corpus"
    async with corpus_in(path, embedder) as corpus:
        await ingested(corpus, DOCUMENTS[:20])
        await ingested(corpus, DOCUMENTS[20:], gone=["d0", "d1"])
    return path


def garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = os.urandom(len(content) // 2 - len(content) // 3)
    path.write_bytes(content)


def largest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_size)


def set_in_tables(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / "corpus.db")
    with connection:
        connection.execute(statement)
    connection.close()


# --- what heals by itself ---------------------------------------------------------------------------------------------

HEALED: dict[str, Callable[[Path], object]] = {
    "the word index is gone": lambda folder: shutil.rmtree(folder / "lexical"),
    "its list of files is garbage": lambda folder: (folder / "lexical" / "meta.json").write_text("{"),
    "a file of it is gone": lambda folder: largest(folder, "lexical/*.idx").unlink(),
    "a folder of another making is in its place": lambda folder: (
        shutil.rmtree(folder / "lexical"),
        (folder / "lexical").mkdir(),
        (folder / "lexical" / "notes.txt").write_text("mine"),
    ),
    "the list of rows is gone": lambda folder: largest(folder, "rows-*.bin").unlink(),
    "the list of rows is cut short": lambda folder: os.truncate(largest(folder, "rows-*.bin"), 300),
    "the list of rows is garbage": lambda folder: largest(folder, "rows-*.bin").write_bytes(b"\x00" * 2_000),
    "the vectors are gone": lambda folder: largest(folder, "vectors-*.f32").unlink(),
    "the vectors are cut short": lambda folder: os.truncate(largest(folder, "vectors-*.f32"), 1_000),
    "terms were cut by another version": lambda folder: (
        set_in_tables(folder, "UPDATE terms SET body = 'other', head = 'other', length = 1"),
        set_in_tables(folder, "UPDATE generation SET terms_by = 'older/0'"),
    ),
}


@pytest.mark.parametrize("damage", HEALED.values(), ids=HEALED.keys())
async def test_what_is_derived_heals_when_the_corpus_is_opened(
    folder: Path, embedder: WordllamaEmbedder, damage: Callable[[Path], object]
) -> None:
    damage(folder)

    async with corpus_in(folder, embedder) as corpus:
        assert await found(corpus, "kind 25") >= {"d25"}
        assert (await corpus.search(asking("refunds"), ANYONE, limit=1)).readable == 56
        assert await corpus.verify() == []


async def test_an_index_of_another_store_is_not_believed(
    folder: Path, tmp_path: Path, embedder: WordllamaEmbedder
) -> None:
    other = tmp_path / "other"
    async with corpus_in(other, embedder) as corpus:
        await ingested(corpus, [whole("x", "Refunds elsewhere.")])
        await ingested(corpus, [whole("y", "Refunds elsewhere, too.")])
    shutil.rmtree(folder / "lexical")
    shutil.copytree(other / "lexical", folder / "lexical")

    async with corpus_in(folder, embedder) as corpus:
        assert await corpus.verify() == []
        assert await found(corpus, "elsewhere") == set()


@pytest.mark.parametrize("part", ["lexical", "corpus.db"])
async def test_parts_restored_from_before_the_last_commit_are_brought_together_again(
    folder: Path, tmp_path: Path, embedder: WordllamaEmbedder, part: str
) -> None:
    """An older index lacks removals that the tables no longer know of; a newer one has passages that they never had."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    async with corpus_in(folder, embedder) as corpus:
        await ingested(corpus, [whole("newer", "Refunds, newer.")], gone=["d5", "d6"])
    for path in folder.glob("corpus.db-*"):
        path.unlink()
    shutil.rmtree(folder / part) if part == "lexical" else (folder / part).unlink()
    (shutil.copytree if part == "lexical" else shutil.copyfile)(copy / part, folder / part)

    async with corpus_in(folder, embedder) as corpus:
        assert await corpus.verify() == []
        assert await found(corpus, "newer") == ({"newer"} if part == "lexical" else set())


@pytest.mark.parametrize(("part", "kind"), [("lexical", CorpusCorrupt), ("corpus.db", CorpusBusy)])
async def test_parts_that_do_not_belong_together_are_never_mixed(
    folder: Path, tmp_path: Path, part: str, kind: type[CorpusError]
) -> None:
    """As long as another process writes, nothing can be put right; then nothing is answered either."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    async with corpus_in(folder) as corpus:
        await ingested(corpus, [], gone=["d5", "d6"])
    for path in folder.glob("corpus.db-*"):
        path.unlink()
    shutil.rmtree(folder / part) if part == "lexical" else (folder / part).unlink()
    (shutil.copytree if part == "lexical" else shutil.copyfile)(copy / part, folder / part)
    writing = WriterLock(folder)
    writing.take()

    try:
        await refused(kind, corpus_in(folder).open())
    finally:
        writing.release()


async def test_files_that_a_killed_commit_left_in_the_word_index_are_swept(folder: Path, tmp_path: Path) -> None:
    """A twin makes the same change first, to learn which names the next commit will use."""
    twin = tmp_path / "twin"
    shutil.copytree(folder, twin)
    async with corpus_in(twin) as corpus:
        await ingested(corpus, [], gone=["d7"])
    names = {path.name for path in (twin / "lexical").glob("*.del")} - {
        path.name for path in (folder / "lexical").glob("*.del")
    }
    assert names
    managed = folder / "lexical" / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), *sorted(names)]))
    for name in names:
        (folder / "lexical" / name).write_bytes(b"half")

    async with corpus_in(folder) as corpus:
        await ingested(corpus, [], gone=["d7"])
        assert await corpus.verify() == []


async def test_an_index_is_believed_only_where_the_tables_agree(folder: Path, embedder: WordllamaEmbedder) -> None:
    """The word index and the matrix still say that everything is open."""
    hidden = "(SELECT row FROM permissions WHERE tags = '[\"hidden\"]')"
    set_in_tables(
        folder, """INSERT INTO permissions (tenant, tags, uses) SELECT tenant, '["hidden"]', uses FROM permissions"""
    )
    set_in_tables(folder, f"UPDATE passages SET permission = {hidden} WHERE row > 9")

    async with corpus_in(folder, embedder) as corpus:
        hits = await corpus.search(asking("refunds kind"), ANYONE, limit=64)

        assert {passage.id for passage in hits.passages} == {"d2", "d2/1", "d3", "d3/1", "d4"}
        assert {handle.id for handle in hits.handles} == {passage.id for passage in hits.passages}
        assert {link.target for handle in hits.handles for link in handle.links} <= {"d2", "d3", "d4"}


async def test_verify_names_what_differs(folder: Path, embedder: WordllamaEmbedder) -> None:
    set_in_tables(folder, "UPDATE texts SET text = CAST('Changed behind its back.' AS BLOB) WHERE passage = 9")
    set_in_tables(folder, "UPDATE passages SET content_hash = 'x' WHERE row = 12")
    garble(largest(folder, "vectors-*.f32"))

    async with corpus_in(folder, embedder) as corpus:
        findings = "\n".join(await corpus.verify())

    assert "terms of passage 'd4' are not those of its text" in findings
    assert "document 'd5' does not have the passages" in findings
    assert "the matrix has passage" in findings


# --- what does not ----------------------------------------------------------------------------------------------------


async def test_tables_that_cannot_be_read_say_how_to_rebuild(tmp_path: Path) -> None:
    (tmp_path / "corpus.db").write_bytes(b"not a database, not at all" * 100)

    error = await refused(CorpusCorrupt, corpus_in(tmp_path).open())

    assert str(tmp_path) in str(error)
    assert "ingest again" in str(error)


async def test_garbled_pages_are_reported_and_not_believed(folder: Path) -> None:
    garble(folder / "corpus.db")

    async def use() -> None:
        async with corpus_in(folder) as corpus:
            await corpus.look_up([passages[0].id for _, passages in DOCUMENTS], ANYONE)
            assert await corpus.verify() != []
            await ingested(corpus, DOCUMENTS)

    error = await refused(CorpusCorrupt, use())
    assert "ingest again" in str(error)


async def test_tables_of_a_newer_version_are_refused(folder: Path) -> None:
    set_in_tables(folder, "PRAGMA user_version = 99")

    error = await refused(CorpusCorrupt, begun(folder))

    assert "schema 99" in str(error)


async def begun(folder: Path) -> None:
    async with corpus_in(folder) as corpus:
        await corpus.begin()


async def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    error = await refused(CorpusError, corpus_in(tmp_path / "file").open())

    assert str(tmp_path / "file") in str(error)


WRITE_A_LOT = """
import asyncio, resource, signal, sys
from pathlib import Path
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.core.sources import SourceProfile
from satisfice.errors import CorpusError
from satisfice.testing.conformance.example_corpus import SOURCE, whole

async def main():
    async with LocalCorpus(Path(sys.argv[1]), SourceProfile(SOURCE)) as corpus:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        await corpus.begin()
        for n in range(4_000):
            await corpus.put(*whole(f"n{n}", f"Refunds {n} " + "and so on " * 60))
        await corpus.commit()

try:
    asyncio.run(main())
except CorpusError as error:
    print(type(error).__name__, error)
"""


async def test_a_disk_without_space_is_named_and_the_last_generation_stays(folder: Path) -> None:
    """A limit on file size stands in for the full disk: the write fails in the same place."""
    said = await asyncio.to_thread(child, [sys.executable, "-c", WRITE_A_LOT, str(folder)])

    assert said.startswith("CorpusError")
    assert "free space" in said
    async with corpus_in(folder) as corpus:
        assert len(await corpus.known_hashes()) == 28
        assert await corpus.verify() == []


def child(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.core.sources import SourceProfile
from satisfice.errors import CorpusError
from satisfice.testing.conformance.example_corpus import SOURCE

async def main():
    if os.geteuid() == 0:
        os.setuid(65534)  # root may write anywhere
    async with LocalCorpus(Path(sys.argv[1]), SourceProfile(SOURCE)):
        print("opened")

try:
    asyncio.run(main())
except CorpusError as error:
    print(type(error).__name__, error)
"""


async def test_a_read_only_store_says_what_it_needs_and_is_left_as_it_is(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, embedder: WordllamaEmbedder
) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (folder.parent, tmp_path_factory.getbasetemp(), tmp_path_factory.getbasetemp().parent):
        path.chmod(0o755)

    said = await asyncio.to_thread(child, [sys.executable, "-c", READ_ONLY, str(folder)])

    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    assert said.startswith("CorpusError")
    assert "write access" in said
    async with corpus_in(folder, embedder) as corpus:
        assert await corpus.verify() == []


# --- vectors that come later ------------------------------------------------------------------------------------------


async def test_a_corpus_made_without_vectors_gets_them_with_the_next_ingest(
    tmp_path: Path, embedder: WordllamaEmbedder
) -> None:
    many = whole("many", *(f"Part {n}." for n in range(600)))
    async with corpus_in(tmp_path) as corpus:
        await ingested(corpus, [*DOCUMENTS, many])
    async with corpus_in(tmp_path, embedder) as corpus:
        before = await corpus.search(asking("refunds"), ANYONE, limit=3)
        number = await ingested(corpus, [])
        after = await corpus.search(asking("refunds"), ANYONE, limit=3)
        assert await corpus.verify() == []

    assert len(before.passages) == len(after.passages) == 3
    assert "until the next ingest" in before.warnings[0]
    assert {handle.cosine for handle in before.handles} == {0.0}
    assert number == 2
    assert after.warnings == ()
    assert all(handle.cosine > 0.0 for handle in after.handles[:3])


async def test_passages_added_without_an_embedder_are_embedded_by_the_next_who_has_one(
    folder: Path, embedder: WordllamaEmbedder
) -> None:
    async with corpus_in(folder) as corpus:
        await ingested(corpus, [whole("late", "Refunds of late.")])
    async with corpus_in(folder, embedder) as corpus:
        assert (await corpus.search(asking("late"), ANYONE, limit=1)).warnings
        await ingested(corpus, [])
        hits = await corpus.search(asking("late"), ANYONE, limit=1)
        assert await corpus.verify() == []

    assert hits.warnings == ()
    assert hits.handles[0].cosine > 0.0


async def test_many_replacements_start_a_new_matrix_and_lose_nothing(
    tmp_path: Path, embedder: WordllamaEmbedder
) -> None:
    async with corpus_in(tmp_path, embedder) as corpus:
        for turn in range(6):
            await ingested(corpus, [whole("many", *(f"Refunds {turn} of part {n}." for n in range(2_500)))])
        sizes = [path.stat().st_size for path in tmp_path.glob("vectors-*.f32")]
        assert await corpus.verify() == []

    assert len(sizes) == 1
    assert sizes[0] == 2_500 * 4 * embedder.dim


# --- nothing left behind ----------------------------------------------------------------------------------------------


async def test_closing_leaves_no_thread_and_no_open_file(folder: Path, embedder: WordllamaEmbedder) -> None:
    async def use() -> None:
        async with corpus_in(folder, embedder) as corpus:
            await asyncio.gather(*(found(corpus, f"kind {n}") for n in range(20)))
            await ingested(corpus, [whole("new", "Refunds.")])
            await corpus.begin()
            await corpus.put(*whole("lost", "Refunds."))

    await use()

    assert [thread.name for thread in threading.enumerate() if "corpus" in thread.name] == []
    held = [file.path for file in psutil.Process().open_files()]
    assert [path for path in held if path.startswith(str(folder))] == []


async def test_a_commit_that_is_cancelled_is_whole_or_not_at_all(folder: Path, embedder: WordllamaEmbedder) -> None:
    for patience_s in (0.0, 0.01, 0.03, 0.1):
        async with corpus_in(folder, embedder) as corpus:
            await corpus.begin()
            await corpus.put(*whole("new", f"Refunds after {patience_s}.", *["And more."] * 300))
            with_time = asyncio.create_task(corpus.commit())
            await asyncio.wait([with_time], timeout=patience_s)
            with_time.cancel()
            await asyncio.wait([with_time])
            readable = (await corpus.search(asking("refunds"), ANYONE, limit=1)).readable
        async with corpus_in(folder, embedder) as corpus:
            assert await corpus.verify() == []
            known = await corpus.known_hashes()

        assert readable in {56, 56 + 301}
        assert len(known) in {28, 29}
        async with corpus_in(folder, embedder) as corpus:
            await ingested(corpus, [], gone=["new"])


class BrokenEmbedder:
    """Fails from its second call on."""

    id, dim, microusd_per_million_tokens = "broken/1", 4, 0

    def __init__(self) -> None:
        self._calls = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self._calls += 1
        if self._calls > 1:
            raise EmbedderError(self.id, "out of reach")
        return Vectors(4, b"\x00\x00\x80?" * 4 * len(texts))

    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        raise NotImplementedError


async def test_a_batch_that_cannot_be_embedded_abandons_the_whole_ingest(tmp_path: Path) -> None:
    async with LocalCorpus(tmp_path, SourceProfile(SOURCE), BrokenEmbedder()) as corpus:
        documents = [whole(f"d{n}", *[f"Refunds {n}."] * 100) for n in range(6)]
        await refused(EmbedderError, ingested(corpus, documents))
        error = await refused(CorpusError, corpus.commit())

        assert "before begin()" in str(error)
        assert await corpus.known_hashes() == {}


async def test_a_corpus_that_is_not_open_says_so(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    await corpus.close()

    error = await refused(CorpusError, corpus.search(asking("refunds"), ANYONE, limit=1))

    assert "not open" in str(error)


async def test_many_may_open_a_store_that_does_not_exist_yet(tmp_path: Path) -> None:
    corpora = [corpus_in(tmp_path / "new") for _ in range(6)]

    await asyncio.gather(*(corpus.open() for corpus in corpora))

    await ingested(corpora[0], [whole("a", "Refunds.")])
    assert [await found(corpus, "refunds") for corpus in corpora] == [{"a"}] * 6
    for corpus in corpora:
        await corpus.close()


BARE = """
import asyncio, sys, tempfile
for absent in ("numpy", "tokenizers", "safetensors"):
    sys.modules[absent] = None  # as if it were not installed
from pathlib import Path
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.sources import SourceProfile
from satisfice.errors import MissingExtraError
from satisfice.testing.conformance.corpus_store import found, ingested
from satisfice.testing.conformance.example_corpus import SOURCE, whole

class Elsewhere:
    id, dim = "elsewhere/1", 4

async def main(folder):
    async with LocalCorpus(folder, SourceProfile(SOURCE)) as corpus:
        await ingested(corpus, [whole("a", "Refunds of Bob.")])
        print(await found(corpus, "refunds"), await corpus.verify())

with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(Path(folder)))
    for make in (WordllamaEmbedder, lambda: LocalCorpus(Path(folder), SourceProfile(SOURCE), Elsewhere())):
        try:
            make()
        except MissingExtraError as error:
            print(error)
"""


async def test_without_the_extra_words_are_searched_and_vectors_named_as_missing() -> None:
    lines = (await asyncio.to_thread(child, [sys.executable, "-c", BARE])).splitlines()

    assert lines[0] == "{'a'} []"
    assert len(lines) == 3
    assert all("satisfice[embeddings]" in line for line in lines[1:])


async def test_a_corpus_can_be_opened_again(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    async with corpus:
        await ingested(corpus, [whole("a", "Refunds.")])
    async with corpus:
        assert await found(corpus, "refunds") == {"a"}


def test_limits_on_files_are_those_of_this_process_only() -> None:
    """The stand-in for a full disk must not have leaked."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 400_000


def test_a_panic_below_and_an_index_out_of_bounds_are_told_as_damage(tmp_path: Path) -> None:
    class PanicException(BaseException):
        pass

    for failure in (PanicException("range end"), IndexError("out of bounds")):
        with pytest.raises(CorpusCorrupt, match=r"move .* away and ingest again"), explained(tmp_path):
            raise failure
    with pytest.raises(KeyboardInterrupt), explained(tmp_path):
        raise KeyboardInterrupt
