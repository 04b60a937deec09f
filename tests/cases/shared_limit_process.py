"""A process that starts runs under a limit it shares with others. Run by the tests of O-35.

    python shared_limit_process.py FILE NAME COUNT

It says `called` for every model call that arrives and `refused` for every run that ends without one, a line each; after
a line on its input it lets all calls answer, says what each run ended as, and closes.
"""

import asyncio
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from satisfice.adapters.clocks.system import SystemClock
from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.adapters.quotas.sqlite import SqliteQuota
from satisfice.adapters.tokens.estimate import EstimatedTokens
from satisfice.core.amounts import Amounts, Dimension
from satisfice.core.facts import Classification, RetrievalAction, Route, Thought
from satisfice.core.orders import Answer, Sentence, StopReason
from satisfice.core.sources import Shape
from satisfice.core.tasks import Complexity
from satisfice.ports.clock import Clock
from satisfice.ports.model import Completion, Prompt, Usage
from satisfice.ports.quota import Quota
from satisfice.runtime.engine import Run
from satisfice.runtime.world import World
from satisfice.testing.bench import by_model, reasoner
from satisfice.testing.building import OWNER, started

LIMIT = {Dimension.COST_MICROUSD: 100_000}
ROUTE = Route("scripted", "m", Amounts(model_calls=1, model_tokens=20_000, cost_microusd=40_000))
"""At most 10,000 tokens out at 4 micro-dollars each: 0.04."""
USED = Usage(2_000, 2_000)
"""What a call really takes: 0.002 in and 0.008 out."""
ANSWER = Thought(
    classification=Classification(
        Shape.CHAT, Complexity.SINGLE_SHOT, RetrievalAction.NO_RETRIEVE, "intent", "small talk"
    ),
    answer=Answer((Sentence("Hello."),)),
)


def world_of(clock: Clock, model: object, quota: Quota) -> World:
    """Runs that make one model call and are done."""
    thinking = by_model(ANSWER, lambda _: ANSWER)
    return World(
        retrievers={},
        reasoners={"extractive": reasoner(ANSWER, lambda _: ANSWER), "scripted": thinking},
        store=MemoryEventStore(clock),
        clock=clock,
        tokens=EstimatedTokens(),
        owner=OWNER,
        jitter=lambda: 0.5,
        models={"scripted": model},
        quota=quota,
        quota_path=("tenant",),
    )


async def greet(world: World, name: str) -> Run:
    """One run to its end."""
    run = await Run.create(world, started("hello", run=name, routes=(ROUTE,), budget={"wall_clock_ms": 60_000}))
    await run.drive()
    return run


@dataclass
class Holding:
    """A model that answers nobody until it is told to."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    id: str = "holding"
    min_ms: int = 0

    def price_microusd(self, prompt_tokens: int, completion_tokens: int) -> int:
        return prompt_tokens + 4 * completion_tokens

    def prompt_tokens(self, prompt: Prompt) -> int:
        return 2_000

    async def complete(self, prompt: Prompt) -> Completion:
        say("called")
        await self.go.wait()
        return Completion("ok", USED)


def say(*words: object) -> None:
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


async def main(path: Path, name: str, count: int) -> None:
    file, clock, model = StateFile(path), SystemClock(), Holding()
    world = world_of(clock, model, SqliteQuota(file, lambda _: LIMIT))

    async def one(number: int) -> Run:
        run = await greet(replace(world, owner=replace(OWNER, token=f"{name}{number}")), f"{name}{number}")
        if run.state.stopped is StopReason.BUDGET_EXHAUSTED:
            say("refused")
        return run

    runs = [asyncio.ensure_future(one(number)) for number in range(count)]
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    model.go.set()
    for run in await asyncio.gather(*runs):
        say(run.state.stopped)
    await file.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
