"""Words, stems, names and sentences: what two texts have in common, and where."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.core.stemming import stem
from satisfice.core.text import (
    MAX_SENTENCE_CHARS,
    canonical,
    content_stems,
    identifiers,
    names,
    question_stems,
    search_terms,
    sentences,
    terms,
)


def cut(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    "forms",
    [
        "rotate rotates rotated rotating rotation",
        "policy policies",
        "refund refunds refunded refundable",
        "organize organise organized organization organisations",
        "configure configured configuring configuration configurations",
        "document documents documentation documented",
        "authenticate authenticated authentication",
        "depend depends dependency dependencies dependent",
        "install installs installed installing installation",
        "stop stops stopped stopping",
        "implement implemented implementation",
        "apply applies applied applying",
        "require requires required requirement requirements",
        "use used using uses",
        "café cafe CAFÉ",
        "naïve naive",
        "Straße strasse",
        "ＡＢＣ abc",
        "twelve 12",
        "1,200 1200",
        "king king's king’s",
        "الاسترداد استرداد",
    ],
)
def test_forms_of_one_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "pair", ["annual monthly", "use user", "news new", "king ring", "string sting", "bus bu", "12 1.2"]
)
def test_different_words_keep_different_stems(pair: str) -> None:
    left, right = pair.split()
    assert stem(left) != stem(right)


def test_terms_point_into_the_text_as_given() -> None:
    text = "Ｒefunds: 1,200.50 users' naïve café, 退款期限 at 3.11"
    found = terms(text)
    assert all(text[term.start : term.end] == term.text for term in found)
    assert [term.stem for term in found if term.stem in {"1200.50", "退款", "款期", "期限", "caf", "3.11"}] == [
        "1200.50", "caf", "退款", "款期", "期限", "3.11",
    ]  # fmt: skip


def test_text_without_spaces_is_matched_by_pairs_of_characters() -> None:
    assert set(question_stems("退款期限是什么")) <= set(search_terms("年度计划的退款期限是三十天。")) | {"限是"}
    assert search_terms("ｶﾞﾗｽ") == search_terms("ガラス") == ("ガラ", "ラス")
    assert search_terms("国") == ("国",)


def test_stop_words_are_left_out_and_repeats_dropped() -> None:
    assert content_stems("The refund of the refunds is for a plan") == ("refund", "plan")
    assert question_stems("How many days is the refund window called?") == ("day", "refund", "window")


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Wer gießt wann den Garten?", "gießt den Garten"),
        ("Combien de jours dure le contrat ?", "de jours dure le contrat"),
        ("¿Cuántos días dura?", "días dura"),
        ("普通读者借期多少天？", "普通读者借期"),
        ("图书馆星期几闭馆？", "图书馆星期 闭馆"),
        ("几何学的历史", "几何学的历史"),
        ("How do I add a comment?", "add comment"),
    ],
)
def test_question_words_of_other_languages_say_nothing_about_the_subject(question: str, subject: str) -> None:
    assert question_stems(question) == question_stems(subject)
    assert question_stems(question)
    assert content_stems("Who is who?") == ()


def test_identifiers_are_held_whole_and_in_parts() -> None:
    held = search_terms("Use --no-cache-dir with SLA-7 in /etc/hosts (see os.path), C++ and foo_bar.")
    assert {"--no-cache-dir", "cach", "dir", "sla-7", "sla", "7", "/etc/hosts", "os.path", "c++", "foo_bar"} <= set(
        held
    )


def test_identifiers_are_found_letter_by_letter() -> None:
    text = "error E1042 and --no-cache-dir, CVE-2024-1234 for the 19th time since the 1990s (std::vector)"
    assert cut(text, identifiers(text)) == ["E1042", "--no-cache-dir", "CVE-2024-1234", "std::vector"]


def test_names_run_over_joining_words_and_leave_stop_words_out() -> None:
    text = "However, the Duke of Edinburgh met J. K. Rowling and Dr. Smith in Paris. The dog saw Super Bowl 50 in 2016."
    assert cut(text, names(text)) == ["Duke of Edinburgh", "J. K. Rowling", "Dr. Smith", "Paris", "Super Bowl 50"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. Then it stopped.", ["It rained.", "Then it stopped."]),
        ("Dr. Smith left the U.S. Army. He went home.", ["Dr. Smith left the U.S. Army.", "He went home."]),
        ("He lives in Washington, D.C. The house is old.", ["He lives in Washington, D.C.", "The house is old."]),
        ("See Sec. 3 and No. 5, e.g. Apples vs. Oranges.", ["See Sec. 3 and No. 5, e.g. Apples vs. Oranges."]),
        ('"Go." He went.[3] She stayed.', ['"Go."', "He went.[3]", "She stayed."]),
        ("Python 3.11 is out. pip is not.", ["Python 3.11 is out. pip is not."]),
        ("退款期限是多少？年度为30天。", ["退款期限是多少？", "年度为30天。"]),
        ("ما هي المدة؟ ثلاثون يوما.", ["ما هي المدة؟", "ثلاثون يوما."]),
        ("# Title\nText here.", ["# Title", "Text here."]),
        ("Title\n=====\nText", ["Title", "=====", "Text"]),
        ("1. Open it. Wait.\n2. Close it.\n   It beeps.", ["1. Open it.", "Wait.", "2. Close it.", "It beeps."]),
        ("- one\n- two", ["- one", "- two"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("-a, --all\n       show everything", ["-a, --all\n       show everything"]),
        ("Name: Bob\nAge: 5", ["Name: Bob", "Age: 5"]),
        ("```\npip install foo\npip check\n```\nDone", ["```\npip install foo\npip check\n```", "Done"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str]) -> None:
    assert cut(text, sentences(text)) == expected


def test_a_line_break_inside_wrapped_prose_is_no_end() -> None:
    text = "This is a paragraph that was wrapped to fit the width of a page and\nGoes on with a capital letter."
    assert cut(text, sentences(text)) == [text]


def test_a_sentence_without_end_is_cut_at_a_space() -> None:
    spans = sentences("word " * 1_000)
    assert len(spans) > 4
    assert all(end - start <= MAX_SENTENCE_CHARS for start, end in spans)


@given(
    st.text(alphabet=st.characters(), max_size=300) | st.text(alphabet="aB. \n-1#|`?。：:\r\x0c\u2028", max_size=300)
)
def test_sentences_cover_everything_but_white_space_in_order(text: str) -> None:
    spans = sentences(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(start < end for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert [term.stem for term in terms(text)] == list(search_terms(text))[: len(terms(text))]
    assert all(text[start:end] for start, end in (*names(text), *identifiers(text)))
    assert canonical(canonical(text)) == canonical(text)
