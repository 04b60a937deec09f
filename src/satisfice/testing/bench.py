"""The bench of the public cases: a reasoner that plans once and judges by a function, and what must hold in every run."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from satisfice.core.amounts import SUMS, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.facts import Thought
from satisfice.core.orders import Proposal, Step
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.testing.building import quoting, retrieve
from satisfice.testing.scripted import ScriptedReasoner, ScriptedRetriever

Judge = Callable[[View], Thought]


def reasoner(plan: Thought, judge: Judge) -> ScriptedReasoner:
    """Plans once, judges every time, and writes what is supported."""

    def think(steps: Sequence[Step], view: View) -> Thought:
        if Step.PLAN in steps:
            return plan
        if Step.WRITE in steps:
            judged = judge(view) if Step.JUDGE in steps else Thought()
            known = replace(view, evidence=(*view.evidence, *judged.evidence))
            return Thought(evidence=judged.evidence, judgements=judged.judgements, answer=quoting(known))
        return judge(view)

    return ScriptedReasoner(think)


def planned(*, claims: Sequence[Claim] = (), proposals: Sequence[Proposal] = ()) -> Thought:
    """A plan that searches, with all that the class allows."""
    return Thought(classification=retrieve(), claims=tuple(claims), proposals=tuple(proposals))


def assert_sound(run: Run, *retrievers: ScriptedRetriever) -> None:
    """Within every limit in the log and in the world, spending as seen, decisions repeatable, nothing left running."""
    state = run.state
    assert state.stopped is not None
    limits = state.started.task.limits()
    spent = state.accounts.spent(ROOT)
    for dimension in (*SUMS, Dimension.UNIQUE_QUERIES, Dimension.SOURCES):
        assert spent[dimension] <= limits[dimension], dimension
    searches = sum(len(r.calls) for r in retrievers)
    assert spent[Dimension.QUERIES] == searches
    assert verify(run.log).differences == ()
    assert all(r.running == 0 for r in retrievers)
    report = run.report()
    assert report.stop is not None
    assert (report.answer is None) == (not report.sentences)
