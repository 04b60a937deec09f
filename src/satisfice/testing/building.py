"""Building small worlds, passages and thoughts, so that a test says only what it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.tokens.estimate import EstimatedTokens
from satisfice.core.access import OPEN, Permission, Principal
from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.facts import Classification, RetrievalAction, RunStarted, Thought
from satisfice.core.ids import ClaimId, DocumentId, PassageId, ProposalId, RunId, SourceId
from satisfice.core.limits import limits_from
from satisfice.core.orders import Answer, SearchProposal, Sentence
from satisfice.core.passages import Passage, Provenance, Span, quote_hash
from satisfice.core.policy import Policy
from satisfice.core.queries import Lineage, Query, ReasonCode
from satisfice.core.sources import Authority, EvidenceClass, Shape
from satisfice.core.tasks import Complexity, TaskClass
from satisfice.ports.clock import Clock
from satisfice.ports.event_store import EventStore, Owner
from satisfice.ports.reasoner import Reasoner, View
from satisfice.ports.retriever import Retriever
from satisfice.runtime.engine import Run
from satisfice.runtime.world import World

DOCS = SourceId("docs")
AS_OF = "2030-01-01T00:00:00+00:00"
OWNER = Owner("test", 1, "boot", "one")


def passage(
    name: str,
    text: str,
    *,
    source: SourceId = DOCS,
    document: str | None = None,
    authority: Authority = Authority.OFFICIAL,
    evidence_class: EvidenceClass = EvidenceClass.DOCUMENT,
    permission: Permission = OPEN,
    published_at: str | None = None,
    tokens: int | None = None,
    **more: object,
) -> Passage:
    """A passage that is a whole document of its own, unless told which one it belongs to."""
    document_id = DocumentId(document or name)
    provenance = Provenance(
        source,
        document_id,
        f"{document_id}.md",
        str(document_id),
        0,
        len(text),
        evidence_class=evidence_class,
        authority=authority,
        permission=permission,
        published_at=published_at,
        document_hash=quote_hash(text),
    )
    for key, value in more.items():
        provenance = replace(provenance, **{key: value})
    return Passage(PassageId(name), text, provenance, quote_hash(text), tokens or max(1, len(text) // 4))


def evidence(
    claim: str,
    held: Passage,
    text: str | None = None,
    *,
    stance: Stance = Stance.SUPPORTS,
    value: str = "",
    unit: str = "",
) -> Evidence:
    """Evidence whose span is `text` in the passage, or the whole passage."""
    start = held.text.index(text) if text else 0
    end = start + len(text) if text else len(held.text)
    return Evidence(
        ClaimId(claim), Span(held.id, start, end), quote_hash(held.text[start:end]), stance, 0.9, value, unit
    )


def search(
    text: str, claim: str | None = None, *, source: SourceId = DOCS, depth: int = 0, top_k: int = 5
) -> SearchProposal:
    """A proposed search; the run gives it its name."""
    reason = ReasonCode.FIRST_LOOK if depth == 0 else ReasonCode.FOLLOW_BRIDGE
    lineage = Lineage(claim=ClaimId(claim) if claim else None, reason=reason, depth=depth)
    return SearchProposal(ProposalId(""), Query(text, source, top_k), lineage)


def retrieve(complexity: Complexity = Complexity.FULL, shape: Shape = Shape.FACT) -> Classification:
    """A classification that searches."""
    return Classification(shape, complexity, RetrievalAction.RETRIEVE, "intent", "scripted")


def quoting(view: View) -> Answer:
    """An answer of everything that supports a claim, as it stands."""
    held = {p.id: p for p in view.passages}
    return Answer(
        tuple(
            Sentence(held[e.span.passage_id].text[e.span.start : e.span.end], (e.span,), (e.claim_id,))
            for e in view.evidence
            if e.stance is Stance.SUPPORTS and e.span.passage_id in held
        )
    )


def supports_by_text(view: View, supporting: Mapping[str, str]) -> Thought:
    """Judge by table: a passage whose text holds the key supports the claim named by the value, fully."""
    found: list[Evidence] = []
    for held in view.passages:
        for text, claim in supporting.items():
            if text in held.text and any(c.id == claim for c in view.claims):
                found.append(evidence(claim, held, text))
    supported = {item.claim_id for item in found}
    judgements = tuple(Judgement(c.id, 1.0 if c.id in supported else 0.0, (c.text,)) for c in view.claims)
    return Thought(evidence=tuple(found), judgements=judgements, judged=tuple(p.id for p in view.passages))


def started(
    question: str,
    *,
    run: str = "r1",
    retrievers: Sequence[Retriever] = (),
    budget: Mapping[str, object] | None = None,
    complexity: Complexity = Complexity.FULL,
    principal: Principal | None = None,
    claims: Sequence[Claim] = (),
    **more: object,
) -> RunStarted:
    """The first fact of a run. `budget` is checked as anywhere else."""
    limits = limits_from(budget or {}, {})
    task = TaskClass("test", complexity, tuple(limits.items()), tuple(claims))
    first = RunStarted(
        RunId(run),
        question,
        principal or Principal("ana"),
        task,
        Policy(),
        tuple(r.profile for r in retrievers),
        AS_OF,
        reasoner="scripted",
    )
    return replace(first, **more)


def world(
    clock: Clock,
    retrievers: Sequence[Retriever],
    reasoner: Reasoner,
    *,
    store: EventStore | None = None,
    **more: object,
) -> World:
    """A world around scripted ports. The same reasoner stands in when a thought fails."""
    made = World(
        retrievers={r.profile.id: r for r in retrievers},
        reasoners={"extractive": reasoner, "scripted": reasoner},
        store=store or MemoryEventStore(clock),
        clock=clock,
        tokens=EstimatedTokens(),
        owner=OWNER,
        jitter=lambda: 0.5,
    )
    return replace(made, **more)


async def drive(made: World, first: RunStarted) -> Run:
    """Drive a new run to its end."""
    run = await Run.create(made, first)
    await run.drive()
    return run


def limit(run: Run, dimension: Dimension) -> int:
    """The run's limit in one dimension."""
    return dict(run.state.started.task.limits())[dimension]
