"""JSON as documents."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.corpus.formats import Layout, Unreadable
from satisfice.corpus.records import documents, parse_json, record

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.just("text"), inner, max_size=4)
    ),
    max_leaves=20,
)


def test_a_record_is_its_text_its_title_and_what_it_declares() -> None:
    part = record(
        {
            "id": 7,
            "title": "Refunds",
            "text": "14 days",
            "published_at": "2026-04-01",
            "access": ["hr"],
            "url": "https://x",
            "score": 0.5,
        },
        1,
    )
    assert (part.key, part.title, part.text, part.layout) == ("7", "Refunds", "14 days", Layout.RECORD)
    assert part.fields == {
        "id": ("7",), "title": ("Refunds",), "published_at": ("2026-04-01",), "access": ("hr",), "url": ("https://x",), "score": ("0.5",),
    }  # fmt: skip


def test_a_record_without_text_is_written_out() -> None:
    part = record({"name": "Osaka", "desks": 30, "open": True, "tags": ["a", "b"], "none": None}, 4)
    assert (part.key, part.title, part.layout) == ("4", "Osaka", Layout.MARKDOWN)
    assert part.text == "name: Osaka\ndesks: 30\nopen: true\ntags: a, b"


def test_an_object_becomes_one_document_with_a_section_for_every_item() -> None:
    value = {
        "title": "Offices",
        "access": ["staff"],
        "offices": [{"city": "Ghent", "since": 2016}, {"city": "Osaka", "phone": {"day": "1", "night": "2"}}],
    }
    (part,) = documents(value)
    assert (part.key, part.title, part.fields["access"]) == ("", "Offices", ("staff",))
    assert part.text == (
        "# offices\n\n## Ghent\n\ncity: Ghent\nsince: 2016\n\n## Osaka\n\ncity: Osaka\n\n### phone\n\nday: 1\nnight: 2"
    )


def test_a_list_of_objects_becomes_one_document_each_and_other_lists_one_in_all() -> None:
    assert [part.key for part in documents([{"id": "a", "text": "x"}, {"text": "y"}, "z"])] == ["a", "2", "3"]
    assert [part.text for part in documents(["x", "y"])] == ["x, y"]
    assert [part.text for part in documents("just text")] == ["just text"]


def test_values_of_the_wrong_kind_are_dropped_except_access() -> None:
    part = record({"text": "x", "meta": {"deep": 1}, "access": {"deep": 1}, "long": "y" * 300}, 1)
    assert part.fields == {"access": None}
    assert record({"text": "x", "access": "y" * 300}, 1).fields == {"access": ("y" * 300,)}


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "[" * 100_000, "1" * 5000])
def test_what_is_not_json_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(Unreadable, match="not JSON"):
        parse_json(text)


def test_the_place_of_a_mistake_is_told() -> None:
    with pytest.raises(Unreadable, match="line 2, column 6"):
        parse_json('{\n"a": x}')


def test_lone_surrogates_do_not_get_through() -> None:
    (part,) = documents(parse_json('{"title": "\\ud800", "text": "\\udfff x"}'))
    assert (part.title + part.text).encode().decode() == part.title + part.text
    assert part.text.endswith(" x")


@given(VALUES)
def test_any_json_gives_text_that_can_be_stored(value: object) -> None:
    for part in documents(parse_json(json.dumps(value))):
        (part.text + part.title + part.key).encode()
