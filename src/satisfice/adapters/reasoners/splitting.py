"""Taking questions apart: several questions in one, the sides of a comparison, and questions that go through another."""

import re
from functools import lru_cache

from satisfice.core.text import identifiers, names, question_stems, sentences, terms

Place = tuple[int, int]

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)"
_SUBJECT = (
    r"(?:i|you|he|she|it|we|they|there|this|that|these|those|the|a|an|my|our|your|his|her|its|their|any|all|each|every)"
)
_ASKS = rf"(?:who|whom|whose|what|which|when|where|why|how|{_AUXILIARY}(?=\s+{_SUBJECT}\b))"
_JOINED = re.compile(rf"(?:,\s*|\s+)(?:and|as well as|und|et|y)\s+(?=(?:also\s+)?{_ASKS}\b)|;\s*(?=\w)", re.IGNORECASE)
_COMMA = re.compile(r",\s+(?:and\s+|und\s+|et\s+|y\s+)?", re.IGNORECASE)
_CLAUSE = re.compile(
    rf"\W*(?P<behind>(?:in|on|at|for|by|from|to|of|with|under)\s+)?"
    rf"(?:(?:what|why|how|whose)|which(?!\s+{_AUXILIARY}\b)|(?:when|where)\s+{_AUXILIARY}|{_AUXILIARY}\s+{_SUBJECT}|(?P<who>whom?))\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
_JOINED_UNSPACED = re.compile(
    r"[，,；;](?:以及|并且|还有|和)?(?=.*(?:什么|多少|吗|几|谁|哪|如何|怎))|(?:以及|还有)(?=.*(?:什么|多少|吗|几|谁|哪|如何|怎))"
)
_OPENS = re.compile(rf"\W*(?:(?:in|on|at|for|by|from|to|of|with|under)\s+)?(?:{_ASKS}|{_AUXILIARY})\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)


@lru_cache(maxsize=64)
def parts(question: str) -> tuple[Place, ...]:
    """Where each of several questions stands; the whole question when it is one. Each part has terms of its own."""
    found: list[Place] = []
    for start, end in sentences(question):
        at = start
        joints = [m.span() for pattern in (_JOINED, _JOINED_UNSPACED) for m in pattern.finditer(question, start, end)]
        for joint in sorted({*joints, *_commas(question, start, end)}):
            if joint[0] < at:
                continue
            if _stands_alone(question[at : joint[0]]) and _stands_alone(question[joint[1] : end]):
                found.append((at, joint[0]))
                at = joint[1]
        found.append((at, end))
    asking = [(s, e) for s, e in found if _asks(question[s:e])]
    if len(asking) < 2:
        return ((0, len(question)),)
    return tuple(asking)


def _commas(question: str, start: int, end: int) -> list[Place]:
    """The commas of a list of questions: everything between two of them must ask, so that no relative clause is torn off."""
    joints = [match.span() for match in _COMMA.finditer(question, start, end)]
    edges = [start, *(edge for joint in joints for edge in joint), end]
    clauses = [question[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    asking = [_CLAUSE.match(clause) for clause in clauses]
    if not all(asking) or any(len(terms(clause)) < _LEAST_WORDS for clause in clauses):
        return []
    if len(clauses) == 2 and asking[1] is not None and (asking[1]["who"] or asking[1]["behind"]):
        return []  # "the actor, who ...", "the film, in which ..."
    return joints


def _stands_alone(text: str) -> bool:
    """A part of its own: it asks, and says about what."""
    return _asks(text) and len(question_stems(text)) > 0


def _asks(text: str) -> bool:
    if not question_stems(text):
        return False
    return (
        _OPENS.match(text) is not None or text.rstrip().endswith(("?", "？", "؟")) or bool(_UNSPACED_ASKS.search(text))
    )


_UNSPACED_ASKS = re.compile(r"什么|多少|吗|几|谁|哪|如何|怎|何|どう|いつ|いくら|どこ|ですか")


# --- comparisons ---------------------------------------------------------------------------------------------------

_ALIKE = re.compile(
    r"\b(?:differen(?:ce|ces|t|tly)|differs?|compare[ds]?|comparison|same|similar(?:ity|ities)?|both|in common|share)\b|区别|差异|比较|不同|違い|الفرق",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:better|worse|older|younger|earlier|later|first|last|longer|shorter|larger|bigger|smaller|more|fewer|less|most|least|higher|"
    r"lower|taller|faster|slower|cheaper|newer|oldest|youngest|earliest|latest|largest|longest|tallest|highest)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:differences?|distinction|comparison|similarit(?:y|ies)) between (?P<a>.+?)\s+(?:and|&)\s+(?P<b>.+?)(?=[?.!,]|$)"
    r"|\bcompare (?P<a2>.+?)\s+(?:and|with|to|against|&)\s+(?P<b2>.+?)(?=[?.!,]|$)"
    r"|\bhow (?:does|do|is|are) (?P<a3>.+?) (?:differ from|different from|compare (?:to|with)) (?P<b3>.+?)(?=[?.!,]|$)",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    r"(?P<a>[\w.+#/-]+(?:\s[\w.+#/-]+){0,3}) (?:vs\.?|versus) (?P<b>[\w.+#/-]+(?:\s[\w.+#/-]+){0,3})", re.IGNORECASE
)
_SHORT = 8
"""In a longer question "versus" is just a word between two things."""
_BETWEEN_UNSPACED = re.compile(
    r"(?P<a>[^，,和与跟]+?)[和与跟](?P<b>[^，,的有]+?)(?:之间)?(?:的|有)(?:什么)?(?:区别|差异|不同)"
)
_JOINT = re.compile(r"\b(?:or|and|as)\b", re.IGNORECASE)
_AMONG = re.compile(r"\b(?:out of|among|between)\b", re.IGNORECASE)
_SAME = re.compile(r"\b(?:same|similar)\b", re.IGNORECASE)


@lru_cache(maxsize=64)
def comparison_sides(question: str) -> tuple[Place, ...]:
    """Where the two things stand that a question sets against each other; nothing when it does not."""
    for pattern in (_BETWEEN, _BETWEEN_UNSPACED, _VERSUS):
        match = pattern.search(question)
        if match and (pattern is not _VERSUS or _ALIKE.search(question) or len(terms(question)) <= _SHORT):
            groups = [match.span(name) for name, text in match.groupdict().items() if text]
            return tuple(_trimmed(question, *place) for place in groups)
    alike, more = _ALIKE.search(question), _MORE.search(question) or _YES_NO.match(question)
    named = [*names(question), *identifiers(question)] if alike or more else []
    joins = {
        "or": more is not None,
        "and": alike is not None or (more is not None and _AMONG.search(question) is not None),
        "as": _SAME.search(question) is not None,
    }
    for joint in _JOINT.finditer(question):
        if not joins[joint.group().lower()]:
            continue
        before = [place for place in named if place[1] <= joint.start()]
        after = [place for place in named if place[0] >= joint.end()]
        if before and after and joint.start() - before[-1][1] < 40 and after[0][0] - joint.end() < 25:
            return (max(before, key=lambda p: p[1]), min(after))
    return ()


def _trimmed(text: str, start: int, end: int) -> Place:
    """Without articles and white space around."""
    words = list(terms(text[start:end]))
    while len(words) > 1 and words[0].text.lower() in {"the", "a", "an"}:
        words.pop(0)
    return (start + words[0].start, start + words[-1].end) if words else (start, end)


# --- hops ----------------------------------------------------------------------------------------------------------

_LINKS = re.compile(r"\b(?:of|who|whom|whose|that|which|where)\b|['’]s\b", re.IGNORECASE)
RELATION = re.compile(
    r"\b(?:directors?|directed|performers?|composers?|authors?|singers?|founders?|founded|father|mother|husband|wife|spouse|creators?|"
    r"producers?|writers?|son|daughter|brother|sister|owners?|manufacturer|publisher|birthplace|employer|parent company|headquarters|"
    r"capital|predecessor|successor|coach|manager|leads?|led by|manages|managed by|heads|owns|runs|reports? to)\b",
    re.IGNORECASE,
)
_MANY_LINKS = 3


def is_hop_chain(question: str) -> bool:
    """Whether something is asked for through something else that is only described.

    Three linking words after the first, or two with a relation (director, founder, wife ...) among named things.
    """
    opening = _QUESTION_WORD.search(question)
    rest = question[opening.end() :] if opening else question
    links = len(_LINKS.findall(rest))
    if links >= _MANY_LINKS:
        return True
    return links >= 2 and RELATION.search(rest) is not None and len(names(rest)) > 0
