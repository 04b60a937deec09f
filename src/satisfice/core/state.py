"""Where a run stands: one immutable value, kept only by `evolve`, from which everything is decided and reported."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from satisfice.core.amounts import NOTHING, Amounts, Charge, Dimension
from satisfice.core.budget import Accounts
from satisfice.core.changing import changed
from satisfice.core.facts import Classification, Route, RunStarted, StopDecided
from satisfice.core.ids import MAIN, AccountName, BranchId, ClaimId, PassageId, SourceId
from satisfice.core.ledger import Ledger
from satisfice.core.orders import Answer, Denied, Effect, Proposal, Refusal, Step, StopReason
from satisfice.core.passages import Handle
from satisfice.core.progress import Progress
from satisfice.core.queries import Lineage, Query
from satisfice.core.rounds import Round
from satisfice.core.sources import SourceProfile
from satisfice.core.sufficiency import Verdict

RESERVE = "reserve"
"""The key under which the answer reserve is held."""


class QueryStatus(StrEnum):
    """What became of a query."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Sent:
    """One query that was sent. A run keeps them by the number of the first order."""

    query: Query
    identity: str
    """The query's identity, worked out once."""
    lineage: Lineage
    status: QueryStatus = QueryStatus.RUNNING
    handles: tuple[Handle, ...] = ()
    passages: tuple[PassageId, ...] = ()
    new: int = 0
    """Passages it returned that were not held before."""
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the run has learnt about a source. `readable` is None until the source says."""

    profile: SourceProfile
    readable: int | None = None
    failed: int = 0
    """Searches given up after the last attempt."""
    forbidden: bool = False
    answered: bool = False


@dataclass(frozen=True)  # without slots: every fact replaces it, see `changing`
class Branch:
    """A line of work: some claims, an account, what was proposed for them and what is waiting to be judged."""

    id: BranchId
    account: AccountName
    parent: BranchId | None = None
    claims: tuple[ClaimId, ...] = ()
    goal: str = ""
    open: bool = True
    pending: tuple[Proposal, ...] = ()
    unjudged: tuple[PassageId, ...] = ()
    judged: frozenset[PassageId] = frozenset()
    """Passages that were judged against this branch's claims; what another branch judged was judged against others."""
    returned: bool = False
    """Whether the searches since the last judging returned any passage, new or held."""
    progress: Progress = field(default_factory=Progress)
    unproposed: bool = False
    """Whether a search brought nothing new, or was refused as a repeat, since proposals were last asked for."""
    retries: tuple[Effect, ...] = ()
    standin: tuple[Step, ...] = ()
    """Steps whose reasoner failed for good: the extractive one takes them."""
    tried: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many actions of each kind ran for each claim since the last progress, by `claim:kind`."""


@dataclass(frozen=True, slots=True)
class Denial:
    """A refusal on record."""

    seq: int
    branch: BranchId
    refusal: Refusal
    proposal: Proposal | None = None


def one_step(accounts: Accounts, account: AccountName, seq: int) -> Accounts | Denied:
    """Spend a step on something that has no effect to settle: a refusal, an opened branch, an upgrade."""
    key, step = f"step:{seq}", Charge(Amounts(steps=1))
    held = accounts.hold(account, key, step)
    return held if isinstance(held, Denied) else held.settle(key, step)


@dataclass(frozen=True)  # without slots: every fact replaces it, see `changing`
class RunState:
    """Everything a run knows about itself. Equal for equal logs."""

    started: RunStarted
    accounts: Accounts
    seq: int = 1
    epoch: int = 1
    now_ms: int = 0
    orders: int = 0
    """The highest order number given so far."""
    ledger: Ledger = field(default_factory=Ledger)
    verdict: Verdict = field(default_factory=Verdict)
    """The contract over the ledger as it stands; kept with it."""
    branches: Mapping[BranchId, Branch] = field(default_factory=dict[BranchId, Branch])
    """In opening order."""
    round: Round = field(default_factory=Round)
    sent: Mapping[int, Sent] = field(default_factory=dict[int, Sent])
    sources: Mapping[SourceId, SourceState] = field(default_factory=dict[SourceId, SourceState])
    classification: Classification | None = None
    narrowed: bool = False
    """Whether the main line works on a slice narrower than its task class."""
    denials: tuple[Denial, ...] = ()
    draft: Answer | None = None
    written: Answer | None = None
    write_tried: tuple[str, ...] = ()
    """The routes that were asked to write, and whether judging before it was tried."""
    unreserved: Denied | None = None
    """Why the answer reserve could not be held; None when it is."""
    quota: Denied | None = None
    """What a shared limit above the run denied: nothing more is started until something of the run is settled there."""
    cancelled: bool = False
    deadline_passed: bool = False
    failure: str = ""
    paused: StopReason | None = None
    person: str = ""
    """The verdict of the person asked; empty until one answered."""
    reading: str = ""
    """The reading a person chose: it counts as the caller's own text."""
    stop: StopDecided | None = None
    stopped: StopReason | None = None
    answer: Answer | None = None
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def with_branch(self, branch: Branch) -> "RunState":
        """The state with one branch replaced, its place in the order kept."""
        return changed(self, branches={**self.branches, branch.id: branch})

    def number_of(self, query: Query) -> int | None:
        """The number under which this very query was sent first."""
        identity = query.identity()
        found = (n for n, s in self.sent.items() if s.identity == identity and s.query.source == query.source)
        return next(found, None)

    @property
    def main(self) -> Branch:
        """The line the run started on."""
        return self.branches[MAIN]

    def open_branches(self) -> Iterator[Branch]:
        """Open branches in opening order, the main line first."""
        return (branch for branch in self.branches.values() if branch.open)

    def question(self) -> str:
        """What is to be answered: the caller's question, or the reading the caller chose."""
        return self.reading or self.started.question

    def limit(self, dimension: Dimension) -> int:
        """The limit the main line works under."""
        return self.accounts.accounts[self.main.account].limits[dimension]

    def deadline_ms(self) -> int:
        """When the caller must have the report, on the run's clock."""
        return self.limit(Dimension.WALL_CLOCK_MS)

    def soft_deadline_ms(self) -> int:
        """When searching ends, so that there is time to answer."""
        limit = self.deadline_ms()
        policy = self.started.policy
        if self.started.writer == "extractive":
            return limit - min(policy.reserve_max_ms, round(limit * policy.reserve_share))
        return limit - round(limit * policy.model_reserve_share)

    def route(self, name: str) -> Route | None:
        """The frozen worst case of a model route; None for the extractive reasoner, which needs no model."""
        return next((route for route in self.started.routes if route.name == name), None)

    def thought_ceiling(self, by: str) -> Charge:
        """What one thought may cost: a step, and by a model's route also its frozen worst case."""
        route = self.route(by)
        a = route.ceiling if route is not None else NOTHING
        return Charge(Amounts(1, 0, 0, 0, 0, a.model_calls, a.model_tokens, a.cost_microusd))
