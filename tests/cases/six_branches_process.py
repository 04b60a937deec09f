"""A process with one run of six branches on a state file. Run by the tests of O-26.

    python six_branches_process.py die|whole|resume FILE CALLS LIMIT

Every search that is performed is written to CALLS before anything else happens. `die` kills itself once branches 2, 3, 5
and 6 are on record, while 1 and 4 hang. The others go to the end and say what came of it as JSON, or what went wrong.
"""

import asyncio
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.processes import current_owner
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.access import Principal
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.facts import Envelope, RunStarted, SearchFinished
from satisfice.core.ids import ClaimId, ProposalId, RunId
from satisfice.core.orders import BranchProposal
from satisfice.core.policy import Policy
from satisfice.core.queries import Query
from satisfice.errors import SatisficeError
from satisfice.ports.retriever import MAX_HANDLES, Hits
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.runtime.resuming import resume
from satisfice.testing.bench import planned, reasoner, steps_taken
from satisfice.testing.building import passage, started, supports_by_text, world
from satisfice.testing.scripted import Reply, ScriptedRetriever

NAMES = ("one", "two", "three", "four", "five", "six")
HANGING = ("one", "four")
RUN = RunId("r1")


class Kept(ScriptedRetriever):
    """Writes each call down before it is performed."""

    def __init__(self, calls: Path, *, hang: bool, clock: SystemClock) -> None:
        replies = {name: Reply((passage(f"p-{name}", f"{name} is it"),), delay_ms=50) for name in NAMES}
        super().__init__({**replies, **{name: Reply(delay_ms=60_000) for name in HANGING if hang}}, clock=clock)
        self._calls_file = calls

    async def search(self, query: Query, principal: Principal, *, limit: int, handles: int = MAX_HANDLES) -> Hits:
        handle = os.open(self._calls_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{query.text}\n".encode())
        os.fsync(handle)
        os.close(handle)
        return await super().search(query, principal, limit=limit, handles=handles)


class Killer:
    """Ends the process once four searches are durable."""

    def __init__(self) -> None:
        self._finished = 0

    def observe(self, run: RunId, envelope: Envelope) -> None:
        self._finished += isinstance(envelope.fact, SearchFinished)
        if self._finished == 4:
            os.kill(os.getpid(), signal.SIGKILL)


def first(retriever: ScriptedRetriever, limit: int) -> RunStarted:
    made = started(" ".join(NAMES), run=RUN, retrievers=[retriever], budget={"queries": limit, "branches": 6})
    return replace(made, policy=Policy(max_in_flight=6))


async def main(what: str, path: Path, calls: Path, limit: int) -> None:
    clock, file = SystemClock(), StateFile(path)
    retriever = Kept(calls, hang=what == "die", clock=clock)
    claims = [Claim(ClaimId(f"c{number}"), name, name) for number, name in enumerate(NAMES, start=1)]
    plan = planned(claims=claims, proposals=[BranchProposal(ProposalId(""), (claim.id,)) for claim in claims])
    thinking = reasoner(
        plan, lambda view: supports_by_text(view, {f"{claim.text} is it": claim.id for claim in claims})
    )
    made = world(clock, [retriever], thinking, store=SqliteEventStore(file, clock), owner=current_owner())
    made = replace(made, observers=[Killer()] if what == "die" else [])
    try:
        run = await (resume(made, RUN) if what == "resume" else Run.create(made, first(retriever, limit)))
        if not run.done:
            await run.drive()
        print(json.dumps(told(run)))
    except SatisficeError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}))
    await file.close()


def told(run: Run) -> dict[str, object]:
    report = run.report()
    return {
        "answer": report.answer,
        "stop": report.stop,
        "denied": report.denied.dimension if report.denied else None,
        "gaps": [gap.claim_id for gap in report.gaps],
        "evidence": sorted(item.span.passage_id for item in report.evidence),
        "queries": run.state.accounts.spent(ROOT)[Dimension.QUERIES],
        "steps": run.state.accounts.spent(ROOT)[Dimension.STEPS],
        "steps_taken": steps_taken(run),
        "attempts": {query.text: query.attempts for query in report.queries},
        "unknown": [e.branch for e in run.log if getattr(e.fact, "why", "") == "outcome unknown"],
        "differences": len(verify(run.log).differences),
    }


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])))
