"""Passages as a reader sees them: what can be quoted, under which headings, after which sentence."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from satisfice.core.passages import Passage
from satisfice.core.stemming import fold
from satisfice.core.text import Term, content_stems, exact, identifiers, is_stop, sentences, terms

MAX_LIST_CHARS = 900
"""A list is quoted whole up to this length, then from its start."""
_MAX_TERM_CHARS = 100

_HASHES = re.compile(r"\s*(#{1,6})\s")
_CAPITALS = re.compile(r"[^a-z]*[A-Z][^a-z.!?:;,]*$")
_BOLD = re.compile(r"\s*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$")
_RULE = re.compile(r"\s*(?:=+|-+|~+|\^+)\s*$")
_ITEM = re.compile(r"\s*(?:\||[-*+•‣◦·▪]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[①-⑳])\s+\S")
_CODE = re.compile(r"\s*(?:```|~~~|\$ |>>> )")
_MARKED_UP = re.compile(r"`[^`]*`|\]\([^)]*\)|\]\[[^\]]*\]|\[\d+\]")
_CODE_MARKS = re.compile(r"[{}()\[\];=<>|&$\\]")
_CODE_SHARE, _LEAST_CODE_MARKS = 0.09, 4
"""A line is code when so much of it are brackets and operators, what is marked up as code or as a link left out."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_POINTER = re.compile(r"\s*(?:[-*+]\s+)?!?\[[^\]]*\](?:\([^)]*\)|:\s*\S+)\s*$")
"""A line that is only a link: a table of contents, a reference."""
_GENERIC = frozenset(content_stems("description overview introduction summary synopsis usage details"))
_TITLE_LEVEL, _PLACE_LEVEL, _HASH_LEVEL, _BOLD_LEVEL, _RULED_LEVEL, _CAPITALS_LEVEL = -40, -39, -20, -10, -15, -5
"""Depth of headings; a line that heads a deeper-indented block has its own indentation, 0 or more."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a passage that can be quoted: a sentence, a list item, or a whole list with what introduces it."""

    start: int
    end: int
    terms: tuple[Term, ...]
    """Without stop words."""
    stems: frozenset[str]
    """Those of the terms, and identifiers whole."""
    words: frozenset[str]
    """As `core.text.content_words` gives them."""
    length: int
    """Terms in all, stop words included."""
    above: frozenset[str]
    """Stems of the title and of all headings it stands under."""
    topic: frozenset[str]
    """Stems of the nearest heading that says anything; empty without headings."""
    opens: bool
    """Whether it is among the first things said under that heading."""
    before: frozenset[str]
    """Stems of the sentence before; of a list item, of what introduces the list; of a table's row, of its first row."""
    steps: int = 0
    """Items, when it is a list and no table."""
    code: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage taken apart. `stems` has the title and the headings in it too."""

    units: tuple[Unit, ...]
    stems: frozenset[str]
    counts: tuple[tuple[str, int], ...]
    length: int
    said: str
    """The stems of the text in order, one blank between, for finding names."""


def read(passage: Passage) -> Reading:
    """Take a passage apart; the same text is read once."""
    place = passage.provenance
    return _read(passage.text, (place.title, *place.headings))


def stems_of(text: str) -> frozenset[str]:
    """Stems without stop words, and identifiers whole."""
    return _held(text, (term for term in terms(text) if not is_stop(term.stem)))


def _held(text: str, content: Iterable[Term]) -> frozenset[str]:
    whole = (exact(text[start:end]) for start, end in identifiers(text))
    return frozenset((*(term.stem for term in content), *whole))


# --- lines ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    """One sentence and the part it plays. `heads` is the depth of a heading, None for what is none."""

    start: int
    end: int
    terms: tuple[Term, ...]
    stems: frozenset[str]
    length: int
    indent: int
    heads: int | None
    item: bool
    """A list item or a row of a table."""
    code: bool
    term: str = ""
    """A first line that names what the rest of the sentence says (`-a, --all`)."""


def _lines(text: str) -> list[_Line]:
    spans = sentences(text)
    found = terms(text)
    hidden = [match.span() for match in _COMMENT.finditer(text)] if "<!--" in text else []
    lines: list[_Line] = []
    at = 0
    for (start, end), (after, after_end) in pairwise([*spans, (len(text), len(text))]):
        while at < len(found) and found[at].start < start:
            at += 1
        first = at
        while at < len(found) and found[at].start < end:
            at += 1
        sentence = text[start:end]
        if at == first or _POINTER.match(sentence) or any(a <= start < b for a, b in hidden):
            continue  # a rule, a fence, a link, a comment: nothing to read
        content = tuple(term for term in found[first:at] if not is_stop(term.stem))
        indent = _indent(text, start)
        item = _ITEM.match(sentence) is not None
        heads = _depth(text, (start, end), (after, after_end))
        if (
            heads is None
            and not item
            and _heads_block(sentence, indent, _indent(text, after), followed=after_end > after)
        ):
            heads = indent
        term = "" if item else _named_first(sentence, indent)
        code = not item and _is_code(sentence)
        lines.append(_Line(start, end, content, _held(sentence, content), at - first, indent, heads, item, code, term))
    return lines


def _is_code(sentence: str) -> bool:
    if _CODE.match(sentence):
        return True
    plain = _MARKED_UP.sub("", sentence)
    marks = len(_CODE_MARKS.findall(plain))
    return marks >= _LEAST_CODE_MARKS and marks > _CODE_SHARE * len(plain)


def _indent(text: str, start: int) -> int:
    line = text.rfind("\n", 0, start) + 1
    return (
        len(text[line:start]) - len(text[line:start].lstrip()) if not text[line:start].strip() else _width(text, line)
    )


def _width(text: str, line: int) -> int:
    """White space at the start of the line that begins at `line`."""
    end = line
    while end < len(text) and text[end] in " \t":
        end += 1
    return end - line


def _depth(text: str, line: tuple[int, int], following: tuple[int, int]) -> int | None:
    """How deep a heading is; None when the line is none."""
    sentence = text[line[0] : line[1]]
    hashes = _HASHES.match(sentence)
    if hashes:
        return _HASH_LEVEL + len(hashes[1])
    if _BOLD.match(sentence):
        return _BOLD_LEVEL
    gap = text[line[1] : following[0]]
    if gap.count("\n") == 1 and not gap.strip() and _RULE.match(text[following[0] : following[1]]):
        return _RULED_LEVEL
    return _CAPITALS_LEVEL if _CAPITALS.match(sentence) and "\n" not in sentence else None


def _heads_block(sentence: str, indent: int, next_indent: int, *, followed: bool) -> bool:
    """Whether a short line stands alone over a block that is indented deeper: a definition's term."""
    short = len(sentence) <= _MAX_TERM_CHARS and "\n" not in sentence
    return followed and short and next_indent > indent and not sentence.endswith((".", "!", "?", ":", "：", "。", ","))


def _named_first(sentence: str, indent: int) -> str:
    """The first line of a sentence whose other lines are indented deeper."""
    head, line_break, rest = sentence.partition("\n")
    if not line_break or len(head) > _MAX_TERM_CHARS:
        return ""
    return head if len(rest) - len(rest.lstrip(" \t")) > indent else ""


# --- units ---------------------------------------------------------------------------------------------------------


class _Headings:
    """The headings over the line being read, outermost first, each with its depth."""

    def __init__(self, above: tuple[str, ...]) -> None:
        title, *place = above
        self._stack = [(_TITLE_LEVEL, stems_of(title)), *((_PLACE_LEVEL + i, stems_of(h)) for i, h in enumerate(place))]
        self._stands_alone = not place
        self.opens = False
        """Nothing but code and lists was said since the last heading."""

    def push(self, depth: int, stems: frozenset[str]) -> None:
        self.leave(depth)
        self._stack.append((depth, stems))
        self.opens = True

    def leave(self, depth: int) -> None:
        """Out of every heading that is as deep, or deeper."""
        while len(self._stack) > 1 and self._stack[-1][0] >= depth:
            self._stack.pop()

    @property
    def above(self) -> frozenset[str]:
        return frozenset[str]().union(*(stems for _, stems in self._stack))

    @property
    def topic(self) -> frozenset[str]:
        for depth, stems in reversed(self._stack):
            if depth == _TITLE_LEVEL and self._stands_alone and len(self._stack) == 1:
                return frozenset()
            if stems and not stems <= _GENERIC:
                return stems
        return frozenset()


@lru_cache(maxsize=1_024)
def _read(text: str, place: tuple[str, ...]) -> Reading:
    lines = _lines(text)
    headings = _Headings(place)
    title = headings.above
    units: list[Unit] = []
    before: frozenset[str] = frozenset()
    lead: frozenset[str] = frozenset()
    for index, line in enumerate(lines):
        if line.heads is not None:
            headings.push(line.heads, line.stems)
            before, lead = frozenset(), frozenset()
            continue
        headings.leave(line.indent)
        opens_list = line.item and (index == 0 or not _in_list(lines, index - 1, text))
        if opens_list:
            lead = before
        introduces = not line.item and _ends_open(text, line)
        whole = None
        if introduces or (opens_list and (index == 0 or not _ends_open(text, lines[index - 1]))):
            whole = _list_from(lines, index, text, headings, before)
        if line.term:
            headings.push(line.indent, stems_of(line.term))
        if whole is None or not introduces:
            units.append(_unit([line], headings, lead if line.item and lead else before))
        if whole is not None:
            units.append(whole)
        if opens_list and text[line.start] == "|":
            lead = line.stems
        if not (line.code or line.item or introduces):
            headings.opens = False
        before = line.stems
    counts: dict[str, int] = {}
    for line in lines:
        for term in line.terms:
            counts[term.stem] = counts.get(term.stem, 0) + 1
    everything = title.union(*(line.stems for line in lines))
    said = " ".join(term.stem for line in lines for term in line.terms)
    return Reading(tuple(units), everything, tuple(counts.items()), sum(line.length for line in lines), said)


def _unit(taken: list[_Line], headings: _Headings, before: frozenset[str], steps: int = 0) -> Unit:
    joined = tuple(term for line in taken for term in line.terms)
    return Unit(
        taken[0].start,
        taken[-1].end,
        joined,
        frozenset[str]().union(*(line.stems for line in taken)),
        frozenset(fold(term.text) for term in joined),
        sum(line.length for line in taken),
        headings.above,
        headings.topic,
        headings.opens,
        before,
        steps,
        all(line.code for line in taken),
    )


def _in_list(lines: list[_Line], index: int, text: str) -> bool:
    """Whether a line belongs to a list item: it opens one, or goes on in the paragraph of one."""
    while index >= 0 and lines[index].heads is None:
        if lines[index].item:
            return True
        if index == 0 or "\n\n" in text[lines[index - 1].end : lines[index].start]:
            return False
        index -= 1
    return False


def _ends_open(text: str, line: _Line) -> bool:
    """Whether a line says what follows: it is quoted with it, and never alone."""
    return line.heads is None and text[line.start : line.end].rstrip("*_ ").endswith((":", "："))


def _list_from(lines: list[_Line], index: int, text: str, headings: _Headings, before: frozenset[str]) -> Unit | None:
    """The list (or the block) that starts or is introduced here, as one unit; None when there is nothing to join."""
    taken = [lines[index]]
    items = int(lines[index].item)
    table = text[lines[index].start] == "|"
    for following in range(index + 1, len(lines)):
        line = lines[following]
        if line.heads is not None or line.end - taken[0].start > MAX_LIST_CHARS:
            break
        if line.item:
            items += 1
        elif following > index + 1 and not (items and _in_list(lines, following, text)):
            break
        taken.append(line)
    return _unit(taken, headings, before, 0 if table else items) if len(taken) > 1 else None
