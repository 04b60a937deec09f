"""When two extracted values say the same, differ, or cannot be compared. A value is never turned into another."""

import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from satisfice.core.claims import AnswerType
from satisfice.core.linking import name_key

TOLERANCE = Decimal("0.005")
"""Numbers this close, relative to the larger, are one number written twice."""

_DATE = re.compile(
    r"(?P<year>[\dX]{4})(?:-(?P<month>[\dX]{2})(?:-(?P<day>[\dX]{2}))?|-Q(?P<quarter>[1-4]))?(?P<era> BC)?"
)
_SIZES: dict[str, tuple[str, int]] = {
    "second": ("second", 1), "minut": ("second", 60), "hour": ("second", 3600), "day": ("second", 86_400),
    "week": ("second", 604_800),
    "month": ("month", 1), "year": ("month", 12), "decad": ("month", 120),
    "byte": ("byte", 1), "kb": ("byte", 10**3), "mb": ("byte", 10**6), "gb": ("byte", 10**9), "tb": ("byte", 10**12),
    "mm": ("mm", 1), "cm": ("mm", 10), "metr": ("mm", 1000), "meter": ("mm", 1000), "km": ("mm", 10**6),
    "kilometr": ("mm", 10**6), "kilomet": ("mm", 10**6),
    "gram": ("gram", 1), "kg": ("gram", 1000),
}  # fmt: skip
"""Units that are multiples of one another: a 14-day window is a 2-week window. Months are no number of days."""


class Agreement(StrEnum):
    """SAME and DIFFERENT are certain; UNCOMPARABLE values neither agree nor disagree."""

    SAME = "same"
    DIFFERENT = "different"
    UNCOMPARABLE = "uncomparable"


def compare(value: str, unit: str, other: str, other_unit: str, expects: AnswerType) -> Agreement:
    """Numbers within .5 % in one unit, dates in which no known part differs, names of which one is part of the other.

    Without an expected type the values say what they are; free text and reasons are never compared.
    """
    if not value or not other:
        return Agreement.UNCOMPARABLE
    if expects in {AnswerType.ANY, AnswerType.REASON}:
        return _by_their_look(value, unit, other, other_unit)
    if expects is AnswerType.DATE:
        return _dates(value, other)
    if expects in {AnswerType.NAME, AnswerType.PLACE}:
        return _names(value, other)
    return _numbers(value, unit, other, other_unit)


def _by_their_look(value: str, unit: str, other: str, other_unit: str) -> Agreement:
    if {value, other} <= {"yes", "no"}:
        return Agreement.SAME if value == other else Agreement.DIFFERENT
    looks_dated = bool(_DATE.fullmatch(value) and _DATE.fullmatch(other))
    if looks_dated and not unit and not other_unit:
        return _dates(value, other)
    if unit or other_unit:
        return _numbers(value, unit, other, other_unit)
    return Agreement.SAME if name_key(value) == name_key(other) else Agreement.UNCOMPARABLE


def _numbers(value: str, unit: str, other: str, other_unit: str) -> Agreement:
    try:
        a, b = Decimal(value), Decimal(other)
    except InvalidOperation:
        return Agreement.UNCOMPARABLE
    if unit != other_unit and unit and other_unit:
        base, size = _SIZES.get(unit, (unit, 1))
        other_base, other_size = _SIZES.get(other_unit, (other_unit, 1))
        if base != other_base:
            return Agreement.UNCOMPARABLE
        a, b = a * size, b * other_size
    close = abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
    return Agreement.SAME if close else Agreement.DIFFERENT


def _dates(value: str, other: str) -> Agreement:
    a, b = _DATE.fullmatch(value), _DATE.fullmatch(other)
    if a is None or b is None:
        return Agreement.UNCOMPARABLE
    pairs = [(a["year"], b["year"]), (a["month"], b["month"]), (a["day"], b["day"]), (_quarter(a), _quarter(b))]
    known = [(x, y) for x, y in pairs if x and y]
    if (a["era"] or "") != (b["era"] or ""):
        return Agreement.DIFFERENT
    differ = any(p != q for x, y in known for p, q in zip(x, y, strict=True) if "X" not in (p, q))
    if differ:
        return Agreement.DIFFERENT
    shared = any("X" not in (p, q) for x, y in known for p, q in zip(x, y, strict=True))
    return Agreement.SAME if shared else Agreement.UNCOMPARABLE


def _quarter(date: re.Match[str]) -> str:
    if date["quarter"]:
        return date["quarter"]
    month = date["month"] or ""
    return str((int(month) - 1) // 3 + 1) if month.isdigit() else ""


def _names(value: str, other: str) -> Agreement:
    a, b = set(name_key(value).split()), set(name_key(other).split())
    if not a or not b:
        return Agreement.UNCOMPARABLE
    return Agreement.SAME if a <= b or b <= a else Agreement.DIFFERENT
