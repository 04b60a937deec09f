"""Every fact has its line."""

import io

from hypothesis import HealthCheck, given, settings
from rich.console import Console

from satisfice.cli import machine, showing, timeline
from satisfice.core.evolve import fold
from satisfice.core.facts import CancelRequested, DeadlinePassed, Envelope, OrderDenied, StopDecided
from satisfice.core.orders import Refusal, RefusalKind, StopReason
from satisfice.core.report import report
from satisfice.testing.building import search
from satisfice.testing.strategies import Simulated, logs


def told(fact: object) -> str:
    return timeline.tell(Envelope(2, 5, 1, fact))  # type: ignore[arg-type]


def test_a_refusal_says_who_refused_what_and_why() -> None:
    refusal = Refusal(RefusalKind.DUPLICATE, "the same was asked before")
    said = told(OrderDenied(refusal, proposal=search("refund window")))
    assert said == "refused by the policy (duplicate): search docs for “refund window”: the same was asked before"


def test_what_ends_a_run_is_told_plainly() -> None:
    assert told(CancelRequested()) == "cancellation was asked for"
    assert told(DeadlinePassed()) == "the time for searching ended"
    assert told(StopDecided(StopReason.NO_PROGRESS)) == "decided to stop, NO_PROGRESS"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(logs())
def test_any_legal_log_can_be_told_shown_and_written(simulated: Simulated) -> None:
    facts = simulated.envelopes
    lines = [timeline.tell(envelope) for envelope in facts]
    assert all(line and "\n" not in line for line in lines)
    found = report(fold(facts))
    out = io.StringIO()
    screen = Console(file=out, markup=False, width=80)
    showing.show(found, screen)
    timeline.show(facts, screen)
    assert len(out.getvalue().splitlines()) > len(facts)
    assert machine.of_report(found, facts)["run"] == found.run
