"""The tree of accounts, as a value: hold the worst case, settle what it really cost, slice for a branch, give back.

The law, for every sum and set, account and moment: settled + held <= limit, unless the account is flagged `overrun`.
What is held in an account is its own open holds and, for each open child, what that may still draw on it: the whole
slice of a sum it was given one of, else what the child itself has settled and holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import add, gt, neg

from satisfice.core.accounts import ZERO, Account, Move, Sums, opened
from satisfice.core.amounts import FREE, SUMS, Amounts, Charge, Dimension
from satisfice.core.ids import AccountName
from satisfice.core.limits import Limits
from satisfice.core.orders import Denied

ROOT = AccountName("run")


@dataclass(frozen=True, slots=True)
class Hold:
    """A ceiling held in an account until it is settled or released."""

    account: AccountName
    ceiling: Charge


@dataclass(frozen=True, slots=True)
class Accounts:
    """The whole tree. Every change gives a new one; closed accounts stay in it, to be read.

    A mistake of the caller (unknown account or key, a name or key in use, a closed account, a negative charge)
    raises `ValueError`; a limit never does.
    """

    accounts: Mapping[AccountName, Account]
    holds: Mapping[str, Hold] = field(default_factory=dict[str, Hold])

    def hold(self, account: AccountName, key: str, charge: Charge) -> "Accounts | Denied":
        """Hold the charge in the account and every ancestor, or in none and say which limit of the outermost forbids it.

        Within one account sums are looked at first, then sets, then maxima.
        """
        if key in self.holds:
            raise ValueError(f"{key!r} is already held in {self.holds[key].account!r}; every hold needs its own key")
        asked = _sums(charge)
        denied = self._denied(account, asked, charge, 0)
        if denied is not None:
            return denied
        accounts = _carried(self.accounts, account, Move(held=asked, claimed=charge))
        return Accounts(accounts, {**self.holds, key: Hold(account, charge)})

    def settle(self, key: str, charge: Charge) -> "Accounts":
        """End a hold and book what it really cost: in full, and flagged `overrun` up to the root when more than held."""
        hold = self._held(key)
        move = Move(
            held=tuple(map(neg, hold.ceiling.amounts.as_tuple())),
            settled=_sums(charge),
            freed=hold.ceiling,
            booked=charge,
            overrun=_exceeds(charge, hold.ceiling),
        )
        return Accounts(_carried(self.accounts, hold.account, move), self._without(key))

    def release(self, key: str) -> "Accounts":
        """End a hold whose effect never started: nothing was spent."""
        hold = self._held(key)
        move = Move(held=tuple(map(neg, hold.ceiling.amounts.as_tuple())), freed=hold.ceiling)
        return Accounts(_carried(self.accounts, hold.account, move), self._without(key))

    def slice(
        self, parent: AccountName, name: AccountName, limits: Limits, *, branch: bool = False
    ) -> "Accounts | Denied":
        """Open a child. Each sum in `limits` is held in the parent as the child's slice; it draws the others as it goes.

        Sets, maxima, levels and the clock become the smaller of the parent's and the one given. A `branch` counts as
        open, in every ancestor, until it is closed.
        """
        if name in self.accounts:
            raise ValueError(f"account {name!r} exists; a slice needs a new name")
        if min(limits.values(), default=0) < 0:
            raise ValueError(f"the slice {name!r} has a negative limit; 0 is the least")
        asked = tuple([limits.get(dimension, 0) for dimension in SUMS])
        denied = self._denied(parent, asked, FREE, int(branch))
        if denied is not None:
            return denied
        accounts = _carried(self.accounts, parent, Move(held=asked, branches=int(branch)))
        inherited = {d: n for d, n in accounts[parent].limits.items() if d not in SUMS}
        own = {d: min(n, inherited.get(d, n)) for d, n in limits.items()}
        accounts[name] = opened(name, parent, {**inherited, **own}, branch=branch)
        return Accounts(accounts, self.holds)

    def close(self, account: AccountName) -> "Accounts":
        """Close an account and all below it: what was settled moves to the parent, the rest of the slice comes back.

        Holds still open there are settled at their ceiling: nobody knows what became of them, so nothing is given back.
        """
        self._open(account)
        tree = self
        for child in self._children(account):
            tree = tree.close(child.name)
        for key in [key for key, hold in tree.holds.items() if hold.account == account]:
            tree = tree.settle(key, tree.holds[key].ceiling)
        last = tree.accounts[account]
        accounts = {**tree.accounts, account: last.changed(ZERO, ZERO, Move(), closed=True)}
        if last.parent is not None:
            back = Move(held=tuple(map(neg, last.drawn())), settled=last.settled, branches=-int(last.branch))
            accounts = _carried(accounts, last.parent, back)
        return Accounts(accounts, tree.holds)

    def left(self, account: AccountName) -> Limits:
        """What the account could still be granted, all ancestors considered; a dimension without any limit is absent.

        For maxima and the clock this is the limit itself: they are compared, not used up.
        """
        left: dict[Dimension, int] = {}
        drawing = set(SUMS)
        for step in reversed(self._path(account)):
            for i, dimension in enumerate(SUMS):
                limit = step.sums[i]
                if limit is None:
                    continue
                room = limit - step.settled[i] - step.held[i]
                if dimension in drawing or room < 0:
                    left[dimension] = min(room, left.get(dimension, room))
                drawing.discard(dimension)
            for dimension, limit in step.limits.items():
                if dimension not in SUMS:
                    room = limit - step.counted(dimension)
                    left[dimension] = min(room, left.get(dimension, room))
        return {dimension: max(0, left[dimension]) for dimension in Dimension if dimension in left}

    def spent(self, account: AccountName) -> Mapping[Dimension, int]:
        """What was settled in the account and everything below it, open or closed. The clock is not counted here.

        Sets count members settled; maxima and levels are the highest value reached.
        """
        own = self.accounts[account]
        total = own.settled
        for child in self._children(account):
            below = self.spent(child.name)
            total = tuple(map(add, total, [below[dimension] for dimension in SUMS]))
        depth, evidence_tokens, branches = own.reached
        spent = {
            **dict(zip(SUMS, total, strict=True)),
            Dimension.UNIQUE_QUERIES: len(own.unique_queries.settled),
            Dimension.SOURCES: len(own.sources.settled),
            Dimension.REWRITE_DEPTH: depth,
            Dimension.EVIDENCE_TOKENS: evidence_tokens,
            Dimension.BRANCHES: branches,
        }
        return {dimension: spent[dimension] for dimension in Dimension if dimension in spent}

    def _children(self, account: AccountName) -> list[Account]:
        """Its open children, in the order they were opened."""
        return [child for child in self.accounts.values() if child.parent == account and not child.closed]

    def _open(self, name: AccountName) -> Account:
        account = self.accounts.get(name)
        if account is None:
            raise ValueError(f"no account is called {name!r}; known: {', '.join(sorted(self.accounts))}")
        if account.closed:
            raise ValueError(f"account {name!r} is closed")
        return account

    def _path(self, name: AccountName) -> list[Account]:
        """From the root down to the account, which must be open."""
        account = self._open(name)
        path = [account]
        while account.parent is not None:
            account = self.accounts[account.parent]
            path.append(account)
        path.reverse()
        return path

    def _held(self, key: str) -> Hold:
        hold = self.holds.get(key)
        if hold is None:
            raise ValueError(f"nothing is held under {key!r}")
        return hold

    def _without(self, key: str) -> Mapping[str, Hold]:
        holds = dict(self.holds)
        del holds[key]
        return holds

    def _denied(self, name: AccountName, asked: Sums, charge: Charge, branches: int) -> Denied | None:
        path = self._path(name)
        here, drawn = asked, [asked]
        for account in reversed(path[1:]):
            here = account.passed_on(here)
            drawn.append(here)
        for account, here in zip(path, reversed(drawn), strict=True):
            denied = account.denied(here, charge, branches)
            if denied is None and account.overrun:
                denied = account.past(asked)
            if denied is not None:
                return denied
        return None


def open_root(limits: Limits, name: AccountName = ROOT) -> Accounts:
    """A tree of one account. Dimensions absent from `limits` are not limited."""
    return Accounts({name: opened(name, None, dict(limits))})


def slice_of(amounts: Amounts) -> Limits:
    """Limits for a slice of every sum, also of those of which it is nothing."""
    return dict(zip(SUMS, amounts.as_tuple(), strict=True))


def _sums(charge: Charge) -> Sums:
    sums = charge.amounts.as_tuple()
    if min(sums) < 0 or min(charge.evidence_tokens, charge.rewrite_depth, charge.branches) < 0:
        raise ValueError(f"{charge} is negative somewhere; a charge only ever takes")
    return sums


def _exceeds(real: Charge, ceiling: Charge) -> bool:
    return (
        any(map(gt, real.amounts.as_tuple(), ceiling.amounts.as_tuple()))
        or real.evidence_tokens > ceiling.evidence_tokens
        or real.rewrite_depth > ceiling.rewrite_depth
        or real.branches > ceiling.branches
        or not set(real.unique_queries) <= set(ceiling.unique_queries)
        or not set(real.sources) <= set(ceiling.sources)
    )


def _carried(accounts: Mapping[AccountName, Account], name: AccountName, move: Move) -> dict[AccountName, Account]:
    """The move applied to an account and, as far as it concerns them, to its ancestors."""
    moved = dict(accounts)
    everywhere = move.everywhere()
    held, settled = move.held, move.settled
    account = moved[name]
    while True:
        after = account.changed(held, settled, move)
        moved[account.name] = after
        if account.parent is None:
            return moved
        held, settled = after.drawn_since(account), ZERO
        if held is ZERO and not everywhere:
            return moved
        account = moved[account.parent]
