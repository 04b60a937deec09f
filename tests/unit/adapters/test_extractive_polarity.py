"""When a sentence says yes or no to a claim in so many words."""

import pytest

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.polarity import answers


@pytest.mark.parametrize(
    ("claim", "sentence", "said"),
    [
        ("Is the free plan refundable?", "The free plan is refundable.", True),
        ("Is the free plan refundable?", "The free plan is not refundable.", False),
        ("Is the free plan refundable?", "The free plan is non-refundable.", False),
        ("Is smoking allowed in the office?", "Smoking is prohibited in the office.", False),
        ("Is smoking prohibited in the office?", "Smoking is allowed in the office.", False),
        ("Is smoking not allowed in the office?", "Smoking is not allowed in the office.", True),
        ("Is two-factor sign-in optional?", "Two-factor sign-in is required.", False),
        ("Aspirin inhibits the production of PGE2.", "Aspirin promotes the production of PGE2.", False),
        ("Is the free plan refundable?", "The free plan may be refundable.", None),
        ("Is the free plan refundable?", "The free plan has three seats.", None),
        ("Is the free plan refundable unless it was used?", "Refunds exist.", None),
        ("Is it?", "It is.", None),
    ],
)
def test_yes_no_or_nothing(claim: str, sentence: str, said: bool | None) -> None:
    assert answers(aim_of(claim), sentence, frozenset()) is said


def test_the_heading_may_stand_for_the_subject_but_not_for_everything() -> None:
    aim = aim_of("Is the free plan refundable within 30 days?")
    assert answers(aim, "Refundable within 30 days.", frozenset(aim.stems[:2])) is True
    assert answers(aim, "Yes.", frozenset(aim.stems)) is None
