"""Lineage: which passages count as one voice."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.lineage import extended, lineages, resemblance, same_text, supersedes
from satisfice.core.passages import Passage, Provenance

NEAR = 0.8
WORDS = tuple(range(1000, 1064))


def passage(
    name: str,
    *,
    document: str | None = None,
    uri: str = "",
    origin: str | None = None,
    replaces: tuple[str, ...] = (),
    signature: tuple[int, ...] = (),
    text: str = "",
    tokens: int = 100,
    place: tuple[int, int] = (0, 400),
) -> Passage:
    document = document or f"doc-{name}"
    where = Provenance(
        SourceId("s"),
        DocumentId(document),
        uri or f"{document}.md",
        document,
        *place,
        origin=origin,
        supersedes=replaces,
    )
    return Passage(PassageId(name), text or name, where, text or name, tokens, signature, "minhash")


def changed(share: float) -> tuple[int, ...]:
    """A signature that agrees with WORDS in this share of its values, spread evenly."""
    keep = round(share * len(WORDS))
    kept = {i * len(WORDS) // keep for i in range(keep)} if keep else set[int]()
    return tuple(value if i in kept else -value for i, value in enumerate(WORDS))


def test_passages_of_different_documents_are_different_voices() -> None:
    assert lineages([passage("a"), passage("b")], NEAR) == {"a": "doc-a", "b": "doc-b"}


@pytest.mark.parametrize(
    "other",
    [
        passage("b", document="doc-a", place=(900, 1300)),
        passage("b", origin="ACME  Press"),
        passage("b", text="a"),
        passage("b", signature=changed(0.9)),
        passage("b", replaces=("doc-a.md",)),
        passage("b", replaces=("Doc-A",)),
    ],
    ids=["same document", "same origin", "same text", "near-duplicate", "supersedes its file", "supersedes its title"],
)
def test_passages_that_repeat_one_origin_share_a_lineage(other: Passage) -> None:
    first = passage("a", origin="acme press", signature=WORDS)
    assert lineages([first, other], NEAR) == lineages([other, first], NEAR) == {"a": "doc-a", "b": "doc-a"}


def test_pages_of_one_web_site_are_one_voice_unless_they_declare_origins() -> None:
    one, two = passage("a", uri="https://www.acme.test/a"), passage("b", uri="https://acme.test/docs/b")
    elsewhere = passage("c", uri="https://other.test/a")
    assert len(set(lineages([one, two, elsewhere], NEAR).values())) == 2
    wiki = [passage(n, uri=f"https://wiki.test/{n}", origin=f"team {n}") for n in "ab"]
    assert len(set(lineages(wiki, NEAR).values())) == 2


def test_resemblance_below_the_policy_is_no_repetition() -> None:
    assert len(set(lineages([passage("a", signature=WORDS), passage("b", signature=changed(0.5))], NEAR).values())) == 2


def test_an_excerpt_of_a_longer_text_repeats_it() -> None:
    long, short = passage("a", signature=WORDS, tokens=300), passage("b", signature=changed(1 / 3), tokens=100)
    assert same_text(long, short, NEAR)
    assert not same_text(replace(long, tokens=100), short, NEAR)


def test_signatures_of_different_algorithms_are_not_compared() -> None:
    assert resemblance(passage("a", signature=WORDS), replace(passage("b", signature=WORDS), signature_by="x")) == 0.0
    assert resemblance(passage("a"), passage("b")) == 0.0


def test_windows_of_one_document_are_one_text_when_most_of_the_shorter_lies_inside_the_other() -> None:
    first = passage("a", document="d", place=(0, 1000))
    assert same_text(first, passage("b", document="d", place=(200, 1200)), NEAR)
    assert not same_text(first, passage("b", document="d", place=(300, 1300)), NEAR)


def test_a_document_does_not_supersede_itself_or_one_it_does_not_name() -> None:
    old, new = passage("old", uri="handbook/refunds-2023.md"), passage("new", replaces=("refunds-2023.md",))
    assert supersedes(new.provenance, old.provenance)
    assert not supersedes(old.provenance, new.provenance)
    assert not supersedes(new.provenance, passage("x", uri="handbook/other-refunds-2023.md").provenance)
    assert not supersedes(passage("n", document="n", replaces=("n.md",)).provenance, passage("n").provenance)


def test_a_passage_that_links_two_voices_makes_them_one() -> None:
    one, two = passage("a", origin="x"), passage("b")
    bridge = passage("c", origin="x", document="doc-b", place=(900, 1000))
    assert set(lineages([one, two, bridge], NEAR).values()) == {"doc-a"}


PASSAGES = st.lists(
    st.builds(
        passage,
        st.sampled_from("abcdefghij"),
        document=st.sampled_from(["d1", "d2", "d3", "d4", "d5", "d6"]),
        uri=st.sampled_from(["", "", "https://x.test/1", "https://y.test/2"]),
        origin=st.sampled_from([None, None, "o1", "o2"]),
        signature=st.sampled_from([(), WORDS, changed(0.9), changed(0.7), changed(0.4)]),
        replaces=st.sampled_from([(), (), ("d1.md",), ("d4",)]),
        tokens=st.sampled_from([30, 100, 300]),
        place=st.sampled_from([(0, 400), (100, 500), (900, 990)]),
    ),
    max_size=8,
    unique_by=lambda p: p.id,
)


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.randoms(use_true_random=False), st.integers(0, 8))
def test_lineage_does_not_depend_on_arrival_and_grows_in_steps(passages: list[Passage], dice: object, cut: int) -> None:
    whole = lineages(passages, NEAR)
    shuffled = list(passages)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis's Random
    assert lineages(shuffled, NEAR) == whole
    first, rest = shuffled[:cut], shuffled[cut:]
    assert extended(lineages(first, NEAR), {p.id: p for p in first}, rest, NEAR) == whole
