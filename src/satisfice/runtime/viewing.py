"""Filling a view: what a thought may see, and what the world must compute for it."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from satisfice.core.access import may_read
from satisfice.core.ids import ClaimId, PassageId
from satisfice.core.orders import Step, Think
from satisfice.core.passages import Passage
from satisfice.core.state import QueryStatus, RunState
from satisfice.core.text import content_words
from satisfice.ports.reasoner import PastQuery, Reasoner, View
from satisfice.ports.retriever import TermStatistics
from satisfice.runtime.world import World

log = logging.getLogger("satisfice")

WORD_FLOOR = 0.3
"""Word pairs under this cosine say nothing and are left out."""


class Viewer:
    """Builds the views of one run. Similarities are computed once per passage and word, not once per thought."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cosines: dict[PassageId, float] = {}
        self._words: dict[str, dict[str, float]] = {}
        self._seen: set[str] = set()

    async def view(self, state: RunState, order: Think, reasoner: Reasoner) -> View:
        """What this thought may depend on, the world's part included as far as the world gives it."""
        view = _plain(state, order)
        if Step.CLASSIFY in order.steps:
            return view
        if self._world.embedder is not None:
            try:
                await self._compare(view.question, view.passages)
            except Exception as error:  # noqa: BLE001 - as without an embedder: similarities only weigh
                log.warning("run %s: no similarities: %s", state.started.run, error)
        statistics = await self._count(state, reasoner.terms(view))
        return replace(view, statistics=statistics, cosines=dict(self._cosines), word_cosines=self._words)

    async def _compare(self, question: str, passages: Sequence[Passage]) -> None:
        embedder = self._world.embedder
        new = [p for p in passages if p.id not in self._cosines]
        if not new or embedder is None:
            return
        rows = await embedder.similarities([question], [f"{p.provenance.title}\n{p.text}" for p in new])
        self._cosines.update((p.id, cosine) for p, cosine in zip(new, rows[0], strict=True))
        asked = content_words(question)
        words = sorted({word for p in new for word in content_words(p.text)} - self._seen)
        if not asked or not words:
            return
        self._seen.update(words)
        for left, row in zip(asked, await embedder.similarities(asked, words), strict=True):
            near = {word: cosine for word, cosine in zip(words, row, strict=True) if cosine >= WORD_FLOOR}
            self._words.setdefault(left, {}).update(near)

    async def _count(self, state: RunState, wanted: Sequence[str]) -> TermStatistics:
        """How common the terms are, over all sources of the run."""
        asked = sorted(set(wanted))
        if not asked:
            return TermStatistics()
        passages, containing = 0, dict.fromkeys(asked, 0)
        for source in sorted(state.sources):
            try:
                found = await self._world.retrievers[source].statistics(asked, state.started.principal)
            except Exception as error:  # noqa: BLE001 - what a foreign source raises must not fail a thought: it only weighs
                log.warning("run %s: %s has no term statistics: %s", state.started.run, source, error)
                continue
            passages += found.passages
            for term, n in found.containing.items():
                containing[term] = containing.get(term, 0) + n
        return TermStatistics(passages, containing)


def _plain(state: RunState, order: Think) -> View:
    """The part of a view that is already in the state. Access is checked once more for each passage."""
    ledger, principal = state.ledger, state.started.principal
    branch = state.branches[order.branch]
    closing = Step.WRITE in order.steps
    mine = tuple(ledger.claims.values()) if closing else tuple(ledger.claims[c] for c in branch.claims)
    gaps: dict[ClaimId, str] = {}
    for gap in state.verdict.gaps:
        gaps.setdefault(gap.claim_id, gap.kind)
    return View(
        question=state.question(),
        sources=state.started.sources,
        as_of=state.started.as_of,
        history=state.started.history,
        claims=mine,
        passages=tuple(p for p in ledger.passages.values() if may_read(principal, p.provenance.permission)),
        unjudged=frozenset(branch.unjudged),
        evidence=ledger.all_evidence(),
        judgements=tuple(ledger.judgements.values()),
        queries=tuple(
            PastQuery(sent.query, sent.lineage, sent.handles, failed=sent.status is not QueryStatus.FINISHED)
            for sent in state.sent.values()
        ),
        gaps=gaps,
        conflicts=state.verdict.conflicts,
        top_k=state.started.task.top_k,
        refused=tuple(d.refusal for d in state.denials if d.proposal is not None and d.branch == branch.id),
    )
