"""Vectors for text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Vectors:
    """Row-major float32, little-endian: `len(data) == 4 * dim * rows`. Rows have unit length, or are all zero for text without a known word."""

    dim: int
    data: bytes

    def __len__(self) -> int:
        return len(self.data) // (4 * self.dim)


class Embedder(Protocol):
    """Turns text into unit vectors. Two embedders with the same `id` give the same vectors."""

    @property
    def id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def microusd_per_million_tokens(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order. Raises `EmbedderError`."""
        ...

    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        """Cosines, one row per left text, one column per right text; 0.0 where either has no vector."""
        ...
