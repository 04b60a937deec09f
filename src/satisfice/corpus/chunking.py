"""Cutting a document into passages: along its headings, then its paragraphs, then its sentences. O(n), nothing overlaps."""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from satisfice.core.ids import PassageId
from satisfice.core.passages import Document, Passage, Provenance, quote_hash
from satisfice.core.text import sentences
from satisfice.corpus.formats import Layout
from satisfice.corpus.outlining import Block, Kind, blocks
from satisfice.ports.tokens import TokenCounter

CUT_BY = "sections/1"
"""Names this way of cutting; part of every content hash, so that a better way reaches what is stored already."""

TARGET_TOKENS = 200
"""What a passage aims at when a section must be cut."""
WHOLE_TOKENS = 300
"""A section, or a paragraph, up to this long stays whole."""
_SENTENCE_ENDS = frozenset(".!?:;)]\"'”’»。！？…")
_FIRST_GUESS_CHARS = 4
"""Characters to a token, before anything was counted."""


@dataclass(frozen=True, slots=True)
class Cutter:
    """How passages are made. `passage_tokens` is the hard limit of one passage, by `counter`.

    A record (one line of a JSON Lines corpus) stays one passage up to that limit.
    """

    counter: TokenCounter
    passage_tokens: int = 400
    sign: Callable[[str], tuple[int, ...]] | None = None
    signed_by: str = ""

    @property
    def id(self) -> str:
        """Equal for two cutters that make the same passages of the same document."""
        return "\x1f".join((CUT_BY, self.counter.id, str(self.passage_tokens), self.signed_by))


@dataclass(frozen=True, slots=True)
class Piece:
    """What is never cut further: characters `start` to `end`. `opens` says that a block begins here."""

    start: int
    end: int
    tokens: int
    opens: bool


@dataclass(frozen=True, slots=True)
class _Section:
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]


def passages(
    document: Document, layout: Layout, cutter: Cutter, *, first_line: int | None = None, read_at: str | None = None
) -> Iterator[Passage]:
    """The document's passages in order: disjoint, together all of its text but white space, each within the limit.

    `first_line` is the line of the file on which the text starts, None for files without lines. Ids are the
    document's id and a number: the passage before and the passage after are one away.
    """
    measure = _Measure(document, cutter, first_line, read_at)
    if layout is Layout.RECORD:
        whole = _trimmed(document.text, 0, len(document.text))
        if whole and cutter.counter.count(document.text[whole[0] : whole[1]]) <= cutter.passage_tokens:
            yield measure.passage(whole[0], whole[1], ())
            return
    for section in _sections(blocks(document.text, Layout.MARKDOWN if layout is Layout.RECORD else layout), document):
        pieces = [piece for block in section.blocks for piece in measure.pieces(block)]
        for start, end in measure.packed(pieces):
            yield measure.passage(start, end, section.headings)


def _sections(found: Iterator[Block], document: Document) -> Iterator[_Section]:
    """Blocks under one heading. A heading with nothing under it joins what comes next.

    A new page begins a section of its own too, unless the page before ends in the middle of a sentence: then a passage
    may lie on both.
    """
    page_starts = frozenset(document.pages)
    path: list[tuple[int, str]] = []
    held: list[Block] = []
    filled = False
    for block in found:
        if block.kind is Kind.HEADING:
            if filled:
                yield _Section(tuple(title for _, title in path), tuple(held))
                held, filled = [], False
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.title))
        else:
            if filled and block.start in page_starts and document.text[held[-1].end - 1] in _SENTENCE_ENDS:
                yield _Section(tuple(title for _, title in path), tuple(held))
                held = []
            filled = True
        held.append(block)
    if held:
        yield _Section(tuple(title for _, title in path), tuple(held))


class _Measure:
    def __init__(self, document: Document, cutter: Cutter, first_line: int | None, read_at: str | None) -> None:
        self._document, self._cutter, self._read_at = document, cutter, read_at
        self._count = cutter.counter.count
        self._limit = cutter.passage_tokens
        self._whole = min(WHOLE_TOKENS, cutter.passage_tokens)
        self._target = min(TARGET_TOKENS, cutter.passage_tokens)
        self._first_line = first_line
        self._line_ends = _line_ends(document.text) if first_line is not None else ()
        self._made = 0

    # --- pieces ----------------------------------------------------------------------------------------------------

    def pieces(self, block: Block) -> Iterator[Piece]:
        """The block whole, or its rows, lines or sentences, or, of those that are too long, cuts between words."""
        text = self._document.text
        tokens = self._count(text[block.start : block.end])
        whole = self._limit if block.kind in {Kind.CODE, Kind.TABLE, Kind.HEADING} else self._whole
        if tokens <= whole:
            yield Piece(block.start, block.end, tokens, opens=True)
            return
        parts = _lines if block.kind in {Kind.CODE, Kind.TABLE} else _sentences
        opens = True
        for start, end in parts(text, block.start, block.end):
            for piece in self._fitting(start, end, opens=opens):
                yield piece
                opens = False

    def _fitting(self, start: int, end: int, *, opens: bool) -> Iterator[Piece]:
        text, guess = self._document.text, self._limit * _FIRST_GUESS_CHARS
        while start < end:
            stop = min(end, start + guess)
            cut = stop if stop == end else _between_words(text, start, stop)
            tokens = self._count(text[start:cut])
            if tokens > self._limit and cut - start > 1:
                guess = max(1, min(cut - start - 1, (cut - start) * self._limit // tokens))
                continue
            if trimmed := _trimmed(text, start, cut):
                yield Piece(trimmed[0], trimmed[1], tokens, opens)
                opens = False
            start = cut

    # --- packing ---------------------------------------------------------------------------------------------------

    def packed(self, pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
        """Runs of pieces of about equal size, cut between blocks rather than inside one where that costs little."""
        total = sum(piece.tokens for piece in pieces)
        share = total if total <= self._whole else total / round(total / self._target)
        first, held, due = 0, 0, share
        for at, piece in enumerate(pieces):
            if at > first and self._full(held, piece, due):
                yield from self._within_limit(pieces, first, at)
                first, held, due = at, 0, due - held + share
            held += piece.tokens
        if pieces:
            yield from self._within_limit(pieces, first, len(pieces))

    def _full(self, held: int, piece: Piece, due: float) -> bool:
        """`due` is the share of one passage, more or less what the passages before it left over or took too much."""
        if held + piece.tokens > self._limit:
            return True
        if piece.opens:
            return held + piece.tokens / 2 > due
        return held + piece.tokens > min(self._limit, 1.25 * due)

    def _within_limit(self, pieces: Sequence[Piece], first: int, stop: int) -> Iterator[tuple[int, int]]:
        """Counts do not quite add up (white space between, rounding), so what was packed is counted again whole."""
        while first < stop:
            last = stop
            while (
                last - first > 1
                and self._count(self._document.text[pieces[first].start : pieces[last - 1].end]) > self._limit
            ):
                last = first + (last - first) // 2 if last - first > 8 else last - 1
            yield pieces[first].start, pieces[last - 1].end
            first = last

    # --- passages --------------------------------------------------------------------------------------------------

    def passage(self, start: int, end: int, headings: tuple[str, ...]) -> Passage:
        """The passage with everything its document says about it."""
        document, cutter = self._document, self._cutter
        text = document.text[start:end]
        number, self._made = self._made, self._made + 1
        return Passage(
            id=PassageId(f"{document.id}#{number}"),
            text=text,
            provenance=Provenance(
                source_id=document.source_id,
                document_id=document.id,
                uri=document.uri,
                title=document.title,
                start=start,
                end=end,
                headings=headings,
                lines=self._lines(start, end),
                pages=_pages(document.pages, start, end),
                evidence_class=document.evidence_class,
                authority=document.authority,
                permission=document.permission,
                published_at=document.published_at,
                version=document.version,
                supersedes=document.supersedes,
                origin=document.origin,
                document_hash=document.content_hash,
                retrieved_at=self._read_at,
                metadata=document.metadata,
            ),
            content_hash=quote_hash(text),
            tokens=self._count(text),
            signature=cutter.sign(text) if cutter.sign else (),
            signature_by=cutter.signed_by,
        )

    def _lines(self, start: int, end: int) -> tuple[int, int] | None:
        if self._first_line is None:
            return None
        ends = self._line_ends
        return self._first_line + bisect_right(ends, start - 1), self._first_line + bisect_right(ends, end - 1)


def _pages(pages: tuple[int, ...], start: int, end: int) -> tuple[int, int] | None:
    return (max(1, bisect_right(pages, start)), max(1, bisect_right(pages, end - 1))) if pages else None


def _line_ends(text: str) -> tuple[int, ...]:
    ends: list[int] = []
    at = text.find("\n")
    while at >= 0:
        ends.append(at)
        at = text.find("\n", at + 1)
    return tuple(ends)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if trimmed := _trimmed(text, start, stop):
            yield trimmed[0], trimmed[1]
        start = stop + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in sentences(text[start:end]):
        yield start + first, start + last


_JOINERS = "\u200c\u200d\ufe0e\ufe0f"


def _between_words(text: str, start: int, stop: int) -> int:
    """The last place to cut in the second half: after white space, else after punctuation, else before no mark that joins."""
    middle = start + (stop - start) // 2
    for fits in (str.isspace, _is_stop):
        for at in range(stop, middle, -1):
            if fits(text[at - 1]):
                return at
    while stop > middle and (unicodedata.combining(text[stop]) or text[stop] in _JOINERS):
        stop -= 1
    return max(stop, start + 1)


def _is_stop(character: str) -> bool:
    return character in "。！？；，、.!?;,:)]}>|/"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
