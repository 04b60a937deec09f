"""A query taken apart for comparison: what must be equal, what carries the subject, and how its words hang together."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from satisfice.core.text import canonical
from satisfice.core.wordlists import (
    BEFORE_DATES,
    CONTRASTS,
    DIGITS,
    DIRECTIONS,
    FUNCTION_WORDS,
    FUTURE,
    IRREGULAR,
    MEASURES,
    MONTHS,
    NEGATIONS,
    ORDINALS,
    PAST,
    PRESENT,
    QUESTION_WORDS,
    SHORT_FORMS,
    WEEKDAYS,
    light_stem,
)

_PLAIN = str.maketrans({
    "’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "‐": "-", "−": "-",
})  # fmt: skip
_IN_FRONT = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|so|well|dear \w+)\b[\s,!.:]*|(?:please|pls|kindly)\b[\s,:]*|question\s*[-:]\s*|q\s*:\s*"
    r"|(?:can|could|would|will) you (?:please )?(?:tell|show|explain to) (?:me|us)\b[\s,:]*"
    r"|(?:tell|show) me\b[\s,:]*|do you (?:happen to )?know\b[\s,:]*|i(?:'d| would)? (?:want|like|need) to (?:know|find out)\b[\s,:]*"
    r"|i(?:'m| am) (?:wondering|curious)\b[\s,:]*|i wonder\b[\s,:]*|just wondering\b[\s,:]*|quick question\b[\s,:-]*)",
    re.IGNORECASE,
)
_AT_END = re.compile(r"[\s,;]*\b(?:please|pls|thanks?(?: you)?(?: in advance)?|thx)[\s.!]*$", re.IGNORECASE)
_END_MARKS = re.compile(r"[\s?!.;:,。？！…]+$")
_THROWAWAY = re.compile(
    r"(?<=\w)[\s,;|]+(?:[\[(#<{]*\s*(?:ref|nonce|salt|seed|attempt|retry|try|uid|uuid|cache-?bust(?:er)?|rand(?:om)?|token)"
    r"[\s:#=.-]*[0-9a-f-]*\d[0-9a-f-]*[\])>}]*|[\[(<{#]+\s*(?=[0-9a-f-]*\d)[0-9a-f-]{3,}\s*[\])>}]*)\s*$",
    re.IGNORECASE,
)
"""What a looping model appends to get past an exact check: a marker and a number, or a short code in brackets."""

_CONTRACTIONS = (
    (re.compile(r"\b(what|who|where|when|how|why|that|there|it|he|she|here)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bcan't\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"'re\b", re.IGNORECASE), " are"),
    (re.compile(r"'ve\b", re.IGNORECASE), " have"),
    (re.compile(r"'ll\b", re.IGNORECASE), " will"),
    (re.compile(r"\bi'm\b", re.IGNORECASE), "i am"),
)
_FRAMES = (
    (re.compile(r"\b(?:in|on|at|during) (?:which|what) (?:year|date|day|time)\b", re.IGNORECASE), "when"),
    (re.compile(r"\bwhat (?:year|date) (?=did|was|were|is|does|do)", re.IGNORECASE), "when "),
    (re.compile(r"\b(?:in|at) (?:which|what) (?:place|location)\b", re.IGNORECASE), "where"),
    (re.compile(r"\b(?:which|what) (?:person|individual)\b", re.IGNORECASE), "who"),
    (re.compile(r"\bfor (?:what|which) reason\b", re.IGNORECASE), "why"),
    (re.compile(r"\bwhat (?:is|was|are|were) the number of\b", re.IGNORECASE), "how many"),
    (re.compile(r"\bhow come\b", re.IGNORECASE), "why"),
)
_BRITISH = (
    ("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"), ("yse", "yze"), ("lled", "led"),
    ("lling", "ling"), ("ours", "ors"), ("our", "or"), ("tre", "ter"), ("ogue", "og"), ("ence", "ense"),
)  # fmt: skip
_PUNCTUATION = re.compile(
    r"""[?!;:"()\[\]{}…]|(?<!\d)[.,](?!\w)|[.,](?=\s|$)|,(?!\d)|(?<!\w)'|'(?!\w)|(?<=[^\W\d])-(?=[^\W\d])"""
)
"""Marks that no meaning hangs on: not those inside numbers, nor in front of them, nor those of code."""
_SIGNS = "$€£¥%<>="
_TOKEN = re.compile(
    rf"[{_SIGNS}]|(?<!\w)-?\d+(?:,\d{{3}})+(?:\.\d+)?|(?<!\w)-\d[\w.]*|(?:\w\.){{2,}}\w?|"
    r"[^\W_]+(?:['&.+/_-][^\W_]+)*(?:\+\+|#)?"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_MONTH_NUMBERS = {form: str(n) for n, name in enumerate(MONTHS, 1) for form in (name, name[:3], name[:4])}
_UNCLEAR_MONTHS = frozenset({"may", "march", "mar"})
_NOT_COUNTED_ONE = frozenset({"which", "the", "this", "that", "each", "no", "any", "every", "other", "another", "what"})
_AUXILIARIES = PRESENT | PAST | FUTURE | frozenset({"can", "could", "may", "might", "must", "should"})
_ARTICLES = frozenset({"a", "an", "the", "its", "his", "her", "their", "our", "your", "my"})
_JOINING = frozenset({"and", "or", "than", "versus"})


class Word(NamedTuple):
    """A word that carries part of the subject. `before` is the preposition it hangs on, empty when there is none."""

    text: str
    stem: str
    contrast: frozenset[int]
    name: bool
    before: str
    joined: str
    """The and, or, than in front of it; `,` when one follows."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A query taken apart. `hard` are the tokens that must be equal, each with the preposition it hangs on."""

    surface: str
    hard: tuple[tuple[str, str], ...]
    question: tuple[str, ...]
    functions: tuple[str, ...]
    words: tuple[Word, ...]
    directions: frozenset[str]
    ending: str = ""
    """Its last word when that is a preposition: what stands in front of the verb then belongs behind it."""

    @property
    def tense(self) -> tuple[bool, bool, bool]:
        """Whether it speaks of the present only, of the past only, of the future."""
        found = set(self.functions)
        present, past = bool(found & PRESENT), bool(found & PAST)
        return (present and not past, past and not present, bool(found & FUTURE))

    @property
    def is_keywords(self) -> bool:
        """A list of words rather than a sentence: nothing in it says that their order matters."""
        found = set(self.functions)
        return not self.question and not found & _AUXILIARIES and not self.directions - {"for"}


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Take a query apart. Cached: each query of a run is compared with every new one."""
    plain = _stripped(unicodedata.normalize("NFKC", text).translate(_PLAIN))
    surface = canonical(_PUNCTUATION.sub(" ", plain))
    if _UNSPACED.search(surface):
        return Reading(re.sub(r"\s+", "", surface), (), (), (), (), frozenset())
    for pattern, replacement in (*_CONTRACTIONS, *_FRAMES):
        plain = pattern.sub(replacement, plain)
    return _parsed(surface, _tokens(plain))


def without_throwaway(text: str) -> str:
    """The query without a throwaway token at its end; unchanged when it has none."""
    return _THROWAWAY.sub("", text.strip())


def _stripped(text: str) -> str:
    text = " ".join(text.split())
    while True:
        shorter = _END_MARKS.sub("", _AT_END.sub("", _IN_FRONT.sub("", text))).strip()
        if shorter == text or not shorter:
            return text
        text = shorter


def _tokens(plain: str) -> list[tuple[str, bool, bool]]:
    """Each word in lower case, whether it is a name by its capital, and whether a comma follows."""
    found = list(_TOKEN.finditer(plain))
    capitals = sum(match.group()[0].isupper() for match in found)
    cased = capitals <= 0.7 * len(found) or len(found) < 3
    tokens: list[tuple[str, bool, bool]] = []
    for i, match in enumerate(found):
        word = match.group()
        name = cased and i > 0 and word[0].isupper()
        comma = plain[match.end() : match.end() + 1] == ","
        lower = word.lower().removesuffix("'s").removesuffix("'")
        parts = SHORT_FORMS.get(lower, lower).split() if not lower.isupper() else [lower]
        tokens += [(_american(part), name, comma and part == parts[-1]) for part in parts]
    return tokens


def _american(word: str) -> str:
    word = IRREGULAR.get(word, word)
    if len(word) > 5 and word.isalpha():
        for ending, replacement in _BRITISH:
            if word.endswith(ending):
                return word[: -len(ending)] + replacement
    return word


def _parsed(surface: str, tokens: list[tuple[str, bool, bool]]) -> Reading:
    hard: list[tuple[str, str]] = []
    question: list[str] = []
    functions: list[str] = []
    words: list[Word] = []
    preposition, joined = "", ""
    for i, (word, name, comma) in enumerate(tokens):
        after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
        earlier = tokens[i - 1][0] if i else ""
        counted = _hard(word, earlier, after)
        if word in QUESTION_WORDS and not name:
            question.append(f"how {after}" if word == "how" and after in MEASURES else QUESTION_WORDS[word])
            functions.append(word)
        elif word in MEASURES and earlier == "how":
            continue
        elif counted:
            hard.append((counted, preposition))
            joined = ""
            continue
        elif word in FUNCTION_WORDS and not name:
            functions.append(word)
            joined = word if word in _JOINING else joined
            preposition = preposition if word in _ARTICLES else "" if word in _AUXILIARIES else word
            continue
        else:
            contrast = CONTRASTS.get(word) or CONTRASTS.get(light_stem(word)) or frozenset[int]()
            words.append(Word(word, light_stem(word), contrast, name, preposition, joined or ("," if comma else "")))
        preposition, joined = "", ""
    directions = frozenset(functions) & DIRECTIONS
    last = tokens[-1][0] if tokens else ""
    ending = last if last in DIRECTIONS or last == "of" else ""
    return Reading(surface, tuple(hard), tuple(question), tuple(functions), tuple(words), directions, ending)


def _hard(word: str, earlier: str, after: str) -> str:
    """The form under which a word must be on both sides; empty for an ordinary word."""
    if word in _SIGNS:
        return word
    if word in NEGATIONS:
        return f"!{NEGATIONS[word]}"
    if any(letter.isdigit() for letter in word):
        ordinal = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
        return f"{ordinal[1]}." if ordinal else word.replace(",", "")
    if word in ORDINALS:
        return ORDINALS[word]
    if word in DIGITS:
        uncounted = word == "one" and (after in {"of", "another", "or"} or earlier in _NOT_COUNTED_ONE or not after)
        return "" if uncounted else DIGITS[word]
    if word in _MONTH_NUMBERS:
        dated = after[:1].isdigit() or earlier[:1].isdigit() or earlier in BEFORE_DATES
        return f"month {_MONTH_NUMBERS[word]}" if dated or word not in _UNCLEAR_MONTHS else ""
    return f"day {word}" if word in WEEKDAYS else ""
