"""The estimate that stands in for a vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.adapters.tokens.estimate import EstimatedTokens

TOKENS = EstimatedTokens()


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("The refund window of annual plans is fourteen days.", 10, 16),
        ("年度套餐的退款期限为十四天", 13, 13),
        ("年間プランの返金期限は十四日です", 16, 16),
        ("연간 요금제의 환불 기한은 14일입니다.", 16, 22),
        ("🙂🙂🙂", 3, 3),
        ("ＲＥＦＵＮＤ", 6, 6),
        ("Café crème", 2, 4),
    ],
)
def test_tokens_are_about_right_in_every_script(text: str, least: int, most: int) -> None:
    assert least <= TOKENS.count(text) <= most


@given(st.text(), st.text())
def test_more_text_never_has_fewer_tokens(one: str, other: str) -> None:
    assert TOKENS.count(one + other) >= max(TOKENS.count(one), TOKENS.count(other))
    assert TOKENS.count(one) >= (1 if one else 0)


def test_the_count_is_marked_as_an_estimate() -> None:
    assert TOKENS.id == "estimate/1"
