"""One account of the budget: its limits, what it holds and has settled, and the first limit that forbids a charge."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import add, sub

from satisfice.core.amounts import FREE, SUMS, Charge, Dimension
from satisfice.core.ids import AccountName
from satisfice.core.limits import Limits
from satisfice.core.orders import Denied

Sums = tuple[int, ...]
"""An amount of every summed dimension, in the order of `SUMS`."""

ZERO: Sums = (0,) * len(SUMS)


@dataclass(frozen=True, slots=True)
class Members:
    """A counted set: members settled, and those only held so far with the number of open holds that name them."""

    settled: frozenset[str] = frozenset()
    held: Mapping[str, int] = field(default_factory=dict[str, int])

    def __len__(self) -> int:
        return len(self.settled) + len(self.held)

    def new(self, members: Iterable[str]) -> int:
        """How many distinct members would be counted for the first time."""
        return len({member for member in members if member not in self.settled and member not in self.held})

    def changed(self, claimed: tuple[str, ...], freed: tuple[str, ...], booked: tuple[str, ...]) -> "Members":
        """Hold `claimed`, end the holds on `freed`, settle `booked`."""
        if not self.held and self.settled.issuperset(claimed) and self.settled.issuperset(booked):
            return self
        held = dict(self.held)
        for member in dict.fromkeys(claimed):
            if member not in self.settled:
                held[member] = held.get(member, 0) + 1
        for member in dict.fromkeys(freed):
            if member in held:
                held[member] -= 1
                if not held[member]:
                    del held[member]
        for member in booked:
            held.pop(member, None)
        return Members(self.settled.union(booked) if booked else self.settled, held)


NO_MEMBERS = Members()

_COUNTED = (
    Dimension.UNIQUE_QUERIES,
    Dimension.SOURCES,
    Dimension.REWRITE_DEPTH,
    Dimension.EVIDENCE_TOKENS,
    Dimension.BRANCHES,
)


@dataclass(frozen=True, slots=True)
class Move:
    """One change, carried from an account towards the root. `held` and `settled` are differences."""

    held: Sums = ZERO
    settled: Sums = ZERO
    claimed: Charge = FREE
    freed: Charge = FREE
    booked: Charge = FREE
    branches: int = 0
    overrun: bool = False

    def everywhere(self) -> bool:
        """Whether it concerns every ancestor, and not only those that count a sum for the account."""
        claimed, freed, booked = self.claimed, self.freed, self.booked
        return bool(
            self.branches
            or self.overrun
            or booked.evidence_tokens
            or booked.rewrite_depth
            or booked.branches
            or claimed.unique_queries
            or claimed.sources
            or freed.unique_queries
            or freed.sources
            or booked.unique_queries
            or booked.sources
        )


@dataclass(frozen=True, slots=True)
class Account:
    """One place that spending is counted against. `limits` are its own: what its ancestors have left narrows it further.

    `settled` includes its closed children, not the open ones. `held` is its own open holds and what its open children
    may still draw on it. `reached` is the highest `rewrite_depth`, `evidence_tokens` and number of open branches so
    far, in that order.
    """

    name: AccountName
    parent: AccountName | None
    limits: Limits
    sums: tuple[int | None, ...]
    """The summed limits in the order of `SUMS`; None where it draws on its parent."""
    branch: bool = False
    settled: Sums = ZERO
    held: Sums = ZERO
    unique_queries: Members = NO_MEMBERS
    sources: Members = NO_MEMBERS
    open_branches: int = 0
    reached: tuple[int, int, int] = (0, 0, 0)
    closed: bool = False
    overrun: bool = False
    """A settlement here or below was more than its hold: someone ignored the cap it was sent."""

    def drawn(self) -> Sums:
        """What the parent counts as held for this account: the slice, or what was used where there is none."""
        return tuple(
            [
                s + h if limit is None or s + h > limit else limit
                for s, h, limit in zip(self.settled, self.held, self.sums, strict=True)
            ]
        )

    def drawn_since(self, before: "Account") -> Sums:
        """How much more the parent counts as held for this account than it did before a change."""
        if not self.overrun and None not in self.sums:
            return ZERO
        change = tuple(map(sub, self.drawn(), before.drawn()))
        return change if any(change) else ZERO

    def passed_on(self, asked: Sums) -> Sums:
        """The part of what is asked here that is also asked of the parent: the sums it has no slice of."""
        if asked is ZERO or None not in self.sums:
            return ZERO
        return tuple([n if limit is None else 0 for n, limit in zip(asked, self.sums, strict=True)])

    def counted(self, dimension: Dimension) -> int:
        """How much of a set or of the level is taken; maxima and the clock are compared and never taken."""
        match dimension:
            case Dimension.UNIQUE_QUERIES:
                return len(self.unique_queries)
            case Dimension.SOURCES:
                return len(self.sources)
            case Dimension.BRANCHES:
                return self.open_branches
            case _:
                return 0

    def denied(self, asked: Sums, charge: Charge, branches: int) -> Denied | None:
        """The first limit of this account in the way of `asked` (sums), `charge` (all else) and opening `branches`."""
        if asked is not ZERO:
            for i, n in enumerate(asked):
                limit = self.sums[i] if n else None
                if limit is not None and self.settled[i] + self.held[i] + n > limit:
                    return Denied(SUMS[i], n, max(0, limit - self.settled[i] - self.held[i]), self.name)
        wanted = (
            self.unique_queries.new(charge.unique_queries) if charge.unique_queries else 0,
            self.sources.new(charge.sources) if charge.sources else 0,
            charge.rewrite_depth,
            charge.evidence_tokens,
            max(branches, charge.branches - self.open_branches),
        )
        if any(wanted):
            taken = (len(self.unique_queries), len(self.sources), 0, 0, self.open_branches)
            for dimension, n, used in zip(_COUNTED, wanted, taken, strict=True):
                limit = self.limits.get(dimension) if n > 0 else None
                if limit is not None and used + n > limit:
                    return Denied(dimension, n, max(0, limit - used), self.name)
        return None

    def past(self, asked: Sums) -> Denied | None:
        """An account past its limit grants nothing more, not even from a slice that was given out before."""
        for i, n in enumerate(asked):
            limit = self.sums[i] if n else None
            if limit is not None and self.settled[i] + self.held[i] > limit:
                return Denied(SUMS[i], n, 0, self.name)
        return None

    def changed(self, held: Sums, settled: Sums, move: Move, *, closed: bool = False) -> "Account":
        """After a move, with these differences in the sums of this account."""
        queries, sources = self.unique_queries, self.sources
        claimed, freed, booked = move.claimed, move.freed, move.booked
        if claimed.unique_queries or freed.unique_queries or booked.unique_queries:
            queries = queries.changed(claimed.unique_queries, freed.unique_queries, booked.unique_queries)
        if claimed.sources or freed.sources or booked.sources:
            sources = sources.changed(claimed.sources, freed.sources, booked.sources)
        open_branches = self.open_branches + move.branches
        reached = self.reached
        if booked is not FREE or move.branches > 0:
            reached = (
                max(reached[0], booked.rewrite_depth),
                max(reached[1], booked.evidence_tokens),
                max(reached[2], open_branches, booked.branches),
            )
        return Account(
            self.name,
            self.parent,
            self.limits,
            self.sums,
            self.branch,
            tuple(map(add, self.settled, settled)) if settled is not ZERO else self.settled,
            tuple(map(add, self.held, held)) if held is not ZERO else self.held,
            queries,
            sources,
            open_branches,
            reached,
            closed or self.closed,
            self.overrun or move.overrun,
        )


def opened(name: AccountName, parent: AccountName | None, limits: Limits, *, branch: bool = False) -> Account:
    """An account in which nothing has happened yet."""
    return Account(name, parent, limits, tuple([limits.get(dimension) for dimension in SUMS]), branch)
