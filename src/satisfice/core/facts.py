"""What happened: a closed union of facts in the past tense, each in an envelope. Schema version 1."""

from dataclasses import dataclass, field
from enum import StrEnum

from satisfice.core.access import Principal
from satisfice.core.amounts import Amounts, Charge
from satisfice.core.claims import AnswerType, Claim
from satisfice.core.evidence import Evidence, Judgement
from satisfice.core.ids import MAIN, BranchId, PassageId, RunId
from satisfice.core.orders import (
    Answer,
    Denied,
    Effect,
    LookUp,
    OpenBranch,
    Proposal,
    ReadCache,
    Refusal,
    Rerank,
    Search,
    StopReason,
    Think,
)
from satisfice.core.passages import Handle, Passage
from satisfice.core.policy import Policy
from satisfice.core.queries import NO_FILTERS, Filters
from satisfice.core.sources import Shape, SourceProfile
from satisfice.core.tasks import Complexity, TaskClass

SCHEMA_VERSION = 1


class Driver(StrEnum):
    """Who makes proposals: the engine's reasoner, or a host agent from outside."""

    ENGINE = "engine"
    HOST = "host"


class RetrievalAction(StrEnum):
    """What to do about a question before anything else."""

    NO_RETRIEVE = "no_retrieve"
    ANSWER_FROM_CACHE = "answer_from_cache"
    RETRIEVE = "retrieve"
    REFORMULATE_THEN_RETRIEVE = "reformulate_then_retrieve"


# --- thoughts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Classification:
    """What kind of question this is, which action follows, and by which layer's reason."""

    shape: Shape
    complexity: Complexity
    action: RetrievalAction
    layer: str
    """Which layer decided: rule, cache, intent, model or confidence."""
    reason: str
    expects: AnswerType = AnswerType.ANY


@dataclass(frozen=True, slots=True)
class Thought:
    """What a reasoner returns: a part per step that was asked for, the others absent."""

    classification: Classification | None = None
    claims: tuple[Claim, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    judged: tuple[PassageId, ...] = ()
    """Every passage that was looked at, whether or not it became evidence."""
    proposals: tuple[Proposal, ...] = ()
    answer: Answer | None = None
    notes: tuple[str, ...] = ()
    """What a reader of the timeline should know, e.g. that the extractive step stood in."""


@dataclass(frozen=True, slots=True)
class Route:
    """The frozen worst case of one call through a model route. A prompt is rendered to fit it."""

    name: str
    model: str
    ceiling: Amounts
    min_ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


# --- facts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunStarted:
    """Everything that mattered at the start, so that the log explains itself."""

    run: RunId
    question: str
    principal: Principal
    task: TaskClass
    policy: Policy
    sources: tuple[SourceProfile, ...]
    as_of: str
    driver: Driver = Driver.ENGINE
    reasoner: str = "extractive"
    """Route of the reasoner that plans and judges."""
    writer: str = "extractive"
    """Route that writes the answer; `extractive` needs no model and no reserve for one."""
    history: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    """Every model route the run may use; a route that is not here cannot be ordered."""
    filters: Filters = NO_FILTERS
    """The caller's scope: every query is narrowed by it, whatever proposed the query."""
    notices: tuple[str, ...] = ()
    attended: bool = False
    """Whether a person can be asked during the run."""


@dataclass(frozen=True, slots=True)
class RunResumed:
    """A new leg began; orders in flight before it are written off by the facts that follow."""

    resumed_at: str
    """UTC time. The time between the legs is not counted."""


@dataclass(frozen=True, slots=True)
class ThinkStarted:
    order: Think


@dataclass(frozen=True, slots=True)
class ThinkFinished:
    thought: Thought
    charge: Charge
    by: str
    """The reasoner that really thought: the extractive one when it stood in."""
    prompt_hash: str = ""


@dataclass(frozen=True, slots=True)
class ThinkFailed:
    why: str
    retryable: bool
    charge: Charge
    retry_after_ms: int = 0


@dataclass(frozen=True, slots=True)
class ThinkAbandoned:
    why: str
    charge: Charge | None = None
    """None: nobody knows what became of it, and its whole ceiling is spent."""


@dataclass(frozen=True, slots=True)
class SearchStarted:
    order: Search


@dataclass(frozen=True, slots=True)
class SearchFinished:
    passages: tuple[Passage, ...]
    handles: tuple[Handle, ...]
    charge: Charge
    version: str = ""
    readable: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchFailed:
    why: str
    retryable: bool
    charge: Charge
    retry_after_ms: int = 0
    forbidden: bool = False


@dataclass(frozen=True, slots=True)
class SearchAbandoned:
    why: str
    charge: Charge | None = None


@dataclass(frozen=True, slots=True)
class LookUpStarted:
    order: LookUp


@dataclass(frozen=True, slots=True)
class LookUpFinished:
    passages: tuple[Passage, ...]
    charge: Charge


@dataclass(frozen=True, slots=True)
class LookUpFailed:
    why: str
    retryable: bool
    charge: Charge
    retry_after_ms: int = 0
    forbidden: bool = False


@dataclass(frozen=True, slots=True)
class LookUpAbandoned:
    why: str
    charge: Charge | None = None


@dataclass(frozen=True, slots=True)
class RerankStarted:
    order: Rerank


@dataclass(frozen=True, slots=True)
class RerankFinished:
    ranking: tuple[PassageId, ...]
    charge: Charge


@dataclass(frozen=True, slots=True)
class RerankFailed:
    why: str
    retryable: bool
    charge: Charge
    retry_after_ms: int = 0


@dataclass(frozen=True, slots=True)
class RerankAbandoned:
    why: str
    charge: Charge | None = None


@dataclass(frozen=True, slots=True)
class CacheReadStarted:
    order: ReadCache


@dataclass(frozen=True, slots=True)
class CacheReadFinished:
    passages: tuple[Passage, ...]
    charge: Charge
    age_ms: int = 0
    version: str = ""


@dataclass(frozen=True, slots=True)
class CacheReadFailed:
    why: str
    retryable: bool
    charge: Charge
    retry_after_ms: int = 0


@dataclass(frozen=True, slots=True)
class CacheReadAbandoned:
    why: str
    charge: Charge | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """A host agent asked for something."""

    proposal: Proposal


class DeniedBy(StrEnum):
    """Who said no: the policy (decided), the clock or a quota (learnt from the world)."""

    POLICY = "policy"
    CLOCK = "clock"
    QUOTA = "quota"


@dataclass(frozen=True, slots=True)
class OrderDenied:
    """Something was asked for and did not run. `order` is set when it had been decided and the world said no."""

    refusal: Refusal
    by: DeniedBy = DeniedBy.POLICY
    proposal: Proposal | None = None
    order: Effect | None = None


@dataclass(frozen=True, slots=True)
class BranchOpened:
    order: OpenBranch


@dataclass(frozen=True, slots=True)
class BranchClosed:
    pass


@dataclass(frozen=True, slots=True)
class RouteUpgraded:
    """The slice of a narrower class went back and the branch works on the task class's own row."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class CancelRequested:
    by: str = ""


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    pass


@dataclass(frozen=True, slots=True)
class RunPaused:
    reason: StopReason
    question: str = ""


class PersonVerdict(StrEnum):
    """What a person answered: which reading was meant, or yes or no to an escalation."""

    READING = "reading"
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class PersonAnswered:
    verdict: PersonVerdict
    text: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class StopDecided:
    reason: StopReason
    detail: str = ""
    denied: Denied | None = None
    also: tuple[StopReason, ...] = ()


@dataclass(frozen=True, slots=True)
class RunStopped:
    """The last fact. `reason` differs from the decided one only when SUFFICIENT was withdrawn."""

    reason: StopReason
    answer: Answer | None
    flags: tuple[str, ...] = ()


Fact = (
    RunStarted | RunResumed
    | ThinkStarted | ThinkFinished | ThinkFailed | ThinkAbandoned
    | SearchStarted | SearchFinished | SearchFailed | SearchAbandoned
    | LookUpStarted | LookUpFinished | LookUpFailed | LookUpAbandoned
    | RerankStarted | RerankFinished | RerankFailed | RerankAbandoned
    | CacheReadStarted | CacheReadFinished | CacheReadFailed | CacheReadAbandoned
    | Proposed | OrderDenied | BranchOpened | BranchClosed | RouteUpgraded
    | CancelRequested | DeadlinePassed | StopDecided | RunPaused | PersonAnswered | RunStopped
)  # fmt: skip

Started = ThinkStarted | SearchStarted | LookUpStarted | RerankStarted | CacheReadStarted
Finished = ThinkFinished | SearchFinished | LookUpFinished | RerankFinished | CacheReadFinished
Failed = ThinkFailed | SearchFailed | LookUpFailed | RerankFailed | CacheReadFailed
Abandoned = ThinkAbandoned | SearchAbandoned | LookUpAbandoned | RerankAbandoned | CacheReadAbandoned
Outcome = Finished | Failed | Abandoned


@dataclass(frozen=True, slots=True)
class Envelope:
    """One fact in its place. `seq` counts from 1 without gaps; `order` is the number of the order it belongs to (0: none).

    `at_ms` is on the run's own clock: attended milliseconds since the start, never going back.
    """

    seq: int
    at_ms: int
    epoch: int
    fact: Fact = field(repr=False)
    order: int = 0
    branch: BranchId = MAIN


def kind(fact: Fact) -> str:
    """The fact's name on the wire."""
    return type(fact).__name__
