"""Are all passages of a several-hop question among ten? One query, and two or three that follow bridges, without a model.

Arms: `one_shot` (the ten best of one query), `q1` (one query, then links are read), `q2`, `q3` (at most so many queries),
`stops` (at most three, fewer when the rule says it is enough) and `no_links` (three queries, every title link taken out).
Queries are counted as sent. A look-up reads passages by id from the index that ingest made: no query, but a step, and its
documents and tokens are counted. `context_tokens` and `recall_per_1k_tokens` are of the passages returned: ten in all, fewer
where the ranking says that the rest is not worth its tokens.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.reporting import Options, Row, emit, parse, present, read
from benchmarks.retrieval import READER, SOURCE, passage_of
from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.adapters.reasoners.bridging import Pool, Ranking, enough, next_query, rank, to_read, wanted_terms
from satisfice.core.ids import PassageId
from satisfice.core.passages import Handle, Passage
from satisfice.core.queries import Lineage, Query
from satisfice.core.sources import SourceProfile
from satisfice.ports.reasoner import PastQuery
from satisfice.ports.retriever import MAX_HANDLES, TermStatistics

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
AIMS = {"hotpotqa": 0.99, "2wikimultihopqa": 0.86, "musique": 0.57}
RETURNED = 10
TOP_K = 5
READ_BETWEEN_HOPS = 3
NAMED_PLACES = 16
"""Handles that the source keeps for passages reached by name; without links they go."""


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    queries: int
    bridging: bool = True
    stopping: bool = False
    links: bool = True


ARMS = (
    Arm("one_shot", 1, bridging=False),
    Arm("q1", 1),
    Arm("q2", 2),
    Arm("q3", 3),
    Arm("stops", 3, stopping=True),
    Arm("no_links", 3, links=False),
)


@dataclass(slots=True)
class Walk:
    """One question's way: what was sent, read and returned. `bridging_s` is CPU time of ranking and proposing alone."""

    queries: int = 0
    look_ups: int = 0
    held: dict[PassageId, Passage] = field(default_factory=dict[PassageId, Passage])
    returned: tuple[PassageId, ...] = ()
    bridging_s: float = 0.0


async def walk(corpus: LocalCorpus, question: str, arm: Arm) -> Walk:
    """Search, read, follow, and return ten passages."""
    done = Walk()
    if not arm.bridging:
        hits = await corpus.search(Query(question, SOURCE, RETURNED), READER, limit=RETURNED)
        done.queries = 1
        done.held = {passage.id: passage for passage in hits.passages}
        done.returned = tuple(done.held)
        return done
    statistics = await corpus.statistics(wanted_terms(question), READER)
    sent: list[PastQuery] = []
    query, lineage = Query(question, SOURCE, TOP_K), Lineage()
    while True:
        hits = await corpus.search(query, READER, limit=TOP_K)
        sent.append(PastQuery(query, lineage, hits.handles if arm.links else unlinked(hits.handles)))
        done.queries += 1
        done.held.update((passage.id, passage) for passage in hits.passages)
        ranking = ranked(done, question, sent, statistics)
        if done.queries == arm.queries or (arm.stopping and enough(pool(done, question, sent, statistics), ranking)):
            break
        await fetch(corpus, done, to_read(pool(done, question, sent, statistics), ranking, READ_BETWEEN_HOPS))
        started = time.process_time()
        hop = next_query(pool(done, question, sent, statistics), ranking)
        done.bridging_s += time.process_time() - started
        if hop is None:
            break
        query = Query(hop.text, SOURCE, TOP_K, weights=hop.weights, about=hop.about)
        lineage = hop.lineage
    await fetch(corpus, done, to_read(pool(done, question, sent, statistics), ranking, RETURNED))
    done.returned = tuple(candidate.id for candidate in ranking.best(RETURNED))
    return done


def pool(done: Walk, question: str, sent: Sequence[PastQuery], statistics: TermStatistics) -> Pool:
    return Pool(question, tuple(sent), dict(done.held), statistics)


def ranked(done: Walk, question: str, sent: Sequence[PastQuery], statistics: TermStatistics) -> Ranking:
    started = time.process_time()
    ranking = rank(pool(done, question, sent, statistics))
    done.bridging_s += time.process_time() - started
    return ranking


async def fetch(corpus: LocalCorpus, done: Walk, ids: Sequence[PassageId]) -> None:
    if ids:
        done.look_ups += 1
        done.held.update((passage.id, passage) for passage in await corpus.look_up(ids, READER))


def unlinked(handles: Sequence[Handle]) -> tuple[Handle, ...]:
    """What a source without an alias table would return: no links, and no handle that only a name brought in."""
    return tuple(replace(handle, links=()) for handle in handles[: MAX_HANDLES - NAMED_PLACES])


def rows_of(set_: str, arm: Arm, walks: Sequence[Walk], questions: Sequence[dict[str, Any]], cpu_s: float) -> list[Row]:
    golds = [set(question["gold_ids"]) for question in questions]
    shares = [len(gold & set(one.returned)) / len(gold) for one, gold in zip(walks, golds, strict=True)]
    tokens = [sum(one.held[id_].tokens for id_ in one.returned) for one in walks]
    n = len(walks)

    def mean(values: Sequence[float]) -> float:
        return sum(values) / n

    def row(metric: str, value: float, unit: str = "fraction", aim: float | None = None) -> Row:
        return Row("multihop", set_, arm.name, metric, value, unit, n, aim)

    return [
        row("recall@10", mean(shares)),
        row("all_recall@10", mean([share == 1.0 for share in shares]), aim=AIMS[set_] if arm.name == "q3" else None),
        row("recall_per_1k_tokens", mean([1_000 * share / max(1, t) for share, t in zip(shares, tokens, strict=True)])),
        row("passages", mean([len(one.returned) for one in walks]), "passages"),
        row("context_tokens", mean(tokens), "tokens"),
        row("queries", mean([one.queries for one in walks]), "queries"),
        row("look_ups", mean([one.look_ups for one in walks]), "steps"),
        row("documents", mean([len(one.held) for one in walks]), "passages"),
        row("retrieved_tokens", mean([sum(p.tokens for p in one.held.values()) for one in walks]), "tokens"),
        row("cpu", 1_000 * cpu_s / n, "ms"),
        row("bridging_cpu", 1_000 * mean([one.bridging_s for one in walks]), "ms"),
    ]


async def one_set(options: Options, set_: str, embedder: WordllamaEmbedder) -> list[Row]:
    documents = [passage_of(record) for record in read(options, set_, "corpus.jsonl")]
    questions = [q for q in read(options, set_, "questions.jsonl", sample=40) if q.get("gold_ids")]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        async with LocalCorpus(Path(folder), SourceProfile(SOURCE), embedder) as corpus:
            await corpus.begin()
            for document, passage in documents:
                await corpus.put(document, [passage])
            await corpus.commit()
            for arm in ARMS:
                started = time.process_time()
                walks = [await walk(corpus, question["question"], arm) for question in questions]
                rows += rows_of(set_, arm, walks, questions, time.process_time() - started)
    return rows


async def measure(options: Options) -> list[Row]:
    embedder = WordllamaEmbedder()
    return [row for set_ in present(options, SETS) for row in await one_set(options, set_, embedder)]


def main() -> None:
    options = parse("multihop", __doc__ or "")
    emit(options, asyncio.run(measure(options)))


if __name__ == "__main__":
    main()
