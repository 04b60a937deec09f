"""The block of declarations at the top of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.corpus.formats import Unreadable
from satisfice.corpus.frontmatter import front_matter


def test_values_stay_as_they_were_written() -> None:
    text = "---\nTitle: 'A: b'\nversion: 2.10\npublished: 2026-04-01\ndraft: no\naccess: [hr, finance]\nlist:\n  - one\n  - two\n---\nBody\n"
    found = front_matter(text)
    assert found.fields == {
        "title": ("A: b",),
        "version": ("2.10",),
        "published": ("2026-04-01",),
        "draft": ("no",),
        "access": ("hr", "finance"),
        "list": ("one", "two"),
    }
    assert text[found.body_start :] == "Body\n"


def test_absent_values_are_empty_and_nested_ones_are_none() -> None:
    found = front_matter("---\na:\nb: ~\nc: null\nd: 'null'\ne: {x: y}\nf: [[1]]\ng: [x, {y: z}]\nh: last\n---\n")
    assert found.fields == {
        "a": (), "b": (), "c": (), "d": ("null",), "e": None, "f": None, "g": None, "h": ("last",),
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "No front matter at all",
        "----\na: b\n----\n",
        "text first\n---\na: b\n---\n",
        "---\nnever closed: true\n\ntext",
        "---\njust a rule, then text and another rule\n---\n",
        "---\n- a\n- b: c\n---\n",
        "",
    ],
)
def test_text_without_front_matter_is_left_alone(text: str) -> None:
    found = front_matter(text)
    assert (found.body_start, dict(found.fields), found.problem) == (0, {}, "")


def test_broken_front_matter_is_left_out_with_its_line() -> None:
    text = "---\ntitle: ok\ntags: [a\n---\nBody"
    found = front_matter(text)
    assert found.fields == {}
    assert "line 4" in found.problem
    assert text[found.body_start :] == "Body"


def test_broken_front_matter_that_speaks_of_access_is_refused() -> None:
    with pytest.raises(Unreadable, match="access"):
        front_matter("---\ntags: [a\naccess: [hr]\n---\nSecret")


def test_aliases_are_never_expanded() -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(f'*{chr(97 + n)}' for _ in range(9))}]\n" for n in range(12)
    )
    assert front_matter(f"---\n{bomb}---\n").fields["m"] is None


def test_deep_nesting_costs_nothing() -> None:
    found = front_matter("---\na: " + "[" * 7000 + "]" * 7000 + "\nb: c\n---\n")
    assert found.problem or found.fields["b"] == ("c",)


@given(st.text(max_size=200))
def test_any_text_gives_fields_or_a_reason(block: str) -> None:
    try:
        found = front_matter(f"---\n{block}\n---\nrest")
    except Unreadable:
        return
    assert found.body_start <= len(block) + len("---\n\n---\nrest")


@pytest.mark.parametrize(
    "text",
    [
        "\n---\naccess: [hr]\n---\nSecret.\n",
        " ---\naccess: [hr]\n---\nSecret.\n",
        "----\naccess: [hr]\n----\nSecret.\n",
        "+++\naccess = ['hr']\n+++\nSecret.\n",
        "---\ntitle: A\naccess: [hr]\nSecret, and the block never ends.\n",
        '---\n{"access": ["hr"]}\n---\nSecret.\n',
    ],
)
def test_what_is_meant_for_front_matter_and_names_access_is_not_taken_for_text(text: str) -> None:
    with pytest.raises(Unreadable, match="look like front matter"):
        front_matter(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Doors\n\naccess: the door at the back\n",
        "---\n\nA rule, and text that gives access to nothing.\n\n---\n",
        "Ask for access: it is given the same day.\n",
    ],
)
def test_text_that_only_speaks_of_access_is_text(text: str) -> None:
    assert front_matter(text).fields == {}
