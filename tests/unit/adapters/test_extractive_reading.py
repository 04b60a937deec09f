"""What can be quoted of a passage, and where it stands."""

from satisfice.adapters.reasoners.reading import Unit, read
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Passage, Provenance


def units(text: str, title: str = "Guide", headings: tuple[str, ...] = ()) -> tuple[Unit, ...]:
    place = Provenance(SourceId("s"), DocumentId("d"), "d.md", title, 0, len(text), headings)
    return read(Passage(PassageId("p"), text, place, "", 1)).units


def texts(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text)]


def test_headings_rules_comments_and_bare_links_are_not_quoted() -> None:
    text = (
        "# Keys\n\n---\n\n<!-- YAML\nadded: v1\n-->\n\n* [Rotate](#rotate)\n\nA key opens it.\n\nRotating\n========\n\n"
        "**How**\n\nTurn it."
    )
    assert texts(text) == ["A key opens it.", "Turn it."]


def test_a_sentence_knows_the_headings_above_it_and_the_sentence_before() -> None:
    first, second = units("## Rotate a key\n\nOpen the console. Press the button.", headings=("Security",))
    assert {"guid", "secur", "rotat", "key"} <= first.above
    assert (first.topic, first.opens, first.before) == ({"rotat", "key"}, True, frozenset())
    assert (second.opens, second.before) == (False, {"open", "consol"})


def test_a_heading_of_the_same_depth_ends_the_one_before() -> None:
    one, two = units("## Install\n\nRun it now.\n\n## Remove\n\nDelete it now.")
    assert "install" in one.above
    assert "install" not in two.above


def test_a_generic_heading_leaves_the_topic_to_the_one_above() -> None:
    (unit,) = units("### Description\n\nFinds duplicates in the tree.", headings=("npm dedupe",))
    assert unit.topic == {"npm", "dedup"}


def test_a_list_is_quoted_whole_and_item_by_item() -> None:
    text = "The plans are:\n\n- Pro: 30 days\n- Free: none\n\nAsk us."
    assert texts(text) == [
        "The plans are:\n\n- Pro: 30 days\n- Free: none",
        "- Pro: 30 days",
        "- Free: none",
        "Ask us.",
    ]
    whole, item, *_ = units(text)
    assert (whole.steps, item.before) == (2, {"plan"})


def test_steps_under_a_heading_are_one_unit_with_what_is_said_inside() -> None:
    text = "1. Open it. Wait.\n2. Close it.\n\nDone."
    assert "1. Open it. Wait.\n2. Close it." in texts(text)


def test_a_row_of_a_table_knows_the_head_of_the_table_and_is_no_step() -> None:
    text = "| Plan | Price |\n| --- | --- |\n| Pro | 18 EUR |\n| Team | 36 EUR |"
    rows = units(text)
    row = next(unit for unit in rows if text[unit.start : unit.end] == "| Team | 36 EUR |")
    assert row.before == {"plan", "pric"}
    assert all(unit.steps == 0 for unit in rows)


def test_an_option_and_what_it_does_are_quoted_together() -> None:
    text = "       -a, --all\n              do not ignore entries\n\n       -b, --bytes\n              print sizes"
    first, second = units(text)
    assert text[first.start : first.end].split() == ["-a,", "--all", "do", "not", "ignore", "entries"]
    assert {"--all", "-a"} <= first.topic
    assert "--all" not in second.above


def test_what_follows_a_definition_at_the_margin_is_not_under_it() -> None:
    text = "-a, --all\n    show everything\n\nReport bugs to the list."
    *_, last = units(text)
    assert text[last.start : last.end] == "Report bugs to the list."
    assert "--all" not in last.above


def test_a_short_line_heads_the_block_indented_below_it() -> None:
    (unit,) = units("popitem()\n\n   Remove and return a pair.")
    assert "popitem" in unit.topic


def test_code_is_told_from_prose() -> None:
    text = "Run this:\n\n```sh\npip install x\n```\n\n$ ls -l\n\nif (a[0] == b) { return {c: d}; }\n\nSee [`x()`][] for more."
    found = {text[unit.start : unit.end]: unit for unit in units(text)}
    assert found["```sh\npip install x\n```"].code
    assert found["$ ls -l"].code
    assert found["if (a[0] == b) { return {c: d}; }"].code
    assert not found["See [`x()`][] for more."].code


def test_identifiers_count_whole_and_one_letter_options_keep_their_case() -> None:
    (unit,) = units("Use -N with SLA-7 and foo_bar.")
    assert {"-N", "sla-7", "foo_bar", "sla", "7"} <= unit.stems
    assert "-n" not in unit.stems


def test_text_without_words_has_no_units() -> None:
    assert units("--- ... !!!") == ()
