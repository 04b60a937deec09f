"""The retrievers through the public suite."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.sources import SourceProfile
from satisfice.ports.embedder import Embedder
from satisfice.ports.retriever import Retriever
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.example_corpus import SOURCE, Whole
from satisfice.testing.conformance.retriever import Holding, RetrieverConformance, SearchConformance
from satisfice.testing.scripted import Reply, ScriptedRetriever


@pytest.fixture(scope="module")
def embedder() -> WordllamaEmbedder:
    return WordllamaEmbedder()


async def local(stack: AsyncExitStack, documents: Sequence[Whole], embedder: Embedder | None) -> Retriever:
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    corpus = await stack.enter_async_context(LocalCorpus(Path(folder), SourceProfile(SOURCE), embedder))
    await corpus.begin()
    for document, passages in documents:
        await corpus.put(document, passages)
    await corpus.commit()
    return corpus


class TestScriptedRetriever(RetrieverConformance):
    @pytest.fixture
    def holding(self) -> Holding:
        async def hold(documents: Sequence[Whole]) -> Retriever:
            found = tuple(passage for _, passages in documents for passage in passages)
            return ScriptedRetriever(otherwise=Reply(found), clock=FakeClock())

        return hold


class TestLocalCorpusByWords(SearchConformance):
    @pytest.fixture
    async def holding(self) -> AsyncIterator[Holding]:
        async with AsyncExitStack() as stack:
            yield lambda documents: local(stack, documents, None)


class TestLocalCorpusByWordsAndVectors(SearchConformance):
    @pytest.fixture
    async def holding(self, embedder: WordllamaEmbedder) -> AsyncIterator[Holding]:
        async with AsyncExitStack() as stack:
            yield lambda documents: local(stack, documents, embedder)
