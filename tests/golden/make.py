"""Makes the stored logs and what they come to, from scripted runs on a fake clock. Run it after a wanted change.

    python tests/golden/make.py            writes logs/NAME.jsonl and logs/NAME.json
    python tests/golden/make.py show       prints what the stored logs come to, and the logs that would be made now

A line of a log is one fact: its place, and the fact as every store writes it. A change of what is decided shows here as a
difference before it shows anywhere else.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from satisfice.adapters.event_stores.codec import decode, encode
from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.core.access import Permission, Principal
from satisfice.core.claims import AnswerType, Claim
from satisfice.core.evidence import Judgement
from satisfice.core.evolve import fold
from satisfice.core.facts import SCHEMA_VERSION, Envelope, PersonAnswered, PersonVerdict, RunStarted, Thought, kind
from satisfice.core.ids import BranchId, ClaimId, ProposalId
from satisfice.core.orders import BranchProposal, LookUpProposal
from satisfice.core.report import RunReport, report
from satisfice.errors import RetrieverError
from satisfice.ports.event_store import Owner
from satisfice.ports.model import Completion, Usage
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import MODEL, by_model, planned, reasoner
from satisfice.testing.building import DOCS, OWNER, drive, evidence, passage, search, started, supports_by_text, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever, without_text

LOGS = Path(__file__).with_name("logs")
CLAIMS = tuple(Claim(ClaimId(key), text, text) for key, text in (("a", "alpha"), ("b", "beta"), ("c", "gamma")))
QUESTION = "What are alpha, beta and gamma?"
TABLE = {"alpha is 1": "a", "beta is 2": "b", "gamma is 3": "c"}
TAGS = frozenset({"eu", "staff", "finance", "legal"})
OPEN_TO_SOME = Permission("acme", frozenset({"eu", "finance", "board"}))
SOME_OF_ACME = Principal("ana", "acme", TAGS, (("region", "eu"),))

# --- bench ---------------------------------------------------------------------------------------------------------


def docs(clock: FakeClock, replies: Mapping[str, Reply | Sequence[Reply]], **more: Any) -> ScriptedRetriever:
    return ScriptedRetriever(replies, clock=clock, **more)


def judge(view: View) -> Thought:
    return supports_by_text(view, TABLE)


def page(name: str, text: str, delay_ms: int = 20, **more: Any) -> Reply:
    return Reply((passage(name, text, **more),), delay_ms=delay_ms)


def modelled(made: World, clock: FakeClock, plan: Thought, thinks: Callable[[View], Thought]) -> World:
    """The same world with a model behind the route that thinks and writes."""
    reply = ModelReply(Completion("ok", Usage(300, 40)), delay_ms=30)
    model = ScriptedModel([reply], clock=clock)
    return replace(made, models={"scripted": model}, reasoners={**made.reasoners, "scripted": by_model(plan, thinks)})


# --- the runs ------------------------------------------------------------------------------------------------------


async def sufficient(clock: FakeClock) -> Run:
    """A model plans, judges and writes; a search is retried, and a linked passage is read."""
    linked = passage("p-beta-2", "beta is 2", permission=OPEN_TO_SOME)
    busy = Reply(error=RetrieverError("docs", "busy", retryable=True), delay_ms=5)
    source = docs(
        clock,
        {
            "alpha": [busy, page("p-alpha", "alpha is 1", permission=OPEN_TO_SOME)],
            "beta": page("p-beta", "see elsewhere", permission=OPEN_TO_SOME),
        },
        links={"beta": [without_text(linked)]},
    )
    source.add([linked])

    def thinks(view: View) -> Thought:
        read = LookUpProposal(ProposalId(""), DOCS, (linked.id,), ClaimId("b"))
        return replace(judge(view), proposals=(read,))

    plan = planned(claims=CLAIMS[:2], proposals=[search("alpha", "a"), search("beta", "b")])
    first = started(QUESTION, run="sufficient", retrievers=[source], principal=SOME_OF_ACME, routes=(MODEL,))
    made = modelled(world(clock, [source], reasoner(plan, thinks)), clock, plan, thinks)
    return await drive(made, replace(first, writer="scripted", history=("Hello.", "Hi.")))


async def budget_exhausted(clock: FakeClock) -> Run:
    """Two queries for three claims, and a search that repeats one in other words."""
    source = docs(clock, {"alpha": page("p-alpha", "alpha is 1"), "beta": page("p-beta", "beta is unknown")})
    looks = [search("alpha", "a"), search("beta", "b"), search("gamma", "c"), search("Beta?", "b")]
    plan = planned(claims=CLAIMS, proposals=looks)
    first = started(QUESTION, run="budget-exhausted", retrievers=[source], budget={"queries": 2})
    return await drive(world(clock, [source], reasoner(plan, judge)), first)


async def conflict(clock: FakeClock) -> Run:
    """Two official sources of one date disagree; nothing settles it."""
    limit = Claim(ClaimId("limit"), "upload limit", "upload limit", expects=AnswerType.NUMBER)
    found = {
        "s1": passage("s1", "The upload limit is 100 MB.", published_at="2029-03-01"),
        "s2": passage("s2", "The upload limit is 250 MB.", published_at="2029-03-01"),
    }
    values = {"s1": ("100 MB", "100"), "s2": ("250 MB", "250")}

    def weighs(view: View) -> Thought:
        items = [evidence("limit", p, values[p.id][0], value=values[p.id][1], unit="mb") for p in view.passages]
        return Thought(
            evidence=tuple(items),
            judgements=(Judgement(ClaimId("limit"), 1.0 if items else 0.0),),
            judged=tuple(p.id for p in view.passages),
        )

    source = docs(clock, {"upload limit": Reply(tuple(found.values()), delay_ms=20)})
    plan = planned(claims=[limit], proposals=[search("upload limit", "limit")])
    first = started("What is the upload limit?", run="conflict", retrievers=[source])
    return await drive(world(clock, [source], reasoner(plan, weighs)), first)


def branching(clock: FakeClock) -> tuple[ScriptedRetriever, World, RunStarted]:
    """Three branches; gamma's passage is found by beta's search, and alpha's search fails for good."""
    down = Reply(error=RetrieverError("docs", "gone"), delay_ms=10)
    both = page("p-both", "beta is 2 and gamma is 3", delay_ms=15)
    source = docs(clock, {"alpha": down, "beta": both, "gamma": Reply(delay_ms=25)})
    opened = [BranchProposal(ProposalId(""), (claim.id,), goal=claim.text) for claim in CLAIMS]
    plan = planned(claims=CLAIMS, proposals=opened)
    first = started(QUESTION, run="branches", retrievers=[source], budget={"queries": 9, "branches": 3})
    return source, world(clock, [source], reasoner(plan, judge)), first


async def branches(clock: FakeClock) -> Run:
    _, made, first = branching(clock)
    return await drive(made, first)


async def crash_and_resume(clock: FakeClock) -> Run:
    """The process goes away while all three searches are out; another one goes on."""
    _, made, first = branching(clock)
    made = replace(made, store=MemoryEventStore(clock))
    run = await Run.create(made, replace(first, run="crash-and-resume"))
    driving = asyncio.ensure_future(run.drive())
    await clock.advance(5)
    driving.cancel()
    await asyncio.wait([driving])
    await clock.advance(60_000)
    again = await resume(replace(made, owner=Owner("elsewhere", 2, "boot", "two")), run.id)
    await again.drive()
    return again


async def cancelled(clock: FakeClock) -> Run:
    """Cancelled between a search that came back and one that did not."""
    source = docs(clock, {"alpha": page("p-alpha", "alpha is 1"), "beta": Reply(delay_ms=9_000)})
    plan = planned(claims=CLAIMS[:2], proposals=[search("alpha", "a"), search("beta", "b")])
    run = await Run.create(
        world(clock, [source], reasoner(plan, judge)), started(QUESTION, run="cancelled", retrievers=[source])
    )
    driving = asyncio.ensure_future(run.drive())
    await clock.advance(500)
    run.cancel("ana")
    await driving
    return run


async def pause(clock: FakeClock) -> Run:
    """Two readings: the run waits for a person for a day, and goes on with the one that was chosen."""
    readings = ("alpha in the north", "alpha in the south")

    def unsure(view: View) -> Thought:
        if view.question == readings[0]:
            return supports_by_text(view, {"the north has alpha 1": "c1"})
        return Thought(judgements=tuple(Judgement(c.id, 0.2, ambiguous=readings) for c in view.claims))

    source = docs(clock, {}, otherwise=page("p-north", "the north has alpha 1"))
    plan = planned(proposals=[search("alpha", "c1")])
    made = world(clock, [source], reasoner(plan, unsure), store=MemoryEventStore(clock), owner=OWNER)
    run = await drive(made, started("alpha", run="pause", retrievers=[source], attended=True))
    await clock.advance(86_400_000)
    again = await resume(made, run.id, PersonAnswered(PersonVerdict.READING, readings[0], "ana"))
    await again.drive()
    return again


RUNS: Mapping[str, Callable[[FakeClock], Awaitable[Run]]] = {
    made.__name__: made
    for made in (sufficient, budget_exhausted, conflict, branches, crash_and_resume, cancelled, pause)
}


# --- logs and what they come to ------------------------------------------------------------------------------------


def made_now(name: str) -> list[str]:
    """The lines of a log made by the code as it is."""

    async def run() -> Run:
        clock = FakeClock()
        async with clock.running():
            return await RUNS[name](clock)

    return [to_line(envelope) for envelope in asyncio.run(run()).log]


def stored(name: str) -> list[Envelope]:
    """A stored log."""
    return [of_line(line) for line in (LOGS / f"{name}.jsonl").read_text().splitlines()]


def to_line(envelope: Envelope) -> str:
    place = {"seq": envelope.seq, "at_ms": envelope.at_ms, "epoch": envelope.epoch, "order": envelope.order}
    fact = json.loads(encode(envelope.fact))
    named = {**place, "branch": envelope.branch, "kind": kind(envelope.fact), "schema": SCHEMA_VERSION, "fact": fact}
    return json.dumps(named, ensure_ascii=False, separators=(",", ":"))


def of_line(line: str) -> Envelope:
    read = json.loads(line)
    fact = decode(read["kind"], read["schema"], json.dumps(read["fact"]).encode())
    return Envelope(read["seq"], read["at_ms"], read["epoch"], fact, read["order"], BranchId(read["branch"]))


def comes_to(log: Sequence[Envelope]) -> dict[str, Any]:
    """What folding, reporting and deciding again give."""
    verified = verify(log)
    return {
        "report": told(report(fold(log))),
        "facts": verified.facts,
        "decisions": verified.decisions,
        "differences": [str(difference) for difference in verified.differences],
    }


def told(made: RunReport) -> dict[str, Any]:
    """The parts of a report that a caller reads, as plain data."""
    return {
        "question": made.question,
        "answer": made.answer,
        "sentences": [[s.text, list(s.citations), list(s.claims)] for s in made.sentences],
        "citations": [[c.number, c.span.passage_id, c.quote] for c in made.citations],
        "claims": [[c.claim.id, c.status, c.support, len(c.evidence), len(c.contradictions)] for c in made.claims],
        "gaps": [[gap.claim_id, gap.kind] for gap in made.gaps],
        "conflicts": [[c.claim_id, c.kind, c.resolved, len(c.sides)] for c in made.conflicts],
        "evidence": [
            [e.claim_id, e.span.passage_id, e.span.start, e.span.end, e.stance, e.value] for e in made.evidence
        ],
        "passages": list(made.passages),
        "spent": {line.dimension: [line.spent, line.limit] for line in made.spent},
        "branches": [[b.branch, b.goal, {d: n for d, n in b.spent.items() if n}] for b in made.branches],
        "stop": [made.stop, made.detail, list(made.also), made.outcome],
        "denied": [made.denied.dimension, made.denied.asked, made.denied.left] if made.denied else None,
        "queries": [[q.text, q.source, q.reason, q.status, q.new, q.attempts, list(q.passages)] for q in made.queries],
        "refused": [[d.branch, d.refusal.kind, d.refusal.detail] for d in made.denials],
        "flags": list(made.flags),
        "notes": list(made.notes),
        "dropped": list(made.dropped),
        "duration_ms": made.duration_ms,
    }


def write() -> None:
    LOGS.mkdir(exist_ok=True)
    for name in RUNS:
        lines = made_now(name)
        (LOGS / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        found = comes_to([of_line(line) for line in lines])
        (LOGS / f"{name}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{name}: {len(lines)} facts, {found['report']['stop'][0]}")


def show() -> None:
    print(json.dumps({name: {"comes_to": comes_to(stored(name)), "made_now": made_now(name)} for name in RUNS}))


if __name__ == "__main__":
    show() if sys.argv[1:] == ["show"] else write()
