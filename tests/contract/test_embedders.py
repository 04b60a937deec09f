"""The embedders through the public suite."""

import asyncio
import math

import pytest

from satisfice.adapters.embedders.wordllama import MAX_TEXT_CHARS, WordllamaEmbedder
from satisfice.testing.conformance.embedder import EmbedderConformance


@pytest.fixture(scope="module")
def embedder() -> WordllamaEmbedder:
    return WordllamaEmbedder()


class TestWordllamaEmbedder(EmbedderConformance):
    async def test_full_width_is_half_width(self, embedder: WordllamaEmbedder) -> None:
        ((cosine,),) = await embedder.similarities(["ｒｅｆｕｎｄ"], ["refund"])

        assert math.isclose(cosine, 1.0, abs_tol=1e-5)

    async def test_a_very_long_text_is_embedded_by_its_beginning(self, embedder: WordllamaEmbedder) -> None:
        long = "refund " * MAX_TEXT_CHARS

        assert (await embedder.embed([long])).data == (await embedder.embed([long[:MAX_TEXT_CHARS]])).data

    async def test_embedding_gives_way_to_others(self, embedder: WordllamaEmbedder) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        await embedder.embed(["refund of the annual plan " * 700] * 200)
        ticking.cancel()

        assert ticks > 5
