"""A process that kills children at every boundary of a run, and lets others go on with what they left. Run by the test beside it.

    python run_kill_process.py FOLDER roomy|tight

A boundary lies before and after every append to the log and every call of a source or a model. Child number n is killed
at its n-th boundary, until one comes through unharmed. What each came to is said as JSON, a line each.

The world writes every call it performs to a file of its own, synced to the disk, before anything else happens. A source
fails the first time it is asked for alpha, ever, so that retries are killed as well.
"""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.processes import current_owner
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.access import Principal
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement
from satisfice.core.facts import Abandoned, Envelope, Failed, Finished, RunStarted, SearchStarted, ThinkStarted, Thought
from satisfice.core.ids import ClaimId, PassageId, ProposalId, RunId
from satisfice.core.orders import BranchProposal, LookUpProposal
from satisfice.core.passages import Passage
from satisfice.core.policy import Policy
from satisfice.core.queries import Query
from satisfice.errors import RetrieverError, SatisficeError
from satisfice.ports.model import Completion, Prompt
from satisfice.ports.reasoner import View
from satisfice.ports.retriever import MAX_HANDLES, Hits
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import MODEL, by_model, planned, reasoner, steps_taken
from satisfice.testing.building import DOCS, evidence, passage, search, started, world
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedRetriever, without_text

RUN = RunId("r1")
CLAIMS = [Claim(ClaimId(key), text, text) for key, text in (("a", "alpha"), ("b", "beta"), ("c", "gamma"))]
SETTLES = {"alpha is 1": "a", "beta is 2": "b", "gamma is 3": "c"}
LINKED = passage("p-beta-2", "beta is 2")
PAGES = {
    "alpha": Reply((passage("p-alpha", "alpha is 1"),)),
    "beta": Reply((passage("p-beta", "see elsewhere for beta"),)),
    "gamma": Reply((passage("p-gamma-1", "gamma is unknown"),)),
    "gamma rules": Reply((passage("p-gamma", "gamma is 3"),)),
}
BUDGETS = {"roomy": {}, "tight": {"queries": 5, "model_calls": 5}}
"""What an uninterrupted run takes is exactly what the tight one allows."""


# --- dying ---------------------------------------------------------------------------------------------------------


class Boundaries:
    """Counts boundaries, and kills the process at one of them."""

    def __init__(self, kill_at: int) -> None:
        self._left = kill_at

    def at(self, _: str) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(SqliteEventStore):
    """May die before an append, and after it is durable."""

    boundaries: Boundaries

    async def append(self, run: RunId, facts: Sequence[Envelope], expected: int, epoch: int) -> None:
        self.boundaries.at("before append")
        await super().append(run, facts, expected, epoch)
        self.boundaries.at("after append")


@dataclass
class WorldFile:
    """What the world performed, a line each, and where a process may die around it."""

    path: Path
    boundaries: Boundaries

    def perform(self, what: str) -> int:
        """How often the same was performed before."""
        self.boundaries.at(f"before {what}")
        before = self.lines().count(what)
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{what}\n".encode())
        os.fsync(handle)
        os.close(handle)
        self.boundaries.at(f"after {what}")
        return before

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []


class Docs(ScriptedRetriever):
    world_file: WorldFile

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        if not self.world_file.perform(f"search {query.text}") and query.text == "alpha":
            raise RetrieverError("docs", "busy", retryable=True, retry_after_ms=1)
        return await super().search(query, principal, limit=limit, handles=handles)

    async def look_up(self, ids: Sequence[PassageId], principal: Principal) -> Sequence[Passage]:
        self.world_file.perform(f"read {' '.join(ids)}")
        return await super().look_up(ids, principal)


class Paid(ScriptedModel):
    world_file: WorldFile

    async def complete(self, prompt: Prompt) -> Completion:
        self.world_file.perform("model")
        return await super().complete(prompt)


# --- the run -------------------------------------------------------------------------------------------------------


def judged(view: View) -> Thought:
    """By table. What is said of beta is read elsewhere; gamma needs a second search, on its branch."""
    found = [
        evidence(claim, held, text)
        for held in view.passages
        for text, claim in SETTLES.items()
        if text in held.text and any(c.id == claim for c in view.claims)
    ]
    supported = {item.claim_id for item in found}
    held_ids = {held.id for held in view.passages}
    mine = {claim.id for claim in view.claims}
    proposals = []
    if "b" in mine and "p-beta" in held_ids and LINKED.id not in held_ids:
        proposals.append(LookUpProposal(ProposalId(""), DOCS, (LINKED.id,), ClaimId("b")))
    if "c" in mine and "p-gamma-1" in held_ids and "p-gamma" not in held_ids:
        proposals.append(search("gamma rules", "c", depth=1))
    return Thought(
        evidence=tuple(found),
        judgements=tuple(Judgement(c.id, 1.0 if c.id in supported else 0.0) for c in view.claims),
        judged=tuple(held_ids),
        proposals=tuple(proposals),
    )


def first(budget: str, retriever: ScriptedRetriever) -> RunStarted:
    made = started("alpha beta gamma rules", run=RUN, retrievers=[retriever], budget=BUDGETS[budget], routes=(MODEL,))
    return replace(made, writer="scripted", policy=Policy(max_rounds_without_progress=9, max_attempts=9))


def build(folder: Path, file: StateFile, kill_at: int) -> tuple[World, Docs]:
    clock, boundaries = SystemClock(), Boundaries(kill_at)
    world_file = WorldFile(folder / "calls", boundaries)
    docs = Docs(PAGES, clock=clock, links={"beta": [without_text(LINKED)]})
    docs.add([LINKED])
    model = Paid([ModelReply(Completion("ok"))], clock=clock)
    store = DyingStore(file, clock)
    docs.world_file = model.world_file = world_file
    store.boundaries = boundaries
    looks = [search("alpha", "a"), search("beta", "b"), BranchProposal(ProposalId(""), (ClaimId("c"),), 0.5)]
    plan = planned(claims=CLAIMS, proposals=looks)
    made = world(clock, [docs], reasoner(plan, judged), store=store, owner=current_owner(), models={"scripted": model})
    return replace(made, reasoners={**made.reasoners, "scripted": by_model(plan, judged)}), docs


async def leg(folder: Path, budget: str, kill_at: int) -> None:
    """One stretch of the run: the first, or the next; to its end or its death. What it came to is written to a file."""
    file = StateFile(folder / "state.db")
    made, docs = build(folder, file, kill_at)
    try:
        known = bool(await made.store.list())
        run = await (resume(made, RUN) if known else Run.create(made, first(budget, docs)))
        if not run.done:
            await run.drive()
        said = told(run, folder)
    except SatisficeError as error:
        said = {"error": type(error).__name__, "message": str(error)}
    (folder / f"said-{os.getpid()}").write_text(json.dumps(said))
    await file.close()


def told(run: Run, folder: Path) -> dict[str, object]:
    report, spent = run.report(), run.state.accounts.spent(ROOT)
    lines = WorldFile(folder / "calls", Boundaries(0)).lines()
    paid = [e for e in run.log if isinstance(e.fact, ThinkStarted) and e.fact.order.by == "scripted"]
    searches = [e for e in run.log if isinstance(e.fact, SearchStarted)]
    return {
        "answer": report.answer,
        "stop": report.stop,
        "gaps": [gap.claim_id for gap in report.gaps],
        "evidence": [item.span.passage_id for item in report.evidence],
        "queries": spent[Dimension.QUERIES],
        "model_calls": spent[Dimension.MODEL_CALLS],
        "steps": [spent[Dimension.STEPS], steps_taken(run)],
        "searches_seen": sum(line.startswith("search ") for line in lines),
        "models_seen": lines.count("model"),
        "searches_back": _back(run, {e.order for e in searches}),
        "models_back": _back(run, {e.order for e in paid}),
        "unknown": sum(isinstance(e.fact, Abandoned) for e in run.log),
        "limits": [limit.limit for limit in report.spent if limit.dimension in {"queries", "model_calls"}],
        "legs": 1 + sum(type(e.fact).__name__ == "RunResumed" for e in run.log),
        "differences": len(verify(run.log).differences),
        "held": len(run.state.accounts.holds),
    }


def _back(run: Run, orders: set[int]) -> int:
    """Orders whose outcome is on record."""
    return sum(e.order in orders and isinstance(e.fact, Finished | Failed) for e in run.log)


# --- the children --------------------------------------------------------------------------------------------------


def in_child(work: Callable[[], None]) -> int:
    """Start a child; its pid."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - whatever it was, a child must not go on as its parent
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def ended(child: int) -> int:
    """Its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start(folder: Path, budget: str, kill_at: int = 0) -> int:
    return in_child(lambda: asyncio.run(leg(folder, budget, kill_at)))


def said(folder: Path, child: int) -> dict[str, object]:
    code = ended(child)
    assert code == 0, f"a child ended with {code}"
    return json.loads((folder / f"said-{child}").read_text())


def cut(folder: Path) -> None:
    """All of the state into one file, and half of it away."""
    with closing(sqlite3.connect(folder / "state.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = (folder / "state.db").read_bytes()
    (folder / "state.db").write_bytes(content[: len(content) // 2])


def killed_at(folder: Path, budget: str, boundary: int) -> dict[str, object] | None:
    """Kill at a boundary, and see what comes of it in every way; None when there is no such boundary.

    Every way starts from a copy of what the killed process left: going on, dying again on the way, two at once, and
    (for some boundaries) a damaged state.
    """
    folder.mkdir()
    child = start(folder, budget, boundary)
    if ended(child) != -signal.SIGKILL:
        return None
    again, twice, damaged = (folder.with_name(f"{folder.name}-{way}") for way in ("again", "twice", "damaged"))
    for copy in (again, twice, damaged):
        shutil.copytree(folder, copy)
    found: dict[str, object] = {"boundary": boundary, "resumed": said(folder, start(folder, budget))}
    if ended(start(again, budget, boundary // 2 + 1)) == -signal.SIGKILL:
        found["killed again"] = said(again, start(again, budget))
    if budget == "roomy":
        racers = [start(twice, budget), start(twice, budget)]
        found["raced"] = [said(twice, racer) for racer in racers]
    if boundary % 4 == 0 and budget == "roomy":
        cut(damaged)
        found["cut"] = said(damaged, start(damaged, budget))
    return found


def main(folder: Path, budget: str) -> None:
    whole = folder / "whole"
    whole.mkdir()
    print(json.dumps({"whole": said(whole, start(whole, budget))}), flush=True)
    boundary = 0
    while found := killed_at(folder / str(boundary := boundary + 1), budget, boundary):
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
