"""What may be declared, where, and what is never widened."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.core.sources import Authority, EvidenceClass
from satisfice.corpus.declaring import NOTHING_DECLARED, Declared, as_utc, declare, fields_of, folder_defaults, within
from satisfice.corpus.formats import Unreadable

TAGS = st.frozensets(st.sampled_from(["hr", "finance", "staff"]))


def test_known_keys_get_their_meaning_and_the_others_become_metadata() -> None:
    declared = declare(
        {
            "title": ("Refund policy",),
            "authority": ("Official",),
            "class": ("release notes",),
            "published": ("2026-04-01",),
            "version": ("2.0",),
            "access": ("hr",),
            "supersedes": ("old.md", "older.md"),
            "origin": ("press-1",),
            "region": ("eu", "us"),
            "nested": None,
        }
    )
    assert declared == Declared(
        "Refund policy", Authority.OFFICIAL, EvidenceClass.RELEASE_NOTES, "2026-04-01", "2.0", frozenset({"hr"}),
        ("old.md", "older.md"), "press-1", (("region", "eu"), ("region", "us")),
    )  # fmt: skip


def test_a_wrong_value_is_named_with_the_right_ones_and_the_near_miss() -> None:
    declared = declare({"authority": ("oficial",), "class": ("poem",), "published": ("next week",)})
    assert declared.authority is None
    assert declared.evidence_class is None
    assert declared.published_at is None
    authority, kind, published = declared.problems
    assert "'oficial'" in authority
    assert "did you mean 'official'" in authority
    assert "allowed: document, policy" in kind
    assert "2026-04-01" in published


@pytest.mark.parametrize("access", [None, tuple(f"t{n}" for n in range(65))])
def test_access_that_cannot_be_understood_refuses_the_document(access: tuple[str, ...] | None) -> None:
    with pytest.raises(Unreadable, match="access"):
        declare({"access": access})


@given(TAGS, TAGS)
def test_access_only_ever_narrows(outer: frozenset[str], inner: frozenset[str]) -> None:
    try:
        found = within(Declared(access=outer), Declared(access=inner)).access
    except Unreadable:
        assert outer
        assert inner
        assert not outer & inner
        return
    if outer:
        assert found  # no tags would open it to everybody
        assert found <= outer
    if inner:
        assert found
        assert found <= inner


def test_authority_only_ever_falls() -> None:
    for outer, inner in product([None, *Authority], repeat=2):
        found = within(Declared(authority=outer), Declared(authority=inner))
        if outer is not None:
            assert found.authority is not None
            assert found.authority <= outer
            assert found.authority == (outer if inner is None else min(outer, inner))
        else:
            assert found.authority == inner
        assert bool(found.problems) == (outer is not None and inner is not None and inner > outer)


@pytest.mark.parametrize("sticky", [EvidenceClass.FORUM, EvidenceClass.GENERATED])
def test_a_forum_post_cannot_call_itself_a_policy(sticky: EvidenceClass) -> None:
    found = within(Declared(evidence_class=sticky), Declared(evidence_class=EvidenceClass.POLICY))
    assert found.evidence_class is sticky
    assert found.problems


def test_a_document_may_say_better_than_its_folder_what_it_is() -> None:
    outer = Declared(
        evidence_class=EvidenceClass.POLICY, published_at="2026-01-01", version="1", metadata=(("a", "1"), ("b", "2"))
    )
    found = within(outer, declare({"class": ("procedure",), "published": ("2026-02-02",), "b": ("3",)}))
    assert found.evidence_class is EvidenceClass.PROCEDURE
    assert found.published_at == "2026-02-02"
    assert found.version == "1"
    assert found.metadata == (("a", "1"), ("b", "3"))


def test_titles_and_successions_are_not_inherited() -> None:
    found = within(Declared(title="Folder", supersedes=("x",)), NOTHING_DECLARED)
    assert (found.title, found.supersedes) == (None, ())


def test_folder_defaults_are_toml_with_the_keys_of_front_matter(tmp_path: Path) -> None:
    path = tmp_path / ".satisfice.toml"
    path.write_text(
        'authority = "official"\naccess = ["hr"]\npublished = 2026-05-25\n[metadata]\nregion = "eu"\nlevel = 3\n'
    )
    assert folder_defaults(path) == Declared(
        authority=Authority.OFFICIAL,
        access=frozenset({"hr"}),
        published_at="2026-05-25",
        metadata=(("level", "3"), ("region", "eu")),
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("autority = 'official'", "did you mean 'authority'"),
        ("title = 'x'", "'title'"),
        ("authority = 'chief'", "'chief'"),
        ("access = {a = 1}", "access"),
        ("metadata = 3", "metadata"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_mistake_in_folder_defaults_is_named_and_nothing_is_guessed(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / ".satisfice.toml"
    path.write_text(text)
    with pytest.raises(Unreadable, match=r"(?s)" + named):
        folder_defaults(path)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-04-01", "2026-04-01"),
        ("2026-04-01T10:00:00", "2026-04-01T10:00:00Z"),
        ("2026-04-01T10:00:00+02:00", "2026-04-01T08:00:00Z"),
        ("2026-04-01 10:00:00Z", "2026-04-01T10:00:00Z"),
        ("April 2026", None),
        ("2026-13-01", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("", None),
    ],
)
def test_dates_are_iso_and_times_are_utc(written: str, meant: str | None) -> None:
    assert as_utc(written) == meant


def test_typed_values_read_like_written_ones() -> None:
    assert fields_of({"A": 1, "b": [1.5, "x"], "c": None, "d": True, "e": {"x": 1}, "f": " ", "g": [[1, 2]]}) == {
        "a": ("1",), "b": ("1.5", "x"), "c": (), "d": ("true",), "e": None, "f": (), "g": None,
    }  # fmt: skip


@pytest.mark.parametrize("key", ["acces", "acess", "accesss"])
def test_a_slip_for_access_does_not_open_a_document(key: str) -> None:
    with pytest.raises(Unreadable, match="slip for 'access'"):
        declare({key: ("hr",)})


def test_a_word_that_is_only_like_access_is_metadata() -> None:
    assert declare({"accessed": ("2026-01-01",)}).metadata == (("accessed", "2026-01-01"),)
