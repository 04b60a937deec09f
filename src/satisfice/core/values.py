"""Values in text that can be compared: numbers with units, money, percentages and dates, in one canonical form each."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from satisfice.core.text import is_stop, stem


class Value(NamedTuple):
    """A value in its place. `value` is a plain decimal, or a date as in ISO 8601 with X for what is not said (199X, XXXX-03-15)."""

    value: str
    unit: str
    start: int
    end: int


# --- numbers -------------------------------------------------------------------------------------------------------

_SCALES = {
    "hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "m": 6, "mn": 6, "bn": 9, "tn": 12,
    "万": 4, "亿": 8, "億": 8,
}  # fmt: skip
_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {
    **{word: number for number, word in enumerate(_SMALL.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), 2)},
}
_NUMBER_WORD = "|".join(sorted((*_WORD_VALUES, "hundred", "thousand", "million", "billion"), key=len, reverse=True))
_DIGITS = r"(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d])"
_SCALE = r"(?:\s?(?P<scale>(?:hundred|thousand|million|billion|trillion)\b|(?:bn|tn|mn|[km])\b|[万亿億]))?"
_NUMBER = re.compile(
    rf"{_DIGITS}{_SCALE}|\b(?P<words>(?:a\s+(?=hundred|thousand|million|billion))?"
    rf"(?:{_NUMBER_WORD})(?:[\s-]+(?:and\s+)?(?:{_NUMBER_WORD}))*)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:[ \u00a0]|-(?=[A-Za-z]))?(%|°[CF]?|[A-Za-zµ]+[²³]?|[天日月年个小时分秒人元]+)(?:[ -]([A-Za-z]+))?"
)
_UNIT_NAMES = """second seconds minute hour day week month year decade century mile miles meter metre metres km kilometer kilometre cm mm foot feet
        inch inches yard yards acre acres hectare gram kg kilogram pound pounds ton tonne lb oz litre liter ml gallon
        byte bytes kb mb gb tb bit bits hz mhz ghz watt kw mw volt degree degrees people person users user employee
        member members point points time times percent seat seats request requests character characters attempt attempts
        retry retries token tokens"""
_KNOWN_UNITS = frozenset(map(stem, _UNIT_NAMES.split()))
_SHORT_UNITS = {
    "s": "second", "sec": "second", "secs": "second", "min": "minut", "mins": "minut", "h": "hour", "hr": "hour",
    "hrs": "hour", "feet": "foot", "inches": "inch", "天": "day", "日": "day", "年": "year", "月": "month",
    "个月": "month", "小时": "hour", "分": "minut", "秒": "second", "people": "person", "人": "person",
}  # fmt: skip


def numbers(text: str) -> tuple[Value, ...]:
    """Numbers in digits or English words with what they count; years and parts of identifiers count as numbers too."""
    return tuple(_each_number(text))


def _each_number(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        amount = _amount(match)
        if amount is None:
            continue
        unit, end = _unit(text, match.end())
        yield Value(plain(amount), unit, match.start(), end)


def plain(amount: Decimal) -> str:
    """A decimal without exponent, separators and trailing zeros."""
    shown = f"{amount:f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _amount(match: re.Match[str]) -> Decimal | None:
    digits, scale = match["digits"], match["scale"]
    if digits is not None:
        return Decimal(digits.replace(",", "")).scaleb(_SCALES[scale.lower()] if scale else 0)
    total = current = 0
    for word in re.findall(r"[a-z]+", match["words"].lower()):
        if word in ("a", "and"):
            current = current or int(word == "a")
        elif word in _WORD_VALUES:
            current += _WORD_VALUES[word]
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            total, current = total + (current or 1) * 10 ** _SCALES[word], 0
    return Decimal(total + current)


def _unit(text: str, end: int) -> tuple[str, int]:
    match = _UNIT.match(text, end)
    if match is None:
        return "", end
    first, second = match[1], match[2]
    known = _known_unit(first)
    if known:
        return known, match.end(1)
    if second and (known := _known_unit(second)) and not is_stop(stem(first)):
        return f"{stem(first)} {known}", match.end(2)
    if is_stop(stem(first)) or len(first) < 2:
        return "", end
    return stem(first), match.end(1)


def _known_unit(word: str) -> str:
    if word in ("%", "°C", "°F", "°"):
        return word
    lower = word.lower()
    if lower in _SHORT_UNITS:
        return _SHORT_UNITS[lower]
    return stem(word) if stem(word) in _KNOWN_UNITS else ""


# --- money and percentages -----------------------------------------------------------------------------------------

_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "元": "CNY", "円": "JPY"}
_CURRENCIES = {
    "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pounds": "GBP", "pound": "GBP", "yen": "JPY",
    "yuan": "CNY", "rupees": "INR", "francs": "CHF", "cents": "USD cent", "cent": "USD cent", "pence": "GBP penny",
}  # fmt: skip
_CODES = "USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|SEK|NOK|DKK|BRL|MXN|KRW"
_MONEY = re.compile(
    rf"(?:(?P<sign>(?:US|A|C)?[$]|[€£¥₹₩₽])\s?|\b(?P<code>{_CODES})\s?)(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"{_SCALE}|{_DIGITS.replace('digits', 'digits2')}{_SCALE.replace('scale', 'scale2')}\s?"
    rf"(?:(?P<sign2>[€£¥元円])|(?P<code2>{_CODES}|(?i:{'|'.join(_CURRENCIES)}))\b)",
)
_PERCENT = re.compile(rf"{_DIGITS}\s?(?:%|％|percent\b|per\s?cent\b|percentage\s+points?\b)", re.IGNORECASE)


def money(text: str) -> tuple[Value, ...]:
    """Amounts of money; the unit is the ISO code of the currency, `$` alone counting as USD."""
    found: list[Value] = []
    for match in _MONEY.finditer(text):
        digits = match["digits"] or match["digits2"]
        scale = match["scale"] or match["scale2"]
        mark = (match["sign"] or match["sign2"] or "")[-1:]
        named = match["code"] or match["code2"] or ""
        unit = _SIGNS[mark] if mark else _CURRENCIES.get(named.lower(), named.upper())
        amount = Decimal(digits.replace(",", "")).scaleb(_SCALES[scale.lower()] if scale else 0)
        found.append(Value(plain(amount), unit, match.start(), match.end()))
    return tuple(found)


def percents(text: str) -> tuple[Value, ...]:
    """Percentages; the unit is always `%`."""
    return tuple(
        Value(plain(Decimal(match["digits"].replace(",", ""))), "%", match.start(), match.end())
        for match in _PERCENT.finditer(text)
    )


# --- dates ---------------------------------------------------------------------------------------------------------

_MONTHS = "january february march april may june july august september october november december"
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS.split(), 1)}
_MONTH = rf"(?:{_MONTHS.replace(' may ', ' (?-i:May) ').replace(' ', '|')}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_YEAR = r"[12]\d{3}\b"
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?\b"
_DATE = re.compile(
    r"\b(?P<y1>\d{4})-(?P<m1>\d{2})(?:-(?P<d1>\d{2}))?\b"
    rf"|\b(?P<d2>{_DAY})(?:\s+of)?\s+(?P<m2>{_MONTH})(?:,?\s+(?P<y2>{_YEAR}))?"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<d3>{_DAY})(?:(?:,\s*|\s+)(?P<y3>{_YEAR}))?"
    rf"|\b(?P<m4>{_MONTH})(?:\s+of)?,?\s+(?P<y4>{_YEAR})"
    r"|(?P<y5>[12]\d{3})年(?:\s?(?P<m5>\d{1,2})月)?(?:\s?(?P<d5>\d{1,2})日)?"
    r"|\b(?P<a6>\d{1,2})[/.](?P<b6>\d{1,2})[/.](?P<y6>[12]\d{3})\b"
    rf"|\bQ(?P<quarter>[1-4])[ /-]?(?P<y7>{_YEAR})"
    r"|\b(?P<decade>[12]\d{2})0s\b"
    r"|\b(?P<century>\d{1,2})(?:st|nd|rd|th)[ -]century"
    r"|(?<![\w.,$€£])(?P<y8>[12]\d{3})(?![\w%]|[.,]\d|-\d(?!\d{3}\b))(?:\s?(?P<era>BCE?|AD|CE)\b)?"
    r"|\b(?P<y9>\d{1,4})\s?(?P<era9>BCE?|AD|CE)\b",
    re.IGNORECASE,
)


def dates(text: str) -> tuple[Value, ...]:
    """Dates, years, decades and centuries; of a numeric date whose order is unclear only the year is told."""
    return tuple(Value(_iso(match), "", match.start(), match.end()) for match in _DATE.finditer(text))


def _iso(match: re.Match[str]) -> str:
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    if "decade" in parts:
        return parts["decade"] + "X"
    if "century" in parts:
        return f"{int(parts['century']) - 1:02d}XX"
    year = next((value for name, value in parts.items() if name[0] == "y"), "XXXX")
    if "quarter" in parts:
        return f"{year}-Q{parts['quarter']}"
    era = parts.get("era", parts.get("era9", "")).upper()
    if era.startswith("B"):
        return f"{year} BC"
    if "a6" in parts:
        return _numeric(year, int(parts["a6"]), int(parts["b6"]))
    month = next((value for name, value in parts.items() if name in ("m1", "m2", "m3", "m4", "m5")), "")
    day = next((value for name, value in parts.items() if name in ("d1", "d2", "d3", "d5")), "")
    shown = year.zfill(4)
    if month:
        shown += f"-{int(month) if month.isdigit() else _MONTH_NUMBERS[month[:3].lower()]:02d}"
    if day:
        shown += f"-{int(day.rstrip('stndrhSTNDRH')):02d}"
    return shown


def _numeric(year: str, first: int, second: int) -> str:
    if first > 12 >= second:
        return f"{year}-{second:02d}-{first:02d}"
    if second > 12 >= first:
        return f"{year}-{first:02d}-{second:02d}"
    return f"{year}-{first:02d}-{second:02d}" if first == second else year
