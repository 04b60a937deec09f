"""Accounts: what each operation grants, denies, books and gives back, one sentence at a time."""

from dataclasses import replace

import pytest

from satisfice.core.amounts import SUMS, Amounts, Charge, Dimension
from satisfice.core.budget import ROOT, Accounts, open_root, slice_of
from satisfice.core.ids import AccountName
from satisfice.core.orders import Denied
from satisfice.core.tasks import ROWS, Complexity

D = Dimension
CHILD = AccountName("child")
GRANDCHILD = AccountName("grandchild")


def granted(result: Accounts | Denied) -> Accounts:
    assert isinstance(result, Accounts), result
    return result


def queries(n: int, *names: str) -> Charge:
    return Charge(Amounts(queries=n), unique_queries=names)


def test_a_hold_takes_from_what_is_left_and_a_settlement_gives_the_rest_back() -> None:
    tree = granted(open_root({D.MODEL_TOKENS: 100}).hold(ROOT, "1", Charge(Amounts(model_tokens=80))))
    assert tree.left(ROOT) == {D.MODEL_TOKENS: 20}
    tree = tree.settle("1", Charge(Amounts(model_tokens=30)))
    assert tree.left(ROOT) == {D.MODEL_TOKENS: 70}
    assert tree.spent(ROOT)[D.MODEL_TOKENS] == 30


def test_a_released_hold_leaves_no_trace() -> None:
    before = open_root(ROWS[Complexity.BOUNDED])
    after = granted(before.hold(ROOT, "1", Charge(Amounts(1, 1), ("q",), ("s",)))).release("1")
    assert after == before


def test_the_tree_is_a_value_and_an_operation_leaves_the_old_one_alone() -> None:
    before = open_root({D.QUERIES: 2})
    granted(before.hold(ROOT, "1", queries(2)))
    assert before.left(ROOT) == {D.QUERIES: 2}


@pytest.mark.parametrize("dimension", [d for d in D if d is not D.WALL_CLOCK_MS])
def test_zero_allows_nothing_in_any_dimension(dimension: Dimension) -> None:
    tree = open_root({**ROWS[Complexity.FULL], dimension: 0})
    charge = Charge(
        Amounts(*(1 if d is dimension else 0 for d in SUMS)),
        unique_queries=("q",) if dimension is D.UNIQUE_QUERIES else (),
        sources=("s",) if dimension is D.SOURCES else (),
        evidence_tokens=1 if dimension is D.EVIDENCE_TOKENS else 0,
        rewrite_depth=1 if dimension is D.REWRITE_DEPTH else 0,
        branches=1 if dimension is D.BRANCHES else 0,
    )
    assert tree.hold(ROOT, "1", charge) == Denied(dimension, 1, 0, ROOT)


def test_a_hold_of_nothing_is_granted_where_nothing_is_allowed() -> None:
    assert isinstance(open_root(dict.fromkeys(D, 0)).hold(ROOT, "1", Charge()), Accounts)


def test_one_dimension_that_does_not_fit_denies_the_whole_charge() -> None:
    tree = open_root({D.QUERIES: 5, D.DOCUMENTS: 3})
    denied = tree.hold(ROOT, "1", Charge(Amounts(queries=1, documents=4)))
    assert denied == Denied(D.DOCUMENTS, 4, 3, ROOT)
    assert tree.left(ROOT) == {D.QUERIES: 5, D.DOCUMENTS: 3}


def test_two_open_holds_of_one_new_member_count_it_once_and_two_members_twice() -> None:
    tree = open_root({D.UNIQUE_QUERIES: 1})
    tree = granted(tree.hold(ROOT, "1", queries(1, "a")))
    assert isinstance(tree.hold(ROOT, "2", queries(1, "a")), Accounts)
    assert tree.hold(ROOT, "2", queries(1, "b")) == Denied(D.UNIQUE_QUERIES, 1, 0, ROOT)


def test_a_member_held_twice_stays_held_until_the_last_hold_ends() -> None:
    tree = open_root({D.UNIQUE_QUERIES: 1})
    tree = granted(granted(tree.hold(ROOT, "1", queries(1, "a"))).hold(ROOT, "2", queries(1, "a"))).release("1")
    assert tree.left(ROOT) == {D.UNIQUE_QUERIES: 0}
    assert tree.release("2").left(ROOT) == {D.UNIQUE_QUERIES: 1}


def test_a_settled_member_is_not_given_back_by_the_release_of_another_hold() -> None:
    tree = open_root({D.UNIQUE_QUERIES: 1})
    tree = granted(granted(tree.hold(ROOT, "1", queries(1, "a"))).hold(ROOT, "2", queries(1, "a")))
    tree = tree.settle("1", queries(1, "a")).release("2")
    assert tree.left(ROOT) == {D.UNIQUE_QUERIES: 0}
    assert isinstance(tree.hold(ROOT, "3", queries(9, "a")), Accounts)


def test_a_member_that_was_held_and_not_touched_is_given_back() -> None:
    tree = granted(open_root({D.SOURCES: 1}).hold(ROOT, "1", Charge(sources=("s",)))).settle("1", Charge())
    assert tree.left(ROOT) == {D.SOURCES: 1}


def test_maxima_are_compared_and_never_used_up() -> None:
    tree = open_root({D.EVIDENCE_TOKENS: 100, D.REWRITE_DEPTH: 1})
    for key in ("1", "2", "3"):
        tree = granted(tree.hold(ROOT, key, Charge(evidence_tokens=100, rewrite_depth=1)))
    assert tree.hold(ROOT, "4", Charge(evidence_tokens=101)) == Denied(D.EVIDENCE_TOKENS, 101, 100, ROOT)
    assert tree.hold(ROOT, "4", Charge(rewrite_depth=2)) == Denied(D.REWRITE_DEPTH, 2, 1, ROOT)


def test_a_slice_is_held_in_the_parent_and_comes_back_unused() -> None:
    tree = granted(open_root({D.QUERIES: 6}).slice(ROOT, CHILD, {D.QUERIES: 4}))
    assert (tree.left(ROOT), tree.left(CHILD)) == ({D.QUERIES: 2}, {D.QUERIES: 4})
    tree = granted(tree.hold(CHILD, "1", queries(3))).settle("1", queries(3))
    assert tree.left(ROOT) == {D.QUERIES: 2}
    assert tree.spent(ROOT)[D.QUERIES] == 3
    tree = tree.close(CHILD)
    assert tree.left(ROOT) == {D.QUERIES: 3}
    assert tree.accounts[CHILD].closed
    assert tree.spent(CHILD)[D.QUERIES] == 3


def test_slices_never_add_up_to_more_than_the_parent_has_left() -> None:
    tree = granted(open_root({D.QUERIES: 6}).hold(ROOT, "1", queries(2)))
    tree = granted(tree.slice(ROOT, CHILD, {D.QUERIES: 3}))
    assert tree.slice(ROOT, GRANDCHILD, {D.QUERIES: 2}) == Denied(D.QUERIES, 2, 1, ROOT)
    assert tree.slice(CHILD, GRANDCHILD, {D.QUERIES: 4}) == Denied(D.QUERIES, 4, 3, CHILD)


def test_a_slice_of_nothing_allows_nothing() -> None:
    tree = granted(open_root(ROWS[Complexity.FULL]).slice(ROOT, CHILD, slice_of(Amounts(queries=1))))
    assert tree.hold(CHILD, "1", Charge(Amounts(model_calls=1))) == Denied(D.MODEL_CALLS, 1, 0, CHILD)


def test_a_sum_without_a_slice_is_drawn_from_the_parent_as_it_goes() -> None:
    tree = granted(open_root({D.QUERIES: 3, D.STEPS: 9}).slice(ROOT, CHILD, {D.STEPS: 5}))
    assert tree.left(CHILD) == {D.STEPS: 5, D.QUERIES: 3}
    tree = granted(tree.hold(CHILD, "1", queries(2)))
    assert tree.left(ROOT) == {D.STEPS: 4, D.QUERIES: 1}
    assert tree.hold(CHILD, "2", queries(2)) == Denied(D.QUERIES, 2, 1, ROOT)
    tree = tree.settle("1", queries(1)).close(CHILD)
    assert tree.left(ROOT) == {D.STEPS: 9, D.QUERIES: 2}


def test_a_child_takes_the_smaller_of_its_own_and_its_parents_set_maximum_level_and_clock() -> None:
    tree = open_root({D.SOURCES: 2, D.EVIDENCE_TOKENS: 100, D.BRANCHES: 3, D.WALL_CLOCK_MS: 900})
    tree = granted(tree.slice(ROOT, CHILD, {D.SOURCES: 5, D.EVIDENCE_TOKENS: 50, D.WALL_CLOCK_MS: 5000}))
    assert tree.left(CHILD) == {D.SOURCES: 2, D.EVIDENCE_TOKENS: 50, D.BRANCHES: 3, D.WALL_CLOCK_MS: 900}


def test_members_touched_in_a_child_count_in_every_ancestor() -> None:
    tree = granted(open_root({D.SOURCES: 1}).slice(ROOT, CHILD, {}))
    tree = granted(tree.hold(CHILD, "1", Charge(sources=("s",)))).settle("1", Charge(sources=("s",)))
    assert tree.hold(ROOT, "2", Charge(sources=("t",))) == Denied(D.SOURCES, 1, 0, ROOT)
    assert tree.close(CHILD).hold(ROOT, "2", Charge(sources=("t",))) == Denied(D.SOURCES, 1, 0, ROOT)


def test_the_outermost_account_that_stands_against_a_charge_is_named() -> None:
    tree = granted(open_root({D.SOURCES: 1, D.QUERIES: 9}).hold(ROOT, "1", Charge(sources=("s",))))
    tree = granted(tree.slice(ROOT, CHILD, {D.QUERIES: 1}))
    both = Charge(Amounts(queries=2), sources=("t",))
    assert tree.hold(CHILD, "2", both) == Denied(D.SOURCES, 1, 0, ROOT)
    assert tree.hold(CHILD, "2", replace(both, sources=("s",))) == Denied(D.QUERIES, 2, 1, CHILD)


def test_open_branches_are_counted_at_every_ancestor_and_closing_frees_a_place() -> None:
    tree = open_root({D.BRANCHES: 2})
    tree = granted(tree.slice(ROOT, AccountName("narrowed"), {}))
    tree = granted(tree.slice(AccountName("narrowed"), CHILD, {}, branch=True))
    tree = granted(tree.slice(CHILD, GRANDCHILD, {}, branch=True))
    assert tree.slice(CHILD, AccountName("third"), {}, branch=True) == Denied(D.BRANCHES, 1, 0, ROOT)
    tree = tree.close(GRANDCHILD)
    assert isinstance(tree.slice(CHILD, AccountName("third"), {}, branch=True), Accounts)
    assert tree.spent(ROOT)[D.BRANCHES] == 2


def test_more_than_was_held_is_booked_in_full_and_flagged_up_to_the_root() -> None:
    tree = granted(open_root({D.MODEL_TOKENS: 100}).slice(ROOT, CHILD, {D.MODEL_TOKENS: 60}))
    tree = granted(tree.hold(CHILD, "1", Charge(Amounts(model_tokens=60))))
    tree = tree.settle("1", Charge(Amounts(model_tokens=130)))
    assert tree.spent(ROOT)[D.MODEL_TOKENS] == 130
    assert tree.left(ROOT) == {D.MODEL_TOKENS: 0}
    assert tree.accounts[ROOT].overrun
    assert tree.accounts[CHILD].overrun
    assert tree.close(CHILD).spent(ROOT)[D.MODEL_TOKENS] == 130


def test_after_an_overrun_no_slice_given_out_before_grants_more() -> None:
    tree = granted(open_root({D.MODEL_TOKENS: 100}).slice(ROOT, CHILD, {D.MODEL_TOKENS: 50}))
    tree = granted(tree.hold(ROOT, "1", Charge(Amounts(model_tokens=50))))
    tree = tree.settle("1", Charge(Amounts(model_tokens=51)))
    assert tree.hold(CHILD, "2", Charge(Amounts(model_tokens=1))) == Denied(D.MODEL_TOKENS, 1, 0, ROOT)
    assert tree.left(CHILD) == {D.MODEL_TOKENS: 0}


def test_less_than_the_limit_but_more_than_the_hold_is_an_overrun_too() -> None:
    tree = granted(open_root({D.MODEL_TOKENS: 100}).hold(ROOT, "1", Charge(Amounts(model_tokens=10))))
    assert tree.settle("1", Charge(Amounts(model_tokens=11))).accounts[ROOT].overrun
    assert not tree.settle("1", Charge(Amounts(model_tokens=10))).accounts[ROOT].overrun


def test_closing_with_open_holds_settles_them_at_their_ceiling() -> None:
    tree = granted(open_root({D.QUERIES: 9}).slice(ROOT, CHILD, {D.QUERIES: 5}))
    tree = granted(tree.slice(CHILD, GRANDCHILD, {D.QUERIES: 3}))
    tree = granted(granted(tree.hold(GRANDCHILD, "1", queries(2))).hold(CHILD, "2", queries(1))).close(CHILD)
    assert tree.left(ROOT) == {D.QUERIES: 6}
    assert tree.spent(ROOT)[D.QUERIES] == 3
    assert not tree.holds
    assert tree.accounts[GRANDCHILD].closed


def test_what_is_spent_shows_sets_by_members_and_maxima_by_the_highest_reached() -> None:
    tree = open_root(ROWS[Complexity.FULL])
    charge = Charge(Amounts(steps=1, queries=1), ("q",), ("s",), evidence_tokens=70, rewrite_depth=2)
    tree = granted(tree.hold(ROOT, "1", charge)).settle("1", charge)
    spent = tree.spent(ROOT)
    assert {d: n for d, n in spent.items() if n} == {
        D.STEPS: 1,
        D.QUERIES: 1,
        D.UNIQUE_QUERIES: 1,
        D.REWRITE_DEPTH: 2,
        D.SOURCES: 1,
        D.EVIDENCE_TOKENS: 70,
    }
    assert D.WALL_CLOCK_MS not in spent


@pytest.mark.parametrize("charge", [Charge(Amounts(queries=-1)), Charge(evidence_tokens=-1), Charge(rewrite_depth=-1)])
def test_a_negative_charge_is_refused_wherever_it_is_booked(charge: Charge) -> None:
    tree = open_root({D.QUERIES: 1})
    with pytest.raises(ValueError, match="negative"):
        tree.hold(ROOT, "1", charge)
    with pytest.raises(ValueError, match="negative"):
        granted(tree.hold(ROOT, "1", queries(1))).settle("1", charge)


def test_mistakes_of_the_caller_are_named() -> None:
    tree = granted(granted(open_root({}).slice(ROOT, CHILD, {})).hold(CHILD, "1", queries(1)))
    with pytest.raises(ValueError, match="'1' is already held in 'child'"):
        tree.hold(ROOT, "1", queries(1))
    with pytest.raises(ValueError, match="nothing is held under '2'"):
        tree.settle("2", queries(1))
    with pytest.raises(ValueError, match="no account is called 'nobody'; known: child, run"):
        tree.hold(AccountName("nobody"), "2", queries(1))
    with pytest.raises(ValueError, match="'child' exists"):
        tree.slice(ROOT, CHILD, {})
    with pytest.raises(ValueError, match="'child' is closed"):
        tree.close(CHILD).hold(CHILD, "2", queries(1))
    with pytest.raises(ValueError, match="negative limit"):
        tree.slice(ROOT, GRANDCHILD, {D.QUERIES: -1})
