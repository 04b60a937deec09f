"""Passages as a reader sees them: what can be quoted, under which headings, after which sentence."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from satisfice.core.passages import Passage
from satisfice.core.stemming import fold
from satisfice.core.text import Term, is_stop, sentences, terms

MAX_LIST_CHARS = 900
"""A list is quoted whole up to this length, then item by item from its start."""

_HEADING = re.compile(r"\s*#{1,6}\s|[^a-z]*[A-Z][^a-z.!?:;,]*$|\s*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$")
_RULE = re.compile(r"\s*(?:=+|-+|~+|\*+|`{3,}.*|\^+)\s*$")
_ITEM = re.compile(r"\s*(?:\||[-*+•‣◦·▪]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[①-⑳])\s+\S")


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a passage that can be quoted: a sentence, a list item, or a whole list with what introduces it."""

    start: int
    end: int
    terms: tuple[Term, ...]
    """Without stop words."""
    stems: frozenset[str]
    words: frozenset[str]
    """As `core.text.content_words` gives them."""
    length: int
    """Terms in all, stop words included."""
    above: frozenset[str]
    """Stems of the title and of the headings it stands under."""
    before: frozenset[str]
    """Stems of the sentence before; of a list item, of what introduces the list; of a table's row, of its first row."""
    steps: int = 0
    """Items, when it is a list."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage taken apart. `stems` has the title and the headings in it too."""

    units: tuple[Unit, ...]
    stems: frozenset[str]
    counts: tuple[tuple[str, int], ...]
    length: int


def read(passage: Passage) -> Reading:
    """Take a passage apart; the same text is read once."""
    place = passage.provenance
    return _read(passage.text, " \n".join((place.title, *place.headings)))


@dataclass(frozen=True, slots=True)
class _Line:
    """One sentence, with the part it plays."""

    start: int
    end: int
    terms: tuple[Term, ...]
    length: int
    heading: bool
    item: bool
    """A list item or a row of a table."""


@lru_cache(maxsize=1_024)
def _read(text: str, above: str) -> Reading:
    lines = _lines(text)
    title = frozenset(term.stem for term in terms(above) if not is_stop(term.stem))
    units: list[Unit] = []
    heading: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    lead: frozenset[str] = frozenset()
    for index, line in enumerate(lines):
        stems = frozenset(term.stem for term in line.terms)
        if line.heading:
            heading, before, lead = stems, frozenset(), frozenset()
            continue
        opens = line.item and (index == 0 or not _in_list(lines, index - 1, text))
        if opens:
            lead = before
        introduces = not line.item and _ends_open(text, line)
        whole = None
        if introduces or (opens and (index == 0 or not _ends_open(text, lines[index - 1]))):
            whole = _list_from(lines, index, text, title | heading, before)
        if whole is None or not introduces:
            units.append(_unit(line, title | heading, lead if line.item and lead else before))
        if whole is not None:
            units.append(whole)
        if opens and text[line.start] == "|":
            lead = stems
        before = stems
    counts: dict[str, int] = {}
    for line in lines:
        for term in line.terms:
            counts[term.stem] = counts.get(term.stem, 0) + 1
    everything = title.union(counts)
    return Reading(tuple(units), everything, tuple(counts.items()), sum(line.length for line in lines))


def _lines(text: str) -> list[_Line]:
    spans = [(start, end) for start, end in sentences(text)]
    found = terms(text)
    lines: list[_Line] = []
    at = 0
    for (start, end), (after, after_end) in pairwise([*spans, (len(text), len(text))]):
        while at < len(found) and found[at].start < start:
            at += 1
        first = at
        while at < len(found) and found[at].start < end:
            at += 1
        if at == first:
            continue  # a rule, a fence: nothing to read
        sentence = text[start:end]
        underlined = _RULE.match(text[after:after_end]) is not None and "\n" not in text[end:after].replace("\n", "", 1)
        content = tuple(term for term in found[first:at] if not is_stop(term.stem))
        heading = (underlined and text[after : after + 1] not in "`*") or _HEADING.match(sentence) is not None
        lines.append(_Line(start, end, content, at - first, heading, _ITEM.match(sentence) is not None))
    return lines


def _unit(line: _Line, above: frozenset[str], before: frozenset[str]) -> Unit:
    return Unit(
        line.start,
        line.end,
        line.terms,
        frozenset(term.stem for term in line.terms),
        frozenset(fold(term.text) for term in line.terms),
        line.length,
        above,
        before,
    )


def _in_list(lines: list[_Line], index: int, text: str) -> bool:
    """Whether a line belongs to a list item: it opens one, or goes on in the paragraph of one."""
    while index >= 0 and not lines[index].heading:
        if lines[index].item:
            return True
        if index == 0 or "\n\n" in text[lines[index - 1].end : lines[index].start]:
            return False
        index -= 1
    return False


def _ends_open(text: str, line: _Line) -> bool:
    """Whether a line says what follows: it is quoted with it, and never alone."""
    return not line.heading and text[line.start : line.end].rstrip("*_ ").endswith((":", "："))


def _list_from(lines: list[_Line], index: int, text: str, above: frozenset[str], before: frozenset[str]) -> Unit | None:
    """The list (or the block) that starts or is introduced here, as one unit; None when there is nothing to join."""
    taken = [lines[index]]
    items = int(lines[index].item)
    for following in range(index + 1, len(lines)):
        line = lines[following]
        if line.heading or line.end - taken[0].start > MAX_LIST_CHARS:
            break
        if line.item:
            items += 1
        elif following > index + 1 and not (items and _in_list(lines, following, text)):
            break
        taken.append(line)
    if len(taken) < 2:
        return None
    joined = tuple(term for line in taken for term in line.terms)
    return Unit(
        taken[0].start,
        taken[-1].end,
        joined,
        frozenset(term.stem for term in joined),
        frozenset(fold(term.text) for term in joined),
        sum(line.length for line in taken),
        above,
        before,
        steps=max(1, items),
    )
