"""A run told from its facts: one line each, in order."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from satisfice.cli.terminal import one_line
from satisfice.core.facts import (
    Abandoned,
    BranchClosed,
    BranchOpened,
    CancelRequested,
    DeadlinePassed,
    Envelope,
    Failed,
    Finished,
    OrderDenied,
    PersonAnswered,
    Proposed,
    RouteUpgraded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    Started,
    StopDecided,
    ThinkFinished,
    Thought,
    kind,
)
from satisfice.core.ids import MAIN
from satisfice.core.orders import Effect, LookUp, Proposal, ReadCache, Rerank, Search, SearchProposal, Think

NOTE_CHARS = 160


def show(envelopes: Iterable[Envelope], out: Console) -> None:
    """Print what happened, each fact with its time on the run's clock and the number of its order."""
    table = Table(box=None, pad_edge=False, header_style="bold", title="Timeline", title_justify="left")
    table.add_column("ms", justify="right", no_wrap=True)
    table.add_column("order", justify="right", no_wrap=True)
    table.add_column("what happened", overflow="fold")
    for envelope in envelopes:
        branch = "" if envelope.branch == MAIN else f"[{envelope.branch}] "
        style = "dim" if isinstance(envelope.fact, Started) else ""
        told = Text(branch + tell(envelope), style)
        table.add_row(f"{envelope.at_ms:,}", str(envelope.order) if envelope.order else "", told)
    out.print()
    out.print(table)


def tell(envelope: Envelope) -> str:
    """One fact, in words."""
    fact = envelope.fact
    match fact:
        case RunStarted():
            sources = ", ".join(source.id for source in fact.sources) or "nothing"
            return f"started: task {fact.task.name}, {fact.task.complexity}; may search {sources}; as of {fact.as_of}"
        case RunResumed():
            return f"resumed at {fact.resumed_at}"
        case Proposed():
            return f"a host agent proposed: {_proposal(fact.proposal)}"
        case OrderDenied():
            what = _proposal(fact.proposal) if fact.proposal else _order(fact.order) if fact.order else "an order"
            why = f": {one_line(fact.refusal.detail, NOTE_CHARS)}" if fact.refusal.detail else ""
            return f"refused by the {fact.by} ({fact.refusal.kind}): {what}{why}"
        case BranchOpened():
            return f"opened branch {fact.order.opened}: {one_line(fact.order.goal, NOTE_CHARS)}"
        case BranchClosed():
            return "closed the branch; what its slice did not use returns"
        case RouteUpgraded():
            return f"went on with the task's whole budget instead of stopping for {fact.reason}"
        case CancelRequested():
            return "cancellation was asked for"
        case DeadlinePassed():
            return "the time for searching ended"
        case StopDecided():
            detail = f": {one_line(fact.detail, NOTE_CHARS)}" if fact.detail else ""
            return f"decided to stop, {fact.reason}{detail}"
        case RunPaused():
            return f"paused for a person, {fact.reason}: {one_line(fact.question, NOTE_CHARS)}"
        case PersonAnswered():
            return f"a person answered: {fact.verdict} {one_line(fact.text, NOTE_CHARS)}".rstrip()
        case RunStopped():
            sentences = len(fact.answer.sentences) if fact.answer else 0
            return f"stopped, {fact.reason}, with {_many(sentences, 'sentence')}"
        case _ if isinstance(fact, Started):
            return _order(fact.order)
        case _ if isinstance(fact, Finished):
            return _finished(fact)
        case _ if isinstance(fact, Failed):
            again = ", may be tried again" if fact.retryable else ""
            return f"failed: {one_line(fact.why, NOTE_CHARS)}{again}"
        case _ if isinstance(fact, Abandoned):
            return f"given up, its ceiling stays spent: {one_line(fact.why, NOTE_CHARS)}"
        case _:
            return kind(fact)


def _order(order: Effect) -> str:
    again = f" (attempt {order.attempt})" if order.attempt > 1 else ""
    match order:
        case Think():
            return f"{' and '.join(order.steps)}{again}"
        case Search():
            return f"search {order.query.source} for “{one_line(order.query.text, NOTE_CHARS)}” ({order.lineage.reason}){again}"
        case LookUp():
            return f"read {_many(len(order.passages), 'passage')} of {order.source}{again}"
        case Rerank():
            return f"order {_many(len(order.passages), 'passage')} again{again}"
        case ReadCache():
            return f"look for “{one_line(order.query.text, NOTE_CHARS)}” among earlier results{again}"


def _proposal(proposal: Proposal) -> str:
    if isinstance(proposal, SearchProposal):
        return f"search {proposal.query.source} for “{one_line(proposal.query.text, NOTE_CHARS)}”"
    return type(proposal).__name__.removesuffix("Proposal").lower()


def _finished(fact: Finished) -> str:
    if isinstance(fact, ThinkFinished):
        return _thought(fact.thought)
    passages: tuple[object, ...] = getattr(fact, "passages", None) or getattr(fact, "ranking", ())
    warnings: tuple[str, ...] = getattr(fact, "warnings", ())
    said = [f"returned {_many(len(passages), 'passage')}", *(one_line(w, NOTE_CHARS) for w in warnings)]
    return "; ".join(said)


def _thought(thought: Thought) -> str:
    said: list[str] = []
    if thought.classification:
        found = thought.classification
        said.append(f"a {found.shape} question, {found.complexity}: {found.action} ({found.layer}: {found.reason})")
    if thought.claims:
        said.append(f"to establish: {'; '.join(one_line(claim.text, 80) for claim in thought.claims)}")
    if thought.judged:
        said.append(f"judged {_many(len(thought.judged), 'passage')}, {len(thought.evidence)} spans of evidence")
    if thought.proposals:
        said.append(f"proposed {_many(len(thought.proposals), 'action')}")
    if thought.answer:
        said.append(f"wrote {_many(len(thought.answer.sentences), 'sentence')}")
    said.extend(thought.notes)
    return one_line("; ".join(said) or "nothing", 400)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("" if count == 1 else "s")
