"""Hypothesis strategies: legal logs, made by running `decide` and drawing what the world does."""

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from satisfice.core.access import Principal
from satisfice.core.amounts import Amounts, Charge, Dimension
from satisfice.core.claims import Claim
from satisfice.core.decide import decide
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.evolve import begin, evolve
from satisfice.core.facts import (
    CancelRequested,
    Classification,
    DeadlinePassed,
    Envelope,
    Fact,
    LookUpFailed,
    LookUpFinished,
    Outcome,
    PersonAnswered,
    PersonVerdict,
    RetrievalAction,
    Route,
    RunResumed,
    RunStarted,
    SearchFailed,
    SearchFinished,
    ThinkFailed,
    ThinkFinished,
    Thought,
)
from satisfice.core.ids import MAIN, BranchId, ClaimId, ProposalId, RunId, SourceId
from satisfice.core.orders import (
    Answer,
    Await,
    BranchProposal,
    Cancel,
    Effect,
    LookUp,
    LookUpProposal,
    Proposal,
    ReadCache,
    Rerank,
    Search,
    SearchProposal,
    Sentence,
    Think,
)
from satisfice.core.passages import Handle, Passage, Span, quote_hash
from satisfice.core.policy import Policy
from satisfice.core.queries import Lineage, Query, ReasonCode
from satisfice.core.recording import branch_of, decided, given_up, intent
from satisfice.core.sources import Authority, Shape, SourceProfile
from satisfice.core.state import RunState
from satisfice.core.tasks import Complexity, TaskClass
from satisfice.testing.building import AS_OF, passage

QUESTION = "alpha beta gamma delta"
_WORDS = QUESTION.split()
_MOST_CRASHES = 4
_SOURCES = (SourceProfile(SourceId("a"), passage_tokens=10), SourceProfile(SourceId("b"), min_ms=5, passage_tokens=10))
_POOL = tuple(
    passage(
        f"p{i}",
        f"{_WORDS[i % 4]} is {i}. It says so.",
        source=SourceId("ab"[i % 2]),
        authority=Authority(i % 5),
        published_at=f"2029-0{i % 9 + 1}-01",
        tokens=5,
    )
    for i in range(8)
)


@dataclass(repr=False)
class Simulated:
    """A legal log, and what the world saw while it was made: every effect that was really started, with its real charge."""

    envelopes: list[Envelope]
    effects: list[tuple[Effect, Charge]] = field(default_factory=list[tuple[Effect, Charge]])
    overran: bool = False

    def __repr__(self) -> str:
        """The story in a line: each fact with the order it belongs to."""
        shown = " ".join(f"{type(e.fact).__name__}{e.order or ''}" for e in self.envelopes[:60])
        return f"<{len(self.envelopes)} facts: {shown}>"


@st.composite
def budgets(draw: st.DrawFn) -> tuple[tuple[Dimension, int], ...]:
    """Small limits in some dimensions; the others keep their row."""
    sizes = {
        Dimension.STEPS: 14,
        Dimension.QUERIES: 5,
        Dimension.UNIQUE_QUERIES: 4,
        Dimension.REWRITE_DEPTH: 2,
        Dimension.SOURCES: 2,
        Dimension.DOCUMENTS: 8,
        Dimension.RETRIEVED_TOKENS: 60,
        Dimension.MODEL_CALLS: 4,
        Dimension.MODEL_TOKENS: 400,
        Dimension.BRANCHES: 2,
        Dimension.WALL_CLOCK_MS: 4_000,
        Dimension.COST_MICROUSD: 500,
    }
    chosen = draw(st.lists(st.sampled_from(sorted(sizes)), unique=True, max_size=5))
    return tuple((dimension, draw(st.integers(0, sizes[dimension]))) for dimension in chosen)


@st.composite
def beginnings(draw: st.DrawFn) -> RunStarted:
    """First facts: any complexity, with or without a model, one or two sources, a person or nobody to ask."""
    complexity = draw(st.sampled_from(sorted(Complexity)))
    with_model = draw(st.booleans())
    route = Route("small", "m", Amounts(model_calls=1, model_tokens=100, cost_microusd=50))
    return RunStarted(
        RunId("r"),
        QUESTION,
        Principal("ana"),
        TaskClass("t", complexity, draw(budgets())),
        Policy(),
        _SOURCES[: draw(st.integers(1, 2))],
        AS_OF,
        reasoner="small" if with_model else "extractive",
        writer="small" if with_model and draw(st.booleans()) else "extractive",
        routes=(route,) if with_model else (),
        attended=draw(st.booleans()),
    )


@st.composite
def logs(draw: st.DrawFn, *, max_facts: int = 120, crashes: bool = True, overruns: bool = False) -> Simulated:
    """Whole logs, to `RunStopped` unless `max_facts` comes first; parallel outcomes arrive in any order."""
    first = Envelope(1, 0, 1, draw(beginnings()))
    return _Simulation(draw, begin(first), Simulated([first]), crashes=crashes, overruns=overruns).run(max_facts)


class _Simulation:
    def __init__(
        self, draw: st.DrawFn, state: RunState, simulated: Simulated, *, crashes: bool, overruns: bool
    ) -> None:
        self.draw, self.state, self.simulated = draw, state, simulated
        self.crashes, self.overruns = crashes, overruns
        self.epoch = 1

    def run(self, max_facts: int) -> Simulated:
        while self.state.stopped is None and len(self.simulated.envelopes) < max_facts:
            order = decide(self.state)
            if self.crashes and self.epoch <= _MOST_CRASHES and self.draw(st.integers(0, 39)) == 0:
                self._crash()
                continue
            if isinstance(order, Think | Search | LookUp | Rerank | ReadCache):
                self._record(intent(order), self.state.orders + 1, order.branch)
            elif isinstance(order, Await):
                self._something_happens(order.until_ms)
            elif isinstance(order, Cancel):
                for number in order.orders:
                    self._abandon(number)
            else:
                self._record(decided(order), branch=branch_of(order))
        return self.simulated

    def _record(self, fact: Fact, order: int = 0, branch: BranchId = MAIN, *, not_before_ms: int = 0) -> None:
        at_ms = max(not_before_ms, self.state.now_ms + self.draw(st.sampled_from((0, 1, 7, 60))))
        envelope = Envelope(self.state.seq + 1, at_ms, self.epoch, fact, order, branch)
        self.state = evolve(self.state, envelope)
        self.simulated.envelopes.append(envelope)

    def _abandon(self, number: int) -> None:
        flight = self.state.round.flights[number]
        self.simulated.effects.append((flight.order, flight.order.ceiling))
        self._record(given_up(flight.order, "gone"), number, flight.branch)

    def _crash(self) -> None:
        self.epoch += 1
        out = [flight.number for flight in self.state.round.out()]
        self._record(RunResumed(AS_OF))
        for number in out:
            self._abandon(number)

    def _something_happens(self, until_ms: int) -> None:
        """While the run waits: an outcome, the deadline, a person, or the caller's cancel."""
        out = self.state.round.out()
        if self.state.paused is not None:
            verdict = self.draw(st.sampled_from(sorted(PersonVerdict)))
            self._record(RunResumed(AS_OF))
            self._record(PersonAnswered(verdict, "alpha beta"))
            return
        chance = self.draw(st.integers(0, 29))
        if chance == 0 or not out:
            if self.draw(st.booleans()):
                self._record(CancelRequested())
            else:
                self._record(DeadlinePassed(), not_before_ms=until_ms)
            return
        flight = self.draw(st.sampled_from(out))
        outcome = self._outcome(flight.order)
        self.simulated.effects.append((flight.order, getattr(outcome, "charge", flight.order.ceiling)))
        self._record(outcome, flight.number, flight.branch)

    # --- what the world answers ------------------------------------------------------------------------------------

    def _outcome(self, order: Effect) -> Outcome:
        if self.draw(st.integers(0, 9)) == 0:
            return self._failure(order)
        match order:
            case Think():
                return ThinkFinished(self._thought(order), self._spent(order), order.by)
            case Search():
                found = self._passages(order.ceiling.amounts.documents)
                handles = tuple(Handle(p.id, p.provenance.document_id, "", 0.5) for p in _POOL[:3])
                readable = self.draw(st.sampled_from((None, None, 8, 0))) if not found else 8
                return SearchFinished(found, handles, self._charged(order, found), "1", readable)
            case LookUp():
                wanted = tuple(p for p in _POOL if p.id in order.passages)
                return LookUpFinished(wanted, self._charged(order, wanted))
            case _:
                raise AssertionError(order)

    def _failure(self, order: Effect) -> Outcome:
        retryable, after = self.draw(st.booleans()), self.draw(st.sampled_from((0, 50, 5_000)))
        kind = ThinkFailed if isinstance(order, Think) else SearchFailed if isinstance(order, Search) else LookUpFailed
        return kind("failed", retryable, self._spent(order), after)

    def _passages(self, limit: int) -> tuple[Passage, ...]:
        found = self.draw(st.lists(st.sampled_from(_POOL), unique_by=lambda p: p.id, max_size=min(3, limit)))
        return tuple(found)

    def _spent(self, order: Effect) -> Charge:
        """At most the ceiling; now and then more, as from a provider that ignores its cap."""
        a = order.ceiling.amounts
        tokens = self.draw(st.integers(0, a.model_tokens))
        if self.overruns and a.model_tokens and self.draw(st.integers(0, 9)) == 0:
            tokens, self.simulated.overran = a.model_tokens + 50, True
        return replace(order.ceiling, amounts=replace(a, model_tokens=tokens, documents=0, retrieved_tokens=0))

    def _charged(self, order: Search | LookUp, found: tuple[Passage, ...]) -> Charge:
        new = [p for p in found if p.id not in self.state.ledger.passages]
        a = replace(order.ceiling.amounts, documents=len(new), retrieved_tokens=sum(p.tokens for p in new))
        return replace(order.ceiling, amounts=a)

    # --- what a reasoner thinks ------------------------------------------------------------------------------------

    def _thought(self, order: Think) -> Thought:
        draw, ledger = self.draw, self.state.ledger
        claims = tuple(Claim(ClaimId(w), f"what about {w}", w) for w in _WORDS[: draw(st.integers(0, 3))])
        action = draw(st.sampled_from((RetrievalAction.RETRIEVE,) * 5 + (RetrievalAction.NO_RETRIEVE,)))
        complexity = draw(st.sampled_from(sorted(Complexity)))
        known = sorted(ledger.claims) or [ClaimId("alpha")]
        evidence = tuple(self._evidence(known) for _ in range(draw(st.integers(0, 2)))) if ledger.passages else ()
        supports = [draw(st.sampled_from((0.0, 0.4, 1.0))) for _ in known]
        return Thought(
            classification=Classification(Shape.FACT, complexity, action, "intent", "drawn"),
            claims=claims,
            evidence=evidence,
            judgements=tuple(Judgement(c, s) for c, s in zip(known, supports, strict=True)),
            judged=tuple(sorted(ledger.passages)),
            proposals=tuple(self._proposal(known) for _ in range(draw(st.integers(0, 3)))),
            answer=Answer(tuple(Sentence(e.claim_id, (e.span,), (e.claim_id,)) for e in evidence)),
        )

    def _evidence(self, claims: list[ClaimId]) -> Evidence:
        held = self.draw(st.sampled_from(sorted(self.state.ledger.passages.values(), key=lambda p: p.id)))
        end = self.draw(st.integers(1, len(held.text) + 3))  # sometimes past the end: such evidence must not be kept
        return Evidence(
            self.draw(st.sampled_from(claims)),
            Span(held.id, 0, end),
            quote_hash(held.text[:end]),
            self.draw(st.sampled_from(sorted(Stance))),
            0.5,
        )

    def _proposal(self, claims: list[ClaimId]) -> Proposal:
        draw = self.draw
        claim = draw(st.sampled_from(claims))
        kind = draw(st.integers(0, 5))
        if kind == 0:
            return BranchProposal(ProposalId("x"), (claim,), draw(st.sampled_from((0.0, 0.3, 1.0))))
        if kind == 1:
            ids = draw(st.lists(st.sampled_from([p.id for p in _POOL]), min_size=1, max_size=3))
            return LookUpProposal(ProposalId("x"), SourceId(draw(st.sampled_from("ab"))), tuple(ids), claim)
        text = " ".join(draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3)))
        source = SourceId(draw(st.sampled_from("abz")))
        lineage = Lineage("", claim, reason=draw(st.sampled_from(sorted(ReasonCode))), depth=draw(st.integers(0, 3)))
        return SearchProposal(ProposalId("x"), Query(text, source, draw(st.integers(1, 5))), lineage)
