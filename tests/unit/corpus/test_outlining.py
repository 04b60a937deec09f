"""Reading a text's structure."""

from hypothesis import given
from hypothesis import strategies as st

from satisfice.corpus.formats import Layout
from satisfice.corpus.outlining import Kind, blocks, heading_text

LINES = st.sampled_from(
    [
        "", " ", "# One", "## Two ##", "#not a heading", "Title", "=====", "-----", "---", "~~~", "```sh", "```", "````", "- item",
        "  * nested", "1. first", "a) letter", "| a | b |", "a | b", "--- | ---", "text with words", "    indented", "== Two", "退款期限。",
        "\u2028", "\x0c",
    ]
)  # fmt: skip


def outline(text: str, layout: Layout = Layout.MARKDOWN) -> list[tuple[str, str]]:
    return [
        (
            block.kind.name.lower() if not block.level else f"h{block.level}",
            block.title or text[block.start : block.end],
        )
        for block in blocks(text, layout)
    ]


def test_markdown_gives_headings_paragraphs_items_tables_and_code() -> None:
    text = """# Top
Intro line
goes on.

Second
------
- one
  still one
- two

| a | b |
| - | - |

```sh
# not a heading

still code
```
Tail"""
    assert outline(text) == [
        ("h1", "Top"),
        ("paragraph", "Intro line\ngoes on."),
        ("h2", "Second"),
        ("item", "- one\n  still one"),
        ("item", "- two"),
        ("table", "| a | b |\n| - | - |"),
        ("code", "```sh\n# not a heading\n\nstill code\n```"),
        ("paragraph", "Tail"),
    ]


def test_a_table_without_outer_bars_is_a_table() -> None:
    assert outline("a | b\n--- | ---\n1 | 2\n\nx") == [("table", "a | b\n--- | ---\n1 | 2"), ("paragraph", "x")]


def test_a_longer_fence_holds_a_shorter_one_and_an_open_one_runs_to_the_end() -> None:
    assert outline("````\n```\n# x\n````\ny") == [("code", "````\n```\n# x\n````"), ("paragraph", "y")]
    assert outline("```\n# x\n\ny") == [("code", "```\n# x\n\ny")]


def test_underlines_in_plain_text_rank_in_the_order_of_their_first_use() -> None:
    text = "=====\nTitle\n=====\n\nOne\n~~~\nbody\n\nDeep\n...\n\nTwo\n~~~\nlast"
    assert outline(text, Layout.PLAIN) == [
        ("h1", "Title"),
        ("h2", "One"),
        ("paragraph", "body"),
        ("h3", "Deep"),
        ("h2", "Two"),
        ("paragraph", "last"),
    ]


def test_a_short_rule_below_a_long_sentence_is_no_heading_in_plain_text() -> None:
    text = "This sentence is much longer than the rule below it.\n---\nmore"
    assert [kind for kind, _ in outline(text, Layout.PLAIN)] == ["paragraph"]


def test_hashes_are_comments_in_plain_text_and_equal_signs_are_headings() -> None:
    assert outline("# comment\n\n== Section\ntext", Layout.PLAIN) == [
        ("paragraph", "# comment"),
        ("h2", "Section"),
        ("paragraph", "text"),
    ]


def test_headings_read_as_people_read_them() -> None:
    assert heading_text("[Refunds](x.md) and **`api` keys** {#anchor}") == "Refunds and api keys"
    assert heading_text("snake_case_name 2*3*4 ¶") == "snake_case_name 2*3*4"
    assert heading_text("x" * 5000) == "x" * 200


def test_a_line_of_a_megabyte_is_read_without_backtracking() -> None:
    text = "# a" + " " * 1_000_000 + "x\n" + "=" * 1_000_000 + "x"
    assert [kind for kind, _ in outline(text)] == ["paragraph"]


@given(st.lists(LINES, max_size=40).map("\n".join), st.sampled_from([Layout.MARKDOWN, Layout.PLAIN]))
def test_blocks_are_in_order_and_leave_nothing_out_but_white_space(text: str, layout: Layout) -> None:
    at = 0
    for block in blocks(text, layout):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip()
        assert (block.kind is Kind.HEADING) == bool(block.title) == bool(block.level)
        at = block.end
    assert not text[at:].strip()
