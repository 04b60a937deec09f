"""Limits: what is refused when they are built, and what absent means."""

import math

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.limits import MAX_LIMIT, limits_from
from satisfice.core.tasks import ROWS, Complexity
from satisfice.errors import ConfigError, UsageError

DEFAULTS = ROWS[Complexity.BOUNDED]


@pytest.mark.parametrize("dimension", list(Dimension))
@pytest.mark.parametrize("wrong", [-1, "5", 2.5, math.nan, math.inf, True, [3], MAX_LIMIT + 1])
def test_a_value_that_is_no_whole_number_from_zero_is_refused_by_field(dimension: Dimension, wrong: object) -> None:
    with pytest.raises(ConfigError) as caught:
        limits_from({dimension: wrong}, DEFAULTS)
    assert isinstance(caught.value, UsageError)
    assert [problem.key for problem in caught.value.problems] == [dimension]
    assert "whole number" in str(caught.value)


@pytest.mark.parametrize("dimension", list(Dimension))
def test_zero_stays_zero_and_absent_or_none_is_the_default(dimension: Dimension) -> None:
    assert limits_from({dimension: 0}, DEFAULTS)[dimension] == 0
    assert limits_from({}, DEFAULTS)[dimension] == DEFAULTS[dimension]
    assert limits_from({dimension: None}, DEFAULTS)[dimension] == DEFAULTS[dimension]


def test_a_very_large_limit_is_kept_exactly() -> None:
    assert limits_from({"queries": MAX_LIMIT}, DEFAULTS)[Dimension.QUERIES] == MAX_LIMIT


def test_all_mistakes_are_reported_together_and_a_near_miss_is_answered_with_the_right_name() -> None:
    with pytest.raises(ConfigError) as caught:
        limits_from({"querys": 3, "steps": -1, "cost_microusd": 0.5}, DEFAULTS, where="satisfice.toml")
    assert len(caught.value.problems) == 3
    assert "satisfice.toml: querys is no dimension" in str(caught.value)
    assert "Did you mean 'queries'?" in str(caught.value)


def test_a_long_wrong_value_is_shown_shortened() -> None:
    with pytest.raises(ConfigError) as caught:
        limits_from({"queries": "9" * 10_000}, DEFAULTS)
    assert len(str(caught.value)) < 250


def test_the_result_is_in_the_order_of_the_dimensions() -> None:
    assert list(limits_from({"cost_microusd": 1, "steps": 2}, DEFAULTS)) == list(Dimension)
