"""Every end of a run has its exit code."""

import pytest

from satisfice.cli.exits import MEANINGS, ExitCode, of_outcome
from satisfice.core.orders import StopReason


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
        ("refused", StopReason.CANCELLED, 130),
    ],
)
def test_the_code_says_how_it_ended(outcome: str, stop: StopReason, code: int) -> None:
    assert of_outcome(outcome, stop) == code


def test_every_code_is_explained() -> None:
    assert set(MEANINGS) == set(ExitCode)
