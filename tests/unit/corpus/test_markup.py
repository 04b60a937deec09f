"""HTML as text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.corpus.formats import Layout
from satisfice.corpus.markup import html_part, html_text

TAGS = st.sampled_from(
    [
        "div",
        "p",
        "b",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "pre",
        "h1",
        "h3",
        "a",
        "br",
        "dl",
        "dt",
        "blockquote",
        "span",
        "svg",
    ]
)


def text_of(html: str) -> str:
    return html_part(html).text


def test_structure_survives_in_the_shape_of_markdown() -> None:
    html = """<h1>Plans <a class="headerlink" href="#x">¶</a></h1><p>See <a href="#">#</a> 3.</p><p>Four   plans,<br>two <b>bold</b>.</p>
    <ul><li>one</li><li>two<ol><li>inner</li><li>last</li></ol></li></ul>
    <table><tr><th>Plan</th><th>Price</th></tr><tr><td>Studio</td><td><p>18 EUR</p><p>a | b</p></td></tr></table>
    <pre>if x:\n    y = "```"</pre><h2>Next</h2>tail"""
    assert text_of(html) == (
        "# Plans\n\nSee # 3.\n\nFour plans,\ntwo bold.\n\n- one\n- two\n  1. inner\n  2. last\n\n| Plan | Price |\n| Studio | 18 EUR a \\| b |\n\n"
        '````\nif x:\n    y = "```"\n````\n\n## Next\n\ntail'
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>SECRET</script>",
        "<style>SECRET</style>",
        "<nav>SECRET</nav>",
        "<footer>SECRET</footer>",
        "<template>SECRET</template>",
        "<noscript>SECRET</noscript>",
        "<p hidden>SECRET</p>",
        "<div aria-hidden='true'>SECRET</div>",
        "<div role=navigation>SECRET</div>",
        "<span style='display: none'>SECRET</span>",
        "<span style='color:red; VISIBILITY:hidden'>SECRET</span>",
        "<span style='font-size:0'>SECRET</span>",
        "<span style='opacity:0'>SECRET</span>",
        "<!-- SECRET -->",
        "<button>SECRET</button>",
        "<select><option>SECRET</select>",
    ],
)
def test_what_a_reader_does_not_see_is_dropped(hidden: str) -> None:
    assert text_of(f"<p>before</p>{hidden}<p>after</p>").split() == ["before", "after"]


def test_half_transparent_text_is_seen() -> None:
    assert text_of("<p style='opacity:0.5; font-size:0.9em'>seen</p>") == "seen"


def test_the_main_part_is_taken_when_the_page_names_one() -> None:
    long = "The refund window is fourteen days. " * 10
    assert text_of(f"<header>Logo</header><main><p>{long}</p></main><div>Related</div>") == long.strip()
    assert "Related" in text_of("<main><p>short</p></main><div>Related</div>")


def test_the_page_says_its_title_date_and_language() -> None:
    part = html_part(
        '<html lang="de"><title> A \n B </title><meta property="article:published_time" content="2026-01-02T03:04:05+01:00"><body>x'
    )
    assert (part.fallback_title, part.title, part.layout) == ("A B", "", Layout.MARKDOWN)
    assert part.fields == {"published": ("2026-01-02T03:04:05+01:00",), "language": ("de",)}


@pytest.mark.parametrize("html", ["", "<", "<html>", "<body>", "<p>", "\x00", "<frameset>"])
def test_a_page_with_nothing_on_it_is_empty(html: str) -> None:
    assert text_of(html).strip("<\ufffd") == ""


def test_pages_may_nest_deeper_than_calls_can() -> None:
    assert text_of("<div>" * 10_000 + "deep" + "</div>" * 10_000) == "deep"


def test_the_declared_encoding_is_believed_when_the_page_is_not_utf_8() -> None:
    html = '<meta charset="windows-1251"><p>Срок возврата</p>'
    assert "Срок возврата" in html_text(html.encode("cp1251"))
    assert "Срок возврата" in html_text(html.encode())
    assert "é" in html_text('<meta charset="no-such-thing"><p>café</p>'.encode("cp1252"))


@settings(deadline=None)
@given(st.lists(TAGS.map("<{}>".format) | TAGS.map("</{}>".format) | st.sampled_from(["word", " ", "\n"]), max_size=60))
def test_every_visible_word_survives_whatever_the_tags_do(pieces: list[str]) -> None:
    html = "<body>" + "".join(pieces)
    if "svg" not in html:
        assert text_of(html).count("word") == html.count("word")
