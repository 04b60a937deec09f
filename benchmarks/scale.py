"""How much a corpus can hold: hybrid search at 20,000 and 200,000 passages under an access filter, and the rate of ingest.

The corpora are made here, from a seed: 100 words a passage, drawn from 60,000 with the frequencies of natural text, each
passage with one to three of 50 access tags; the reader's three tags let about 12 % through. The vectors of the search rows are
made too; those of the ingest rows are computed by the shipped embedder from the text.
"""

import asyncio
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import psutil
from numpy.typing import NDArray

from benchmarks.reporting import Options, Row, emit, parse
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.corpora.signatures import SIGNED_BY, signature
from satisfice.adapters.corpora.vectors import VectorView
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.access import Permission, Principal
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Document, Passage, Provenance
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile
from satisfice.ports.embedder import Embedder, Vectors

SEED = 20_261_129
WORDS, TOPICS, GROUPS, DIM = 60_000, 300, 50, 256
SOURCE = SourceId("scale")
READER = Principal(tags=frozenset({"g0", "g1", "g2"}))
OUTSIDER_SHARE = 0.12


class Maker:
    """Passages and queries from a seed."""

    def __init__(self, seed: int = SEED) -> None:
        self.dice = np.random.default_rng(seed)
        letters = np.array(list("bcdfghklmnprstvz")), np.array(list("aeiou"))
        spelled = self.dice.integers(0, 16, (WORDS, 4)), self.dice.integers(0, 5, (WORDS, 4))
        made = [
            "".join(letters[0][c] + letters[1][v] for c, v in zip(cs[: 2 + n % 3], vs, strict=False)) + str(n % 7 or "")
            for n, (cs, vs) in enumerate(zip(*spelled, strict=True))
        ]
        self.words = [*real_words(), *made][:WORDS]
        weights = 1.0 / np.arange(1, WORDS + 1) ** 1.05
        self.cumulated = np.cumsum(weights / weights.sum())
        self.centres = self._unit(self.dice.standard_normal((TOPICS, DIM)))

    def documents(self, count: int) -> Iterator[tuple[Document, Passage]]:
        for number in range(count):
            text = " ".join(self.words[place] for place in np.searchsorted(self.cumulated, self.dice.random(100)))
            tags = frozenset(f"g{tag}" for tag in self.dice.integers(0, GROUPS, 1 + number % 3))
            yield document(number, text, Permission(tags=tags))

    def queries(self, count: int) -> list[str]:
        """Three to eight words, the very common ones left out."""
        places = np.searchsorted(self.cumulated, self.dice.random((count, 40)))
        return [" ".join(self.words[p] for p in row[row > 30][: 3 + n % 6]) for n, row in enumerate(places)]

    def vectors(self, count: int) -> NDArray[np.float32]:
        """Clustered, like those of real text."""
        near = self.centres[self.dice.integers(0, TOPICS, count)]
        return self._unit(near + 0.9 / np.sqrt(DIM) * self.dice.standard_normal((count, DIM)))

    @staticmethod
    def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f4")


def real_words() -> list[str]:
    """The words of the Python manual, the most frequent first: tokenizers know them, as they know most words of real text."""
    found = Counter(re.findall(r"[a-z]{2,}", " ".join(topics.values()).lower()))
    return sorted(found, key=lambda word: (-found[word], word))


def document(number: int, text: str, permission: Permission) -> tuple[Document, Passage]:
    id_, hash_ = f"d{number}", sha256(text.encode()).hexdigest()
    whole = Document(DocumentId(id_), SOURCE, f"{id_}.md", f"Note {number}", text, hash_, permission=permission)
    place = Provenance(
        SOURCE, whole.id, whole.uri, whole.title, 0, len(text), permission=permission, document_hash=hash_
    )
    return whole, Passage(PassageId(id_), text, place, hash_, 130, signature(text), SIGNED_BY)


class GivenVectors:
    """Hands out made vectors in order: the cost of embedding is not part of the search rows."""

    id = "given/1"
    dim = DIM
    microusd_per_million_tokens = 0

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows, self._next = rows, 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self._next += len(texts)
        return Vectors(DIM, self._rows[self._next - len(texts) : self._next].tobytes())

    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        raise NotImplementedError


async def fill(corpus: LocalCorpus, documents: Iterator[tuple[Document, Passage]]) -> None:
    await corpus.begin()
    for whole, passage in documents:
        await corpus.put(whole, [passage])
    await corpus.commit()


async def ingest(name: str, count: int, embedder: Embedder | None) -> list[Row]:
    """Text already extracted and cut; signing is part of it."""
    made = list(Maker().documents(count))
    resident = psutil.Process().memory_info().rss
    folder = Path(tempfile.mkdtemp())
    try:
        async with LocalCorpus(folder, SourceProfile(SOURCE), embedder) as corpus:
            cpu, wall = time.process_time(), time.monotonic()
            signed = ((whole, document(int(whole.id[1:]), whole.text, whole.permission)[1]) for whole, _ in made)
            await fill(corpus, signed)
            cpu, wall = time.process_time() - cpu, time.monotonic() - wall
            grown = (psutil.Process().memory_info().rss - resident) / 1e6
    finally:
        shutil.rmtree(folder)
    arm = "words" if embedder is None else "words and vectors"
    return [
        Row("scale", name, arm, "ingest", count / cpu, "passages per CPU s", count, 2_000),
        Row("scale", name, arm, "ingest", count / wall, "passages per wall s", count),
        Row("scale", name, arm, "ingest_memory", grown, "MB", count),
    ]


async def search(name: str, count: int, queries: int, aim: float | None) -> list[Row]:
    maker = Maker()
    rows, asked = maker.vectors(count), maker.vectors(queries)
    allowed = np.zeros(count, dtype=bool)
    folder = Path(tempfile.mkdtemp())

    def documents() -> Iterator[tuple[Document, Passage]]:
        for number, (whole, passage) in enumerate(maker.documents(count)):
            allowed[number] = not whole.permission.tags.isdisjoint(READER.tags)
            yield whole, passage

    try:
        given = GivenVectors(np.concatenate([rows, asked[:20], asked, asked[:20], asked]))
        async with LocalCorpus(folder, SourceProfile(SOURCE), given) as corpus:
            await fill(corpus, documents())
            texts = maker.queries(queries)
            hybrid, (p50, p95) = await timed(corpus, texts)
            recall = exact_recall(folder, rows, asked, allowed)
        async with LocalCorpus(folder, SourceProfile(SOURCE)) as corpus:
            lexical, _ = await timed(corpus, texts)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    finally:
        shutil.rmtree(folder)
    return [
        Row("scale", name, "hybrid", "search_cpu_mean", hybrid, "ms", queries, aim),
        Row("scale", name, "hybrid", "search_wall_p50", p50, "wall ms", queries),
        Row("scale", name, "hybrid", "search_wall_p95", p95, "wall ms", queries),
        Row("scale", name, "hybrid", "vector_recall@10", recall, n=queries, aim=1.0),
        Row("scale", name, "lexical", "search_cpu_mean", lexical, "ms", queries),
        Row("scale", name, "hybrid", "readable", float(allowed.mean()), n=count),
        Row("scale", name, "hybrid", "disk", size, "MB", count),
    ]


async def timed(corpus: LocalCorpus, texts: Sequence[str]) -> tuple[float, tuple[float, float]]:
    """CPU per search, and the wall's median and 95th percentile; the first 20 are not counted."""
    for text in texts[:20]:
        await corpus.search(Query(text, SOURCE), READER, limit=5)
    walls: list[float] = []
    cpu = time.process_time()
    for text in texts:
        wall = time.monotonic()
        await corpus.search(Query(text, SOURCE), READER, limit=5)
        walls.append((time.monotonic() - wall) * 1_000)
    cpu = (time.process_time() - cpu) * 1_000 / len(texts)
    return cpu, (float(np.percentile(walls, 50)), float(np.percentile(walls, 95)))


def exact_recall(
    folder: Path, rows: NDArray[np.float32], asked: NDArray[np.float32], allowed: NDArray[np.bool_]
) -> float:
    """The share of the ten nearest readable passages, found the slow way, that the stored vectors give too."""
    view = VectorView(folder, 1)
    places = np.flatnonzero(allowed)
    shares: list[float] = []
    for query in asked:
        nearest = {int(place) for place in places[np.argsort(-(rows[places] @ query))[:10]]}
        cosines = view.cosines(query.tobytes(), places)
        shares.append(len(nearest & {int(place) for place in places[np.argsort(-cosines)[:10]]}) / 10)
    return sum(shares) / len(shares)


async def measure(options: Options) -> list[Row]:
    print("making corpora; the large one takes a few minutes", file=sys.stderr)
    rows = await ingest("20k", 5_000 if options.quick else 20_000, None)
    rows += await ingest("20k", 5_000 if options.quick else 20_000, WordllamaEmbedder())
    rows += await search("20k", 20_000, 100, None)
    if not options.quick:
        rows += await search("200k", 200_000, 200, 12.0)
    return rows


def main() -> None:
    options = parse("scale", __doc__ or "")
    emit(options, asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
