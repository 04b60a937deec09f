"""Which passage a name stands for, and which passages a text therefore points to. Pure: stores keep the rows.

Only aliases are stored. A text's links are found when it is shown, by looking its names up in the alias table, so adding
or removing a document changes its own rows and nothing else:

1. at ingest, `aliases(passages of one document)` gives the rows to store: (lead, key, passage, weight), indexed by lead;
2. for the best few hits of a search, `mentions(sentences of the text)` gives the places where a name may start;
3. `leads(mentions)` says which rows to fetch (`lead IN (...)`, one statement for all hits);
4. `resolve(own, mentions, names(rows))` gives the passages that are named, longest name first, with the sentence's number;
   a handle's `Link.matched` are the query's terms in that sentence.

A question or query is read the same way (`mentions([text], any_case=True)`): what it names outright belongs among the
handles. So a search returns as handles, at most `handles` of them: its best hits, then the passages that the query's text
names, then the passages that its best `LINKING_HITS` hits link to; links are shown on those hits. Every handle is scored
and matched like any other, wherever it came from.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from satisfice.core.ids import PassageId
from satisfice.core.passages import Passage
from satisfice.core.stemming import fold
from satisfice.core.text import sentences

LINKING_HITS = 8
"""How many of a search's best hits show their links."""
MAX_WORDS = 10
"""The longest name that is looked up."""
MAX_TARGETS = 12
"""A name that more passages carry says nothing about any of them."""
MAX_HEADING_TARGETS = 3
"""The same for names that are only headings: `Overview` is everywhere."""
MAX_PLAIN_RUN = 2
"""Lower-case words in a row inside a name: `The Lord of the Rings` has two."""

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_CALLED = re.compile(
    r"\b(?:known as|known simply as|called|stage name(?: of)?|pen name(?: of)?|nicknamed|abbreviated(?: as)?|born)\s+"
    r"(?:the\s+)?[\"“'(]?(?P<name>[^\W\d_][^\s,.;:()\"”“]*(?:\s+[^\s,.;:()\"”“]+){0,5})"
)
_VERB = re.compile(r"\s(?:is|was|are|were|has|had)\s|\s?\(|,")


@dataclass(frozen=True, slots=True)
class Alias:
    """One row of the alias table. `lead` holds the first two words of `key` (or its only one) and is what is indexed."""

    lead: str
    key: str
    passage: PassageId
    weight: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a name may start: the folded words from here on, as far as one name can reach."""

    words: tuple[str, ...]
    sentence: int
    position: int
    """Number of the first word within its sentence."""
    least: int = 1
    """Words that a name here must have: one word in lower case is no name."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a text that the table knows. `sentence` counts from 0."""

    target: PassageId
    weight: float
    sentence: int


Names = Mapping[str, Sequence[tuple[PassageId, float]]]
"""What each known name stands for, with weights."""


def name_key(name: str) -> str:
    """What two spellings of one name have in common: letters and digits, without case, accents or possessive."""
    return " ".join(word for word, _ in _words(name))


def lead(key: str) -> str:
    """The part of a key that rows are indexed by."""
    return " ".join(key.split(" ", 2)[:2])


def aliases(passages: Sequence[Passage]) -> tuple[Alias, ...]:
    """The rows of one document, given all its passages in order.

    The document's title names its first passage, a heading of several words the first passage under it.
    """
    rows: dict[tuple[str, PassageId], float] = {}
    for number, passage in enumerate(passages):
        names: list[tuple[str, float]] = []
        title = passage.provenance.title
        if number == 0:
            names += _title_names(title)
            names += _lead_names(title, passage.text)
        before = passages[number - 1].provenance.headings if number else ()
        headings = [heading for heading in passage.provenance.headings if heading not in before]
        names += [(heading, 0.5) for heading in headings if " " in name_key(heading)]
        for name, weight in names:
            key = name_key(name)
            if _usable(key) and weight > rows.get((key, passage.id), 0.0):
                rows[key, passage.id] = weight
    return tuple(Alias(lead(key), key, passage, weight) for (key, passage), weight in sorted(rows.items()))


def mentions(texts: Sequence[str], *, any_case: bool = False) -> tuple[Mention, ...]:
    """Where names may start in a passage's sentences: words with a capital, a digit or a letter without case; every word with `any_case`."""
    found: list[Mention] = []
    for number, text in enumerate(texts):
        words = list(_words(text))
        for start, (word, plain) in enumerate(words):
            if plain and not any_case:
                continue
            reach, run = [word], 0
            for following, is_plain in words[start + 1 : start + MAX_WORDS]:
                run = run + 1 if is_plain else 0
                if run > MAX_PLAIN_RUN and not any_case:
                    break
                reach.append(following)
            found.append(Mention(tuple(reach), number, start, 2 if plain else 1))
    return tuple(found)


def leads(found: Iterable[Mention]) -> tuple[str, ...]:
    """The index entries that can hold a name of these mentions, sorted."""
    return tuple(sorted({" ".join(one.words[:size]) for one in found for size in range(one.least, 3)}))


def resolve(own: PassageId | None, found: Iterable[Mention], known: Names) -> tuple[Named, ...]:
    """The passages that are named, in order of mention; the longest name wins, and a passage never names itself."""
    named: list[Named] = []
    sentence, free_from = -1, 0
    for mention in found:
        if mention.sentence != sentence:
            sentence, free_from = mention.sentence, 0
        if mention.position < free_from:
            continue
        for size in range(len(mention.words), mention.least - 1, -1):
            targets = known.get(" ".join(mention.words[:size]))
            if targets is not None:
                named += [Named(target, weight, sentence) for target, weight in targets if target != own]
                free_from = mention.position + size
                break
    return tuple(named)


def names(rows: Iterable[Alias]) -> Names:
    """Names that say something: not carried by too many passages. Made once for all texts that are shown together."""
    gathered: dict[str, list[tuple[PassageId, float]]] = {}
    for row in rows:
        gathered.setdefault(row.key, []).append((row.passage, row.weight))
    table: dict[str, Sequence[tuple[PassageId, float]]] = {}
    for key, targets in gathered.items():
        headings_only = max(weight for _, weight in targets) <= 0.5
        if len(targets) <= (MAX_HEADING_TARGETS if headings_only else MAX_TARGETS):
            table[key] = sorted(targets, key=lambda target: (-target[1], target[0]))
    return table


def _title_names(title: str) -> Iterator[tuple[str, float]]:
    yield title, 1.0
    bare = _BRACKET.sub("", title)
    if bare != title:
        yield bare, 0.9
    if bare.startswith("The "):
        yield bare[4:], 0.8
    if bare.startswith("List of "):
        yield bare[8:], 0.6
    if ", " in bare:
        yield bare.split(", ", 1)[0], 0.7


def _lead_names(title: str, text: str) -> Iterator[tuple[str, float]]:
    """The subject of the first sentence, when it shares a word with the title, and what it is also called."""
    spans = sentences(text[:600])
    opening = text[slice(*spans[0])] if spans else ""
    subject, *rest = _VERB.split(opening, maxsplit=1)
    shared = set(name_key(_BRACKET.sub("", title)).split()) & set(name_key(subject).split())
    if rest and len(subject.split()) <= MAX_WORDS and any(len(word) > 3 for word in shared):
        yield subject, 0.8
    for match in _CALLED.finditer(opening):
        name = _capital_run(match["name"])
        if name:
            yield name, 0.6


def _capital_run(text: str) -> str:
    """The leading words of `text` that have no lower-case first letter."""
    kept: list[str] = []
    for word in text.split():
        if word[0].islower():
            break
        kept.append(word)
    return " ".join(kept)


def _usable(key: str) -> bool:
    """One short word names too much."""
    return " " in key or len(key) > 3


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Folded words, each with whether it is written plainly, in lower case."""
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        folded = _fold(word)
        if folded:
            yield folded, word[0].islower()


@lru_cache(maxsize=1 << 16)
def _fold(word: str) -> str:
    folded = fold(word)
    if folded.endswith(("'s", "’s")):
        folded = folded[:-2]
    return folded.replace("'", "").replace("’", "").replace(".", "")
