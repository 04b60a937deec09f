"""What a claim is after: its terms, and what a text that answers it must hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from satisfice.core.claims import AnswerType
from satisfice.core.stemming import fold
from satisfice.core.text import STOP_WORDS, exact, identifiers, names, question_stems, stem, terms
from satisfice.core.values import Value, dates, money, numbers, percents


@dataclass(frozen=True, slots=True)
class Aim:
    """A claim's text, taken apart once. Stems are those of `core.text`.

    `focus` are the stems of the thing asked for ("which *river*", "how many *days*"), `units` those in which a
    measure is counted ("how *long*"). `names` are the stems inside names. `wants_term` says that a word or name for
    something is sought, `wants_code` an option, a command and the like, `wants_steps` how to do something,
    `wants_default` what holds when nothing else is said.
    """

    text: str
    stems: tuple[str, ...]
    words: Mapping[str, str]
    """Each stem's word as `core.text.content_words` gives it: the key of `View.word_cosines`."""
    held: frozenset[str]
    """Every stem of the text: a value made of these alone answers nothing."""
    expects: AnswerType
    focus: tuple[str, ...] = ()
    units: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    identifiers: tuple[str, ...] = ()
    wants_term: bool = False
    wants_code: bool = False
    wants_steps: bool = False
    wants_default: bool = False
    negated: bool = False


@lru_cache(maxsize=256)
def aim_of(text: str, expects: AnswerType = AnswerType.ANY) -> Aim:
    """Take a claim apart. A type declared with the claim wins over the one its words suggest."""
    guessed, focus, units = _sought(text)
    found = terms(text)
    degree = _DEGREE.search(text)
    asked = stem(degree[1]) if degree else ""
    stems = tuple(one for one in question_stems(text) if one != asked)
    words = {term.stem: fold(term.text) for term in reversed(found) if term.stem in stems}
    sought = expects if expects is not AnswerType.ANY else guessed
    return Aim(
        text,
        stems,
        words,
        frozenset(term.stem for term in found),
        sought,
        focus,
        units,
        frozenset(term.stem for start, end in names(text) for term in terms(text[start:end])),
        tuple(dict.fromkeys(exact(text[start:end]) for start, end in identifiers(text))),
        _TERM_SOUGHT.search(text) is not None and sought in {AnswerType.ANY, AnswerType.NAME},
        sought is AnswerType.ANY and not _CODE_NOUNS.isdisjoint(focus),
        HOW_TO.search(text) is not None,
        "default" in text.lower(),
        NEGATION.search(text) is not None,
    )


# --- what is asked for ---------------------------------------------------------------------------------------------


def _listed(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_PERCENT = re.compile(r"%|\bper ?cent(?:age)?\b|\bwhat (?:share|proportion|fraction)\b|百分|パーセント", re.IGNORECASE)
_MONEY = re.compile(
    r"\bhow much\b.*\b(?:money|costs?|pay|paid|spen[dt]|charged?|worth|earn|prices?|dollars|euros|fees?)\b"
    r"|\b(?:price|cost|fee|salary|fine) (?:of|for|per|is|to)\b|多少钱|いくら|كم (?:سعر|تكلفة|يكلف)|얼마",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_ASKING_ELSEWHERE: tuple[tuple[re.Pattern[str], AnswerType], ...] = (
    (re.compile("什么时候|何时|哪一?年|几月|いつ|متى|언제"), AnswerType.DATE),
    (re.compile("多少|几|多久|多长|何(?:人|日|個|回|時間)|どのくらい|كم|몇|얼마나"), AnswerType.NUMBER),
    (re.compile("谁|誰|だれ|من هو|누가|누구"), AnswerType.NAME),
    (re.compile("哪里|哪儿|何处|どこ|أين|어디"), AnswerType.PLACE),
    (re.compile("为什么|为何|なぜ|どうして|لماذا|왜"), AnswerType.REASON),
)
_DATE_NOUNS = _listed("year date day month century decade deadline")
_NUMBER_NOUNS = _listed(
    "number population height length size rate limit maximum minimum temperature weight depth age distance ratio amount "
    "score total speed altitude area timeout port quota quorum threshold"
)
_PLACE_NOUNS = _listed(
    "country city state river place town region continent island location county village province district street "
    "building mountain sea ocean lake capital"
)
_NAME_NOUNS = _listed(
    "person people team company group organization organisation king queen president author actor actress singer band "
    "artist university school college player club party church book film movie song album magazine newspaper language "
    "scientist philosopher general pope emperor dynasty nation nationality religion war battle treaty network channel "
    "man woman secretary minister economist mathematician writer leader"
)
_CODE_NOUNS = _listed(
    "option flag switch command parameter argument setting variable file script method function keyword field property header status "
    "code endpoint module package class exception key extension path"
)
_MEASURED = {
    "long": _listed("second minute hour day week month year mile km meter metre foot inch cm mm decade century"),
    "old": _listed("year month million billion"),
    "far": _listed("mile km meter metre kilometre kilometer foot yard"),
    "often": _listed("time day week month year hour minute"),
    **dict.fromkeys(("tall", "high", "deep", "wide"), _listed("foot meter metre m ft inch cm")),
    **dict.fromkeys(("soon", "quickly"), _listed("second minute hour day week month")),
}
_UNMEASURED = frozenset(("large", "big", "fast", "heavy", "late", "early", "hot", "cold"))
_AUXILIARIES = "is are was were be been do does did has have had can could will would should may might must"
HOW_TO = re.compile(
    r"^\W*(?:how (?:do|can|could|should|would|must|might|to)\b|what (?:are|is) the (?:steps?|procedure|process|way)\b|steps (?:to|for)\b|"
    r"(?:show|tell|explain)(?: to)? (?:me|us) how\b|guide (?:to|for)\b|instructions (?:to|for|on)\b|what (?:do|should) (?:i|we) (?:need to )?do\b|"
    r"(?:如何|怎么|怎样)|どうやって|wie (?:kann|mache|geht)\b|comment (?:faire|puis|peut)\b|cómo (?:puedo|se|hago)\b|كيف)|如何|怎么|怎样|どうやって",
    re.IGNORECASE,
)
_DEGREE = re.compile(rf"\bhow ({'|'.join(sorted((*_MEASURED, *_UNMEASURED)))})\b", re.IGNORECASE)
"""The word says what kind of answer is sought, and is no part of it: nobody writes "the window is 30 days long"."""
_ABOUT_SOMETHING = frozenset(("about", "do", "does", "did", "can", "could", "will", "would", "should", "happens"))
"""Behind `what`, these ask about the noun that follows, and not for one: "what does the author do"."""
_NOT_HEADS = STOP_WORDS.union(_AUXILIARIES.split())
_TERM_SOUGHT = re.compile(
    r"\b(?:called|known as|referred|refer to|term|termed|another (?:name|word|way)|nickname|name (?:of|for)|named|"
    r"word for|expression|denoted|stands? for)\b",
    re.IGNORECASE,
)
NEGATION = re.compile(r"\b(?:not|never|no|none|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)

_Sought = tuple[AnswerType, tuple[str, ...], frozenset[str]]
_NO_UNITS: frozenset[str] = frozenset()


def _sought(text: str) -> _Sought:
    """Type, focus and units, from the first word that asks."""
    if _PERCENT.search(text):
        return AnswerType.PERCENT, (), _NO_UNITS
    if _MONEY.search(text):
        return AnswerType.MONEY, (), _NO_UNITS
    asking = _ASKING.search(text)
    if asking is None:
        elsewhere = (expected for pattern, expected in _ASKING_ELSEWHERE if pattern.search(text))
        return next(elsewhere, AnswerType.ANY), (), _NO_UNITS
    rest = [(term.text.lower(), term.stem) for term in terms(text[asking.end() :])]
    match asking.group().lower():
        case "who" | "whom" | "whose":
            return AnswerType.NAME, (), _NO_UNITS
        case "when":
            return AnswerType.DATE, (), _NO_UNITS
        case "where":
            return AnswerType.PLACE, (), _NO_UNITS
        case "why":
            return AnswerType.REASON, (), _NO_UNITS
        case "how":
            return _how(rest)
        case _:
            return _what(rest)


def _how(rest: list[tuple[str, str]]) -> _Sought:
    if not rest:
        return AnswerType.ANY, (), _NO_UNITS
    degree = rest[0][0]
    if degree in {"many", "much"}:
        counted = [pair for pair in rest[1:] if pair[0] not in {"of", "the", "different", "more", "total", "other"}]
        return AnswerType.NUMBER, tuple(s for word, s in counted[:2] if word not in _NOT_HEADS), _NO_UNITS
    if degree in _MEASURED or degree in _UNMEASURED:
        return AnswerType.NUMBER, (), _MEASURED.get(degree, _NO_UNITS)
    return AnswerType.ANY, (), _NO_UNITS


def _what(rest: list[tuple[str, str]]) -> _Sought:
    """By the nouns right behind `what` or `which` (over `is the` and the like)."""
    if rest and rest[0][0] in _ABOUT_SOMETHING:
        return AnswerType.ANY, (), _NO_UNITS
    start = next((i for i, (word, _) in enumerate(rest) if word not in _NOT_HEADS), len(rest))
    head: list[str] = []
    for word, stemmed in rest[start : start + 3]:
        if word in _NOT_HEADS or word.endswith("ly"):
            break
        head.append(stemmed)
    for nouns, expected in (
        (_DATE_NOUNS, AnswerType.DATE),
        (_NUMBER_NOUNS, AnswerType.NUMBER),
        (_PLACE_NOUNS, AnswerType.PLACE),
        (_NAME_NOUNS, AnswerType.NAME),
    ):
        if not nouns.isdisjoint(head):
            return expected, tuple(head), _NO_UNITS
    return AnswerType.ANY, tuple(head), _NO_UNITS


# --- what a text has to offer --------------------------------------------------------------------------------------

_REASON = re.compile(
    r"\b(?:because|due to|in order to|leads? to|led to|as a result|so that|since|owing to|thanks to|caused by|to [a-z]{3,})\b"
    r"|因为|由于|ため|لأن|때문",
    re.IGNORECASE,
)


def values_of(text: str, expected: AnswerType) -> tuple[Value, ...]:
    """The spans of `text` that have the expected type. A name's value is its text; REASON has marks only, ANY nothing."""
    match expected:
        case AnswerType.PERCENT:
            return percents(text)
        case AnswerType.MONEY:
            return money(text)
        case AnswerType.NUMBER:
            return numbers(text)
        case AnswerType.DATE:
            return dates(text)
        case AnswerType.NAME | AnswerType.PLACE:
            return tuple(Value(text[start:end], "", start, end) for start, end in names(text))
        case AnswerType.REASON:
            return tuple(Value("", "", *match.span()) for match in _REASON.finditer(text))
        case AnswerType.ANY:
            return ()
