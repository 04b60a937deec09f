"""Every end of a run has its exit code."""

import pytest

from satisfice.cli.exits import MEANINGS, ExitCode, of_outcome
from satisfice.core.orders import StopReason
from satisfice.core.report import Outcome


@pytest.mark.parametrize(
    ("outcome", "stop", "code"),
    [
        ("answered", StopReason.SUFFICIENT, 0),
        ("answered", StopReason.NOT_NEEDED, 0),
        ("partial", StopReason.BUDGET_EXHAUSTED, 3),
        ("refused", StopReason.NO_AUTHORITY_FOUND, 4),
        ("refused", StopReason.SOURCE_UNAVAILABLE, 6),
        ("refused", StopReason.FAILED, 6),
        ("partial", StopReason.SOURCE_UNAVAILABLE, 3),
        ("clarify", StopReason.USER_CLARIFICATION_REQUIRED, 5),
        ("escalated", StopReason.ESCALATED, 5),
        ("partial", StopReason.CANCELLED, 130),
        ("cancelled", StopReason.CANCELLED, 130),
        ("failed", StopReason.FAILED, 6),
        ("open", None, 5),
    ],
)
def test_the_code_says_how_it_ended(outcome: str, stop: StopReason | None, code: int) -> None:
    assert of_outcome(outcome, stop) == code


def test_every_outcome_has_a_code_of_its_own_accord() -> None:
    assert {of_outcome(outcome, None) for outcome in Outcome} == {0, 3, 4, 5, 130, 6}


def test_every_code_is_explained() -> None:
    assert set(MEANINGS) == set(ExitCode)
