"""Access tokens, filter tokens and dates."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.adapters.corpora.filtering import (
    date_range,
    first_second,
    permission_tokens,
    principal_tokens,
    token,
)
from satisfice.core.access import Permission, Principal, Use, may_read
from satisfice.core.queries import Filters
from satisfice.errors import RetrieverError

tenants = st.sampled_from(["acme", "other", "ac\x1fme", ""])
tags = st.frozensets(st.sampled_from(["eu", "staff", "acme", "", "a:b"]), max_size=3)
DAY_S = 86_400


@given(
    st.builds(Permission, tenants, tags, st.sampled_from([frozenset(Use), frozenset({Use.CACHE})])),
    st.builds(Principal, st.just("ana"), tenants, tags),
)
def test_tokens_meet_exactly_when_the_rule_lets_read(permission: Permission, principal: Principal) -> None:
    shared = set(permission_tokens(permission)) & set(principal_tokens(principal))

    assert bool(shared) == may_read(principal, permission)


def test_tokens_of_different_parts_never_meet() -> None:
    parts = ["", "a", "ab", "b", "1:a", "\ud800"]
    made = [token(*pair) for pair in product(parts, parts)]

    assert len(set(made)) == len(made)


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("1970-01-02", DAY_S),
        ("1970-01", 0),
        ("1970", 0),
        ("1970-01-01T00:00:05Z", 5),
        ("1970-01-01T00:00:05", 5),
        ("1970-01-01T02:00:00+02:00", 0),
        (" 1970-01-02 ", DAY_S),
        ("yesterday", None),
        ("2026-02-30", None),
        ("99999-01-01", None),
        ("0000-01-01", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_the_first_second_it_stands_for(text: str | None, second: int | None) -> None:
    assert first_second(text) == second


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [
        ("1970-01-02", None, (DAY_S, None)),
        (None, "1970-01-02", (None, 2 * DAY_S - 1)),
        (None, "1970-01", (None, 31 * DAY_S - 1)),
        (None, "1970", (None, 365 * DAY_S - 1)),
        (None, "1972-02", (None, (730 + 31 + 29) * DAY_S - 1)),
        (None, "1970-01-01T00:00:05Z", (None, 5)),
        ("", "", (None, None)),
    ],
)
def test_bounds_take_in_the_whole_day_month_or_year(
    low: str | None, high: str | None, bounds: tuple[int | None, int | None]
) -> None:
    assert date_range(Filters(published_from=low, published_to=high)) == bounds


def test_a_bound_that_is_no_date_is_refused_by_name() -> None:
    with pytest.raises(RetrieverError, match="published_to is 'soon'; allowed is an ISO date"):
        date_range(Filters(published_to="soon"))
