"""Whether two extracted values say the same."""

import pytest

from satisfice.core.agreement import Agreement, compare
from satisfice.core.claims import AnswerType as T

SAME, DIFFERENT, UNCOMPARABLE = Agreement.SAME, Agreement.DIFFERENT, Agreement.UNCOMPARABLE


@pytest.mark.parametrize(
    ("one", "other", "expects", "found"),
    [
        (("100", "mb"), ("250", "mb"), T.NUMBER, DIFFERENT),
        (("1000", "mb"), ("1004", "mb"), T.NUMBER, SAME),
        (("1000", "mb"), ("1010", "mb"), T.NUMBER, DIFFERENT),
        (("250", "mb"), ("0.25", "gb"), T.NUMBER, SAME),
        (("14", "day"), ("2", "week"), T.NUMBER, SAME),
        (("12", "month"), ("1", "year"), T.NUMBER, SAME),
        (("30", "day"), ("1", "month"), T.NUMBER, UNCOMPARABLE),
        (("30", "day"), ("30", "user"), T.NUMBER, UNCOMPARABLE),
        (("30", "day"), ("14", ""), T.NUMBER, DIFFERENT),
        (("10", "USD"), ("9", "EUR"), T.MONEY, UNCOMPARABLE),
        (("5", "%"), ("7", "%"), T.PERCENT, DIFFERENT),
        (("0", "day"), ("0.0", "day"), T.NUMBER, SAME),
        (("many", ""), ("3", ""), T.NUMBER, UNCOMPARABLE),
        (("2021-03-05", ""), ("2021-03", ""), T.DATE, SAME),
        (("2021-03-05", ""), ("2021", ""), T.DATE, SAME),
        (("2021-03-05", ""), ("2021-04", ""), T.DATE, DIFFERENT),
        (("2019", ""), ("2021", ""), T.DATE, DIFFERENT),
        (("199X", ""), ("1994", ""), T.DATE, SAME),
        (("199X", ""), ("2004", ""), T.DATE, DIFFERENT),
        (("XXXX-03-15", ""), ("2021-03-15", ""), T.DATE, SAME),
        (("XXXX-03-15", ""), ("2021", ""), T.DATE, UNCOMPARABLE),
        (("2024-Q1", ""), ("2024-02", ""), T.DATE, SAME),
        (("2024-Q1", ""), ("2024-05-01", ""), T.DATE, DIFFERENT),
        (("0044 BC", ""), ("0044", ""), T.DATE, DIFFERENT),
        (("soon", ""), ("2021", ""), T.DATE, UNCOMPARABLE),
        (("barack obama", ""), ("Obama", ""), T.NAME, SAME),
        (("ann lee", ""), ("ann day", ""), T.NAME, DIFFERENT),
        (("Zürich", ""), ("zurich", ""), T.PLACE, SAME),
        (("because it rains", ""), ("because of cost", ""), T.REASON, UNCOMPARABLE),
        (("the old rule", ""), ("the new rule", ""), T.ANY, UNCOMPARABLE),
        (("the old rule", ""), ("The old rule", ""), T.ANY, SAME),
        (("2019", ""), ("2021", ""), T.ANY, DIFFERENT),
        (("30", "day"), ("14", "day"), T.ANY, DIFFERENT),
        (("yes", ""), ("no", ""), T.ANY, DIFFERENT),
        (("", ""), ("14", "day"), T.NUMBER, UNCOMPARABLE),
    ],
)
def test_values_are_compared_by_what_they_are(
    one: tuple[str, str], other: tuple[str, str], expects: T, found: Agreement
) -> None:
    assert compare(*one, *other, expects) is found
    assert compare(*other, *one, expects) is found
