"""Word vectors without a hub, a compiler or a server: weights and tokenizer are data inside the `wordllama` wheel.

The wheel's own code is never imported. Its vectors are derived from the token embeddings of Llama 2 70B ("Built with
Llama 2": the Llama 2 Community License speaks of the original weights) and were trained on English; text in other
scripts is known only by single characters.
"""

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from satisfice.errors import EmbedderError, MissingExtraError
from satisfice.ports.embedder import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WEIGHTS = "l2_supercat_256.safetensors"
_TOKENIZER = "l2_supercat_tokenizer_config.json"
_UNKNOWN_IDS = 259
"""Ids below this are control tokens and single bytes: what the vocabulary has no word for."""
_BLANK = "▁"
_WORD = re.compile(r"\w+(?:['’]\w+)*")
"""Punctuation adds nothing: without it the vectors find as much, and far fewer different words have to be cut."""
_KEPT_WORDS = 1 << 16
_KEPT_CHARS = 32
"""Longer words are not remembered: nearly all are runs of a script without spaces, and come once."""
_UNIT_CHARS = 400_000
"""Text embedded in one go in a thread, about 30 ms."""
MAX_TEXT_CHARS = 20_000
"""Of a longer text only so much is embedded: the mean hardly moves after that, and the time stays bounded."""


class WordllamaEmbedder:
    """256-d mean-pooled word vectors, over 10,000 passages/s on one core, the same on every machine up to rounding.

    Words are tokenized one by one, each as after a space, and remembered: no token of this vocabulary reaches across one.
    Loads 32 MB when built.

    Raises
    ------
    MissingExtraError
        The extra `embeddings` is not installed.
    """

    id = "wordllama/l2_supercat_256/1"
    dim = 256
    microusd_per_million_tokens = 0

    def __init__(self) -> None:
        try:
            import numpy as np
            from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType] its PathLike is open
            from tokenizers import Tokenizer

            weights, tokenizer = _files()
        except (ImportError, PackageNotFoundError) as absent:
            raise MissingExtraError("the wordllama embedder", "embeddings") from absent
        table: NDArray[np.float32] = np.asarray(load_file(weights)["embedding.weight"], dtype=np.float32)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        table[:_UNKNOWN_IDS] = 0.0
        table[self._tokenizer.token_to_id(_BLANK)] = 0.0
        self._table = table
        self._remembered = lru_cache(maxsize=_KEPT_WORDS)(self._tokens)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See the port. Works in a thread, in units of about 20 ms."""
        rows = [await asyncio.to_thread(self._rows, unit) for unit in _units(texts)]
        return Vectors(self.dim, b"".join(rows))

    async def similarities(self, left: Sequence[str], right: Sequence[str]) -> Sequence[Sequence[float]]:
        """See the port."""
        import numpy as np

        vectors = await self.embed([*left, *right])
        matrix = np.frombuffer(vectors.data, dtype="<f4").reshape(-1, self.dim)
        # Not a matrix product: the threads of BLAS spin for longer than so little work takes.
        cosines: NDArray[np.float32] = np.einsum("ik,jk->ij", matrix[: len(left)], matrix[len(left) :])
        return [[round(float(cosine), 6) for cosine in row] for row in cosines]

    def _rows(self, texts: Sequence[str]) -> bytes:
        import numpy as np

        pooled = np.zeros((len(texts), self.dim), dtype="<f4")
        for row, text in enumerate(texts):
            ids: list[int] = []
            for word in _WORD.findall(_encodable(text)):
                ids += self._remembered(word) if len(word) <= _KEPT_CHARS else self._tokens(word)
            if ids:
                pooled[row] = self._table[ids].sum(axis=0)
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        np.divide(pooled, lengths, out=pooled, where=lengths > 0)
        return pooled.tobytes()

    def _tokens(self, word: str) -> Sequence[int]:
        # Not `encode_batch`: it starts a thread pool of its own unless the environment of the process forbids it.
        return self._tokenizer.encode(word, add_special_tokens=False).ids


def _encodable(text: str) -> str:
    """The part that is embedded, full width as half width; lone surrogates become question marks."""
    text = text[:MAX_TEXT_CHARS]
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).encode("utf-8", "replace").decode("utf-8")


def _units(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    unit: list[str] = []
    size = 0
    for text in texts:
        unit.append(text)
        size += len(text[:MAX_TEXT_CHARS])
        if size >= _UNIT_CHARS:
            yield unit
            unit, size = [], 0
    if unit:
        yield unit


def _files() -> tuple[Path, Path]:
    """Where the installed wheel keeps its data.

    Raises
    ------
    PackageNotFoundError
        The wheel is not installed.
    EmbedderError
        It is, without the files of the version this was written for.
    """
    wheel = distribution("wordllama")
    found = {file.name: Path(str(file.locate())) for file in wheel.files or ()}
    missing = [name for name in (_WEIGHTS, _TOKENIZER) if name not in found]
    if missing:
        raise EmbedderError(
            WordllamaEmbedder.id,
            f"wordllama {wheel.version} has no {' and no '.join(missing)}; needed is version 0.2.2.post0: "
            "pip install 'satisfice[embeddings]'",
        )
    return found[_WEIGHTS], found[_TOKENIZER]
