"""Is the right passage among the first? Lexical, vector and hybrid search on five public sets, one query a question."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reporting import Options, Row, emit, parse, present, read
from satisfice.adapters.corpora.local import LocalCorpus, embedded_text
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.access import Principal
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Document, Passage, Provenance
from satisfice.core.queries import Query
from satisfice.core.sources import SourceProfile

SETS = ("squad", "hotpotqa", "musique", "2wikimultihopqa", "scifact")
AIMS = {("squad", "hybrid", "recall@5"): 0.985}
SOURCE = SourceId("benchmark")
READER = Principal()


def passage_of(record: dict[str, Any]) -> tuple[Document, Passage]:
    """One record of a set as a document with one passage."""
    id_, title, text = record["id"], record.get("title", ""), record["text"]
    hash_ = sha256(f"{title}\n{text}".encode()).hexdigest()
    document = Document(DocumentId(id_), SOURCE, id_, title, text, hash_)
    place = Provenance(SOURCE, document.id, id_, title, 0, len(text), document_hash=hash_)
    return document, Passage(PassageId(id_), text, place, hash_, max(1, len(text) // 4))


def gold_of(question: dict[str, Any]) -> set[str]:
    """What must be found: passages with evidence, or those judged relevant where the set says so."""
    return set(question.get("gold_ids") or question.get("relevant_ids") or ())


async def ranked(corpus: LocalCorpus, questions: Sequence[dict[str, Any]]) -> tuple[list[list[str]], float]:
    """The first five passages of each question, and CPU milliseconds per search."""
    found: list[list[str]] = []
    started = time.process_time()
    for question in questions:
        hits = await corpus.search(Query(question["question"], SOURCE), READER, limit=5)
        found.append([passage.id for passage in hits.passages])
    return found, (time.process_time() - started) * 1_000 / max(1, len(questions))


async def by_vector(
    embedder: WordllamaEmbedder, passages: Sequence[Passage], questions: Sequence[dict[str, Any]]
) -> list[list[str]]:
    """The five nearest passages of each question."""
    rows = await embedder.embed([embedded_text(passage) for passage in passages])
    asked = await embedder.embed([question["question"] for question in questions])
    matrix = np.frombuffer(rows.data, dtype="<f4").reshape(-1, rows.dim)
    cosines = np.frombuffer(asked.data, dtype="<f4").reshape(-1, rows.dim) @ matrix.T
    return [[passages[place].id for place in np.argsort(-row, kind="stable")[:5]] for row in cosines]


def rows_of(set_: str, arm: str, found: Sequence[Sequence[str]], questions: Sequence[dict[str, Any]]) -> list[Row]:
    """Recall is the share of a question's gold passages found; all-recall that all of them are."""
    golds = [gold_of(question) for question in questions]
    values = {
        "recall@2": [len(gold & set(ids[:2])) / len(gold) for ids, gold in zip(found, golds, strict=True)],
        "recall@5": [len(gold & set(ids[:5])) / len(gold) for ids, gold in zip(found, golds, strict=True)],
        "all_recall@5": [float(gold <= set(ids[:5])) for ids, gold in zip(found, golds, strict=True)],
    }
    return [
        Row("retrieval", set_, arm, metric, sum(shares) / len(shares), n=len(shares), aim=AIMS.get((set_, arm, metric)))
        for metric, shares in values.items()
    ]


async def one_set(options: Options, set_: str, embedder: WordllamaEmbedder) -> list[Row]:
    documents = [passage_of(record) for record in read(options, set_, "corpus.jsonl")]
    questions = [q for q in read(options, set_, "questions.jsonl", sample=60) if gold_of(q)]
    rows: list[Row] = []
    for arm, used in (("lexical", None), ("hybrid", embedder)):
        with tempfile.TemporaryDirectory() as folder:
            async with LocalCorpus(Path(folder), SourceProfile(SOURCE), used) as corpus:
                await corpus.begin()
                for document, passage in documents:
                    await corpus.put(document, [passage])
                await corpus.commit()
                found, cpu_ms = await ranked(corpus, questions)
        rows += rows_of(set_, arm, found, questions)
        rows.append(Row("retrieval", set_, arm, "search_cpu", cpu_ms, "ms", len(questions)))
    found = await by_vector(embedder, [passage for _, passage in documents], questions)
    rows += rows_of(set_, "vector", found, questions)
    return with_lexical_as_aim(rows)


def with_lexical_as_aim(rows: Sequence[Row]) -> list[Row]:
    """Hybrid must not be worse than lexical: that is its aim where it has no other."""
    lexical = {row.metric: row.value for row in rows if row.arm == "lexical" and row.unit == "fraction"}
    return [
        Row(row.bench, row.set, row.arm, row.metric, row.value, row.unit, row.n, row.aim or lexical.get(row.metric))
        if row.arm == "hybrid" and row.unit == "fraction"
        else row
        for row in rows
    ]


async def measure(options: Options) -> list[Row]:
    embedder = WordllamaEmbedder()
    return [row for set_ in present(options, SETS) for row in await one_set(options, set_, embedder)]


def main() -> None:
    options = parse("retrieval", __doc__ or "")
    emit(options, asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
