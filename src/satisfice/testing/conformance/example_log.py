"""Small logs and owners that show whether a store gives back what it was given."""

import json
import subprocess
import sys
from collections.abc import Sequence

from satisfice.core.access import Permission, Principal, Use
from satisfice.core.amounts import FREE, Amounts, Charge
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.facts import (
    Envelope,
    Fact,
    RunStarted,
    RunStopped,
    SearchFinished,
    SearchStarted,
    StopDecided,
    ThinkFinished,
    Thought,
)
from satisfice.core.ids import AccountName, BranchId, ClaimId, DocumentId, PassageId, ProposalId, RunId, SourceId
from satisfice.core.orders import Answer, BranchProposal, LookUpProposal, Search, Sentence, StopReason
from satisfice.core.passages import Handle, Link, Passage, Provenance, Span, quote_hash
from satisfice.core.policy import Policy
from satisfice.core.queries import Lineage, Query
from satisfice.core.sources import SourceProfile
from satisfice.core.tasks import TaskClass
from satisfice.ports.event_store import Owner

RUN = RunId("run-1")
TTL_MS = 1_000
HIDDEN = "the moon base opens on Friday"
AWKWARD = "lone \ud800 surrogate, \x00, \u2028, \U0001f600, \"quoted\\\" and 'single'"


def owner(name: str) -> Owner:
    """An owner on some other host: only its lease says whether it is still there."""
    return Owner(host="elsewhere", pid=1, started="then", token=name)


def started(run: RunId = RUN, *, tenant: str = "acme", question: str = "When?") -> RunStarted:
    """A first fact."""
    principal = Principal("ana", tenant, frozenset({"eu", "staff"}), (("role", "admin"),))
    sources = (SourceProfile(SourceId("handbook"), "The handbook"),)
    return RunStarted(run, question, principal, TaskClass("policy"), Policy(), sources, "2030-01-01T00:00:00Z")


def passage(name: str, document: str, text: str) -> Passage:
    """A passage with every kind of value in it."""
    provenance = Provenance(
        SourceId("handbook"),
        DocumentId(document),
        uri=f"{document}.md",
        title=f"{text} (title)",
        start=0,
        end=len(text),
        headings=(f"{text} (heading)",),
        lines=(1, 3),
        permission=Permission("acme", frozenset({"staff"}), frozenset({Use.READ, Use.QUOTE})),
    )
    return Passage(PassageId(name), text, provenance, quote_hash(text), 9, (2**63, 1, 2), "minhash")


def whole_run(run: RunId = RUN) -> list[Fact]:
    """A short run that looks at two documents, `open` and `secret`."""
    about, hidden = passage("p-open", "open", AWKWARD), passage("p-secret", "secret", HIDDEN)
    search = Search(
        Query("opening", SourceId("handbook"), weights=(("open", 0.1 + 0.2),)),
        Lineage(claim=ClaimId("c1")),
        BranchId("main"),
        AccountName("run"),
        Charge(Amounts(queries=1, cost_microusd=2**70), sources=("handbook",)),
    )
    found = SearchFinished(
        (about, hidden),
        (
            Handle(about.id, DocumentId("open"), "Open", 1e-300, matched=("open",)),
            Handle(hidden.id, DocumentId("secret"), HIDDEN, 0.5, links=(Link(about.id, 0.5, ("moon",)),)),
        ),
        search.ceiling,
    )
    span = Span(hidden.id, 0, len(HIDDEN))
    answer = Answer((Sentence(f"{HIDDEN}.", (span,)), Sentence("Nothing else is known.")), (f"dropped: {HIDDEN}",))
    thought = Thought(
        evidence=(Evidence(ClaimId("c1"), span, quote_hash(HIDDEN), Stance.SUPPORTS, 0.9, value=HIDDEN),),
        judgements=(Judgement(ClaimId("c1"), 1 / 3),),
        judged=(about.id, hidden.id),
        proposals=(
            LookUpProposal(ProposalId("a"), SourceId("handbook"), (about.id,)),
            BranchProposal(ProposalId("b"), (ClaimId("c1"),), 0.5),
        ),
        answer=answer,
        notes=(f"read: {HIDDEN}",),
    )
    return [
        started(run),
        SearchStarted(search),
        found,
        ThinkFinished(thought, FREE, "extractive"),
        StopDecided(StopReason.SUFFICIENT),
        RunStopped(StopReason.SUFFICIENT, answer),
    ]


def placed(facts: Sequence[Fact], *, after: int = 0, epoch: int = 1) -> list[Envelope]:
    """Facts in envelopes, numbered on from `after`."""
    return [
        Envelope(seq, 10 * seq, epoch, fact, order=seq % 3, branch=BranchId(f"branch {seq % 2}"))
        for seq, fact in enumerate(facts, after + 1)
    ]


def ended_process() -> Owner:
    """The owner that a process of this host was, which is over."""
    told = subprocess.run(  # noqa: S603 - the command is our own, run by the interpreter that runs this
        [sys.executable, "-c", _TELL], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return Owner(**json.loads(told))


_TELL = """
import dataclasses, json
from satisfice.adapters.event_stores.processes import current_owner
print(json.dumps(dataclasses.asdict(current_owner())))
"""
