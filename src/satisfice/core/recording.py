"""Which fact records an order: its intent, its being given up, or, where nothing is performed, the order itself."""

from satisfice.core.amounts import Charge
from satisfice.core.facts import (
    Abandoned,
    BranchClosed,
    BranchOpened,
    CacheReadAbandoned,
    CacheReadStarted,
    LookUpAbandoned,
    LookUpStarted,
    OrderDenied,
    RerankAbandoned,
    RerankStarted,
    RouteUpgraded,
    RunPaused,
    RunStopped,
    SearchAbandoned,
    SearchStarted,
    Started,
    StopDecided,
    ThinkAbandoned,
    ThinkStarted,
)
from satisfice.core.ids import MAIN, BranchId
from satisfice.core.orders import (
    CloseBranch,
    Effect,
    Finish,
    LookUp,
    OpenBranch,
    Pause,
    ReadCache,
    Refuse,
    Rerank,
    Search,
    Stop,
    Think,
    Upgrade,
)

OnlyRecorded = Refuse | OpenBranch | CloseBranch | Upgrade | Stop | Pause | Finish
"""Orders that reach nothing: their fact is all there is."""


def intent(order: Effect) -> Started:
    """The fact that stands before the effect."""
    match order:
        case Think():
            return ThinkStarted(order)
        case Search():
            return SearchStarted(order)
        case LookUp():
            return LookUpStarted(order)
        case Rerank():
            return RerankStarted(order)
        case ReadCache():
            return CacheReadStarted(order)


def given_up(order: Effect, why: str, charge: Charge | None = None) -> Abandoned:
    """The outcome of an order nobody waits for any more; without a charge its whole ceiling is spent."""
    match order:
        case Think():
            return ThinkAbandoned(why, charge)
        case Search():
            return SearchAbandoned(why, charge)
        case LookUp():
            return LookUpAbandoned(why, charge)
        case Rerank():
            return RerankAbandoned(why, charge)
        case ReadCache():
            return CacheReadAbandoned(why, charge)


def decided(
    order: OnlyRecorded,
) -> OrderDenied | BranchOpened | BranchClosed | RouteUpgraded | StopDecided | RunPaused | RunStopped:
    """The fact of an order that reaches nothing."""
    match order:
        case Refuse():
            return OrderDenied(order.refusal, proposal=order.proposal)
        case OpenBranch():
            return BranchOpened(order)
        case CloseBranch():
            return BranchClosed()
        case Upgrade():
            return RouteUpgraded(order.reason)
        case Stop():
            return StopDecided(order.reason, order.detail, order.denied, order.also)
        case Pause():
            return RunPaused(order.reason, order.question)
        case Finish():
            return RunStopped(order.reason, order.answer, order.flags)


def branch_of(order: OnlyRecorded) -> BranchId:
    """Where its fact stands: what concerns the whole run stands on the main line."""
    return MAIN if isinstance(order, Stop | Pause | Finish) else order.branch
