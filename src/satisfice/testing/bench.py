"""The bench of the public cases: a reasoner that plans once and judges by a function, and what must hold in every run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from satisfice.core.access import may_read
from satisfice.core.amounts import SUMS, Amounts, Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.evolve import begin, evolve
from satisfice.core.facts import (
    BranchOpened,
    LookUpFinished,
    LookUpStarted,
    OrderDenied,
    Route,
    RouteUpgraded,
    SearchFinished,
    SearchStarted,
    Started,
    Thought,
)
from satisfice.core.orders import Proposal, Step
from satisfice.core.passages import quote, quote_hash
from satisfice.ports.model import Completion, Message, Prompt
from satisfice.ports.reasoner import Unusable, View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.testing.building import quoting, retrieve
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ScriptedModel, ScriptedReasoner, ScriptedRetriever

GRACE_MS = 200
"""How long after its deadline a caller may wait for the report."""

MODEL = Route("scripted", "scripted-model", Amounts(model_calls=1, model_tokens=2_000, cost_microusd=8_000))
"""A route for reasoners made by `by_model`: one call, at most 2,000 tokens, at most 0.8 cents."""

Judge = Callable[[View], Thought]


def reasoner(plan: Thought, judge: Judge) -> ScriptedReasoner:
    """Plans once, judges every time, and writes what is supported."""
    return ScriptedReasoner(lambda steps, view: _thought(plan, judge, steps, view))


def by_model(plan: Thought, judge: Judge) -> ScriptedReasoner:
    """The same, each thought at the price of a call. The model's words do not matter, but it must say something."""

    def ask(steps: Sequence[Step], view: View) -> Prompt:
        return Prompt((Message("user", f"{' '.join(steps)}: {view.question}"),), 100)

    def read(steps: Sequence[Step], view: View, completion: Completion) -> Thought | Unusable:
        return _thought(plan, judge, steps, view) if completion.text else Unusable("it said nothing")

    return ScriptedReasoner(ask, reads=read)


def _thought(plan: Thought, judge: Judge, steps: Sequence[Step], view: View) -> Thought:
    if Step.PLAN in steps:
        return plan
    if Step.WRITE in steps:
        judged = judge(view) if Step.JUDGE in steps else Thought()
        latest = {(item.claim_id, item.span): item for item in (*view.evidence, *judged.evidence)}
        known = replace(view, evidence=tuple(latest.values()))
        return Thought(evidence=judged.evidence, judgements=judged.judgements, answer=quoting(known))
    return judge(view)


def planned(*, claims: Sequence[Claim] = (), proposals: Sequence[Proposal] = ()) -> Thought:
    """A plan that searches, with all that the class allows."""
    return Thought(classification=retrieve(), claims=tuple(claims), proposals=tuple(proposals))


# --- what must hold in every run -----------------------------------------------------------------------------------


def assert_sound(run: Run, *doubles: ScriptedRetriever | ScriptedModel) -> None:
    """Within every limit in the log and in the world, spending as seen, decisions repeatable, nothing lost or left running.

    `doubles` are all that the run could reach, each used by no other run.
    """
    assert run.state.stopped is not None
    _assert_spending(run, doubles)
    _assert_time(run)
    _assert_nothing_lost(run)
    _assert_nothing_asked_twice(run)
    assert verify(run.log).differences == ()
    assert all(double.running == 0 for double in doubles)
    report = run.report()
    assert report.stop is not None
    assert (report.answer is None) == (not report.sentences)


def _assert_spending(run: Run, doubles: Sequence[ScriptedRetriever | ScriptedModel]) -> None:
    limits = run.state.started.task.limits()
    spent = run.state.accounts.spent(ROOT)
    if "overrun" not in run.state.flags:
        for dimension in (*SUMS, Dimension.UNIQUE_QUERIES, Dimension.SOURCES):
            assert spent[dimension] <= limits[dimension], dimension
    retrievers = [double for double in doubles if isinstance(double, ScriptedRetriever)]
    models = [double for double in doubles if isinstance(double, ScriptedModel)]
    assert spent[Dimension.QUERIES] == sum(len(r.calls) for r in retrievers)
    assert spent[Dimension.MODEL_CALLS] == sum(len(m.prompts) for m in models)
    returned = [e.fact for e in run.log if isinstance(e.fact, SearchFinished | LookUpFinished)]
    paid = sum(fact.charge.amounts.documents for fact in returned)
    assert paid == len({p.id for fact in returned for p in fact.passages}), "every passage is paid for once"
    assert spent[Dimension.STEPS] == steps_taken(run)
    shown = {line.dimension: line.spent for line in run.report().spent}
    assert shown == {**spent, Dimension.WALL_CLOCK_MS: run.state.now_ms}


def steps_taken(run: Run) -> int:
    """Every order performed, retried or refused, every opened branch and upgrade; a refusal without a step left is free."""
    state, steps = begin(run.log[0]), 0
    for envelope in run.log[1:]:
        fact = envelope.fact
        if isinstance(fact, OrderDenied):
            steps += state.accounts.left(state.branches[envelope.branch].account)[Dimension.STEPS] > 0
        elif isinstance(fact, RouteUpgraded):
            given_back = state.accounts.close(state.main.account)
            steps += given_back.left(ROOT)[Dimension.STEPS] > 0
        elif isinstance(fact, Started | BranchOpened):
            steps += 1
        state = evolve(state, envelope)
    return steps


def _assert_time(run: Run) -> None:
    limit = run.state.started.task.limits()[Dimension.WALL_CLOCK_MS]
    times = [envelope.at_ms for envelope in run.log]
    assert times == sorted(times)
    assert [envelope.seq for envelope in run.log] == list(range(1, len(run.log) + 1))
    assert times[-1] <= limit + GRACE_MS
    assert all(e.at_ms < limit for e in run.log if isinstance(e.fact, SearchStarted | LookUpStarted))


def _assert_nothing_asked_twice(run: Run) -> None:
    """What the world said no to is not asked for again before anything else happened."""
    denied = [e.fact.order if isinstance(e.fact, OrderDenied) else None for e in run.log]
    assert not any(order is not None and order == following for order, following in pairwise(denied))


def _assert_nothing_lost(run: Run) -> None:
    """What came back and may be read is held; what was judged is there or names no exact place; citations are exact."""
    ledger, principal = run.state.ledger, run.state.started.principal
    for envelope in run.log:
        if isinstance(envelope.fact, SearchFinished | LookUpFinished):
            found = [p for p in envelope.fact.passages if may_read(principal, p.provenance.permission)]
            assert all(p.id in ledger.passages for p in found)
    for item in ledger.all_evidence():
        assert quote_hash(quote(ledger.passages[item.span.passage_id], item.span)) == item.quote_hash
    report = run.report()
    for citation in report.citations:
        assert citation.quote == quote(ledger.passages[citation.span.passage_id], citation.span)


async def assert_quiet(clock: FakeClock, *doubles: ScriptedRetriever | ScriptedModel, ms: int = 20_000) -> None:
    """Let time pass, in which nothing new may be called and everything must come to rest."""
    before = [_calls(double) for double in doubles]
    await clock.advance(ms)
    assert [_calls(double) for double in doubles] == before
    assert all(double.running == 0 for double in doubles)


def _calls(double: ScriptedRetriever | ScriptedModel) -> int:
    if isinstance(double, ScriptedModel):
        return len(double.prompts)
    return len(double.calls) + len(double.looked_up)
