"""The form under which a word is compared: folded, number words as digits, endings cut lightly."""

import re
import unicodedata
from functools import lru_cache

_NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"""
_NUMBER_WORDS = dict(
    zip(_NUMBERS.split(), (*map(str, range(21)), *map(str, range(30, 100, 10)), "100", "1000"), strict=True)
)

_DROPPED_MARKS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_LETTERS_WITHOUT_MARKS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "’": "'", "ى": "ي", "ة": "ه", "ـ": None}
)


@lru_cache(maxsize=1 << 17)
def fold(word: str) -> str:
    """One word without case, width, accents and vowel marks."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKD", word).casefold()
    return _DROPPED_MARKS.sub("", folded).translate(_LETTERS_WITHOUT_MARKS)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """What two forms of a word have in common. Not a word of the language: only good for comparing."""
    folded = fold(word).removesuffix("'s")
    if folded[:1].isdigit():
        return folded.replace(",", "")
    if folded in _NUMBER_WORDS:
        return _NUMBER_WORDS[folded]
    if "\u0600" <= folded[:1] <= "\u06ff":
        return _arabic(folded)
    if not (folded.isascii() and folded.isalpha()):
        return folded
    return _english(folded) if len(folded) > 3 else _IRREGULAR.get(folded, folded)


_VOWEL = re.compile(r"[aeiouy]")
_PLURALS = (("sses", "ss"), ("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("zes", "z"))
_IRREGULAR_FORMS = """use used using, be been, begin began begun, birth born, die died dies dying death dead deaths, marry married marries marriage marriages, break broke broken, bring brought, build built, buy bought,
    choose chose chosen, come came, draw drew drawn, drive drove driven, fall fell fallen, feel felt, fight fought, find found, fly flew flown,
    forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, give gave given, go went gone, grow grew grown, hold held,
    keep kept, know knew known, lead led, leave left, lend lent, lose lost, make made, mean meant, meet met, pay paid, rise rose risen,
    run ran, say said, sell sold, send sent, shoot shot, sing sang sung, speak spoke spoken, spend spent, steal stole stolen,
    strike struck, swim swam swum, take took taken, teach taught, tell told, think thought, throw threw thrown, win won, write wrote written,
    child children, foot feet, man men, mouse mice, person people, tooth teeth, woman women, criterion criteria, index indices"""
_IRREGULAR = {
    form: forms[0] for listed in _IRREGULAR_FORMS.split(",") for forms in [listed.split()] for form in forms[1:]
}
_ENDINGS = (
    "ational", "ization", "isation", "fulness", "iveness", "ation", "ility", "ement", "ment", "ness", "ancy", "ency",
    "ally", "ity", "abl", "ibl", "ion", "anc", "enc", "ant", "ent", "ful", "ous", "iv", "iz", "is", "at", "ly", "al",
    "ic", "er", "or",
)  # fmt: skip
"""Of words without a final e; longest first. The first that leaves enough is cut, and then once more."""
_LEAST_LEFT = {"er": 5, "or": 5, "is": 5}
"""Letters that must stay in front of an ending; 4 where not listed."""


def _english(word: str) -> str:
    word = _base(_IRREGULAR.get(word, word))
    for _ in range(2):
        word = _without_ending(word.removesuffix("e") if len(word) > 3 else word)
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def _base(word: str) -> str:
    """Without the endings of inflection: plural, -ed, -ing."""
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and word != "news":
        word = _singular(word)
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ed", "ing"):
        kept = len(word) - len(ending)
        if kept >= 3 and word.endswith(ending) and _VOWEL.search(word, 0, kept):
            word = word[:kept]
            return word[:-1] if kept > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word
    return word


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        kept = len(word) - len(ending)
        if kept >= _LEAST_LEFT.get(ending, 4) and word.endswith(ending) and _VOWEL.search(word, 0, kept):
            return word[:kept]
    return word


def _singular(word: str) -> str:
    for ending, replacement in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + replacement
    return word[:-1]


def _arabic(word: str) -> str:
    for prefix in ("وال", "بال", "كال", "فال", "ال", "لل"):
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            return word[len(prefix) :]
    return word
