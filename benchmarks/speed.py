"""What satisfice itself costs: import, decide, replay, the loop, a whole ask, many runs at once, cancel to quiet."""

import asyncio
import gc
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.reporting import Options, Row, emit, parse, read
from benchmarks.scale import measure
from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.amounts import Amounts
from satisfice.core.claims import Claim
from satisfice.core.decide import decide
from satisfice.core.evidence import Judgement
from satisfice.core.evolve import fold
from satisfice.core.facts import Envelope, Route, SearchStarted, Thought
from satisfice.core.ids import ClaimId
from satisfice.core.orders import Step
from satisfice.core.tasks import Complexity
from satisfice.ports.event_store import EventStore
from satisfice.ports.model import Completion, Message, Prompt, Usage
from satisfice.ports.reasoner import View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.testing.building import evidence, passage, quoting, retrieve, search, started, world
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedReasoner, ScriptedRetriever

CLAIM = Claim(ClaimId("c1"), "what holds", "what holds")
ROUTE = Route("scripted", "scripted-model", Amounts(model_calls=1, model_tokens=2_000, cost_microusd=10_000))


def main() -> None:
    options = parse("speed", "What satisfice itself costs, beside the work it does.")
    rows = [
        *imports(options),
        *concurrent(options),  # before what needs more memory: growth is read off the process's peak
        *loop(options),
        *deciding(options),
        *whole_ask(options),
        *cancelling(options),
        *asyncio.run(measure(options)),
    ]
    emit(options, rows)


def row(arm: str, metric: str, value: float, unit: str, n: int, *, aim: float | None = None) -> Row:
    return Row("speed", "", arm, metric, value, unit, n, aim)


# --- start-up ------------------------------------------------------------------------------------------------------


def imports(options: Options) -> list[Row]:
    n = 3 if options.quick else 9
    bare = _child_cpu_s([sys.executable, "-c", "pass"], n)
    loaded = _child_cpu_s([sys.executable, "-c", "import satisfice"], n)
    helped = _child_cpu_s([sys.executable, "-m", "satisfice", "--help"], n)
    return [
        row("import satisfice", "cpu over bare python", loaded - bare, "s", n, aim=0.05),
        row("satisfice --help", "cpu", helped, "s", n, aim=0.3),
    ]


def _child_cpu_s(command: Sequence[str], n: int) -> float:
    """The median CPU time of a process, user and system."""
    times: list[float] = []
    for _ in range(n + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(times[1:])


# --- the loop ------------------------------------------------------------------------------------------------------


def steps_of(calls: int) -> ScriptedReasoner:
    """A reasoner whose every thought is one model call, and that finds something new each time until the last."""

    def think(steps: Sequence[Step], view: View) -> Prompt:
        return Prompt((Message("user", f"{view.question} {len(view.queries)}"),), 100)

    def read(steps: Sequence[Step], view: View, completion: Completion) -> Thought:
        if Step.PLAN in steps:
            return Thought(classification=retrieve(), claims=(CLAIM,), proposals=(search("what holds 0", "c1"),))
        if Step.WRITE in steps:
            return Thought(answer=quoting(view))
        asked = len(view.queries)
        found = tuple(evidence("c1", p) for p in view.passages if p.id in view.unjudged)
        support = 1.0 if asked >= calls - 2 else 0.1
        proposals = () if support == 1.0 else (search(f"what holds {asked}", "c1"),)
        return Thought(
            evidence=found,
            judgements=(Judgement(CLAIM.id, support),),
            judged=tuple(view.unjudged),
            proposals=proposals,
        )

    return ScriptedReasoner(think, reads=read)


def scripted_retriever(clock: SystemClock, queries: int) -> ScriptedRetriever:
    replies = {
        f"what holds {i}": Reply(tuple(passage(f"p{i}.{k}", f"Passage {i}.{k} of text." * 20) for k in range(5)))
        for i in range(queries)
    }
    return ScriptedRetriever(replies, clock=clock)


async def one_run(store: EventStore, clock: SystemClock, calls: int, *, name: str = "r", delay_ms: int = 0) -> Run:
    retriever = scripted_retriever(clock, calls)
    model = ScriptedModel([ModelReply(Completion("{}", Usage(50, 10)), delay_ms=delay_ms)], clock=clock)
    made = world(clock, [retriever], steps_of(calls), store=store, models={"scripted": model})
    first = started(
        "what holds",
        run=name,
        retrievers=[retriever],
        complexity=Complexity.FULL,
        budget={
            "queries": 1_000,
            "unique_queries": 1_000,
            "steps": 5_000,
            "documents": 10_000,
            "retrieved_tokens": 10**7,
            "model_calls": 1_000,
            "model_tokens": 10**7,
            "cost_microusd": 10**9,
            "wall_clock_ms": 10**7,
        },
        routes=(ROUTE,),
        writer="scripted",
    )
    run = await Run.create(made, first)
    await run.drive()
    return run


def loop(options: Options) -> list[Row]:
    repeats = 3 if options.quick else 15

    async def measure(folder: Path) -> tuple[float, float]:
        clock = SystemClock()
        file = StateFile(folder / "state.db")
        store = SqliteEventStore(file, clock)
        await one_run(store, clock, 20, name="warm")
        times: dict[int, list[float]] = {20: [], 80: []}
        for calls, found in times.items():
            for i in range(repeats):
                before = time.process_time()
                run = await one_run(store, clock, calls, name=f"{calls}-{i}")
                made = sum(type(e.fact).__name__ == "ThinkFinished" for e in run.log)
                found.append((time.process_time() - before) * 1000 / made)
        await file.close()
        return statistics.median(times[20]), statistics.median(times[80])

    with tempfile.TemporaryDirectory() as folder:
        twenty, eighty = asyncio.run(measure(Path(folder)))
    return [
        row("20 model calls, SQLite log", "loop cpu per model call", twenty, "ms", repeats, aim=1.5),
        row("80 model calls, SQLite log", "loop cpu per model call", eighty, "ms", repeats),
        row("80 over 20 calls", "growth per call", eighty / twenty, "ratio", repeats),
    ]


def deciding(options: Options) -> list[Row]:
    log = asyncio.run(one_run(MemoryEventStore(SystemClock()), SystemClock(), 130)).log
    # The last moment up to fact 500 at which a search has to be chosen: the costliest thing there is to decide.
    chosen = max(e.seq for e in log[:501] if isinstance(e.fact, SearchStarted)) - 1
    many = log[:chosen]
    state = fold(many)
    n = 200 if options.quick else 2_000
    decide_us = _cpu_s(lambda: decide(state), n) / n * 1e6
    return [
        row(f"state of {len(many)} facts", "decide", decide_us, "us", n, aim=100),
        *replaying(f"one log of {len(log)} facts, 5 passages a search", [log], 5 if options.quick else 20),
    ]


def replaying(arm: str, logs: Sequence[Sequence[Envelope]], n: int, *, aim: float | None = None) -> list[Row]:
    """Facts folded, and decided again, in a second of CPU; decoding is measured with the store."""
    facts = sum(len(log) for log in logs)
    fold_s = _cpu_s(lambda: [fold(log) for log in logs], n) / n
    verify_s = _cpu_s(lambda: [verify(log) for log in logs], n) / n
    return [
        row(arm, "replay (fold)", facts / fold_s, "facts/s", n, aim=aim),
        row(arm, "replay (decide again)", facts / verify_s, "facts/s", n),
    ]


def _cpu_s(work: Callable[[], object], n: int) -> float:
    """CPU time of `n` calls, the garbage collector left out."""
    work()
    gc.collect()
    gc.disable()
    try:
        before = time.process_time()
        for _ in range(n):
            work()
        return time.process_time() - before
    finally:
        gc.enable()


# --- a whole ask ---------------------------------------------------------------------------------------------------


def whole_ask(options: Options) -> list[Row]:
    """Embedded ask over 20,000 passages of the evaluation sets, warm, without a model; wall and CPU."""
    from satisfice.assembly.asking import open_application

    records: list[dict[str, object]] = []
    questions: list[str] = []
    for name in ("timeqa", "scifact", "musique", "multihop_rag", "2wikimultihopqa", "hotpotqa"):
        records += read(options, name, "corpus.jsonl")
        questions += [q["question"] for q in read(options, name, "questions.jsonl")][:40]
    records = records[: 2_000 if options.quick else 20_000]
    questions = questions[: 20 if options.quick else 200]

    logs: list[Sequence[Envelope]] = []

    async def measure(folder: Path) -> dict[str, tuple[list[float], list[float], float]]:
        docs = folder / "docs"
        docs.mkdir()
        (docs / "all.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        found: dict[str, tuple[list[float], list[float], float]] = {}
        async with open_application(sources=docs, store=folder / "store") as application:
            await application.ingest()
            for question in questions[:10]:
                await application.ask(question)
            for arm, effort in (("one retrieval", "minimal"), ("default effort", None)):
                walls: list[float] = []
                cpus: list[float] = []
                queries = 0
                for question in questions:
                    wall, cpu = time.perf_counter(), time.process_time()
                    report = await application.ask(question, effort=effort)
                    walls.append((time.perf_counter() - wall) * 1000)
                    cpus.append((time.process_time() - cpu) * 1000)
                    queries += len(report.queries)
                    logs.append(await application.facts(report.run))
                found[arm] = walls, cpus, queries / len(questions)
        return found

    with tempfile.TemporaryDirectory() as folder:
        measured = asyncio.run(measure(Path(folder)))
    rows: list[Row] = []
    for arm, (walls, cpus, queries) in measured.items():
        n, name = len(walls), f"{len(records):,} passages, warm, {arm}"
        aim = 30 if arm == "one retrieval" else None
        rows += [
            row(name, "embedded ask p50", statistics.median(walls), "wall ms", n),
            row(name, "embedded ask p95", statistics.quantiles(walls, n=20)[-1], "wall ms", n, aim=aim),
            row(name, "embedded ask mean cpu", statistics.mean(cpus), "ms", n),
            row(name, "queries per ask", queries, "queries", n),
        ]
    return [*rows, *replaying(f"the logs of {len(logs)} asks", logs, 3, aim=50_000)]


# --- many at once, and none left -----------------------------------------------------------------------------------


def concurrent(options: Options) -> list[Row]:
    runs, calls, latency_ms = (100 if options.quick else 1_000), 8, 1_000

    async def all_at_once() -> tuple[float, float]:
        clock = SystemClock()
        store = MemoryEventStore(clock)
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        await asyncio.gather(*(one_run(store, clock, calls, name=f"r{i}", delay_ms=latency_ms) for i in range(runs)))
        wall = time.perf_counter() - start
        return wall, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - rss) / 1024

    wall, grown_mb = asyncio.run(all_at_once())
    ideal = calls * latency_ms / 1000
    return [
        row(f"{runs} runs of {calls} model calls, 1 s each", "wall over ideal", wall / ideal, "s", runs, aim=1.2),
        row(f"{runs} runs of {calls} model calls, 1 s each", "memory per run", grown_mb / runs, "MB", runs, aim=1.0),
    ]


def cancelling(options: Options) -> list[Row]:
    """From `cancel()` to the report, with four searches of five seconds in flight; and what is left running."""

    async def measure() -> tuple[float, int]:
        clock = SystemClock()
        retriever = ScriptedRetriever(clock=clock, otherwise=Reply(delay_ms=5_000))
        claims = tuple(Claim(ClaimId(w), w, w) for w in ("one", "two", "three", "four"))
        plan = Thought(classification=retrieve(), claims=claims, proposals=tuple(search(c.text, c.id) for c in claims))
        reasoner = ScriptedReasoner(lambda steps, view: plan)
        run = await Run.create(
            world(clock, [retriever], reasoner), started("one two three four", retrievers=[retriever])
        )
        driving = asyncio.ensure_future(run.drive())
        await asyncio.sleep(0.1)
        start = time.perf_counter()
        run.cancel()
        await driving
        took = time.perf_counter() - start
        return took, len(asyncio.all_tasks()) - 1 + retriever.running

    n = 3 if options.quick else 10
    found = [asyncio.run(measure()) for _ in range(n)]
    return [
        row("4 searches in flight", "cancel to quiet", statistics.median(t for t, _ in found), "wall s", n, aim=0.5),
        row("4 searches in flight", "left running", sum(left for _, left in found), "violations", n, aim=0),
    ]


if __name__ == "__main__":
    main()
