"""What kind of question it is, and whether it needs looking up at all. Rules only; when in doubt, look it up."""

import re
from collections.abc import Sequence

from satisfice.adapters.reasoners.aiming import HOW_TO, aim_of
from satisfice.adapters.reasoners.courtesy import after_courtesy, courtesy
from satisfice.adapters.reasoners.splitting import comparison_sides, is_hop_chain, parts
from satisfice.core.facts import Classification, RetrievalAction
from satisfice.core.sources import Shape
from satisfice.core.tasks import Complexity
from satisfice.core.text import identifiers, question_stems, terms

_REWORKING = re.compile(
    r"^\W*(?:please |kindly |can you |could you |would you |will you |help me (?:to )?)*"
    r"(?:re-?write|re-?phrase|paraphrase|proof-?read|copy-?edit|shorten|condense|polish|reword|translate|summari[sz]e|correct|edit|"
    r"improve|simplify|fix|make|turn)\b"
    r"|^\W*(?:请)?(?:帮我)?(?:改写|润色|翻译|缩写|总结|修改)"
    r"|^\W*(?:übersetze|schreibe?|korrigiere?|kürze?|formuliere?|verbessere?)\b"
    r"|^\W*(?:traduis|traduisez|réécris|réécrivez|corrige|corrigez|résume|résumez|traduce|reescribe|resume|acorta)\b"
    r"|^\W*(?:ترجم|أعد صياغة|اعد صياغة|صحح|لخص)",
    re.IGNORECASE,
)
_TEXT_GIVEN = re.compile(
    r"[:：]\s*\S.{2,}|\n\s*\S.{2,}|[\"“«「].{8,}[\"”»」]|\b(?:the following|below|following)\b.{0,40}[:\n]|下面|以下",
    re.DOTALL,
)
_LAST_REPLY = re.compile(r"\b(?:it|that|this|your (?:last |previous )?(?:answer|reply|response))\b", re.IGNORECASE)
_LOOKED_UP = re.compile(r"\b(?:documents?|docs|folder|files?|handbook|manual|sources?|corpus)\b", re.IGNORECASE)
_THEME = re.compile(
    r"\b(?:main|key|common|recurring|overall|central|major) (?:themes?|topics?|ideas?|points?|trends?|patterns?|takeaways?|concerns?|lessons?)\b"
    r"|\b(?:overview|summary|summari[sz]e|gist) of (?:all|everything|the (?:whole|entire|corpus|documents?|docs|collection|folder|files?))\b"
    r"|^\W*summari[sz]e (?:all|everything|the (?:whole|entire|corpus|documents?|docs|collection|folder|files?))\b"
    r"|\bacross (?:all|the) (?:documents|docs|reports|files|articles|sources)\b|\bwhat (?:do|are) (?:these|the|all) (?:documents|docs|files) (?:about|say|cover)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^\W*(?:and|but|so|what about|how about|also|then|ok(?:ay)?,? and)\b|\b(?:it|its|that|this|those|these|they|them|their|he|she|his|her|"
    r"the same|the former|the latter|the first one|the second one|the other one)\b",
    re.IGNORECASE,
)
_NAMED_ENOUGH = 3
_LONG_QUESTION = 14

_ROWS = {
    Shape.CHAT: Complexity.SINGLE_SHOT,
    Shape.OWN_TEXT: Complexity.SINGLE_SHOT,
    Shape.IDENTIFIER: Complexity.LOW,
    Shape.FACT: Complexity.LOW,
    Shape.PROCEDURE: Complexity.LOW,
    Shape.COMPARISON: Complexity.BOUNDED,
    Shape.MULTI_PART: Complexity.BOUNDED,
    Shape.MULTI_HOP: Complexity.BOUNDED,
    Shape.THEME: Complexity.FULL,
}


def classify(question: str, history: Sequence[str] = ()) -> Classification:
    """The first rule that fits, from what needs no search to what needs most."""
    kind = courtesy(question)
    if kind:
        return _unneeded(Shape.CHAT, f"nothing but {kind}")
    asked = question[after_courtesy(question) :]
    if not terms(asked):
        return _unneeded(Shape.CHAT, "no word in it")
    if _is_own_text(asked, history):
        return _unneeded(Shape.OWN_TEXT, "asks to rework the caller's own text")
    shape, reason = shape_of(asked)
    expects = aim_of(asked).expects
    if history and leans_on_history(asked):
        action = RetrievalAction.REFORMULATE_THEN_RETRIEVE
        return Classification(shape, _ROWS[shape], action, "rule", f"{reason}; leans on what was said before", expects)
    return Classification(shape, _ROWS[shape], RetrievalAction.RETRIEVE, "rule", reason, expects)


def _is_own_text(asked: str, history: Sequence[str]) -> bool:
    """Asks to rework a text that is there: given with the request, or just said."""
    match = _REWORKING.match(asked)
    if match is None:
        return False
    rest = asked[match.end() :]
    if _TEXT_GIVEN.search(rest):
        return True
    return bool(history) and _LAST_REPLY.search(rest) is not None and _LOOKED_UP.search(rest) is None


def _unneeded(shape: Shape, reason: str) -> Classification:
    return Classification(shape, _ROWS[shape], RetrievalAction.NO_RETRIEVE, "intent", reason)


def shape_of(question: str) -> tuple[Shape, str]:
    """The shape of a question that needs looking up, and the rule that said so."""
    if _THEME.search(question):
        return Shape.THEME, "asks about the whole"
    if len(parts(question)) > 1:
        return Shape.MULTI_PART, "asks several things"
    if comparison_sides(question):
        return Shape.COMPARISON, "sets two things against each other"
    found = identifiers(question)
    others = set(question_stems(question)).difference(
        *(question_stems(question[start:end]) for start, end in found), (question[s:e].lower() for s, e in found)
    )
    if found and len(others) < _NAMED_ENOUGH:
        return Shape.IDENTIFIER, "names something letter by letter"
    if HOW_TO.search(question):
        return Shape.PROCEDURE, "asks how to do something"
    if is_hop_chain(question):
        return Shape.MULTI_HOP, "asks for something through something else"
    return Shape.FACT, "asks for a fact"


def leans_on_history(question: str) -> bool:
    """Whether a question cannot be read without the one before it."""
    short = len(terms(question)) < _LONG_QUESTION
    return short and _POINTS_BACK.search(question) is not None
