"""Every fact that can be built comes back from the wire as it was."""

import json
import math
import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satisfice.adapters.event_stores.codec import Unreadable, decode, encode
from satisfice.core.access import Principal
from satisfice.core.amounts import FREE, Amounts, Charge
from satisfice.core.facts import (
    SCHEMA_VERSION,
    CancelRequested,
    Fact,
    OrderDenied,
    Proposed,
    RunStarted,
    SearchFailed,
    SearchFinished,
    ThinkFinished,
    Thought,
    kind,
)
from satisfice.core.ids import RunId
from satisfice.core.orders import BranchProposal, LookUpProposal, Refusal, RefusalKind
from satisfice.core.passages import Handle
from satisfice.core.policy import Policy
from satisfice.core.tasks import TaskClass
from satisfice.core.wire import KINDS, Plain
from satisfice.errors import UnknownFact

# Lone surrogates, NUL and everything beyond the first plane included.
_TEXT = st.text(st.characters(), max_size=6) | st.sampled_from(
    ["\ud800", "a\udfffb", "\x00", "\u2028", "\U0001f600", '"\\']
)


@cache
def _values(hint: Any) -> st.SearchStrategy[Any]:
    """All values of a type, every field drawn: a field with a default that was forgotten on the way would show."""
    while hasattr(hint, "__supertype__"):
        hint = hint.__supertype__
    arguments = get_args(hint)
    if get_origin(hint) is tuple and arguments[1:] == (...,):
        return st.lists(_values(arguments[0]), max_size=2).map(tuple)
    if get_origin(hint) is tuple:
        return st.tuples(*map(_values, arguments))
    if get_origin(hint) is frozenset:
        return st.frozensets(_values(arguments[0]), max_size=3)
    if get_origin(hint) in (types.UnionType, Union):
        return st.one_of(*map(_values, arguments))
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{part.name: _values(hints[part.name]) for part in fields(hint)})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return {
        str: _TEXT,
        int: st.integers(-(2**70), 2**70),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        type(None): st.none(),
    }[hint]


def _back(fact: Fact) -> Fact:
    return decode(kind(fact), SCHEMA_VERSION, encode(fact))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_fact_comes_back_as_it_was(name: str) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_values(KINDS[name]))
    def law(fact: Fact) -> None:
        back = _back(fact)

        assert back == fact
        assert repr(back) == repr(fact) or _has_sets(fact)  # types too: 1 is not 1.0, a tuple is no list

    law()


def _has_sets(value: object) -> bool:
    return "frozenset" in repr(value)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(sorted(KINDS)).flatmap(lambda name: _values(KINDS[name])))
def test_the_text_is_json_and_equal_facts_have_the_same(fact: Fact) -> None:
    text = encode(fact)

    assert isinstance(json.loads(text), dict)
    assert encode(_back(fact)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back_to_the_last_bit(number: float) -> None:
    proposed = Proposed(BranchProposal("b", (), number))

    back = _back(proposed)

    assert isinstance(back, Proposed)
    assert isinstance(back.proposal, BranchProposal)
    assert math.copysign(1, back.proposal.share) == math.copysign(1, number)
    assert back.proposal.share.hex() == number.hex()


@given(st.frozensets(st.text(), min_size=2), st.randoms())
def test_sets_are_written_in_one_order_whatever_order_they_iterate_in(tags: frozenset[str], random: Any) -> None:
    shuffled = sorted(tags)
    random.shuffle(shuffled)
    facts = [
        _started_by(Principal("ana", tags=frozenset(order)))
        for order in (sorted(tags), sorted(tags, reverse=True), shuffled)
    ]

    assert len({encode(fact) for fact in facts}) == 1


def _started_by(principal: Principal) -> Fact:
    return RunStarted(RunId("r"), "q", principal, TaskClass(), Policy(), (), "2030-01-01T00:00:00Z")


def test_a_proposal_says_what_kind_it_is() -> None:
    denied = OrderDenied(Refusal(RefusalKind.EMPTY), proposal=LookUpProposal("p", "s", ("a",)))

    assert json.loads(encode(denied))["proposal"]["kind"] == "LookUpProposal"
    assert _back(denied) == denied
    assert _back(OrderDenied(Refusal(RefusalKind.EMPTY))) == OrderDenied(Refusal(RefusalKind.EMPTY))


def test_a_fact_of_an_older_schema_is_read_as_one_of_today() -> None:
    """A made-up schema 1, in which a failed search was called otherwise and had a fee in the place of a charge."""

    def renamed(_: str, data: Plain) -> tuple[str, Plain]:
        return "SearchFailed", {"why": data["why"], "retryable": False, "charge": {"amounts": {"queries": data["fee"]}}}

    text = b'{"why": "lone \\ud800", "fee": 2}'

    fact = decode("QueryFailed", 1, text, lifts={("QueryFailed", 1): renamed}, newest=2)

    assert fact == SearchFailed("lone \ud800", retryable=False, charge=Charge(Amounts(queries=2)))
    assert decode("SearchFailed", 2, encode(fact), lifts={("QueryFailed", 1): renamed}, newest=2) == fact


def test_a_field_that_is_missing_has_its_default() -> None:
    """So a field with a default can be added without a new schema."""
    assert decode("CancelRequested", 1, b"{}") == CancelRequested()
    assert decode(
        "ThinkFinished", 1, encode(ThinkFinished(Thought(), FREE, "x")).replace(b'"notes":[]', b'"later":1')
    ) == (ThinkFinished(Thought(), FREE, "x"))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_number_json_cannot_say_is_refused_when_it_is_written(score: float) -> None:
    with pytest.raises(Unreadable, match="score"):
        encode(SearchFinished((), (Handle("p", "d", "", score),), FREE))


def test_a_field_of_the_wrong_type_is_refused_when_it_is_written() -> None:
    with pytest.raises(Unreadable, match="retryable"):
        encode(SearchFailed("down", "yes", FREE))  # type: ignore[arg-type] # what an untyped adapter may hand over


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"by": 1}', b'{"by": "\xff"}', b"\x00", b'{"by": "\\ud800"', b"null"]
)
def test_damaged_text_is_not_read(text: bytes) -> None:
    with pytest.raises(Unreadable):
        decode("CancelRequested", SCHEMA_VERSION, text)


@pytest.mark.parametrize(("name", "schema"), [("Dreamt", 1), ("CancelRequested", SCHEMA_VERSION + 1)])
def test_what_this_version_cannot_know_is_named(name: str, schema: int) -> None:
    with pytest.raises(UnknownFact):
        decode(name, schema, b"{}")
