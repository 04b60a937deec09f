"""The names a passage mentions, each with the words of its sentence: what the next query can be made of."""

from dataclasses import dataclass
from functools import lru_cache

from satisfice.core.linking import name_key
from satisfice.core.text import content_stems, names, search_terms, sentences

_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DATE_WORDS = frozenset(f"{_MONTHS} {_DAYS}".split())


@dataclass(frozen=True, slots=True)
class Name:
    """One name in its sentence (counted from 0). `context` are the stems of that sentence."""

    text: str
    key: str
    stems: tuple[str, ...]
    sentence: int
    context: frozenset[str]


@lru_cache(maxsize=512)
def names_in(text: str) -> tuple[Name, ...]:
    """Every mention of a name, in order. Dates are left out: no passage is about one."""
    found: list[Name] = []
    for number, (start, end) in enumerate(sentences(text)):
        sentence = text[start:end]
        context = frozenset(search_terms(sentence))
        for first, last in names(sentence):
            name = sentence[first:last]
            key, stems = name_key(name), content_stems(name)
            if key and stems and not _is_date(key):
                found.append(Name(name, key, stems, number, context))
    return tuple(found)


def _is_date(key: str) -> bool:
    return all(word in _DATE_WORDS or word.isdigit() for word in key.split())
