"""The arithmetic of shared accounts: a charge is held in all of them or in none, then replaced by what it really was.

Each account stands for itself: a path names every one that is charged, so none passes anything on to another. Members
of a set are kept only where the account limits that set.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import neg

from satisfice.core.accounts import ZERO, Account, Move, Sums, opened
from satisfice.core.amounts import SUMS, Amounts, Charge, Dimension
from satisfice.core.ids import AccountName
from satisfice.core.limits import Limits
from satisfice.core.orders import Denied

LimitsOf = Callable[[str], Limits]
"""What an account may spend, by its name; nothing for an account that is only counted."""


@dataclass(frozen=True, slots=True)
class Hold:
    """What a key stands for: where it is charged and how much. A settled one is kept so that it is never charged again."""

    path: tuple[str, ...]
    charge: Charge
    settled: bool = False


def fresh(name: str, limits: Limits) -> Account:
    """An account nothing was ever charged to."""
    return opened(AccountName(name), None, limits)


def held(accounts: Sequence[Account], charge: Charge) -> Sequence[Account] | Denied:
    """The accounts with the charge held in each; or what denied it, the outermost account and its first limit."""
    asked = _sums(charge)
    for account in accounts:
        denied = account.denied(asked, charge, 0)
        if denied is not None:
            return denied
    return [account.changed(asked, ZERO, Move(claimed=_counted(charge, account))) for account in accounts]


def settled(accounts: Iterable[Account], ceiling: Charge, real: Charge) -> Sequence[Account]:
    """The accounts with the hold replaced by the real charge, in full even when that is more."""
    return [
        account.changed(
            _negative(ceiling), _sums(real), Move(freed=_counted(ceiling, account), booked=_counted(real, account))
        )
        for account in accounts
    ]


def released(accounts: Iterable[Account], ceiling: Charge) -> Sequence[Account]:
    """The accounts without the hold."""
    return [account.changed(_negative(ceiling), ZERO, Move(freed=_counted(ceiling, account))) for account in accounts]


def left(account: Account) -> Charge:
    """What could still be held, in the dimensions the account limits; a maximum is its limit."""
    rooms = [
        0 if limit is None else max(0, limit - settled - held)
        for limit, settled, held in zip(account.sums, account.settled, account.held, strict=True)
    ]
    return Charge(
        Amounts(**dict(zip(SUMS, rooms, strict=True))),
        evidence_tokens=account.limits.get(Dimension.EVIDENCE_TOKENS, 0),
        rewrite_depth=account.limits.get(Dimension.REWRITE_DEPTH, 0),
        branches=account.limits.get(Dimension.BRANCHES, 0),
    )


def _sums(charge: Charge) -> Sums:
    return charge.amounts.as_tuple()


def _negative(charge: Charge) -> Sums:
    return tuple(map(neg, _sums(charge)))


def _counted(charge: Charge, account: Account) -> Charge:
    """The charge without members of sets that the account does not limit."""
    queries = charge.unique_queries if Dimension.UNIQUE_QUERIES in account.limits else ()
    sources = charge.sources if Dimension.SOURCES in account.limits else ()
    return replace(charge, unique_queries=queries, sources=sources)
