"""Explicit yes and no: a sentence that says a claim in its own words, or says the opposite in them."""

import re

from satisfice.adapters.reasoners.aiming import NEGATION, Aim
from satisfice.core.text import stem, terms

_SAID = 0.85
"""Share of the claim's terms that a sentence must have in so many words before its yes or no counts."""
_HEDGES = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|sometimes|usually|unless|except|only if|rumou?red|allegedly|claims? that)\b",
    re.IGNORECASE,
)
_OPPOSITES = """allowed forbidden, allowed prohibited, permitted prohibited, permitted forbidden, enabled disabled,
    enable disable, required optional, mandatory optional, included excluded, include exclude, supported unsupported,
    available unavailable, possible impossible, legal illegal, valid invalid, safe unsafe, public private, free paid,
    increase decrease, increases decreases, higher lower, more fewer, more less, before after, accept reject,
    accepted rejected, open closed, true false, same different, refundable nonrefundable, always never, on off,
    upper lower, maximum minimum, start stop, online offline, encrypted unencrypted, promotes inhibits, activates
    inhibits"""


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(","):
        one, other = (stem(word) for word in pair.split())
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


_OPPOSITE = _opposites()
_NON = re.compile(r"\bnon-?(?=[a-z]{3})", re.IGNORECASE)


def answers(aim: Aim, sentence: str, around: frozenset[str]) -> bool | None:
    """Whether a sentence affirms (True) or denies (False) a claim; None when it does not say so in so many words.

    `around` are stems that may stand for the subject: of the headings and of the sentence before.
    """
    if not aim.stems or _HEDGES.search(sentence):
        return None
    said = {term.stem for term in terms(_NON.sub("not ", sentence))}
    same = [s for s in aim.stems if s in said]
    turned = [s for s in aim.stems if s not in said and not _OPPOSITE.get(s, frozenset()).isdisjoint(said)]
    implied = [s for s in aim.stems if s not in said and s in around and s not in turned]
    if len(same) + len(turned) + len(implied) < _SAID * len(aim.stems) or len(same) + len(turned) < 2:
        return None
    denied = len(NEGATION.findall(_NON.sub("not ", sentence))) % 2 == 1
    against = len(turned) % 2 == 1
    return (denied == aim.negated) != against
