"""A corpus under random histories finds exactly what a list of documents would."""

import asyncio
import math
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.core.access import LOCAL_TENANT, Permission, Principal, Use, may_read
from satisfice.core.ids import DocumentId
from satisfice.core.passages import Passage
from satisfice.core.sources import SourceProfile
from satisfice.core.text import search_terms
from satisfice.testing.conformance.example_corpus import SOURCE, Whole, asking, whole

WORDS = ("alpha", "beta", "gamma", "delta", "omega", "退款期限", "E1042")
READERS = tuple(
    Principal(f"{tenant}-{'-'.join(sorted(tags))}", tenant, frozenset(tags))
    for tenant in (LOCAL_TENANT, "other")
    for tags in ((), ("red",), ("red", "blue"))
)
_numbers = count()

permissions = st.builds(
    Permission,
    tenant=st.sampled_from((LOCAL_TENANT, "other")),
    tags=st.frozensets(st.sampled_from(("red", "blue")), max_size=2),
    uses=st.sampled_from((frozenset(Use), frozenset({Use.CACHE}))),
)


@dataclass
class Step:
    """What one transaction does. `text` words are made different from all others by a number."""

    puts: list[Whole] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)
    keep: bool = True
    reopen: bool = False


@st.composite
def steps(draw: st.DrawFn) -> Step:
    names = st.sampled_from([f"d{n}" for n in range(5)])
    puts = [
        whole(
            name,
            *(
                f"{' '.join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))} x{next(_numbers)}"
                for _ in range(draw(st.integers(0, 3)))
            ),
            permission=draw(permissions),
        )
        for name in draw(st.lists(names, max_size=4))
    ]
    return Step(puts, draw(st.lists(names, max_size=2)), draw(st.integers(0, 3)) > 0, draw(st.booleans()))


async def transact(corpus: LocalCorpus, step: Step) -> None:
    await corpus.begin()
    for document, passages in step.puts:
        await corpus.put(document, passages)
    await corpus.delete([DocumentId(name) for name in step.deletes])
    await (corpus.commit() if step.keep else corpus.abandon())


async def check(corpus: LocalCorpus, held: Sequence[Passage]) -> None:
    for reader in READERS:
        readable = [p for p in held if may_read(reader, p.provenance.permission)]
        for word in WORDS:
            expected = {p.id for p in readable if word in p.text}
            hits = await corpus.search(asking(word), reader, limit=64)

            assert {p.id for p in hits.passages} == expected
            assert hits.readable == len(readable)
            counted = await corpus.statistics([word.lower()], reader)
            assert counted.passages == len(readable)
            if word.isascii():
                assert counted.containing[word.lower()] == len(expected)
        assert set(await corpus.look_up([p.id for p in held], reader)) == set(readable)


async def live(history: Sequence[Step]) -> None:
    documents: dict[str, Whole] = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = LocalCorpus(Path(folder), SourceProfile(SOURCE))
        async with corpus:
            for step in history:
                await transact(corpus, step)
                if step.keep:
                    documents |= {document.id: (document, passages) for document, passages in step.puts}
                    documents = {name: both for name, both in documents.items() if name not in step.deletes}
                if step.reopen:
                    await corpus.close()
                    await corpus.open()
            await check(corpus, [passage for _, passages in documents.values() for passage in passages])
            assert set(await corpus.known_hashes()) == set(documents)
            assert await corpus.verify() == []


@settings(max_examples=25, deadline=None)
@given(st.lists(steps(), min_size=1, max_size=5))
def test_after_any_history_exactly_the_readable_passages_with_a_word_are_found(history: list[Step]) -> None:
    asyncio.run(live(history))


def bm25(query: str, passage: Passage, readable: Sequence[Passage]) -> float:
    """Written again from the definition: k1 .9, b .4; title and headings count half again with b .75 around 4 terms."""

    def head(one: Passage) -> list[str]:
        return list(search_terms(one.provenance.title))

    def body(one: Passage) -> list[str]:
        return [*head(one), *search_terms(one.text)]

    mean = sum(len(body(one)) for one in readable) / len(readable)
    score = 0.0
    for term in dict.fromkeys(search_terms(query)):
        containing = sum(term in body(one) for one in readable)
        rarity = math.log(1 + (len(readable) - containing + 0.5) / (containing + 0.5))
        count, in_head = body(passage).count(term), head(passage).count(term)
        if count:
            score += 1.9 * rarity * count / (count + 0.9 * (0.6 + 0.4 * len(body(passage)) / mean))
            score += 0.95 * rarity * in_head / (in_head + 0.9 * (0.25 + 0.75 * len(head(passage)) / 4))
    return score


async def test_word_scores_are_bm25_over_the_readable_passages_alone(tmp_path: Path) -> None:
    dice = random.Random(5)
    documents = [
        whole(
            f"d{n}",
            " ".join(dice.choices(WORDS[:5], k=dice.randint(2, 30))) + f" x{n}",
            title=" ".join(dice.choices(WORDS[:5], k=dice.randint(1, 6))),
            permission=Permission(tags=frozenset(dice.sample(("red", "blue"), dice.randint(0, 2)))),
        )
        for n in range(40)
    ]
    async with LocalCorpus(tmp_path, SourceProfile(SOURCE)) as corpus:
        await transact(corpus, Step(documents))
        await transact(corpus, Step(deletes=["d3", "d4", "d5"]))
        held = [p for d, passages in documents if d.id not in {"d3", "d4", "d5"} for p in passages]
        for reader in READERS[:3]:
            readable = {p.id: p for p in held if may_read(reader, p.provenance.permission)}
            hits = await corpus.search(asking("alpha beta omega"), reader, limit=64)

            assert len(hits.handles) > 5
            for handle in hits.handles:
                expected = bm25("alpha beta omega", readable[handle.id], list(readable.values()))
                assert math.isclose(handle.lexical, expected, abs_tol=1e-5)
            best = max(handle.lexical for handle in hits.handles)
            assert all(math.isclose(h.score, h.lexical / best, abs_tol=1e-5) for h in hits.handles)
