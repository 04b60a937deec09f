"""What to do next: proposals (anyone may make them) and orders (only `decide` gives them). Imperative, closed unions."""

from dataclasses import dataclass
from enum import StrEnum

from satisfice.core.amounts import Charge, Dimension
from satisfice.core.ids import AccountName, BranchId, ClaimId, PassageId, ProposalId, SourceId
from satisfice.core.passages import Span
from satisfice.core.queries import Lineage, Query


class Step(StrEnum):
    """What a `Think` does. Several steps in one order are answered by one thought."""

    CLASSIFY = "classify"
    PLAN = "plan"
    DRAFT = "draft"
    PROPOSE = "propose"
    JUDGE = "judge"
    WRITE = "write"
    CHECK = "check"


class StopReason(StrEnum):
    """Why a run ended. Only SUFFICIENT means that the contract passed."""

    SUFFICIENT = "SUFFICIENT"
    NOT_NEEDED = "NOT_NEEDED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    NO_PROGRESS = "NO_PROGRESS"
    NO_AUTHORITY_FOUND = "NO_AUTHORITY_FOUND"
    CONTRADICTION_UNRESOLVED = "CONTRADICTION_UNRESOLVED"
    USER_CLARIFICATION_REQUIRED = "USER_CLARIFICATION_REQUIRED"
    PERMISSION_BLOCKED = "PERMISSION_BLOCKED"
    SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
    ESCALATED = "ESCALATED"
    CANCELLED = "CANCELLED"
    FAILED = "FAILED"


class RefusalKind(StrEnum):
    """Why a proposal does not run."""

    BUDGET = "budget"
    DUPLICATE = "duplicate"
    OFF_QUESTION = "off_question"
    WIDENS_FILTER = "widens_filter"
    UNKNOWN_SOURCE = "unknown_source"
    NOT_PERMITTED = "not_permitted"
    EMPTY = "empty"
    FAILED_BEFORE = "failed_before"
    NOTHING_NEW = "nothing_new"
    QUOTA_UNAVAILABLE = "quota_unavailable"


@dataclass(frozen=True, slots=True)
class Denied:
    """A limit said no: `asked` was more than the `left` of `dimension` in `account`."""

    dimension: Dimension
    asked: int
    left: int
    account: AccountName


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a proposal was refused. `denied` is set for BUDGET; `detail` says it to a person."""

    kind: RefusalKind
    detail: str = ""
    denied: Denied | None = None
    same_as: str = ""
    """For DUPLICATE: the identity of the query that already ran."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer. Without citations it is shown as uncited."""

    text: str
    citations: tuple[Span, ...] = ()
    claims: tuple[ClaimId, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was written. `dropped` says what the check removed and why."""

    sentences: tuple[Sentence, ...]
    dropped: tuple[str, ...] = ()


# --- proposals -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SearchProposal:
    """Search a source for a claim."""

    id: ProposalId
    query: Query
    lineage: Lineage


@dataclass(frozen=True, slots=True)
class LookUpProposal:
    """Read passages by id (from handles or links), for a claim. No query is spent."""

    id: ProposalId
    source: SourceId
    passages: tuple[PassageId, ...]
    claim: ClaimId | None = None


@dataclass(frozen=True, slots=True)
class BranchProposal:
    """Work on some claims beside the main line, on a slice of what is left (`share`, 0 to 1)."""

    id: ProposalId
    claims: tuple[ClaimId, ...]
    share: float = 0.0
    goal: str = ""


Proposal = SearchProposal | LookUpProposal | BranchProposal


# --- orders --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Think:
    """Let a reasoner take these steps. `by` names the reasoner's route; `extractive` needs no model."""

    steps: tuple[Step, ...]
    by: str
    branch: BranchId
    account: AccountName
    ceiling: Charge
    attempt: int = 1
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """Send one query to one source."""

    query: Query
    lineage: Lineage
    branch: BranchId
    account: AccountName
    ceiling: Charge
    proposal: ProposalId | None = None
    attempt: int = 1
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class LookUp:
    """Read passages by id."""

    source: SourceId
    passages: tuple[PassageId, ...]
    branch: BranchId
    account: AccountName
    ceiling: Charge
    claim: ClaimId | None = None
    proposal: ProposalId | None = None
    attempt: int = 1
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class Rerank:
    """Order held candidates again with a reranker."""

    query: Query
    passages: tuple[PassageId, ...]
    branch: BranchId
    account: AccountName
    ceiling: Charge
    attempt: int = 1
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class ReadCache:
    """Look for a query's passages in the evidence cache."""

    query: Query
    lineage: Lineage
    branch: BranchId
    account: AccountName
    ceiling: Charge
    attempt: int = 1
    not_before_ms: int = 0


@dataclass(frozen=True, slots=True)
class OpenBranch:
    """Open a branch on a held slice of its parent's account."""

    opened: BranchId
    branch: BranchId
    claims: tuple[ClaimId, ...]
    account: AccountName
    slice: Charge
    goal: str = ""
    proposal: ProposalId | None = None


@dataclass(frozen=True, slots=True)
class CloseBranch:
    """Close a branch; what its slice did not use returns to the parent."""

    branch: BranchId


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Return the slice that classification narrowed to; the main line draws on the task class's own account again."""

    branch: BranchId
    reason: StopReason


@dataclass(frozen=True, slots=True)
class Refuse:
    """Put a refusal on record; nothing is performed."""

    proposal: Proposal
    refusal: Refusal
    branch: BranchId


@dataclass(frozen=True, slots=True)
class Await:
    """Wait for an outcome, at most until `until_ms` on the run's clock."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Give up on orders in flight. Of those whose call was made the ceiling stays spent."""

    orders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for a person: keep what is settled, release holds and lease."""

    reason: StopReason
    question: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """End the search for this reason; closing follows."""

    reason: StopReason
    detail: str = ""
    denied: Denied | None = None
    also: tuple[StopReason, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """Close the run. What it closes with is decided, so that the last fact adds nothing of its own."""

    reason: StopReason
    answer: Answer | None = None
    flags: tuple[str, ...] = ()


Effect = Think | Search | LookUp | Rerank | ReadCache
"""Orders that reach the world: each has an intent, a hold and exactly one outcome."""

Order = (
    Think | Search | LookUp | Rerank | ReadCache | OpenBranch | CloseBranch | Upgrade | Refuse
    | Await | Cancel | Pause | Stop | Finish
)  # fmt: skip
