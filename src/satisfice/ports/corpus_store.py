"""Where documents and their passages are kept."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from satisfice.core.ids import DocumentId
from satisfice.core.passages import Document, Passage


class CorpusStore(Protocol):
    """Documents in, a new generation out. Nothing is visible before `commit`; a crash leaves the last generation."""

    async def known_hashes(self) -> Mapping[DocumentId, str]:
        """The content hash of every stored document."""
        ...

    async def begin(self) -> None:
        """Become the one writer. Raises `CorpusBusy` when another process writes."""
        ...

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Add a document or replace it whole."""
        ...

    async def delete(self, ids: Sequence[DocumentId]) -> None:
        """Remove documents and everything derived from them."""
        ...

    async def commit(self) -> int:
        """Make what was put visible in one step; the new generation's number."""
        ...

    async def abandon(self) -> None:
        """Forget what was put since `begin`."""
        ...
