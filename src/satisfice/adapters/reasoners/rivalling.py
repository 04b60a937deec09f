"""Sentences of several documents that say the same but for one value: they stand equally, and their values count."""

from collections.abc import Sequence

from satisfice.adapters.reasoners.aiming import Aim, values_of
from satisfice.adapters.reasoners.scoring import Scored
from satisfice.core.claims import AnswerType
from satisfice.core.values import Value, dates, money, numbers, percents

_COMPARED = frozenset((AnswerType.ANY, AnswerType.NUMBER, AnswerType.MONEY, AnswerType.PERCENT, AnswerType.DATE))
_LEAST_SHARED = 2
"""Content words that two sentences must share: fewer are no subject."""

Rival = tuple[Scored, Value]


def rivals(aim: Aim, ranked: Sequence[Scored]) -> tuple[Rival, ...]:
    """The best unit and those of other documents that differ from it in nothing but the value; nothing without any."""
    best = ranked[0]
    mine = _one_value(aim, best)
    if mine is None:
        return ()
    about = _about(best, mine)
    if len(about & set(aim.stems)) < min(_LEAST_SHARED, len(aim.stems)) or len(about) < _LEAST_SHARED:
        return ()
    found: list[Rival] = [(best, mine)]
    documents = {best.passage.provenance.document_id}
    for one in ranked[1:]:
        document = one.passage.provenance.document_id
        if document in documents or one.unit.steps or not _same_of_claim(aim, best, one):
            continue
        value = _one_value(aim, one)
        if value is not None and value.unit == mine.unit and _about(one, value) == about:
            found.append((one, value))
            documents.add(document)
    return tuple(found) if any(value.value != mine.value for _, value in found) else ()


def _same_of_claim(aim: Aim, best: Scored, one: Scored) -> bool:
    """Whether both speak of the same words of the claim, headings counted: a rule for guests is none for members."""
    asked = set(aim.stems)
    return asked & _near(best) == asked & _near(one)


def _near(one: Scored) -> frozenset[str]:
    return one.unit.stems | one.unit.before | one.unit.above


def _about(one: Scored, value: Value) -> frozenset[str]:
    """What is said besides the value."""
    outside = (t for t in one.unit.terms if not value.start <= t.start < value.end)
    return frozenset(term.stem for term in outside)


def _one_value(aim: Aim, one: Scored) -> Value | None:
    """The value of a unit that holds a single one, with its place in the passage."""
    if aim.expects not in _COMPARED or one.unit.steps:
        return None
    text = one.passage.text[one.unit.start : one.unit.end]
    found = _clear(text) if aim.expects is AnswerType.ANY else values_of(text, aim.expects)
    if len(found) != 1 or (not found[0].unit and not _dated(text, found[0]) and aim.expects is AnswerType.ANY):
        return None
    value = found[0]
    return value._replace(start=one.unit.start + value.start, end=one.unit.start + value.end)


def _clear(text: str) -> tuple[Value, ...]:
    """Amounts of money, percentages, dates and numbers, each read as the first of these that it can be."""
    found: list[Value] = []
    for read in (money, percents, dates, numbers):
        found += [v for v in read(text) if not any(v.start < o.end and o.start < v.end for o in found)]
    return tuple(found)


def _dated(text: str, value: Value) -> bool:
    return any((date.start, date.end) == (value.start, value.end) for date in dates(text))
