"""A process of its own that writes a corpus and dies, or waits, where it is told to.

`python corpus_process.py FOLDER VECTORS MODE BOUNDARY [COUNT]`: MODE is `kill`, `wait` (says `waiting`, goes on at a line) or
`forever` (commits one generation after the other and says each number).
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from satisfice.adapters.corpora.local import LocalCorpus
from satisfice.adapters.embedders.wordllama import WordllamaEmbedder
from satisfice.core.ids import DocumentId
from satisfice.core.sources import SourceProfile
from satisfice.testing.conformance.example_corpus import SOURCE, whole


async def change(corpus: LocalCorpus) -> None:
    """The second generation: one document is replaced, one deleted, one new."""
    await corpus.begin()
    await corpus.put(*whole("a", "Refunds second.", title="Alpha"))
    await corpus.put(*whole("c", "Refunds second, new.", title="Gamma"))
    await corpus.delete([DocumentId("b")])
    await corpus.commit()


async def go_on_forever(corpus: LocalCorpus) -> None:
    number = 0
    while True:
        number += 1
        await corpus.begin()
        for place in range(40):
            await corpus.put(*whole(f"d{place}", f"Refunds, round {number}, document {place}."))
        await corpus.delete([DocumentId(f"d{number % 40}")])
        print(number, await corpus.commit(), flush=True)


async def main() -> None:
    folder, vectors, mode, boundary, *_ = sys.argv[1:]

    def at(reached: str) -> None:
        if reached != boundary:
            return
        if mode == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        print("waiting", flush=True)
        sys.stdin.readline()

    embedder = WordllamaEmbedder() if vectors == "vectors" else None
    async with LocalCorpus(Path(folder), SourceProfile(SOURCE), embedder, on_boundary=at) as corpus:
        if mode == "forever":
            await go_on_forever(corpus)
        await change(corpus)


if __name__ == "__main__":
    asyncio.run(main())
