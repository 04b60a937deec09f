"""Laws of a run, over generated legal logs: whatever the world, the reasoner and the crashes do."""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satisfice.core.amounts import KINDS, SUMS, Charge, Dimension, Kind
from satisfice.core.budget import ROOT
from satisfice.core.decide import decide
from satisfice.core.evolve import begin, evolve, fold
from satisfice.core.facts import Envelope, RunStopped, SearchFinished, StopDecided
from satisfice.core.lineage import lineages
from satisfice.core.orders import LookUp, Search, Think
from satisfice.core.planning import reviewed
from satisfice.core.report import report
from satisfice.core.state import Branch, RunState
from satisfice.errors import IllegalFact
from satisfice.runtime.replaying import verify
from satisfice.testing.strategies import Simulated, logs

many = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def states(log: Simulated) -> list[RunState]:
    """The state after each fact."""
    found = [begin(log.envelopes[0])]
    for envelope in log.envelopes[1:]:
        found.append(evolve(found[-1], envelope))
    return found


def assert_within_limits(state: RunState) -> None:
    for account in state.accounts.accounts.values():
        for i, dimension in enumerate(SUMS):
            limit = account.sums[i]
            if limit is not None:
                assert account.settled[i] + account.held[i] <= limit, (account.name, dimension)
        for dimension, counted in (
            (Dimension.UNIQUE_QUERIES, account.unique_queries),
            (Dimension.SOURCES, account.sources),
        ):
            assert len(counted) <= account.limits.get(dimension, len(counted)), (account.name, dimension)
        depth, evidence_tokens, branches = account.reached
        assert depth <= account.limits.get(Dimension.REWRITE_DEPTH, depth)
        assert evidence_tokens <= account.limits.get(Dimension.EVIDENCE_TOKENS, evidence_tokens)
        assert max(branches, account.open_branches) <= account.limits.get(Dimension.BRANCHES, branches)
        if account.parent is not None:
            parent = state.accounts.accounts[account.parent]
            assert all(n <= parent.limits.get(d, n) for d, n in account.limits.items() if KINDS[d] is not Kind.SUM)


@many
@given(logs())
def test_no_account_ever_passes_a_limit_in_the_log(log: Simulated) -> None:
    for state in states(log):
        assert_within_limits(state)


@many
@given(logs())
def test_the_world_never_sees_more_than_the_limits(log: Simulated) -> None:
    limits = begin(log.envelopes[0]).started.task.limits()
    effects = [effect for effect, _ in log.effects]
    searches = [e for e in effects if isinstance(e, Search)]
    assert len(searches) <= limits[Dimension.QUERIES]
    assert len(effects) <= limits[Dimension.STEPS]
    assert len({s.query.identity() for s in searches}) <= limits[Dimension.UNIQUE_QUERIES]
    touched = {e.query.source for e in searches} | {e.source for e in effects if isinstance(e, LookUp)}
    assert len(touched) <= limits[Dimension.SOURCES]
    for dimension in SUMS:
        total = sum(getattr(charge.amounts, dimension) for _, charge in log.effects)
        assert total <= limits[dimension], dimension
    assert all(s.lineage.depth <= limits[Dimension.REWRITE_DEPTH] for s in searches)


@many
@given(logs())
def test_the_ledger_of_spending_equals_what_the_world_saw(log: Simulated) -> None:
    state = states(log)[-1]
    if state.stopped is None or state.round.flights:
        return
    spent = state.accounts.spent(ROOT)
    for dimension in SUMS:
        seen = sum(getattr(charge.amounts, dimension) for _, charge in log.effects)
        kinds = [type(e.fact).__name__ for e in log.envelopes]
        unperformed = sum(kinds.count(k) for k in ("OrderDenied", "BranchOpened", "RouteUpgraded"))
        refused = unperformed if dimension is Dimension.STEPS else 0
        assert seen <= spent[dimension] <= seen + refused, dimension


@many
@given(logs(overruns=True))
def test_a_provider_that_ignores_its_cap_is_booked_in_full_and_ends_the_run(log: Simulated) -> None:
    end = states(log)[-1]
    limits = end.started.task.limits()
    seen = sum(charge.amounts.model_tokens for _, charge in log.effects)
    over = [c.amounts.model_tokens - e.ceiling.amounts.model_tokens for e, c in log.effects]
    assert seen <= limits[Dimension.MODEL_TOKENS] + sum(max(0, n) for n in over)
    if log.overran and end.stopped is not None:
        assert "overrun" in end.flags


@many
@given(logs())
def test_nothing_starts_after_the_deadline_and_no_effect_needs_more_than_was_left(log: Simulated) -> None:
    before = begin(log.envelopes[0])
    for envelope in log.envelopes[1:]:
        order = getattr(envelope.fact, "order", None)
        if isinstance(order, Search | LookUp) and type(envelope.fact).__name__.endswith("Started"):
            assert before.now_ms < before.soft_deadline_ms()
        elif isinstance(order, Think) and type(envelope.fact).__name__.endswith("Started"):
            assert before.now_ms < before.deadline_ms()
        before = evolve(before, envelope)


@many
@given(logs(max_facts=400))
def test_every_run_stops(log: Simulated) -> None:
    assert isinstance(log.envelopes[-1].fact, RunStopped)


@many
@given(logs(max_facts=400))
def test_the_reason_is_decided_before_closing_and_kept_unless_sufficient_is_withdrawn(log: Simulated) -> None:
    decided = [e.fact for e in log.envelopes if isinstance(e.fact, StopDecided)]
    stopped = log.envelopes[-1].fact
    assert len(decided) == 1
    assert isinstance(stopped, RunStopped)
    assert stopped.reason == decided[0].reason or (decided[0].reason, stopped.reason) == ("SUFFICIENT", "NO_PROGRESS")


@many
@given(logs())
def test_nothing_follows_the_stop(log: Simulated) -> None:
    last = log.envelopes[-1]
    if not isinstance(last.fact, RunStopped):
        return
    state = fold(log.envelopes)
    for envelope in log.envelopes[1:]:
        with pytest.raises(IllegalFact):
            evolve(state, replace(envelope, seq=state.seq + 1))
    with pytest.raises(ValueError, match="nothing can follow"):
        decide(state)


@many
@given(logs())
def test_deciding_again_over_the_log_gives_the_same_orders(log: Simulated) -> None:
    assert verify(log.envelopes).differences == ()


@many
@given(logs(), st.data())
def test_folding_a_prefix_and_then_the_tail_equals_folding_all(log: Simulated, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(log.envelopes)))
    state = fold(log.envelopes[:cut])
    for envelope in log.envelopes[cut:]:
        state = evolve(state, envelope)
    assert state == fold(log.envelopes)


@many
@given(logs())
def test_what_is_derived_in_the_state_equals_its_recomputation(log: Simulated) -> None:
    for state in states(log)[::3]:
        assert reviewed(state).verdict == state.verdict
        assert dict(lineages(state.ledger.passages.values(), state.started.policy.near_duplicate)) == dict(
            state.ledger.lineage
        )


@many
@given(logs())
def test_there_is_no_citation_without_its_span_in_the_ledger(log: Simulated) -> None:
    end = states(log)[-1]
    for item in end.ledger.all_evidence():
        held = end.ledger.passages[item.span.passage_id]
        assert 0 <= item.span.start < item.span.end <= len(held.text)
    for citation in report(end).citations:
        held = end.ledger.passages[citation.span.passage_id]
        assert citation.quote == held.text[citation.span.start : citation.span.end]


@many
@given(logs(crashes=False))
def test_the_order_in_which_parallel_outcomes_arrive_changes_nothing(log: Simulated) -> None:
    """Within a round, swap neighbouring outcomes: the state once the round is over is the same."""
    for i in range(1, len(log.envelopes) - 1):
        first, second = log.envelopes[i], log.envelopes[i + 1]
        if not (_outcome(first) and _outcome(second)) or first.order == second.order:
            continue
        before = fold(log.envelopes[:i])
        now = second.at_ms
        usual = evolve(evolve(before, replace(first, at_ms=now)), second)
        swapped = evolve(evolve(before, replace(second, seq=first.seq)), replace(first, seq=second.seq, at_ms=now))
        if not usual.round.flights:
            assert usual == swapped


def _outcome(envelope: Envelope) -> bool:
    return type(envelope.fact).__name__.endswith(("Finished", "Failed", "Abandoned"))


@many
@given(logs())
def test_a_report_can_be_made_at_every_moment(log: Simulated) -> None:
    for state in states(log)[::4]:
        made = report(state)
        assert {s.dimension for s in made.spent} == set(Dimension)
        assert (made.stop is None) == (state.stop is None)


@many
@given(logs())
def test_every_state_and_branch_has_the_declared_fields_and_no_other(log: Simulated) -> None:
    for state in states(log):
        assert set(vars(state)) == {f.name for f in fields(RunState)}
        for branch in state.branches.values():
            assert set(vars(branch)) == {f.name for f in fields(Branch)}


def test_a_log_without_its_beginning_is_refused() -> None:
    with pytest.raises(IllegalFact, match="starts with RunStarted"):
        fold([])
    with pytest.raises(IllegalFact, match="starts with RunStarted"):
        begin(Envelope(1, 0, 1, SearchFinished((), (), Charge())))
