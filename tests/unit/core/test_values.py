"""Values in text, in the one form in which they can be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.core.values import Value, dates, money, numbers, percents


def told(values: tuple[Value, ...]) -> list[tuple[str, str]]:
    return [(value.value, value.unit) for value in values]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("within 30 days", [("30", "day")]),
        ("30 business days", [("30", "busi day")]),
        ("a 14-day window", [("14", "day")]),
        ("1,200 users", [("1200", "user")]),
        ("3.5 million people", [("3500000", "person")]),
        ("twenty-five points", [("25", "point")]),
        ("two hundred thousand seats", [("200000", "seat")]),
        ("10k requests", [("10000", "request")]),
        ("20 °C", [("20", "°C")]),
        ("99.99%", [("99.99", "%")]),
        ("30天", [("30", "day")]),
        ("3万人", [("30000", "person")]),
        ("version v2.1 of E1042", []),
    ],
)
def test_numbers_with_what_they_count(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(numbers(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,200 or €5 million", [("1200", "USD"), ("5000000", "EUR")]),
        ("12 EUR and 30 dollars", [("12", "EUR"), ("30", "USD")]),
        ("£3.5m, ¥500, 500元", [("3500000", "GBP"), ("500", "JPY"), ("500", "CNY")]),
        ("12 apples", []),
    ],
)
def test_money_in_its_currency(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(money(text)) == expected


def test_percentages_in_signs_and_words() -> None:
    assert told(percents("25%, 12.5 percent, 5 percentage points, 8 per cent")) == [
        ("25", "%"), ("12.5", "%"), ("5", "%"), ("8", "%"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-15", ["2024-03-15"]),
        ("15 March 2024 and March 15, 2024", ["2024-03-15", "2024-03-15"]),
        ("on the 15th of May", ["XXXX-05-15"]),
        ("Sept. 2019", ["2019-09"]),
        ("in 1999, the 1990s, the 19th century", ["1999", "199X", "18XX"]),
        ("44 BC", ["44 BC"]),
        ("3/15/2024 but 3/4/2024", ["2024-03-15", "2024"]),
        ("Q3 2024", ["2024-Q3"]),
        ("2024年3月15日", ["2024-03-15"]),
        ("from 1914-1918", ["1914", "1918"]),
        ("it may 5 times cost $1999 or 1,999 or 2000%", []),
    ],
)
def test_dates_as_far_as_they_are_said(text: str, expected: list[str]) -> None:
    assert [value.value for value in dates(text)] == expected


@given(st.text(max_size=200))
def test_values_stand_where_they_say(text: str) -> None:
    for value in (*numbers(text), *money(text), *percents(text), *dates(text)):
        assert 0 <= value.start < value.end <= len(text)
        assert value.value
