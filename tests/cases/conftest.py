from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.sources import SourceProfile
from satisfice.ports.embedder import Vectors
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_corpus import SOURCE, Whole


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


class CountingEmbedder:
    """An embedder that counts what it is asked for."""

    def __init__(self, real: WordllamaEmbedder) -> None:
        self._real = real
        self.texts = 0

    @property
    def id(self) -> str:
        return self._real.id

    @property
    def dim(self) -> int:
        return self._real.dim

    @property
    def microusd_per_million_tokens(self) -> int:
        return self._real.microusd_per_million_tokens

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return await self._real.embed(texts)

    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        self.texts += len(left) + len(right)
        return await self._real.similarities(left, right)


@pytest.fixture(scope="session")
def real_embedder() -> WordllamaEmbedder:
    return WordllamaEmbedder()


@pytest.fixture
def embedder(real_embedder: WordllamaEmbedder) -> CountingEmbedder:
    return CountingEmbedder(real_embedder)


class Shelf:
    """Makes a local corpus of documents."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def holding(self, *documents: Whole, embedder: CountingEmbedder | None = None) -> AsyncIterator[LocalCorpus]:
        """An open corpus with these documents in it."""
        async with LocalCorpus(self._folder / "docs", SourceProfile(SOURCE), embedder) as corpus:
            if documents:
                await corpus.begin()
                for document, passages in documents:
                    await corpus.put(document, passages)
                await corpus.commit()
            yield corpus


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)
