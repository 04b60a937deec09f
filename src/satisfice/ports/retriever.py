"""Searching a source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from satisfice.core.access import Principal
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.passages import Handle, Passage
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile

MAX_HANDLES = 64
"""The most hits a search may return without their text."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, best first. `passages` are the first of `handles`, with text.

    `readable` is the number of passages this principal could have been given under the query's filters, when the
    source knows it: 0 says that no other wording can find anything. `warnings` are for the report.
    """

    passages: tuple[Passage, ...]
    handles: tuple[Handle, ...] = ()
    version: str = ""
    readable: int | None = None
    warnings: tuple[str, ...] = ()
    microusd: int = 0


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How common terms are in a source: `passages` in all, `containing` per term (stemmed as in `core.text`)."""

    passages: int = 0
    containing: Mapping[str, int] = field(default_factory=dict[str, int])


class Retriever(Protocol):
    """One searchable source. Every method applies the principal's access before anything leaves the source."""

    @property
    def profile(self) -> SourceProfile: ...

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        """The best `limit` passages with text and at most `handles` handles, each matching the query's filters.

        Zero-score hits are no hits. Raises `RetrieverError`; an empty result is not an error.
        """
        ...

    async def look_up(self, ids: Sequence[PassageId], principal: Principal) -> Sequence[Passage]:
        """Passages by id, in the order asked; those unknown, deleted or not permitted are left out."""
        ...

    async def neighbours(self, passage: PassageId, principal: Principal, *, around: int = 1) -> Sequence[Passage]:
        """The passages next to this one in its document, in order, itself left out."""
        ...

    async def statistics(self, terms: Sequence[str], principal: Principal) -> TermStatistics:
        """How many passages contain each stemmed term."""
        ...

    async def versions(self, ids: Sequence[DocumentId], principal: Principal) -> Mapping[DocumentId, str]:
        """The live content hash of each readable document; the others are left out."""
        ...
