"""Text as the core compares it: canonical form, terms, sentences and names. Offsets are always into the text as given."""

import re
import unicodedata
from typing import NamedTuple

from satisfice.core.stemming import fold, stem


def canonical(text: str) -> str:
    """NFKC, lower case, single spaces: equal for texts that differ only in spelling habits."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


# --- words ---------------------------------------------------------------------------------------------------------

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Combining marks and whole Indic blocks (danda left out): inside a word, though Python does not count them as letters."""
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UNSPACED = _CJK + "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts written without spaces between words, and Korean, whose particles stick to words: matched by pairs of characters."""
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"

_WORD = re.compile(
    rf"[{_UNSPACED}]+|{_LETTER}+(?:(?<=\d)\.\d{_LETTER}*|(?<=\d),\d{{3}}(?!\d)|['’]{_LETTER}+)*", re.UNICODE
)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?<=\d)\.\d[a-z0-9]*|(?<=\d),\d{3}(?!\d)|'[a-z0-9]+)*")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_FIRST_UNSPACED = "\u0dff"

_IDENTIFIER = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*"  # --no-cache-dir, -v
    r"|(?<![\w.])(?:~?/|\.{1,2}/)[\w.-]+(?:/[\w.-]+)*"  # /etc/hosts, ~/.ssh/config
    r"|\b[A-Za-z]+-\d\w*(?:-\w+)*"  # SLA-7, CVE-2024-1234
    r"|\b\w+(?:::\w+)+"  # std::vector
    r"|\b[A-Za-z_]\w*(?:\.\w+)+"  # os.path, pyproject.toml
    r"|\b[A-Za-z0-9]*_\w+"  # snake_case, __init__
    r"|\b[A-Za-z](?:\+\+|#)",  # C++, C#
    re.ASCII,
)
_CODE = re.compile(
    r"\b(?=\w*[A-Za-z])(?=\w*\d)(?!\d+(?:st|nd|rd|th|s|k|m|am|pm|x)\b)[A-Za-z0-9]{2,}\b", re.IGNORECASE | re.ASCII
)
"""Letters and digits in one word (E1042), but no ordinals, decades and amounts (19th, 1990s, 30k)."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


STOP_WORDS = _words(
    """a about after against all also an and any are as at be because been before being between both but by can can't
    cannot could did didn't do does doesn't doing don't down during each either for from had has have having he her here
    hers him his how i i'm if in into is isn't it its it's itself just may me might must my no nor not of off on onto or
    our ours out over own per please shall she should so some such than that the their theirs them then there these they
    this those through to too under until up upon us very was wasn't we were what what's when where whether which while
    who who's whom whose why will with within without won't would wouldn't you your yours"""
)
"""Words that say nothing about the subject: articles, prepositions, auxiliaries, pronouns, question words, modals."""

_QUESTION_STOP_WORDS = STOP_WORDS | _words(
    """many much most more name names named call calls called tell explain describe
    wann wie wer wen wem wessen wo woher wohin warum wieso weshalb welche welcher welches welchen welchem viel viele
    wieviel wieviele quand combien pourquoi où quel quelle quels quelles quoi qui qué quién quiénes cuál cuáles cuándo
    cuánto cuánta cuántos cuántas dónde quando quanto quanta quanti quante perché quale quali cosa"""
)
"""Also the question words of German, French, Spanish and Italian that are no English words (`comment`, `come`, `dove` are)."""
_UNSPACED_ASKS = re.compile(
    "(?:什么时候|什么|甚么|怎么样|怎么|怎样|如何|为何|何时|何处|哪里|哪儿|哪[些个]?|谁|多少[个次天年月日人元岁点本种]?|几[个次天年月日人元岁点本种]|(?<=星期)几|多久|多长|吗|呢)"
)
_UNSPACED_STOPS = _words(
    "什么 甚么 怎么 怎样 如何 哪里 哪个 哪些 为什 多少 是什 么是 吗 的 了 是 谁 です ですか すか ます とは 何 何で は が を に の "
    "はど どう どの なに 무엇 인가 가요 나요 습니 니다"
)

_STOP_STEMS = frozenset(map(stem, STOP_WORDS)) | _UNSPACED_STOPS
_QUESTION_STOP_STEMS = frozenset(map(stem, _QUESTION_STOP_WORDS)) | _UNSPACED_STOPS


class Term(NamedTuple):
    """One word in its place, or one pair of characters in a script without spaces. A tuple, because texts have thousands."""

    text: str
    stem: str
    start: int
    end: int


def terms(text: str) -> tuple[Term, ...]:
    """Every word with its stem and its place, stop words included."""
    found: list[Term] = []
    for match in _WORD.finditer(text):
        word, start, end = match.group(), match.start(), match.end()
        if word[0] > _FIRST_UNSPACED and _IS_UNSPACED.match(word):
            found.extend(_pairs(word, start))
        else:
            found.append(Term(word, stem(word), start, end))
    return tuple(found)


def exact(identifier: str) -> str:
    """How an identifier is compared: in lower case, but for options of one letter, where case tells two apart."""
    return identifier if len(identifier) == 2 and identifier[0] == "-" else identifier.lower()


def content_stems(text: str) -> tuple[str, ...]:
    """The stems that carry the subject: stop words out, repeats dropped, in order."""
    return tuple(dict.fromkeys(term for term in search_terms(text) if term not in _STOP_STEMS))


def question_stems(text: str) -> tuple[str, ...]:
    """Like `content_stems`, and without words that questions are made of (many, most, name, called ...)."""
    if not text.isascii():
        text = _UNSPACED_ASKS.sub(" ", text)  # no pair of characters may be half a question word
    return tuple(dict.fromkeys(term for term in search_terms(text) if term not in _QUESTION_STOP_STEMS))


def content_words(text: str) -> tuple[str, ...]:
    """The words behind `content_stems`, folded but whole: what word vectors are asked about. No character pairs."""
    words = (fold(word) for word in _WORD.findall(text) if not _IS_UNSPACED.match(word))
    return tuple(dict.fromkeys(word for word in words if stem(word) not in _STOP_STEMS))


def search_terms(text: str) -> tuple[str, ...]:
    """What a word index should hold, repeats kept: stems, character pairs, and identifiers whole as well as in parts."""
    if text.isascii():
        stems = list(map(stem, _ASCII_WORD.findall(text.lower())))
    else:
        stems = list[str]()
        for word in _WORD.findall(text):
            if word[0] > _FIRST_UNSPACED and _IS_UNSPACED.match(word):
                stems.extend(_bigrams(unicodedata.normalize("NFKC", word)))
            else:
                stems.append(stem(word))
    for piece in text.split():
        if not piece.isalnum() and not piece[:-1].isalnum():
            stems.extend(map(exact, _IDENTIFIER.findall(piece)))
    return tuple(stems)


def is_stop(term: str) -> bool:
    """Whether a stem is that of a stop word."""
    return term in _STOP_STEMS


def identifiers(text: str) -> tuple[tuple[int, int], ...]:
    """Things that are looked up letter by letter: option names, error codes, paths, dotted and snake-case names."""
    spans = [match.span() for match in _IDENTIFIER.finditer(text)]
    spans += [match.span() for match in _CODE.finditer(text) if not any(s <= match.start() < e for s, e in spans)]
    return tuple(sorted(spans))


def _pairs(run: str, start: int) -> list[Term]:
    folded = unicodedata.normalize("NFKC", run)
    if len(folded) != len(run):  # half-width marks join their letter: the places inside the run are lost
        return [Term(run, pair, start, start + len(run)) for pair in _bigrams(folded)]
    width = min(2, len(run))
    return [Term(run[i : i + width], pair, start + i, start + i + width) for i, pair in enumerate(_bigrams(folded))]


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) < 2 else [run[i : i + 2] for i in range(len(run) - 1)]


# --- names ---------------------------------------------------------------------------------------------------------

_CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯĀĂĄĆČĎĐĒĘĚĞĪİŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽȘȚ"
_NAME_WORD = (
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Gen|Col|Capt|Lt|Sgt|Rev|Sen|Rep|Gov|St|Mt|Ft)\."
    rf"|[{_CAPITAL}]\.(?:-?[{_CAPITAL}]\.)*"
    rf"|[{_CAPITAL}](?:[\w'’]|-(?=\w)|\.(?=\w))*)"
)
_JOINER = r"(?:of|the|de|van|von|der|den|la|le|du|di|da|del|el|al|bin|ibn|for|&)"
_NAME = re.compile(
    rf"\b{_NAME_WORD}(?:[ \u00a0]+(?:{_NAME_WORD}|\d+(?:st|nd|rd|th)?\b)|[ \n]+(?:{_JOINER}[ \n]+){{1,2}}{_NAME_WORD}|\n{_NAME_WORD})*"
)
_FIRST_WORD = re.compile(r"[\w'’]+\s*")


def names(text: str) -> tuple[tuple[int, int], ...]:
    """Runs of capitalised words, going on over numbers, and over of/the/de/van when a capital follows.

    Stop words in front are cut, so that a sentence's first word is a name only when it is none of them.
    """
    found: list[tuple[int, int]] = []
    for match in _NAME.finditer(text):
        start, end = match.span()
        while start < end and (first := _FIRST_WORD.match(text, start, end)):
            word = first.group().strip().lower()
            if word not in _NOT_FIRST and not word.isdigit():
                break
            start = first.end()
        if end - start > 1:
            found.append((start, end))
    return tuple(found)


_NOT_FIRST = (STOP_WORDS - {"us"}) | _words(
    """one many most much more name however although though moreover furthermore therefore thus later today since
    despite unlike like another other others several nobody everybody everyone someone whoever whenever wherever yes ok hi hello give list find show tell explain describe compare"""
)


# --- sentences -----------------------------------------------------------------------------------------------------

_END = re.compile(r"[.!?…]+[\"'”’)\]»*_`]*(?:\[\d+\])*(?=\s)|[。！？｡؟۔।]+[」』”’）\"')\]]*")
_NEXT = re.compile(r"\s*[\"'“‘(\[«*_`¿¡]*(?=\S)")
_ABBREVIATIONS = _words(
    """mr mrs ms dr st prof vs cf al gen sen rep gov capt col lt sgt rev hon mt ft approx
    dept est ed eds viz messrs"""
)
_BEFORE_NUMBERS = _words("no nos art sec p pp vol fig ch ver jan feb mar apr jun jul aug sep sept oct nov dec c ca")
_CLOSING_ABBREVIATIONS = _words("inc co corp ltd jr sr")
_OPENER = re.compile(r"[A-Za-z']+")
_WORD_BEFORE = re.compile(r"[\w.]*\w$")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦·▪]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[①-⑳])[ \t]+(?=\S)")
_ALONE = re.compile(r"\s*(?:#{1,6}[ \t]|\||:\w[\w -]*:|\.\. |=+\s*$|-{3,}\s*$|~+\s*$)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_KEYED = re.compile(r"\s*[A-Z][\w /-]{0,30}:(?:\s|$)")
_WRAPPED_WIDTH = 50
"""Lines shorter than this are not prose broken to fit a page."""
MAX_SENTENCE_CHARS = 1_000
"""A longer sentence is cut at a space: what is quoted stays readable."""


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence starts and ends; together they cover everything but white space.

    Ends are closing punctuation (not after abbreviations), blank lines, and the line breaks around headings, list
    items, table rows and other lines that stand alone. A line break inside wrapped prose or a fenced block is none.
    """
    found: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        begin = start
        for match in _END.finditer(text, start, end):
            if _ends_sentence(text, match, begin, end):
                _add(found, text, begin, match.end())
                begin = match.end()
        _add(found, text, begin, end)
    return tuple(found)


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_SENTENCE_CHARS:
        cut = text.rfind(" ", start + MAX_SENTENCE_CHARS // 2, start + MAX_SENTENCE_CHARS)
        cut = start + MAX_SENTENCE_CHARS if cut < 0 else cut
        found.append((start, cut))
        start = cut + 1 if text[cut] == " " else cut
    if start < end:
        found.append((start, end))


def _ends_sentence(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    following = _NEXT.match(text, match.end(), end)
    if following is None:
        return False
    after = text[following.end()]
    if after.islower() and not match.group()[0] > "\u02ff":
        return False
    if match.group()[0] != "." or match.group().startswith(".."):
        return True
    word = _WORD_BEFORE.search(text, max(begin, match.start() - 20), match.start())
    if word is None:
        return True
    before = word.group()
    if len(before) == 1 and before.isupper() and before != "I":
        return False
    if (before.isdigit() or len(before) == 1) and not text[begin : word.start()].strip(" \t\n("):
        return False  # the mark of a list item
    before = before.lower()
    if "." in before or before in _CLOSING_ABBREVIATIONS:  # U.S., Inc.: an end only before a word that opens sentences
        opener = _OPENER.match(text, following.end())
        return opener is not None and opener.group().lower() in STOP_WORDS
    return before not in _ABBREVIATIONS and not (before in _BEFORE_NUMBERS and after.isdigit())


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines in which a line break is only a space."""
    blocks: list[tuple[int, int]] = []
    paragraph: list[tuple[int, int]] = []
    fenced = [match.span() for match in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []
    end = 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        if line.isspace() and not any(first <= start < last for first, last in fenced):
            blocks.extend(_joined(text, paragraph))
            paragraph = []
        else:
            paragraph.append((start, end))
    blocks.extend(_joined(text, paragraph))
    return blocks


def _joined(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if len(lines) < 2:
        return lines
    shown = [text[start:end].rstrip() for start, end in lines]
    width = max(map(len, shown))
    blocks = [lines[0]]
    fenced = _FENCE.match(shown[0]) is not None
    for index in range(1, len(lines)):
        here = shown[index]
        fence = _FENCE.match(here) is not None
        if fenced or (not fence and _flows(shown[index - 1], here, width)):
            blocks[-1] = (blocks[-1][0], lines[index][1])
        else:
            blocks.append(lines[index])
        fenced = fenced != fence
    return blocks


def _flows(line: str, following: str, width: int) -> bool:
    """Whether the sentence of a line may go on in the next one of the same paragraph."""
    if _ALONE.match(line) or _ALONE.match(following) or _BULLET.match(following) or _KEYED.match(following):
        return False
    if _FENCE.match(line):
        return False
    words = following.split(None, 1)
    if words[0][0].islower():
        return True
    indent = len(following) - len(following.lstrip())
    deeper = indent - (len(line) - len(line.lstrip()))
    if deeper > 0:
        return True
    wide = width >= _WRAPPED_WIDTH or (width >= _WRAPPED_WIDTH // 2 and _IS_UNSPACED.search(line) is not None)
    return wide and len(line) + 1 + len(words[0]) > width - 4
