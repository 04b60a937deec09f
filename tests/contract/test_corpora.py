"""The corpus stores through the public suite."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.sources import SourceProfile
from satisfice.testing.conformance.corpus_store import CorpusStoreConformance
from satisfice.testing.conformance.example_corpus import SOURCE


@pytest.fixture(scope="module")
def embedder() -> WordllamaEmbedder:
    return WordllamaEmbedder()


class TestLocalCorpus(CorpusStoreConformance):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[LocalCorpus]:
        async with LocalCorpus(tmp_path, SourceProfile(SOURCE)) as corpus:
            yield corpus

    @pytest.fixture
    def reader(self, store: LocalCorpus) -> LocalCorpus:
        return store


class TestLocalCorpusWithVectors(CorpusStoreConformance):
    @pytest.fixture
    async def store(self, tmp_path: Path, embedder: WordllamaEmbedder) -> AsyncIterator[LocalCorpus]:
        async with LocalCorpus(tmp_path, SourceProfile(SOURCE), embedder) as corpus:
            yield corpus

    @pytest.fixture
    async def reader(
        self, store: LocalCorpus, tmp_path: Path, embedder: WordllamaEmbedder
    ) -> AsyncIterator[LocalCorpus]:
        """A second one over the same folder, as another process would have it."""
        async with LocalCorpus(tmp_path, SourceProfile(SOURCE), embedder) as corpus:
            yield corpus
