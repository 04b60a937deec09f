"""What every `Embedder` must do. Subclass it in a test module and provide the fixture `embedder`."""

import math
import struct

from satisfice.ports.embedder import Embedder, Vectors

TEXTS = ("How long is the refund window?", "refund", "An unrelated remark about volcanoes.", "x" * 5_000, "退款期限")


def rows(vectors: Vectors) -> list[tuple[float, ...]]:
    """The vectors as numbers."""
    return [struct.unpack_from(f"<{vectors.dim}f", vectors.data, 4 * vectors.dim * row) for row in range(len(vectors))]


def cosine(left: tuple[float, ...], right: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


class EmbedderConformance:
    """Shape, length, determinism."""

    async def test_one_row_per_text_in_order(self, embedder: Embedder) -> None:
        together = await embedder.embed(TEXTS)
        apart = [(await embedder.embed([text])).data for text in TEXTS]

        assert (together.dim, len(together)) == (embedder.dim, len(TEXTS))
        assert together.data == b"".join(apart)

    async def test_rows_have_unit_length_or_are_zero(self, embedder: Embedder) -> None:
        for row in rows(await embedder.embed([*TEXTS, "", "   ", "\ud800", "\x00"])):
            length = math.sqrt(cosine(row, row))

            assert math.isclose(length, 1.0, abs_tol=1e-5) or length == 0.0

    async def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert len(await embedder.embed([])) == 0
        assert list(await embedder.similarities([], ["a"])) == []

    async def test_the_same_text_gives_the_same_row(self, embedder: Embedder) -> None:
        assert (await embedder.embed(TEXTS)).data == (await embedder.embed(TEXTS)).data

    async def test_similarities_are_the_cosines_of_the_rows(self, embedder: Embedder) -> None:
        left, right = TEXTS[:2], TEXTS[1:4]
        table = await embedder.similarities(left, right)
        one, other = rows(await embedder.embed(left)), rows(await embedder.embed(right))

        assert [len(row) for row in table] == [3, 3]
        for i, row in enumerate(table):
            for j, value in enumerate(row):
                assert math.isclose(value, cosine(one[i], other[j]), abs_tol=1e-4)

    async def test_text_without_a_word_is_like_nothing(self, embedder: Embedder) -> None:
        ((value,),) = await embedder.similarities([""], ["refund"])

        assert value == 0.0

    async def test_related_words_are_nearer_than_unrelated_ones(self, embedder: Embedder) -> None:
        ((near, far),) = await embedder.similarities(["refund of the payment"], ["money back", "volcano eruption"])

        assert near > far
