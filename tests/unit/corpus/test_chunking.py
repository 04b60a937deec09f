"""Cutting documents into passages."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.core.ids import DocumentId, SourceId
from satisfice.core.passages import Document, Passage, quote_hash
from satisfice.corpus.chunking import Cutter, passages
from satisfice.corpus.formats import Layout


class Words:
    """Counts words, and characters of scripts without spaces: easy to reckon with in a test."""

    id = "words"

    def count(self, text: str) -> int:
        return len(re.findall(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]{1,12}", text))


LIMIT = Cutter(Words())

TEXTS = st.lists(
    st.sampled_from(
        [
            "# One", "## Two", "### Three", "", "", "A short sentence about refunds.", "word " * 90 + "end.", "x" * 5000,
            "年间套餐的退款期限为十四天。" * 60, "退" * 900, "- item one", "- " + "long item " * 120, "| a | b |", "| cell " * 300 + "|",
            "```", "code line here", "Sentence one. Sentence two! Three? " * 40, "  \t ", "\u200b", "e\u0301" * 700, "Title", "=====",
        ]
    ),
    max_size=25,
).map("\n".join)  # fmt: skip


def document(text: str, pages: tuple[int, ...] = ()) -> Document:
    return Document(DocumentId("s:d"), SourceId("s"), "a.md", "A", text, "hash", pages=pages)


def cut(
    text: str, layout: Layout = Layout.MARKDOWN, limit: int = 400, pages: tuple[int, ...] = (), line: int = 1
) -> list[Passage]:
    return list(passages(document(text, pages), layout, Cutter(Words(), passage_tokens=limit), first_line=line))


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(Layout), st.sampled_from([8, 40, 400]))
def test_passages_are_exact_slices_that_leave_nothing_out_and_keep_the_limit(
    text: str, layout: Layout, limit: int
) -> None:
    at = 0
    for number, passage in enumerate(cut(text, layout, limit)):
        where = passage.provenance
        assert passage.text == text[where.start : where.end]
        assert passage.text.strip()
        assert at <= where.start
        assert not text[at : where.start].strip()
        assert passage.tokens == Words().count(passage.text) <= limit
        assert passage.id == f"s:d#{number}"
        assert passage.content_hash == quote_hash(passage.text)
        assert where.lines == (text.count("\n", 0, where.start) + 1, text.count("\n", 0, where.end) + 1)
        at = where.end
    assert not text[at:].strip()


def test_sections_are_passages_and_carry_the_path_of_their_headings() -> None:
    found = cut("# Refunds\n\nAll plans.\n\n## Window\n\n14 days.\n\n### Exceptions\n\nNone.\n\n## How\n\nAsk.\n")
    assert [(passage.provenance.headings, passage.text) for passage in found] == [
        (("Refunds",), "# Refunds\n\nAll plans."),
        (("Refunds", "Window"), "## Window\n\n14 days."),
        (("Refunds", "Window", "Exceptions"), "### Exceptions\n\nNone."),
        (("Refunds", "How"), "## How\n\nAsk."),
    ]


def test_a_heading_with_nothing_under_it_joins_what_comes_next() -> None:
    (only,) = cut("# Handbook\n\n## Refunds\n\n14 days.")
    assert only.provenance.headings == ("Handbook", "Refunds")
    assert only.text == "# Handbook\n\n## Refunds\n\n14 days."


def test_a_section_of_moderate_length_stays_whole_and_a_long_one_is_cut_into_even_parts_between_paragraphs() -> None:
    assert len(cut("# A\n\n" + "word " * 280)) == 1
    paragraphs = [f"Paragraph {n} " + "word " * 58 + "end." for n in range(10)]
    found = cut("\n\n".join(paragraphs))
    assert [passage.tokens for passage in found] == [183, 244, 183]
    assert all(passage.text.startswith("Paragraph") and passage.text.endswith("end.") for passage in found)


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = "The window for a refund is fourteen days from the day of purchase. "
    found = cut(sentence * 80)
    assert len(found) > 3
    assert all(passage.text.endswith("purchase.") and passage.text.startswith("The") for passage in found)


def test_chinese_without_spaces_is_cut_after_its_full_stops() -> None:
    sentence = "年度套餐的退款期限为自购买之日起十四天。"
    found = cut(sentence * 60)
    assert len(found) >= 4
    assert all(passage.text.startswith("年") and passage.text.endswith("。") for passage in found)


def test_text_without_any_place_to_cut_is_cut_all_the_same_but_never_before_an_accent() -> None:
    found = cut("e\u0301" * 9000)
    assert len(found) > 1
    assert all(passage.text[0] == "e" for passage in found)


def test_code_and_tables_that_fit_are_never_cut() -> None:
    code = "```\n" + "x = 1  # set it\n\n" * 60 + "```"
    table = "| plan | price |\n| --- | --- |\n" + "| Studio | 18 EUR |\n" * 60
    found = cut(f"{'word ' * 150}\n\n{code}\n\n{'word ' * 150}\n\n{table}")
    assert sum(code in passage.text for passage in found) == 1
    assert sum(table.strip() in passage.text for passage in found) == 1


def test_a_table_that_does_not_fit_is_cut_between_rows() -> None:
    rows = [f"| row {n} | " + "cell " * 20 + "|" for n in range(60)]
    found = cut("\n".join(rows))
    assert len(found) > 1
    assert all(line in rows for passage in found for line in passage.text.split("\n"))


def test_a_record_stays_one_passage_up_to_the_limit() -> None:
    text = "# Not a heading here\n\n" + "word " * 380
    assert [passage.text for passage in cut(text, Layout.RECORD)] == [text.strip()]
    assert len(cut(text, Layout.MARKDOWN)) == 2
    assert len(cut(text + "word " * 200, Layout.RECORD)) == 3


def test_pages_are_told_and_a_page_that_ends_its_sentence_ends_the_passage() -> None:
    pages = ["First page ends.", "Second page is cut in the", "middle of a sentence.", "Fourth."]
    starts = tuple(sum(len(page) + 2 for page in pages[:n]) for n in range(4))
    found = cut("\n\n".join(pages), Layout.PLAIN, pages=starts)
    assert [(passage.text, passage.provenance.pages) for passage in found] == [
        ("First page ends.", (1, 1)),
        ("Second page is cut in the\n\nmiddle of a sentence.", (2, 3)),
        ("Fourth.", (4, 4)),
    ]


def test_lines_are_those_of_the_file() -> None:
    (only,) = cut("\n# A\n\ntext\n", line=10)
    assert only.provenance.lines == (11, 13)
    unlined = list(passages(document("text"), Layout.MARKDOWN, LIMIT))
    assert unlined[0].provenance.lines is None


def test_everything_known_of_the_document_reaches_its_passages() -> None:
    signed = Cutter(Words(), sign=lambda text: (len(text),), signed_by="length/1")
    (passage,) = passages(document("four"), Layout.PLAIN, signed, read_at="2026-01-01T00:00:00Z")
    assert (passage.signature, passage.signature_by) == ((4,), "length/1")
    assert passage.provenance.document_hash == "hash"
    assert passage.provenance.retrieved_at == "2026-01-01T00:00:00Z"


def test_another_limit_counter_or_signature_makes_another_cutter() -> None:
    assert len({LIMIT.id, Cutter(Words(), 300).id, Cutter(Words(), signed_by="x").id}) == 3


class Reading(Words):
    """Remembers how much it was given to count."""

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return super().count(text)


@pytest.mark.parametrize(
    "unit", ["word ", "Sentence here. ", "x", "# h\n", "- i\n\n", "| r |\n", "```\n", "a\n===\n", " \n", "退"]
)
def test_every_character_is_counted_a_few_times_at_most_however_long_the_text(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    reading = Reading()
    for layout in (Layout.MARKDOWN, Layout.PLAIN):
        list(passages(document(text), layout, Cutter(reading)))
    assert reading.characters <= 2 * 12 * len(text)
