"""Does the quoted text hold the answer, and is SUFFICIENT said of the right questions? One query a question, no model.

Arms: `lexical` is the base install, `embeddings` adds the word vectors. `answer_in_quote@1` looks at the one quote put
first, `@60` at the best quotes within 60 words (the last one cut to fit), `@shown` at what the product itself shows. An
answer counts when its words stand in the quote in this order, case and punctuation aside.
"""

import asyncio
import re
import tempfile
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.reporting import Options, Row, emit, parse, read
from benchmarks.retrieval import READER, SOURCE, passage_of
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.adapters.reasoners.extractive import ExtractiveReasoner
from satisfice.core.evidence import Evidence
from satisfice.core.facts import Thought
from satisfice.core.ids import PassageId
from satisfice.core.ledger import Ledger
from satisfice.core.orders import SearchProposal, Step
from satisfice.core.passages import Passage, quote
from satisfice.core.policy import Policy
from satisfice.core.sources import SourceProfile
from satisfice.core.sufficiency import verdict
from satisfice.core.text import content_words, question_stems, terms
from satisfice.ports.reasoner import PastQuery, View

SETS = ("squad", "squad2")
AIMS = {"answer_in_quote@1": 0.84, "answer_in_quote@60": 0.93}
WORDS = 60
LEAST_CUT = 8
"""A quote is cut to the room that is left only when so many words remain."""
AS_OF = "2026-01-01T00:00:00Z"
REASONER = ExtractiveReasoner()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question."""

    first: str
    within: Sequence[str]
    shown: Sequence[str]
    sufficient: bool
    judging_ms: float


# --- one question, as the product would take it --------------------------------------------------------------------


async def outcome(corpus: LocalCorpus, embedder: WordllamaEmbedder | None, question: str) -> Outcome:
    view = await looked_up(corpus, View(question, (corpus.profile,), AS_OF))
    statistics = await corpus.statistics(REASONER.terms(view), READER)
    view = replace(view, statistics=statistics)
    if embedder is not None:
        view = await compared(embedder, view)
    started = time.process_time()
    thought = REASONER.ask((Step.JUDGE, Step.WRITE, Step.CHECK), view)
    judging_ms = (time.process_time() - started) * 1_000
    held = {passage.id: passage for passage in view.passages}
    ranked = [quoted(held, item) for item in sorted(thought.evidence, key=lambda item: -item.score)]
    shown = [sentence.text for sentence in thought.answer.sentences if sentence.citations] if thought.answer else []
    return Outcome(
        ranked[0] if ranked else "", packed(ranked, question), shown, is_sufficient(view, thought), judging_ms
    )


async def looked_up(corpus: LocalCorpus, view: View) -> View:
    """The view with its claims and the first search of each."""
    planned = REASONER.ask((Step.CLASSIFY, Step.PLAN), view)
    held: dict[PassageId, Passage] = {}
    past: list[PastQuery] = []
    for proposal in planned.proposals:
        if isinstance(proposal, SearchProposal):
            hits = await corpus.search(proposal.query, READER, limit=proposal.query.top_k)
            held.update((passage.id, passage) for passage in hits.passages)
            past.append(PastQuery(proposal.query, proposal.lineage, tuple(hits.handles)))
    return replace(
        view, claims=planned.claims, passages=tuple(held.values()), unjudged=frozenset(held), queries=tuple(past)
    )


async def compared(embedder: WordllamaEmbedder, view: View) -> View:
    """The view with what vectors say of its passages and their words, as the runtime fills it in."""
    texts = [f"{passage.provenance.title}\n{passage.text}" for passage in view.passages]
    if not texts:
        return view
    rows = await embedder.similarities([view.question], texts)
    cosines = {passage.id: cosine for passage, cosine in zip(view.passages, rows[0], strict=True)}
    asked = content_words(view.question)
    words = sorted({word for passage in view.passages for word in content_words(passage.text)})
    near: dict[str, Mapping[str, float]] = {}
    if asked and words:
        for word, row in zip(asked, await embedder.similarities(asked, words), strict=True):
            near[word] = {other: cosine for other, cosine in zip(words, row, strict=True) if cosine >= 0.3}
    return replace(view, cosines=cosines, word_cosines=near)


def is_sufficient(view: View, thought: Thought) -> bool:
    ledger = Ledger().with_claims(view.claims).with_passages(view.passages, Policy().near_duplicate)
    ledger = ledger.with_evidence(thought.evidence).with_judgements(thought.judgements)
    return verdict(ledger, Policy(), AS_OF).sufficient


# --- quotes --------------------------------------------------------------------------------------------------------


def quoted(held: Mapping[PassageId, Passage], item: Evidence) -> str:
    return quote(held[item.span.passage_id], item.span)


def packed(quotes: Sequence[str], question: str) -> list[str]:
    """The quotes that fit into 60 words, best first; the one that does not fit is cut, the first one from its start."""
    kept: list[str] = []
    room = WORDS
    for text in quotes:
        words = text.split()
        if len(words) <= room:
            kept.append(text)
            room -= len(words)
            continue
        if not kept:
            return [" ".join(words[:WORDS])]
        if room >= LEAST_CUT:
            kept.append(best_window(words, room, question))
        break
    return kept


def best_window(words: Sequence[str], size: int, question: str) -> str:
    """The run of words with most of the question in it, and most names and numbers besides."""
    asked = set(question_stems(question))
    held = {term.stem for term in terms(question)}
    worth: list[float] = []
    for word in words:
        stems = {term.stem for term in terms(word)}
        marked = word[:1].isupper() or any(letter.isdigit() for letter in word)
        worth.append(float(bool(stems & asked)) + 0.3 * (marked and not stems & held))
    start = max(range(len(words) - size + 1), key=lambda at: (sum(worth[at : at + size]), -at))
    return " ".join(words[start : start + size])


def holds(quotes: Sequence[str], answers: Sequence[str]) -> bool:
    return any(plain(answer).strip() and plain(answer) in plain(text) for text in quotes for answer in answers)


def plain(text: str) -> str:
    words = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split()
    return f" {' '.join(words)} "


_NOT_WORD = re.compile(r"[^\w]+")


# --- rows ----------------------------------------------------------------------------------------------------------


def rows_of(set_: str, arm: str, questions: Sequence[dict[str, Any]], outcomes: Sequence[Outcome]) -> list[Row]:
    answerable = [(q["answers"], o) for q, o in zip(questions, outcomes, strict=True) if q.get("answerable", True)]
    rest = [o for q, o in zip(questions, outcomes, strict=True) if not q.get("answerable", True)]
    n = len(answerable)
    shares = {
        "answer_in_quote@1": sum(holds([o.first], answers) for answers, o in answerable) / n,
        "answer_in_quote@60": sum(holds(o.within, answers) for answers, o in answerable) / n,
        "answer_in_quote@shown": sum(holds(o.shown, answers) for answers, o in answerable) / n,
        "sufficient_of_answerable": sum(o.sufficient for _, o in answerable) / n,
    }
    rows = [Row("answers", set_, arm, metric, share, n=n, aim=AIMS.get(metric)) for metric, share in shares.items()]
    words = sum(len(" ".join(o.shown).split()) for _, o in answerable) / n
    rows.append(Row("answers", set_, arm, "words_shown", words, "words", n))
    if rest:
        false = sum(o.sufficient for o in rest) / len(rest)
        rows.append(Row("answers", set_, arm, "sufficient_of_unanswerable", false, n=len(rest)))
        balanced = (shares["sufficient_of_answerable"] + 1 - false) / 2
        rows.append(Row("answers", set_, arm, "balanced_accuracy", balanced, n=n + len(rest)))
    judging_ms = sum(o.judging_ms for o in outcomes) / len(outcomes)
    rows.append(Row("answers", set_, arm, "judging_cpu", judging_ms, "ms", len(outcomes)))
    return rows


async def one_set(options: Options, set_: str, embedder: WordllamaEmbedder) -> list[Row]:
    documents = [passage_of(record) for record in read(options, set_, "corpus.jsonl")]
    questions = read(options, set_, "questions.jsonl", sample=80)
    rows: list[Row] = []
    for arm, used in (("lexical", None), ("embeddings", embedder)):
        with tempfile.TemporaryDirectory() as folder:
            async with LocalCorpus(Path(folder), SourceProfile(SOURCE), used) as corpus:
                await corpus.begin()
                for document, passage in documents:
                    await corpus.put(document, [passage])
                await corpus.commit()
                outcomes = [await outcome(corpus, used, question["question"]) for question in questions]
        rows += rows_of(set_, arm, questions, outcomes)
    return rows


async def measure(options: Options) -> list[Row]:
    embedder = WordllamaEmbedder()
    return [row for set_ in SETS for row in await one_set(options, set_, embedder)]


def main() -> None:
    options = parse("answers", __doc__ or "")
    emit(options, asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
