"""A corpus whose writer dies: at every boundary of a commit, while catching up, and at any moment."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.sources import SourceProfile
from satisfice.errors import CorpusBusy
from satisfice.testing.conformance.corpus_store import ingested
from satisfice.testing.conformance.example_corpus import ANYONE, SOURCE, asking, whole
from satisfice.testing.conformance.refusing import refused

SCRIPT = Path(__file__).parent / "corpus_process.py"
BOUNDARIES = ("put", "stored", "vectors written", "words added", "words committed", "completed")
OLD = {"a": "Refunds first.", "b": "Refunds first, to go."}
NEW = {"a": "Refunds second.", "c": "Refunds second, new."}


class Seen(NamedTuple):
    """What a reader finds by search, by look-up and by counting."""

    searched: dict[str, str]
    looked_up: dict[str, str]
    readable: int | None
    containing: int
    versions: set[str]


def whole_view(texts: dict[str, str]) -> Seen:
    return Seen(texts, texts, len(texts), len(texts), set(texts))


async def seen(corpus: LocalCorpus) -> Seen:
    hits = await corpus.search(asking("refunds"), ANYONE, limit=10)
    looked_up = await corpus.look_up([PassageId(name) for name in "abc"], ANYONE)
    counted = await corpus.statistics(["refund"], ANYONE)
    return Seen(
        {p.id: p.text for p in hits.passages},
        {p.id: p.text for p in looked_up},
        hits.readable,
        counted.containing["refund"],
        set(await corpus.versions([DocumentId(name) for name in "abc"], ANYONE)),
    )


def corpus_in(folder: Path, embedder: WordllamaEmbedder | None) -> LocalCorpus:
    return LocalCorpus(folder, SourceProfile(SOURCE), embedder)


def started(folder: Path, embedder: WordllamaEmbedder | None, mode: str, boundary: str = "") -> subprocess.Popen[str]:
    vectors = "words" if embedder is None else "vectors"
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder), vectors, mode, boundary],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=60)
    return process.returncode


@pytest.fixture(params=["words", "vectors"])
def embedder(request: pytest.FixtureRequest) -> WordllamaEmbedder | None:
    return WordllamaEmbedder() if request.param == "vectors" else None


@pytest.fixture
async def folder(tmp_path: Path, embedder: WordllamaEmbedder | None) -> Path:
    async with corpus_in(tmp_path, embedder) as corpus:
        await ingested(corpus, [whole("a", OLD["a"], title="Alpha"), whole("b", OLD["b"], title="Beta")])
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("boundary", BOUNDARIES)
async def test_a_writer_killed_at_a_boundary_leaves_one_whole_generation(
    folder: Path, embedder: WordllamaEmbedder | None, boundary: str
) -> None:
    if embedder is None and boundary == "vectors written":
        pytest.skip("there are no vectors to write")
    async with corpus_in(folder, embedder) as bystander:
        before = await seen(bystander)
        assert await asyncio.to_thread(ended, started(folder, embedder, "kill", boundary)) == -signal.SIGKILL
        meanwhile = await seen(bystander)

        async with corpus_in(folder, embedder) as heir:
            after, findings = await seen(heir), await heir.verify()
        later = await seen(bystander)

    committed = boundary in {"words committed", "completed"}
    assert before == whole_view(OLD)
    assert meanwhile == whole_view(NEW if committed else OLD)
    assert after == later == whole_view(OLD if boundary == "put" else NEW)
    assert findings == []


@pytest.mark.slow
@pytest.mark.parametrize("boundary", BOUNDARIES[2:])
async def test_whoever_dies_while_catching_up_is_followed_by_the_next(
    folder: Path, embedder: WordllamaEmbedder | None, boundary: str
) -> None:
    if embedder is None and boundary == "vectors written":
        pytest.skip("there are no vectors to write")
    assert await asyncio.to_thread(ended, started(folder, embedder, "kill", "stored")) == -signal.SIGKILL
    assert await asyncio.to_thread(ended, started(folder, embedder, "kill", boundary)) == -signal.SIGKILL

    async with corpus_in(folder, embedder) as heir:
        assert await seen(heir) == whole_view(NEW)
        assert await heir.verify() == []


@pytest.mark.slow
@pytest.mark.parametrize("boundary", BOUNDARIES)
async def test_others_read_the_last_whole_generation_while_one_commits(
    folder: Path, embedder: WordllamaEmbedder | None, boundary: str
) -> None:
    if embedder is None and boundary == "vectors written":
        pytest.skip("there are no vectors to write")
    async with corpus_in(folder, embedder) as early:
        first = await seen(early)
        writer = started(folder, embedder, "wait", boundary)
        assert await asyncio.to_thread(writer.stdout.readline) == "waiting\n"
        async with corpus_in(folder, embedder) as late:
            during = await seen(early), await seen(late)
            await refused(CorpusBusy, late.begin())
        assert await asyncio.to_thread(lambda: writer.communicate("go on\n", timeout=60)) == ("", None)
        last = await seen(early)

    committed = boundary in {"words committed", "completed"}
    assert first == whole_view(OLD)
    assert during == (whole_view(NEW if committed else OLD),) * 2
    assert last == whole_view(NEW)


@pytest.mark.slow
async def test_killed_at_any_moment_nothing_acknowledged_is_lost_and_nothing_is_torn(
    tmp_path: Path, embedder: WordllamaEmbedder | None
) -> None:
    rounds = 0
    for wait_s in (0.15, 0.4, 0.7, 0.33):
        writer = started(tmp_path, embedder, "forever")
        assert writer.stdout is not None
        acknowledged = await asyncio.to_thread(writer.stdout.readline)
        await asyncio.sleep(wait_s)
        writer.kill()
        said, _ = await asyncio.to_thread(writer.communicate)
        last_round, last_generation = map(int, (acknowledged + said).split()[-2:])

        async with corpus_in(tmp_path, embedder) as heir:
            hits = await heir.search(asking("refunds"), ANYONE, limit=64)
            found = {int(p.text.split("round ")[1].split(",")[0]) for p in hits.passages}
            generation = int(hits.version.split("-")[0])

            # At most the commit that was under way came through without being said.
            assert len(found) == 1
            assert found <= {last_round, last_round + 1}
            assert generation - last_generation == found.pop() - last_round
            assert len(hits.passages) == 39
            assert await heir.verify() == []
        rounds += last_round
    assert rounds >= 4
