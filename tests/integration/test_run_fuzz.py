"""Hundreds of runs in hostile worlds, drawn by seed: each ends, within its limits, with everything it paid for."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from satisfice.adapters.quotas.memory import MemoryQuota
from satisfice.core.amounts import Dimension
from satisfice.core.budget import ROOT
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement, Stance
from satisfice.core.facts import PersonAnswered, PersonVerdict, RunStarted, Thought
from satisfice.core.ids import ClaimId, ProposalId, SourceId
from satisfice.core.orders import BranchProposal, LookUpProposal, Proposal, StopReason
from satisfice.core.policy import Policy
from satisfice.core.queries import ReasonCode
from satisfice.core.sources import SourceProfile
from satisfice.core.tasks import Complexity
from satisfice.errors import ModelError, RetrieverError
from satisfice.ports.model import Completion, Usage
from satisfice.ports.reasoner import Reasoner, View
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import verify
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World
from satisfice.testing.bench import MODEL, assert_quiet, assert_sound, by_model, planned, reasoner
from satisfice.testing.building import evidence, passage, search, started, world
from satisfice.testing.clock import FakeClock
from satisfice.testing.scripted import ModelReply, Reply, ScriptedModel, ScriptedReasoner, ScriptedRetriever

WORDS = ("alpha", "beta", "gamma", "delta")
QUESTION = " ".join(WORDS)
LARGEST = {
    "steps": 40, "queries": 8, "unique_queries": 6, "rewrite_depth": 3, "sources": 2, "documents": 20,
    "retrieved_tokens": 4_000, "model_calls": 8, "model_tokens": 9_000, "branches": 3, "wall_clock_ms": 9_000,
    "cost_microusd": 40_000,
}  # fmt: skip
SHARED = {Dimension.QUERIES: 6, Dimension.STEPS: 40}


class Hostile:
    """A world drawn from a seed: sources that fail, hang and repeat themselves, a model no better, and greedy thoughts."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.clock = FakeClock()
        self.sources = ("s1", "s2")[: self.dice.randint(1, 2)]
        self.pool = [
            passage(
                f"p{n}",
                f"{WORDS[n % 4]} is {n}. There is more.",
                source=SourceId(self.pick(self.sources)),
                tokens=self.pick((5, 50, 500)),
                published_at=f"2029-0{n % 9 + 1}-01",
            )
            for n in range(10)
        ]
        self.retrievers = [self._retriever(name) for name in self.sources]
        self.model = ScriptedModel([self._model_reply() for _ in range(20)], clock=self.clock)
        self.claims = [Claim(ClaimId(word), word, word) for word in WORDS[: self.dice.randint(1, 4)]]
        self.quota = MemoryQuota(lambda _: SHARED) if self.chance(0.3) else None

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def pick(self, values: Sequence[object]):
        return self.dice.choice(values)

    def _retriever(self, name: str) -> ScriptedRetriever:
        profile = SourceProfile(
            SourceId(name),
            min_ms=self.pick((0, 0, 30)),
            passage_tokens=self.pick((50, 400)),
            time_share=self.pick((1.0, 1.0, 0.5)),
            query_microusd=self.pick((0, 0, 500)),
        )
        made = ScriptedRetriever(clock=self.clock, profile=profile, otherwise=[self._reply() for _ in range(12)])
        made.add(self.pool)
        return made

    def _reply(self) -> Reply:
        delay = self.pick((0, 0, 5, 50, 400, 5_000))
        what = self.dice.random()
        if what < 0.15:
            wait = self.pick((0, 0, 300, 100_000))
            error = RetrieverError(
                "s", "no", retryable=self.chance(0.6), retry_after_ms=wait, forbidden=self.chance(0.1)
            )
            return Reply(error=error, delay_ms=delay)
        if what < 0.35:
            return Reply(delay_ms=delay, readable=self.pick((None, None, 0, 5)))
        if what < 0.38:
            return Reply(nothing=True)
        return Reply(tuple(self.dice.sample(self.pool, self.dice.randint(1, 4))), delay_ms=delay)

    def _model_reply(self) -> ModelReply:
        delay = self.pick((0, 10, 100, 3_000))
        if self.chance(0.12):
            return ModelReply(error=ModelError("m", "no", retryable=self.chance(0.5)), delay_ms=delay)
        usage = Usage(self.pick((None, 100)), self.pick((None, 50)))
        return ModelReply(Completion("" if self.chance(0.08) else "ok", usage), delay_ms=delay)

    # --- thoughts ------------------------------------------------------------------------------------------------

    def proposal(self, claims: Sequence[ClaimId]) -> Proposal:
        claim = self.pick(claims)
        what = self.dice.random()
        if what < 0.15:
            return BranchProposal(ProposalId(""), (claim,), self.pick((0.0, 0.1, 0.5, 1.0)))
        if what < 0.3:
            wanted = tuple(p.id for p in self.dice.sample(self.pool, 2))
            return LookUpProposal(ProposalId(""), SourceId(self.pick(self.sources)), wanted, claim)
        text = " ".join(self.dice.sample(WORDS, self.dice.randint(1, 3))) + self.pick(("", " x", " 2"))
        wording = search(text, claim, source=SourceId(self.pick((*self.sources, "zz"))), depth=self.dice.randint(0, 3))
        return replace(wording, lineage=replace(wording.lineage, reason=self.pick(list(ReasonCode))))

    def judged(self, view: View) -> Thought:
        claims = [claim.id for claim in view.claims] or [ClaimId("alpha")]
        stances = (Stance.SUPPORTS, Stance.SUPPORTS, Stance.MENTIONS, Stance.CONTRADICTS)
        found = [
            evidence(claim.id, held, claim.text, stance=self.pick(stances))
            for held in view.passages
            for claim in view.claims
            if claim.text in held.text and self.chance(0.5)
        ]
        readings = ("one", "another") if self.chance(0.03) else ()
        return Thought(
            evidence=tuple(found),
            judgements=tuple(Judgement(c, self.pick((0.0, 0.4, 1.0)), ambiguous=readings) for c in claims),
            judged=tuple(p.id for p in view.passages[: None if self.chance(0.8) else 2]),
            proposals=tuple(self.proposal(claims) for _ in range(self.dice.randint(0, 5))),
        )

    # --- the run -------------------------------------------------------------------------------------------------

    def beginning(self) -> tuple[World, RunStarted]:
        plan = planned(
            claims=self.claims,
            proposals=[self.proposal([c.id for c in self.claims]) for _ in range(self.dice.randint(0, 6))],
        )
        if self.chance(0.5) and plan.classification is not None:
            narrower = replace(plan.classification, complexity=self.pick(list(Complexity)))
            plan = replace(plan, classification=narrower)
        extractive: Reasoner = reasoner(plan, self.judged)
        if self.chance(0.2):
            extractive = _breaking_now_and_then(self, reasoner(plan, self.judged))
        with_model = self.chance(0.6)
        made = world(self.clock, self.retrievers, extractive, models={"scripted": self.model}, quota=self.quota)
        thinking = by_model(plan, self.judged) if with_model else extractive
        made = replace(made, reasoners={**made.reasoners, "scripted": thinking}, quota_path=["tenant"])
        first = started(
            QUESTION,
            retrievers=self.retrievers,
            budget={name: self.dice.randint(0, most) for name, most in LARGEST.items() if self.chance(0.1)},
            complexity=self.pick(list(Complexity)),
            attended=self.chance(0.3),
            routes=(MODEL,) if with_model else (),
            writer="scripted" if with_model and self.chance(0.5) else "extractive",
            policy=Policy(max_in_flight=self.pick((1, 2, 4, 6))),
        )
        return made, first

    async def run(self) -> tuple[Run, bool]:
        """A run to its end, perhaps cancelled or broken off and resumed, its questions answered; and whether it was broken off."""
        made, first = self.beginning()
        run = await Run.create(made, first)
        driving = asyncio.ensure_future(run.drive())
        broken = False
        if self.chance(0.3):
            await self.clock.advance(self.pick((0, 5, 60, 500, 2_000)))
            if self.chance(0.5):
                run.cancel()
            elif not driving.done() and run.log[-1].seq > 1:
                broken = True
                driving.cancel()
                await asyncio.wait([driving])
                run = await resume(made, run.id)
                driving = asyncio.ensure_future(run.drive())
        await driving
        while run.state.stopped is None:
            assert run.state.paused is not None
            await self.clock.advance(1_000)
            run = await resume(made, run.id, PersonAnswered(self.pick(list(PersonVerdict)), "alpha beta"))
            await run.drive()
        return run, broken


def _breaking_now_and_then(hostile: Hostile, whole: ScriptedReasoner) -> ScriptedReasoner:
    def think(steps: Sequence[object], view: View) -> object:
        if hostile.chance(0.05):
            raise ZeroDivisionError
        return whole.think(steps, view)

    return ScriptedReasoner(think)


async def assert_shared_spending(hostile: Hostile, run: Run) -> None:
    """The accounts above agree with the run's own ledger, and hold nothing any more."""
    if hostile.quota is None:
        return
    rest, spent = (await hostile.quota.left("tenant")).amounts, run.state.accounts.spent(ROOT)
    assert SHARED[Dimension.QUERIES] - rest.queries == spent[Dimension.QUERIES]
    # A refusal and an opened branch cost a step of the run and nothing above it.
    assert SHARED[Dimension.STEPS] - rest.steps <= spent[Dimension.STEPS]


@pytest.mark.parametrize("start", range(0, 400, 50))
async def test_whatever_the_world_does_a_run_is_sound(start: int) -> None:
    stops: Counter[StopReason | None] = Counter()
    for seed in range(start, start + 50):
        hostile = Hostile(seed)
        async with hostile.clock.running():
            run, broken = await asyncio.wait_for(hostile.run(), 20)
            await assert_quiet(hostile.clock, *hostile.retrievers, hostile.model)
        if broken:  # calls of which nobody knows are in the ledger, and perhaps not in the world
            assert verify(run.log).differences == ()
            searches = sum(len(retriever.calls) for retriever in hostile.retrievers)
            assert searches <= run.state.accounts.spent(ROOT)[Dimension.QUERIES]
        else:
            assert_sound(run, *hostile.retrievers, hostile.model)
        await assert_shared_spending(hostile, run)
        stops[run.state.stopped] += 1
    assert len(stops) >= 5, "the worlds differ"
