"""Files made to hurt: each costs itself and nothing else, and no process is left behind."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
import pytest

from satisfice.adapters.tokens.estimate import EstimatedTokens
from satisfice.core.ids import DocumentId, SourceId
from satisfice.core.passages import Document, Passage
from satisfice.corpus.chunking import Cutter
from satisfice.corpus.formats import MIB, Format, Unreadable
from satisfice.corpus.ingesting import Folder, ingest
from satisfice.corpus.workers import Parsers
from satisfice.testing.clock import FakeClock

SLOW_PAGE = "<div>" * 400_000
"""Browsers' rules make nesting cost its depth at every step: minutes for this."""

INGEST = """
import asyncio, json, resource, sys, time
from pathlib import Path
from satisfice.adapters.tokens.estimate import EstimatedTokens
from satisfice.corpus.chunking import Cutter
from satisfice.corpus.ingesting import Folder, ingest
from satisfice.testing.clock import FakeClock

class Counting:
    characters = 0
    async def known_hashes(self): return {}
    async def begin(self): pass
    async def put(self, document, passages): self.characters += sum(len(passage.text) for passage in passages)
    async def delete(self, ids): pass
    async def commit(self): return 1
    async def abandon(self): pass

store = Counting()
report = asyncio.run(ingest(Folder(Path(sys.argv[1]), "s"), store, cutter=Cutter(EstimatedTokens()), clock=FakeClock()))
print(json.dumps({"added": report.added, "skipped": len(report.skipped), "passages": report.passages,
                  "characters": store.characters, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


class EmptyCorpus:
    """A `CorpusStore` into which nothing ever comes."""

    async def known_hashes(self) -> Mapping[DocumentId, str]:
        return {}

    async def begin(self) -> None:
        raise AssertionError

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        raise AssertionError

    async def delete(self, ids: Sequence[DocumentId]) -> None:
        raise AssertionError

    async def commit(self) -> int:
        raise AssertionError

    async def abandon(self) -> None:
        raise AssertionError


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]


def ingested(root: Path) -> dict[str, float]:
    run = subprocess.run([sys.executable, "-c", INGEST, str(root)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


async def text_of(parsers: Parsers, path: Path) -> str:
    (part,) = await parsers.parse(path, Format.HTML)
    return part.text


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text("<p>all is well")
    return tmp_path / "page.html"


async def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(tmp_path: Path, page: Path) -> None:
    (tmp_path / "slow.html").write_text(SLOW_PAGE)
    async with Parsers(size=1, seconds=1) as parsers:
        with pytest.raises(Unreadable, match="longer than 1 s"):
            await parsers.parse(tmp_path / "slow.html", Format.HTML)
        assert await text_of(parsers, page) == "all is well"
    assert children() == []


async def test_a_file_that_takes_too_much_memory_is_given_up_and_the_next_one_is_read(
    tmp_path: Path, page: Path
) -> None:
    (tmp_path / "large.json").write_text("[" + "[[]]," * 4_000_000 + "1]")
    async with Parsers(size=1, memory_bytes=256 * MIB) as parsers:
        with pytest.raises(Unreadable, match="memory"):
            await parsers.parse(tmp_path / "large.json", Format.JSON)
        assert await text_of(parsers, page) == "all is well"


async def test_a_parser_that_is_killed_at_work_is_that_files_failure(tmp_path: Path, page: Path) -> None:
    (tmp_path / "slow.html").write_text(SLOW_PAGE)
    async with Parsers(size=1) as parsers:
        working = asyncio.create_task(parsers.parse(tmp_path / "slow.html", Format.HTML))
        while not children():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        children()[0].kill()
        with pytest.raises(Unreadable, match="SIGKILL"):
            await working
        assert await text_of(parsers, page) == "all is well"


async def test_a_parser_that_dies_between_files_is_nobodys_failure(page: Path) -> None:
    async with Parsers(size=1) as parsers:
        assert await text_of(parsers, page) == "all is well"
        (idle,) = children()
        idle.kill()
        await asyncio.sleep(0.2)
        assert await text_of(parsers, page) == "all is well"


async def test_a_cancelled_file_takes_its_process_with_it(tmp_path: Path, page: Path) -> None:
    (tmp_path / "slow.html").write_text(SLOW_PAGE)
    async with Parsers(size=1) as parsers:
        working = asyncio.create_task(parsers.parse(tmp_path / "slow.html", Format.HTML))
        while not children():
            await asyncio.sleep(0.01)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        assert children() == []
        assert await text_of(parsers, page) == "all is well"


async def test_a_cancelled_ingest_waits_for_no_parser(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.html").write_text(SLOW_PAGE)
    folder = Folder(tmp_path, SourceId("s"))
    running = asyncio.create_task(ingest(folder, EmptyCorpus(), cutter=Cutter(EstimatedTokens()), clock=FakeClock()))
    while len(children()) < 2:
        await asyncio.sleep(0.01)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=5)
    assert running in done
    assert running.cancelled()
    assert children() == []


async def test_files_are_taken_apart_side_by_side_and_processes_used_again(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.html").write_text(f"<p>page {number}")
    async with Parsers(size=2) as parsers:
        texts = await asyncio.gather(*(text_of(parsers, tmp_path / f"{number}.html") for number in range(20)))
        assert texts == [f"page {number}" for number in range(20)]
        assert len(children()) == 2
    assert children() == []


async def test_modules_beside_the_documents_are_never_imported(tmp_path: Path, page: Path) -> None:
    trap = tmp_path / "selectolax.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        async with Parsers(size=1) as parsers:
            assert await text_of(parsers, page) == "all is well"
    finally:
        os.chdir(before)
    assert not (tmp_path / "sprung").exists()


def test_a_parsing_process_ends_with_its_input(page: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "satisfice.corpus.parsing", "60", str(1024 * MIB)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    output, _ = process.communicate(timeout=60)
    assert (output, process.returncode) == (b"", 0)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_size_of_a_text(tmp_path: Path) -> None:
    peaks: list[float] = []
    for megabytes in (10, 50):
        root = tmp_path / str(megabytes)
        root.mkdir()
        line = "The refund window for annual plans is fourteen days from the day of purchase. " * 8 + "\n\n"
        with (root / "large.txt").open("w") as file:
            for _ in range(megabytes * MIB // len(line)):
                file.write(line)
        found = ingested(root)
        assert found["characters"] > 0.99 * megabytes * MIB
        peaks.append(found["peak_mb"])
    assert peaks[1] < peaks[0] + 8


@pytest.mark.slow
def test_ten_thousand_files_are_taken_in(tmp_path: Path) -> None:
    for number in range(10_000):
        folder = tmp_path / str(number // 100)
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nText of page {number}.\n")
    (tmp_path / "7" / "broken.md").write_bytes(bytes(100))
    found = ingested(tmp_path)
    assert (found["added"], found["skipped"], found["passages"]) == (10_000, 1, 10_000)
