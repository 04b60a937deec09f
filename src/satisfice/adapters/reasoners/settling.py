"""Whether a unit is of the kind that can settle what is asked: a definition, a count, a doer; never a mere pointer."""

import re
from dataclasses import replace
from typing import NamedTuple

from satisfice.adapters.reasoners.aiming import HOW_TO, Aim
from satisfice.adapters.reasoners.scoring import Scored
from satisfice.adapters.reasoners.splitting import comparison_sides
from satisfice.core.claims import AnswerType, Claim, ClaimKind
from satisfice.core.text import STOP_WORDS, content_stems, stem, terms
from satisfice.core.values import Value

_CLOSE = 2.0
"""A unit this far below the best one may still be the one that settles the claim."""
_DEFINING = 8.0
"""The same for a unit that says what something is, where that is asked."""
_AHEAD = 0.05
"""How far such a unit is put before the best one: enough that they do not answer together."""
_DIFFERENCE = re.compile(r"\b(?:differen\w+|differs?|compare\w*|distinction|vs|versus)\b|区别|差异|不同", re.IGNORECASE)
_DEFINED = re.compile(
    r"\W*what(?:['’]s| is| are)\s+(?:an?\s+)?(?!the\b|an?\b|your\b|my\b|our\b|his\b|her\b|their\b|its\b)"
    r"(?P<x>(?:[^\s?,]+)(?:\s(?!of\b|for\b|to\b|in\b|on\b|at\b|used\b|called\b|known\b)[^\s?,]+){0,3}?)"
    r"(?:\s+in\s+[^\s?,]+)?\s*\?*\s*$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\W*what\s+(?:does|do)\s+(?:the\s+)?(?P<x>.+?)\s+(?:do|mean|contain|say|stand for)(?:\s+in\s+\S+)?\s*\?*\s*$",
    re.IGNORECASE,
)
_KIND_WORDS = frozenset(
    content_stems(
        "option flag command parameter argument setting variable error code exit status term word function method"
    )
)
_LASTING = re.compile(r"\bhow (?:long|soon|quickly)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\bhow many\b", re.IGNORECASE)
_WHO = re.compile(r"\W*who\s+(?:(?:is|are|was|were|has|have|had|did|does)\s+)?(?:the\s+)?(?P<x>[\w-]+)", re.IGNORECASE)
_ABOUT_CHANGES = re.compile(
    r"\b(?:chang\w*|versions?|releas\w*|new|news|added|removed|fix\w*|since|when|history|contributors?|deprecated|upgrad\w*)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:changelog|change log|release notes|changes|what['’]s new|release history|news)\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"(?:\bBug\s?#\d|\bCloses:\s*#\d|/pull/\d+|\[debian/|\bNew upstream (?:release|version)\b|^\W*src/\S+\s*\()",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"\s*[-*+•]\s")
_POINTS = re.compile(
    r"\W*(?:(?:see|refer to|read more|learn more|to learn more|for (?:more|further|details|example see))\b"
    r"|(?:(?:first|next|now|then|so),?\s+)?(?:let['’]s|let us|we['’]ll|we will)\b"
    r"|in this (?:chapter|section|article|guide)\b|to (?:illustrate|understand|see)\b|(?:once|now that) you['’]ve\b|:[\w-]+:\s)",
    re.IGNORECASE,
)
_CONTENTS_LINE = re.compile(r"^\s*\d+(?:\.\d+)*\.?\s+\S[^.:;!?\n]{0,60}$", re.MULTILINE)
_LEAST_CONTENTS = 4
_METADATA = re.compile(r"\s*[-*+]?\s*(?:\*\*)?[A-Z][\w -]{1,20}(?:\*\*)?\s*(?::\s|-\s)\s*\S+(?:\s\S+){0,4}\s*$")
_LEAST_SAID = 3
_DEFERS = re.compile(r"[:=]\s*(?:see|refer to)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+|\b[\w-]+(?:\.[\w-]+)+/\S*|\]\([^)]*\)")
_ASKS_WHERE = re.compile(r"\b(?:where|link|url|website|site|page|address|repository)\b", re.IGNORECASE)
_ITEM_MARK = re.compile(r"[.)]\s")
_SENTENCE_STARTS = re.compile(r"[.:;!?]\s|\n\s*\n|\n\s*(?=[-*+•]\s)|\n#+\s|\n(?=\S)")
_NUMBERED = re.compile(
    r"(?:\b(?:figure|listing|chapter|section|table|step|part|page|appendix)\s*|[/#_\w(]-?)$", re.IGNORECASE
)
"""Before a number that only numbers something, or is a part of an address, a name or a manual page."""
_BEFORE_COUNT, _BEHIND_COUNT = 20, 30
_LABEL_CHARS = 60
_LABELLED = re.compile(r"[^\n.!?]{0,40}?(?:\s{2,}|\s+[-—–]{1,2}\s+|\s*[:：]\s+)\S")
_INTRODUCES = re.compile(
    r"\W*(?:(?:in|for|within|with|on|by|note that|however|thus|therefore|formally|simply put)\b[^,.;]{0,40},?\s*)?"
    r"(?:an?|the|this|these|each|every|such)?\s*(?:(?:term|word|option|flag|command|variable|function|keyword|error|exit|code|status)\s+){0,2}\W*$",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\s*(?:\([^)]*\)\s*)?(?:,[^,.]{1,60},\s*)?(?:"
    r"(?P<full>(?:is|are|was|were)\s+(?:(?:also|basically|simply|just)\s+)?(?:an?|the|any|one|some|those|when|how|what|that)\b"
    r"|means?\b|refers?\s+to\b|denotes?\b|stands?\s+for\b|(?:is|are)\s+defined\b|consists?\s+of\b|(?:is|are)\s+called\b)"
    r"|(?:is|are|was|were)\b)",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\s*(?:\([^)]*\)\s*)?(?:(?:options?|flags?|commands?|keywords?|functions?|methods?|variables?|settings?|subcommands?|errors?)\s+)?"
    r"(?:(?:also|only|simply|just|then|now)\s+)?(?:will|can|must|to|lets|has|have|tells?|contains?|[a-z]{2,}(?:[^s\W]s|es))\s",
)
_IT = re.compile(r"\W*(?:this|it)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:called|known as|termed)\s+(?:an?\s+|the\s+)?\W*$")
_ACTS = re.compile(
    r"\W*(?:how (?:do|can|could|should|would|must) (?:i|you|we|one)|(?:can|could|may|should|must|do|did|will|am|are) (?:i|you|we|one|they)|how to)"
    r"\s+(?P<verb>[a-z]{3,})",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\W*what are the (?P<count>two|three|four|five|six|seven|\d)\b", re.IGNORECASE)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_SEPARATES = re.compile(r"[,;]|\band\b|\bor\b|\n")
_MOST = re.compile(r"\bthe most\b", re.IGNORECASE)
_AS_MUCH = re.compile(r"\b(?:most|majority|more (?:\w+ )?than any|top|number one|leading|\w{3,}est)\b", re.IGNORECASE)
_FAMILIES = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "found founded founder founders founding cofounded cofounder co-founder established establish created start started",
        "invented invent inventor invention devised conceived created developed",
        "wrote write written writer author authored authors",
        "leads lead led leader leading head heads headed chief director manages manager runs chairs chair",
        "maintains maintain maintained maintainer maintainers",
        "owns own owned owner owners",
        "designed design designer designs architect",
        "created create creator creators made developed",
        "discovered discover discoverer discovery found",
        "developed develop developer developers created",
    )
)


_WORDY = re.compile(r"\b(?:is|are|was|were|has|have|can|may|will|the|when|if|with|this|you|we)\b", re.IGNORECASE)


class _Named(NamedTuple):
    """Where the subject stands."""

    start: int
    end: int


def fitting_first(claim: Claim, aim: Aim, compared: str, ranked: list[Scored]) -> tuple[list[Scored], bool]:
    """The best unit of the kind that is asked for before those that only score better, and whether there is one.

    `compared` is the question of which the claim is one side; empty when it is none.
    """
    reach = _DEFINING if subject_of(claim.text) or _sets_apart(claim, compared) else _CLOSE
    fitting = [
        (grade, -place)
        for place, one in enumerate(ranked)
        if one.score >= ranked[0].score - reach and (grade := fit(claim, aim, compared, one))
    ]
    if not fitting:
        return ranked, False
    place = -max(fitting)[1]
    if place == 0:
        return ranked, True
    first = replace(ranked[place], score=ranked[0].score + _AHEAD)
    return [first, *(one for index, one in enumerate(ranked) if index != place)], True


def fit(claim: Claim, aim: Aim, compared: str, one: Scored) -> int:
    """How well the unit is of the kind that settles the claim: 0 not at all, in doubt too; 2 only for a full definition."""
    text = one.passage.text[one.unit.start : one.unit.end]
    if _POINTS.match(text) or _is_contents(text) or _is_change(one, text, f"{compared} {claim.text}"):
        return 0
    if not _does(claim.text, one) or _DEFERS.search(text) or _is_address(claim.text, aim, text):
        return 0
    if claim.kind is not ClaimKind.OPEN:
        return int(_names_all(aim, one))
    if one.unit.stems <= aim.held and len(one.unit.terms) <= len(aim.stems) and not one.values:
        return 0  # says nothing that the claim does not
    if _sets_apart(claim, compared):
        return _tells_apart(claim, compared, one, text)
    defined = subject_of(claim.text)
    if defined:
        return says_what(defined, one, text, does=_DONE.match(claim.text) is not None)
    return int(_has_kind(claim, aim, one, text))


def _has_kind(claim: Claim, aim: Aim, one: Scored, text: str) -> bool:
    if aim.expects is AnswerType.NUMBER and one.values and not _amounts(one):
        return False
    if _LASTING.search(claim.text) and one.values and not any(_last(v) in aim.units for v in one.values):
        return False
    if aim.wants_default and "default" not in f"{text} {' '.join(one.unit.above | one.unit.before)}".lower():
        return False
    if _COUNTED.search(claim.text):
        return _counts(aim, one)
    several = _SEVERAL.match(claim.text)
    if several:
        count = several["count"].lower()
        return max(one.unit.steps, len(_SEPARATES.findall(text))) >= (_COUNTS.get(count) or int(count)) - 1
    if _MOST.search(claim.text) and not _AS_MUCH.search(text):
        return False
    who = _WHO.match(claim.text)
    return who is None or aim.expects is not AnswerType.NAME or _did(stem(who["x"]), one)


def subject_of(question: str) -> str:
    """What is to be defined or explained (`slice`, `--all flag`), without the words around; else nothing."""
    match = _DEFINED.match(question) or _DONE.match(question)
    return match["x"].strip(" \"'`“”‘’") if match else ""


# --- what never settles --------------------------------------------------------------------------------------------


def _is_contents(text: str) -> bool:
    return len(_CONTENTS_LINE.findall(text)) >= max(_LEAST_CONTENTS, 0.6 * len(text.splitlines()))


def _is_change(one: Scored, text: str, asked: str) -> bool:
    if _ABOUT_CHANGES.search(asked):
        return False
    where = one.passage.provenance
    listed = _CHANGES.search(" ".join((where.title, *where.headings[:1]))) is not None
    return _CHANGE.search(text) is not None or (listed and _BULLET.match(text) is not None)


def _is_address(asked: str, aim: Aim, text: str) -> bool:
    """Whether it says where to look, and nothing else."""
    if _ADDRESS.search(text) is None or _ASKS_WHERE.search(asked):
        return False
    rest = {term.stem for term in terms(_ADDRESS.sub(" ", text))} - aim.held
    return len(rest) <= _LEAST_SAID


def _is_metadata(text: str) -> bool:
    return all(_METADATA.match(line) for line in text.splitlines() if line.strip())


# --- kinds ---------------------------------------------------------------------------------------------------------


def _does(question: str, one: Scored) -> bool:
    """What somebody wants to do is said in the unit, or for a procedure in what stands over it; and as what to do, not as done."""
    match = _ACTS.match(question)
    if match is None:
        return True
    verb = match["verb"].lower()
    if HOW_TO.search(question) is None:
        return stem(verb) in one.unit.stems
    if stem(verb) in one.unit.before | one.unit.above:
        return True
    return any(term.stem == stem(verb) and not term.text.lower().endswith("ed") for term in one.unit.terms)


def _names_all(aim: Aim, one: Scored) -> bool:
    near = one.unit.stems | one.unit.before | one.unit.above
    return near.issuperset(s for s in aim.names if s in aim.stems) and near.issuperset(aim.identifiers)


def _sets_apart(claim: Claim, compared: str) -> bool:
    return bool(compared) and claim.quote in compared and _DIFFERENCE.search(compared) is not None


def _tells_apart(claim: Claim, compared: str, one: Scored, text: str) -> int:
    """A side is told by a sentence that names both sides, or by what it is or does."""
    held = {term.stem for term in terms(text)}
    sides = [stem for start, end in comparison_sides(compared) for stem in content_stems(compared[start:end])]
    if held.issuperset(sides) and _IS.search(text):
        return 1
    return int(says_what(claim.quote, one, text, does=True) > 0)


def says_what(subject: str, one: Scored, text: str, *, does: bool) -> int:
    """Whether the unit says what the subject is, and 2 when it does so in full; with `does`, what it does is enough."""
    words = [term for term in terms(subject) if term.text.lower() not in STOP_WORDS]
    stems = {term.stem for term in words if term.stem not in _KIND_WORDS} or {term.stem for term in words}
    others = one.unit.stems - stems
    if not stems or len(others) < _LEAST_SAID or _is_metadata(text):
        return 0
    said = {term.stem for term in terms(text)}
    missing = stems - said
    if does and stems <= one.unit.topic and one.unit.opens and not one.unit.code:
        return 1
    if missing - one.unit.above - one.unit.before:
        return 0
    if missing == stems:
        return int(does and _IT.match(text) is not None)
    return max((_says_at(text, place, does=does) for place in _named(text, stems - missing)), default=0)


def _named(text: str, stems: set[str]) -> list[_Named]:
    """Where the subject stands, all its words close together."""
    found = [term for term in terms(text) if term.stem in stems]
    places: list[_Named] = []
    for index in range(len(found) - len(stems) + 1):
        run = found[index : index + len(stems)]
        if {term.stem for term in run} == stems and run[-1].end - run[0].start < _LABEL_CHARS:
            places.append(_Named(run[0].start, run[-1].end))
    return places


def _says_at(text: str, place: _Named, *, does: bool) -> int:
    """What is said of the words at that place: `X is`, `X: ...`, `X does`, or `is called X`."""
    line = max(text.rfind("\n", 0, place.start), text.rfind(". ", 0, place.start)) + 1
    ahead = text[line : place.start]
    opening = max((match.end() for match in _SENTENCE_STARTS.finditer(text, 0, place.start)), default=0)
    behind = text[place.end :].lstrip("`*_\"'”’>)]")
    labelled = len(ahead) <= _LABEL_CHARS and not _WORDY.search(ahead) and (does or not any(map(str.isalpha, ahead)))
    if labelled and _LABELLED.match(behind):
        return 1
    if _CALLED.search(text[opening : place.start]):
        return 2
    if not _INTRODUCES.fullmatch(text[opening : place.start]):
        return 0
    said = _IS.match(behind)
    if said:
        return 2 if said["full"] else 1
    return int(does and _DOES.match(behind) is not None)


def _last(value: Value) -> str:
    return value.unit.rsplit(" ", 1)[-1]


def _amounts(one: Scored) -> list[Value]:
    """Its numbers without those that only number a figure, a chapter or a manual page."""
    text = one.passage.text
    return [
        value
        for value in one.values
        if not _NUMBERED.search(text[max(one.unit.start, value.start - 12) : value.start])
        and not (
            _ITEM_MARK.match(text, value.end) and not text[text.rfind("\n", 0, value.start) + 1 : value.start].strip()
        )
    ]


def _counts(aim: Aim, one: Scored) -> bool:
    """A number near the thing counted."""
    text = one.passage.text
    for value in _amounts(one):
        if not aim.focus or not set(aim.focus).isdisjoint(value.unit.split(" ")):
            return True
        near = text[max(one.unit.start, value.start - _BEFORE_COUNT) : min(one.unit.end, value.end + _BEHIND_COUNT)]
        if any(term.stem in aim.focus for term in terms(near)):
            return True
    return False


def _did(asked: str, one: Scored) -> bool:
    """The verb, or the noun of the one who does it, stands in the unit; asked only of verbs whose nouns are known."""
    family = frozenset[str]().union(*(words for words in _FAMILIES if asked in words))
    return not family or not family.isdisjoint(one.unit.stems)
