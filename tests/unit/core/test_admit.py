"""The gate for proposals: what of a run's past and of its limits bars one."""

from dataclasses import replace

from satisfice.core.admit import admit
from satisfice.core.amounts import Dimension
from satisfice.core.changing import changed
from satisfice.core.evolve import begin
from satisfice.core.facts import Envelope
from satisfice.core.orders import Refusal, RefusalKind, Search
from satisfice.core.queries import Lineage
from satisfice.core.sources import SourceProfile
from satisfice.core.state import QueryStatus, RunState, Sent
from satisfice.testing.building import DOCS, search, started


def run(**budget: int) -> RunState:
    first = started("How long is the refund window for annual plans?", budget=budget)
    return begin(Envelope(1, 0, 1, replace(first, sources=(SourceProfile(DOCS),))))


def sent(state: RunState, text: str, status: QueryStatus) -> RunState:
    query = search(text).query
    return changed(state, sent={1: Sent(query, query.identity(), Lineage(), status)})


def refused(state: RunState, text: str, *, depth: int = 0) -> Refusal | None:
    granted = admit(state, search(text, depth=depth), state.main)
    return granted if isinstance(granted, Refusal) else None


def test_a_query_that_failed_is_not_sent_again_unchanged() -> None:
    state = sent(run(), "Refund  window", QueryStatus.FAILED)
    refusal = refused(state, "refund window")

    assert refusal is not None
    assert (refusal.kind, refusal.same_as) == (RefusalKind.FAILED_BEFORE, search("refund window").query.identity())
    assert refused(state, "refund window annual") is None


def test_a_query_that_ran_is_a_duplicate() -> None:
    refusal = refused(sent(run(), "refund window", QueryStatus.FINISHED), "refund window")

    assert refusal is not None
    assert refusal.kind is RefusalKind.DUPLICATE


def test_too_many_hops_from_the_question_pass_a_limit() -> None:
    state = run(rewrite_depth=2)
    refusal = refused(state, "refund window", depth=3)

    assert refusal is not None
    assert refusal.kind is RefusalKind.BUDGET
    assert refusal.denied is not None
    assert refusal.denied.dimension is Dimension.REWRITE_DEPTH
    assert isinstance(admit(state, search("refund window", depth=2), state.main), Search)
