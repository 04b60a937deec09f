"""Taking a document's words out of a log, so that the log can still be read: same facts, same lengths.

What goes: the text, title, headings and metadata of its passages, titles and matched terms of its hits, values read from
it, the sentences that cite it, and every remark of a thought or an answer in which it had a part. What stays:
identifiers, offsets, hashes and signatures, by which a log can be audited, and the queries, which are what was sent.
Deciding again over such a log may differ: what was decided on is gone.
"""

from collections.abc import Sequence
from dataclasses import replace

from satisfice.core.facts import (
    CacheReadFinished,
    Fact,
    LookUpFinished,
    RunStopped,
    SearchFinished,
    ThinkFinished,
    Thought,
)
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.orders import Answer, Sentence
from satisfice.core.passages import Handle, Passage

BLANK = "\u2588"


def redacted(facts: Sequence[Fact], document: DocumentId) -> list[Fact]:
    """The whole log of a run without the document's words. Facts it has no part in are the same objects."""
    theirs = frozenset(
        passage.id
        for fact in facts
        if isinstance(fact, SearchFinished | LookUpFinished | CacheReadFinished)
        for passage in _found(fact)
        if _document(passage) == document
    )
    return [_fact(fact, theirs) for fact in facts] if theirs else list(facts)


def _found(fact: SearchFinished | LookUpFinished | CacheReadFinished) -> tuple[Passage | Handle, ...]:
    return (*fact.passages, *fact.handles) if isinstance(fact, SearchFinished) else fact.passages


def _document(found: Passage | Handle) -> DocumentId:
    return found.provenance.document_id if isinstance(found, Passage) else found.document_id


def _fact(fact: Fact, theirs: frozenset[PassageId]) -> Fact:
    match fact:
        case SearchFinished():
            passages = tuple(_passage(passage, theirs) for passage in fact.passages)
            handles = tuple(_handle(handle, theirs) for handle in fact.handles)
            changed = replace(fact, passages=passages, handles=handles)
        case LookUpFinished() | CacheReadFinished():
            changed = replace(fact, passages=tuple(_passage(passage, theirs) for passage in fact.passages))
        case ThinkFinished():
            changed = replace(fact, thought=_thought(fact.thought, theirs))
        case RunStopped() if fact.answer is not None:
            changed = replace(fact, answer=_answer(fact.answer, theirs))
        case _:
            return fact
    return fact if changed == fact else changed


def _passage(passage: Passage, theirs: frozenset[PassageId]) -> Passage:
    if passage.id not in theirs:
        return passage
    where = passage.provenance
    provenance = replace(where, title=_blank(where.title), headings=tuple(map(_blank, where.headings)), metadata=())
    return replace(passage, text=_blank(passage.text), provenance=provenance)


def _handle(handle: Handle, theirs: frozenset[PassageId]) -> Handle:
    links = tuple(replace(link, matched=()) for link in handle.links) if handle.id in theirs else handle.links
    return replace(handle, title=_blank(handle.title), matched=(), links=links) if handle.id in theirs else handle


def _thought(thought: Thought, theirs: frozenset[PassageId]) -> Thought:
    evidence = tuple(
        replace(item, value=_blank(item.value), unit=_blank(item.unit)) if item.span.passage_id in theirs else item
        for item in thought.evidence
    )
    answer = _answer(thought.answer, theirs) if thought.answer else None
    touched = evidence != thought.evidence or answer != thought.answer or not theirs.isdisjoint(thought.judged)
    notes = tuple(map(_blank, thought.notes)) if touched else thought.notes
    return replace(thought, evidence=evidence, answer=answer, notes=notes)


def _answer(answer: Answer, theirs: frozenset[PassageId]) -> Answer:
    sentences = tuple(_sentence(sentence, theirs) for sentence in answer.sentences)
    # What the check removed is kept as a remark that may quote it, whatever it cited.
    return replace(answer, sentences=sentences, dropped=tuple(map(_blank, answer.dropped)))


def _sentence(sentence: Sentence, theirs: frozenset[PassageId]) -> Sentence:
    cites = any(span.passage_id in theirs for span in sentence.citations)
    return replace(sentence, text=_blank(sentence.text)) if cites else sentence


def _blank(text: str) -> str:
    return BLANK * len(text)
