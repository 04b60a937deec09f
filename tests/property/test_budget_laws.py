"""The law of the budget at every account and moment, against a model that recomputes everything from what happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from satisfice.core.amounts import SETS, SUMS, Amounts, Charge, Dimension
from satisfice.core.budget import ROOT, Accounts, open_root
from satisfice.core.ids import AccountName
from satisfice.core.orders import Denied

D = Dimension
AMOUNT = st.integers(0, 4)
LIMIT = st.integers(0, 12)
CHARGES = st.builds(
    Charge,
    amounts=st.builds(Amounts, *[AMOUNT] * len(SUMS)),
    unique_queries=st.lists(st.sampled_from("abcdef"), max_size=2).map(tuple),
    sources=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    evidence_tokens=AMOUNT,
    rewrite_depth=AMOUNT,
)
LIMITS = st.dictionaries(st.sampled_from(list(D)), LIMIT, max_size=len(D))
FULL = st.fixed_dictionaries(dict.fromkeys(D, st.integers(0, 25)))


@dataclass
class Node:
    parent: AccountName | None
    limits: Mapping[Dimension, int]
    branch: bool = False
    closed: bool = False


@dataclass
class Blocking:
    at: AccountName
    left: dict[Dimension, int]


@dataclass
class Model:
    """What happened, and every figure worked out from it the slow way."""

    nodes: dict[AccountName, Node]
    holds: dict[str, tuple[AccountName, Charge]] = field(default_factory=dict)
    settlements: list[tuple[AccountName, Charge]] = field(default_factory=list)
    overrun: set[AccountName] = field(default_factory=set)

    def path(self, name: AccountName) -> list[AccountName]:
        path = [name]
        while (parent := self.nodes[path[0]].parent) is not None:
            path.insert(0, parent)
        return path

    def below(self, name: AccountName) -> list[AccountName]:
        return [other for other in self.nodes if name in self.path(other)]

    def children(self, name: AccountName) -> list[AccountName]:
        return [n for n, node in self.nodes.items() if node.parent == name and not node.closed]

    def booked_at(self, name: AccountName) -> AccountName:
        while self.nodes[name].closed and (parent := self.nodes[name].parent) is not None:
            name = parent
        return name

    def settled(self, name: AccountName, dimension: Dimension) -> int:
        return sum(amount(c, dimension) for at, c in self.settlements if self.booked_at(at) == name)

    def held(self, name: AccountName, dimension: Dimension) -> int:
        own = sum(amount(c, dimension) for at, c in self.holds.values() if at == name)
        return own + sum(self.drawn(child, dimension) for child in self.children(name))

    def drawn(self, name: AccountName, dimension: Dimension) -> int:
        used = self.settled(name, dimension) + self.held(name, dimension)
        return max(used, self.nodes[name].limits.get(dimension, 0))

    def members(self, name: AccountName, dimension: Dimension) -> int:
        below = self.below(name)
        charges = [c for at, c in (*self.settlements, *self.holds.values()) if at in below]
        return len({member for charge in charges for member in members(charge, dimension)})

    def branches(self, name: AccountName) -> int:
        return sum(self.nodes[n].branch and not self.nodes[n].closed for n in self.below(name) if n != name)

    def taken(self, name: AccountName, dimension: Dimension) -> int:
        if dimension in SUMS:
            return self.settled(name, dimension) + self.held(name, dimension)
        if dimension in SETS:
            return self.members(name, dimension)
        return self.branches(name) if dimension is D.BRANCHES else 0

    def blocking(self, name: AccountName, before: "Model", asked: set[Dimension]) -> Blocking | None:
        """The outermost account on the path that this model takes past a limit, with what was left per dimension.

        A slice answers for its sums alone, unless an overrun has taken an account above it past its own limit.
        """
        path = self.path(name)
        for at in path:
            inner = path[path.index(at) + 1 :]
            answered = {d for d in SUMS if any(d in self.nodes[n].limits for n in inner)}
            left: dict[Dimension, int] = {}
            for d, limit in self.nodes[at].limits.items():
                had = before.taken(at, d)
                has = had if d in answered else self.taken(at, d)
                grows = has > had or d in SUMS  # a member that is known already asks for nothing
                if d in asked and grows and has > limit:
                    left[d] = max(0, limit - had)
            if left:
                return Blocking(at, left)
        return None


def amount(charge: Charge, dimension: Dimension) -> int:
    return charge.amounts.as_tuple()[SUMS.index(dimension)]


def members(charge: Charge, dimension: Dimension) -> tuple[str, ...]:
    return charge.unique_queries if dimension is D.UNIQUE_QUERIES else charge.sources


def asked_for(charge: Charge) -> set[Dimension]:
    return {d for d in SUMS if amount(charge, d)} | {d for d in SETS if members(charge, d)}


class Budget(RuleBasedStateMachine):
    """Random trees, holds, settlements (under, equal, over), releases, slices and closes."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = open_root({})
        self.model = Model({ROOT: Node(None, {})})
        self.count = 0

    def account(self, data: st.DataObject, *, root: bool = True) -> AccountName | None:
        names = [n for n, node in self.model.nodes.items() if not node.closed and (root or n != ROOT)]
        return data.draw(st.sampled_from(names)) if names else None

    def with_hold(self, at: AccountName, key: str, charge: Charge) -> Model:
        return replace(self.model, holds={**self.model.holds, key: (at, charge)})

    @initialize(limits=FULL | LIMITS)
    def start(self, limits: dict[Dimension, int]) -> None:
        self.tree = open_root(limits)
        self.model = Model({ROOT: Node(None, limits)})

    @rule(data=st.data(), charge=CHARGES)
    def hold(self, data: st.DataObject, charge: Charge) -> None:
        at = self.account(data)
        assert at is not None
        self.count += 1
        key = str(self.count)
        after = self.with_hold(at, key, charge)
        over = after.blocking(at, self.model, asked_for(charge))
        maxima = {D.EVIDENCE_TOKENS: charge.evidence_tokens, D.REWRITE_DEPTH: charge.rewrite_depth}
        result = self.tree.hold(at, key, charge)
        if isinstance(result, Accounts):
            assert over is None
            assert all(n <= self.model.nodes[p].limits.get(d, n) for p in after.path(at) for d, n in maxima.items())
            self.tree, self.model = result, after
            return
        path = after.path(at)
        if result.dimension in maxima:
            assert maxima[result.dimension] == result.asked > result.left
            assert result.left == self.model.nodes[result.account].limits[result.dimension]
            outer = path[: path.index(result.account)]
            assert all(n <= self.model.nodes[p].limits.get(d, n) for p in outer for d, n in maxima.items())
            past = self.tree.accounts[result.account].overrun  # a limit passed before comes after the maxima
            assert over is None or path.index(over.at) >= path.index(result.account) + (not past)
        else:
            assert over is not None
            assert over.at == result.account
            assert over.left[result.dimension] == result.left < result.asked

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.model.holds)))
        at, ceiling = self.model.holds[key]
        parts = [data.draw(st.integers(0, n)) for n in ceiling.amounts.as_tuple()]
        real = replace(
            ceiling,
            amounts=Amounts(*parts),
            sources=ceiling.sources[: data.draw(st.integers(0, len(ceiling.sources)))],
        )
        self.book(key, at, data.draw(st.sampled_from([ceiling, real])))
        assert not self.tree.accounts[at].overrun or at in self.model.overrun

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data(), extra=CHARGES)
    def settle_over(self, data: st.DataObject, extra: Charge) -> None:
        if data.draw(st.integers(0, 3)):  # rare, or most of a history would be spent past the limits
            return
        key = data.draw(st.sampled_from(sorted(self.model.holds)))
        at, ceiling = self.model.holds[key]
        real = replace(
            ceiling,
            amounts=ceiling.amounts + extra.amounts + Amounts(steps=1),
            unique_queries=ceiling.unique_queries + extra.unique_queries,
        )
        self.book(key, at, real)
        self.model.overrun |= set(self.model.path(at))
        assert all(self.tree.accounts[p].overrun for p in self.model.path(at))

    def book(self, key: str, at: AccountName, real: Charge) -> None:
        self.tree = self.tree.settle(key, real)
        del self.model.holds[key]
        self.model.settlements.append((at, real))

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.model.holds)))
        self.tree = self.tree.release(key)
        del self.model.holds[key]

    @rule(data=st.data(), limits=LIMITS, branch=st.booleans())
    def slice(self, data: st.DataObject, limits: dict[Dimension, int], branch: bool) -> None:
        parent = self.account(data)
        assert parent is not None
        self.count += 1
        name = AccountName(f"a{self.count}")
        inherited = {d: n for d, n in self.model.nodes[parent].limits.items() if d not in SUMS}
        own = {**inherited, **{d: min(n, inherited.get(d, n)) for d, n in limits.items()}}
        after = replace(self.model, nodes={**self.model.nodes, name: Node(parent, own, branch)})
        asked = {d for d in SUMS if limits.get(d)} | ({D.BRANCHES} if branch else set())
        over = after.blocking(parent, self.model, asked)
        result = self.tree.slice(parent, name, limits, branch=branch)
        if isinstance(result, Accounts):
            assert over is None
            self.tree, self.model = result, after
        else:
            assert over is not None
            assert over.at == result.account
            assert over.left[result.dimension] == result.left < result.asked

    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        at = self.account(data, root=False)
        if at is None:
            return
        self.tree = self.tree.close(at)
        gone = self.model.below(at)
        for key in [key for key, (name, _) in self.model.holds.items() if name in gone]:
            self.model.settlements.append(self.model.holds.pop(key))
        for name in gone:
            self.model.nodes[name].closed = True

    @invariant()
    def the_law_holds_at_every_account(self) -> None:
        for account in self.tree.accounts.values():
            if account.closed or account.overrun:
                continue
            for s, h, limit in zip(account.settled, account.held, account.sums, strict=True):
                assert s >= 0
                assert h >= 0
                assert limit is None or s + h <= limit
            assert len(account.unique_queries) <= account.limits.get(D.UNIQUE_QUERIES, 99)
            assert len(account.sources) <= account.limits.get(D.SOURCES, 99)
            assert account.open_branches <= account.limits.get(D.BRANCHES, 99)

    @invariant()
    def every_running_total_equals_its_recomputation(self) -> None:
        for name, node in self.model.nodes.items():
            account = self.tree.accounts[name]
            assert account.closed == node.closed
            if node.closed:
                continue
            assert account.settled == tuple(self.model.settled(name, d) for d in SUMS)
            assert account.held == tuple(self.model.held(name, d) for d in SUMS)
            assert len(account.unique_queries) == self.model.members(name, D.UNIQUE_QUERIES)
            assert len(account.sources) == self.model.members(name, D.SOURCES)
            assert account.open_branches == self.model.branches(name)
            assert account.overrun == (name in self.model.overrun)

    @invariant()
    def nothing_spent_is_lost_or_invented(self) -> None:
        for name in self.model.nodes:
            below = self.model.below(name)
            for d in SUMS:
                spent = sum(amount(c, d) for at, c in self.model.settlements if at in below)
                assert self.tree.spent(name)[d] == spent

    @invariant()
    def exactly_what_is_left_can_be_granted(self) -> None:
        for name, node in self.model.nodes.items():
            if node.closed:
                continue
            left = self.tree.left(name)
            for d in SUMS:
                if d in left:
                    fits = Charge(Amounts(**{d.value: left[d]}))
                    too_much = Charge(Amounts(**{d.value: left[d] + 1}))
                    assert isinstance(self.tree.hold(name, "probe", fits), Accounts)
                    assert isinstance(self.tree.hold(name, "probe", too_much), Denied)


Budget.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestBudgetLaws = Budget.TestCase
