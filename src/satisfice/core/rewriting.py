"""May this rewrite of a question run? Limits and repeats are looked at in `admit`; here only what a rewrite may not do."""

from collections.abc import Iterable

from satisfice.core.orders import Refusal, RefusalKind
from satisfice.core.queries import Filters, Lineage, Query, ReasonCode, Transformation
from satisfice.core.reading import Reading, read
from satisfice.core.text import content_stems, search_terms

_NOW = frozenset(
    {"now", "today", "current", "currently", "present", "presently", "latest", "newest", "nowadays", "live"}
)
_EVER = frozenset(
    {"ever", "always", "all-time", "history", "historical", "historically", "former", "formerly", "previous", "previously",
     "past", "originally", "oldest", "archive", "archived"}
)  # fmt: skip


def may_rewrite(
    question: str,
    query: Query,
    lineage: Lineage,
    *,
    scope: Filters,
    known: Iterable[str] = (),
) -> Refusal | None:
    """Why a query may not be sent for a question, or None when nothing stands against it.

    `scope` are the filters it must stay within, `known` the texts whose words are no news (claims, held passages, titles;
    read only when the question's own words do not do).
    """
    if not search_terms(query.text):
        return Refusal(RefusalKind.EMPTY, f"{query.text!r} has no word to search for")
    if not query.filters.narrows(scope):
        return Refusal(RefusalKind.WIDENS_FILTER, "its filters let through more than the caller's scope")
    widened = _widened_time(question, query.text)
    if widened:
        return Refusal(RefusalKind.WIDENS_FILTER, f"the question asks about now; {widened!r} asks about another time")
    added = _added(question, query.text, lineage)
    if added:
        return Refusal(RefusalKind.OFF_QUESTION, f"a paraphrase may not add {added}")
    if not _on_question(question, query.text, lineage, known):
        return Refusal(RefusalKind.OFF_QUESTION, "it shares no word with the question or with what is held")
    return None


def _words(reading: Reading) -> frozenset[str]:
    return frozenset(word.text for word in reading.words)


def _widened_time(question: str, text: str) -> str:
    """The word by which a question about now became one about any time; empty when none did."""
    asked, sent = _words(read(question)), _words(read(text))
    if not asked & _NOW:
        return ""
    return next(iter(sorted((sent - asked) & _EVER)), "")


def _added(question: str, text: str, lineage: Lineage) -> str:
    """What a paraphrase assumes that the question does not say: a number, a date, a negation."""
    if lineage.transformation is not Transformation.PARAPHRASE or lineage.depth > 1:
        return ""
    asked, sent = ({hard for hard, _ in read(each).hard} for each in (question, text))
    return ", ".join(sorted(sent - asked))


def _on_question(question: str, text: str, lineage: Lineage, known: Iterable[str]) -> bool:
    """Whether it shares a word with the question, or with a known text. A translation or an alias need not."""
    if lineage.transformation is Transformation.TRANSLATE or lineage.reason is ReasonCode.RESOLVE_ALIAS:
        return True
    asked = set(content_stems(question))
    sent = set(content_stems(text))
    if not asked or not sent or asked & sent:
        return True
    return any(not sent.isdisjoint(content_stems(held)) for held in known)
