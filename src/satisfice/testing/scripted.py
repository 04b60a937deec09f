"""Scripted doubles for the public ports: they play what a test wrote down and keep what they were asked."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from satisfice.core.access import Principal, may_read
from satisfice.core.facts import Thought
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.orders import Step
from satisfice.core.passages import Handle, Passage
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile
from satisfice.core.text import canonical
from satisfice.errors import AdapterError
from satisfice.ports.clock import Clock
from satisfice.ports.model import Completion, Prompt
from satisfice.ports.reasoner import Unusable, View
from satisfice.ports.retriever import MAX_HANDLES, Hits, TermStatistics


@dataclass(frozen=True, slots=True)
class Reply:
    """What a scripted port does once: wait, then return or raise. `stubborn` swallows cancellation while it waits."""

    passages: tuple[Passage, ...] = ()
    error: AdapterError | None = None
    delay_ms: int = 0
    stubborn: bool = False
    nothing: bool = False
    """Return no result object at all."""
    readable: int | None = None


@dataclass(frozen=True, slots=True)
class SearchCall:
    """One search as the retriever saw it."""

    query: Query
    principal: Principal
    limit: int
    at_ms: int


class ScriptedRetriever:
    """Answers by the query's text; the last reply of a list repeats. Unknown queries get `otherwise`.

    Keeps every call in `calls`, look-ups in `looked_up`, and how many were going on at the same time in `peak`.
    """

    def __init__(
        self,
        replies: Mapping[str, Reply | Sequence[Reply]] | None = None,
        *,
        clock: Clock,
        profile: SourceProfile | None = None,
        otherwise: Reply | Sequence[Reply] = Reply(),
        links: Mapping[str, Sequence[Handle]] | None = None,
    ) -> None:
        self._profile = profile or SourceProfile(SourceId("docs"), "scripted passages")
        self._replies = {canonical(text): _listed(reply) for text, reply in (replies or {}).items()}
        self._otherwise = _listed(otherwise)
        self._handles = {canonical(text): tuple(found) for text, found in (links or {}).items()}
        self._clock = clock
        self._known: dict[PassageId, Passage] = {}
        for listed in (*self._replies.values(), self._otherwise):
            for reply in listed:
                self._known.update((p.id, p) for p in reply.passages)
        self.calls: list[SearchCall] = []
        self.looked_up: list[tuple[PassageId, ...]] = []
        self.finished = 0
        self.running = 0
        self.peak = 0
        self.version = "1"

    @property
    def profile(self) -> SourceProfile:
        return self._profile

    def add(self, passages: Sequence[Passage]) -> None:
        """Passages that look-ups find though no search returns them."""
        self._known.update((p.id, p) for p in passages)

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        reply = self._next(query)
        self.calls.append(SearchCall(query, principal, limit, self._clock.monotonic_ms()))
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            await self._pause(reply)
        finally:
            self.running -= 1
        if reply.error is not None:
            raise reply.error
        if reply.nothing:
            return None  # type: ignore[return-value]  # some retrievers do, and a run must survive it
        self.finished += 1
        found = tuple(p for p in reply.passages if may_read(principal, p.provenance.permission))
        shown = [Handle(p.id, p.provenance.document_id, p.provenance.title, 1.0, tokens=p.tokens) for p in found]
        linked = self._handles.get(canonical(query.text), ())
        return Hits(found[:limit], (*shown, *linked)[:handles], self.version, reply.readable)

    async def look_up(self, ids: Sequence[PassageId], principal: Principal) -> Sequence[Passage]:
        self.looked_up.append(tuple(ids))
        found = (self._known.get(i) for i in ids)
        return [p for p in found if p is not None and may_read(principal, p.provenance.permission)]

    async def neighbours(self, passage: PassageId, principal: Principal, *, around: int = 1) -> Sequence[Passage]:
        known = self._known.get(passage)
        if known is None:
            return []
        near = [p for p in self._known.values() if p.provenance.document_id == known.provenance.document_id]
        near.sort(key=lambda p: p.provenance.start)
        at = near.index(known)
        around_it = near[max(0, at - around) : at + around + 1]
        return [p for p in around_it if p.id != passage and may_read(principal, p.provenance.permission)]

    async def statistics(self, terms: Sequence[str], principal: Principal) -> TermStatistics:
        return TermStatistics(len(self._known), dict.fromkeys(terms, 1))

    async def versions(self, ids: Sequence[DocumentId], principal: Principal) -> Mapping[DocumentId, str]:
        wanted = set(ids)
        return {
            p.provenance.document_id: p.provenance.document_hash
            for p in self._known.values()
            if p.provenance.document_id in wanted and may_read(principal, p.provenance.permission)
        }

    def _next(self, query: Query) -> Reply:
        replies = self._replies.get(canonical(query.text), self._otherwise)
        return replies.pop(0) if len(replies) > 1 else replies[0]

    async def _pause(self, reply: Reply) -> None:
        until = self._clock.monotonic_ms() + reply.delay_ms
        while reply.delay_ms and self._clock.monotonic_ms() < until:
            try:
                await self._clock.sleep_until(until)
            except asyncio.CancelledError:
                if not reply.stubborn:
                    raise


def _listed(reply: Reply | Sequence[Reply]) -> list[Reply]:
    return [reply] if isinstance(reply, Reply) else list(reply)


Think = Callable[[Sequence[Step], View], Thought | Prompt]


@dataclass
class ScriptedReasoner:
    """Thinks what a function says, or plays a list of thoughts for each combination of steps; the last one repeats."""

    think: Think
    id: str = "scripted/1"
    asked: list[tuple[tuple[Step, ...], View]] = field(default_factory=list[tuple[tuple[Step, ...], View]])
    reads: Callable[[Sequence[Step], View, Completion], Thought | Unusable] | None = None

    def terms(self, view: View) -> Sequence[str]:
        return ()

    def ask(self, steps: Sequence[Step], view: View) -> Thought | Prompt:
        self.asked.append((tuple(steps), view))
        return self.think(steps, view)

    def read(self, steps: Sequence[Step], view: View, completion: Completion) -> Thought | Unusable:
        return self.reads(steps, view, completion) if self.reads else Unusable("nothing reads completions here")


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a scripted model does once."""

    completion: Completion | None = None
    error: AdapterError | None = None
    delay_ms: int = 0


class ScriptedModel:
    """Plays a list of replies, the last one for ever, and keeps every prompt it was sent."""

    def __init__(
        self,
        replies: Sequence[ModelReply],
        *,
        clock: Clock,
        model_id: str = "scripted-model",
        price: tuple[int, int] | None = (1_000_000, 4_000_000),
        min_ms: int = 0,
    ) -> None:
        self._replies = list(replies)
        self._clock = clock
        self._price = price
        self._id = model_id
        self._min_ms = min_ms
        self.prompts: list[Prompt] = []
        self.running = 0
        self.peak = 0

    @property
    def id(self) -> str:
        return self._id

    @property
    def min_ms(self) -> int:
        return self._min_ms

    def price_microusd(self, prompt_tokens: int, completion_tokens: int) -> int | None:
        """`price` is micro-dollars per million tokens, in and out."""
        if self._price is None:
            return None
        into, out = self._price
        return -(-(prompt_tokens * into + completion_tokens * out) // 1_000_000)

    def prompt_tokens(self, prompt: Prompt) -> int:
        return sum(len(message.content.encode("utf-8", "surrogatepass")) for message in prompt.messages)

    async def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            if reply.delay_ms:
                await self._clock.sleep_until(self._clock.monotonic_ms() + reply.delay_ms)
        finally:
            self.running -= 1
        if reply.error is not None:
            raise reply.error
        return reply.completion or Completion("")


def without_text(passage: Passage) -> Handle:
    """The handle a source would return for a passage it does not send along."""
    return Handle(passage.id, passage.provenance.document_id, passage.provenance.title, 0.5, tokens=passage.tokens)
