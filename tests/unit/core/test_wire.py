"""Names on the wire, and old shapes lifted to today's."""

from collections.abc import Mapping
from typing import get_args

import pytest

from satisfice.core.facts import SCHEMA_VERSION, CancelRequested, Fact, SearchFailed, kind
from satisfice.core.wire import KINDS, Lift, Plain, lift
from satisfice.errors import UnknownFact


def _fee_became_charge(name: str, data: Plain) -> tuple[str, Plain]:
    return name, {**{key: value for key, value in data.items() if key != "fee"}, "charge": {"amounts": data["fee"]}}


def _query_failed_was_renamed(name: str, data: Plain) -> tuple[str, Plain]:
    return "SearchFailed", data


OLD: Mapping[tuple[str, int], Lift] = {
    ("QueryFailed", 1): _query_failed_was_renamed,
    ("SearchFailed", 2): _fee_became_charge,
}
"""Two made-up schemas: in 1 the fact had another name, until 3 it had a fee."""


def test_every_kind_is_known_by_the_name_of_its_class() -> None:
    assert set(KINDS.values()) == set(get_args(Fact))
    assert all(fact.__name__ == name for name, fact in KINDS.items())
    assert KINDS[kind(CancelRequested())] is CancelRequested


def test_a_fact_of_this_schema_is_left_as_it_is() -> None:
    data: Plain = {"by": "ana"}

    assert lift("CancelRequested", SCHEMA_VERSION, data) == (CancelRequested, {"by": "ana"})


def test_an_old_fact_is_lifted_one_schema_at_a_time() -> None:
    found = lift("QueryFailed", 1, {"why": "down", "fee": {"steps": 1}}, OLD, newest=3)

    assert found == (SearchFailed, {"why": "down", "charge": {"amounts": {"steps": 1}}})


def test_lifting_starts_at_the_schema_the_fact_was_written_in() -> None:
    assert lift("SearchFailed", 3, {"fee": {}}, OLD, newest=3) == (SearchFailed, {"fee": {}})


def test_a_kind_that_never_changed_means_the_same_in_every_schema() -> None:
    assert lift("CancelRequested", 1, {"by": ""}, OLD, newest=3) == (CancelRequested, {"by": ""})


def test_lifting_does_not_change_what_was_read() -> None:
    data: Plain = {"fee": {"steps": 1}}

    lift("SearchFailed", 2, data, OLD, newest=3)

    assert data == {"fee": {"steps": 1}}


@pytest.mark.parametrize("schema", [0, -1, SCHEMA_VERSION + 1])
def test_a_schema_this_version_does_not_know_is_named(schema: int) -> None:
    with pytest.raises(UnknownFact) as caught:
        lift("RunStopped", schema, {})

    assert (caught.value.kind, caught.value.schema, caught.value.newest) == ("RunStopped", schema, SCHEMA_VERSION)


def test_a_kind_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownFact, match=r"unknown fact 'Dreamt' of schema 1; this version knows schemas up to 1"):
        lift("Dreamt", 1, {})


def test_a_kind_that_lost_its_name_is_not_known_by_it_any_more() -> None:
    with pytest.raises(UnknownFact):
        lift("QueryFailed", 2, {}, OLD, newest=3)
