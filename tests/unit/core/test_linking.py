"""Titles, aliases and links."""

from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.linking import Alias, aliases, leads, mentions, name_key, names, resolve
from satisfice.core.passages import Passage, Provenance


def passage(number: int, title: str, text: str, headings: tuple[str, ...] = ()) -> Passage:
    provenance = Provenance(SourceId("s"), DocumentId("d"), "d.md", title, start=0, end=len(text), headings=headings)
    return Passage(PassageId(f"p{number}"), text, provenance, content_hash="", tokens=1)


def keys(rows: tuple[Alias, ...]) -> dict[str, float]:
    return {row.key: row.weight for row in rows}


def test_two_spellings_of_a_name_have_one_key() -> None:
    assert name_key("Schindler’s  LIST") == name_key("Schindler's List") == "schindler list"
    assert name_key("Beyoncé (U.S. tour)") == "beyonce us tour"


def test_a_title_gives_its_shorter_forms_with_less_weight() -> None:
    assert keys(aliases([passage(0, "The Wall (film)", "A film.")])) == {
        "the wall film": 1.0,
        "the wall": 0.9,
        "wall": 0.8,
    }
    assert keys(aliases([passage(0, "Tucson, Arizona", "")])) == {"tucson arizona": 1.0, "tucson": 0.7}


def test_the_lead_sentence_adds_the_full_name_and_what_it_is_called() -> None:
    rows = keys(aliases([passage(0, "Bono", "Paul David Hewson (born 1960), known as Bono Vox, is a singer.")]))
    assert rows == {"bono": 1.0, "bono vox": 0.6}


def test_a_heading_names_the_first_passage_under_it() -> None:
    rows = aliases(
        [
            passage(0, "Handbook", "Text", ("Handbook",)),
            passage(1, "Handbook", "Text", ("Handbook", "Annual plans")),
            passage(2, "Handbook", "Text", ("Handbook", "Annual plans")),
        ]
    )
    assert [(row.key, row.passage) for row in rows] == [("annual plans", "p1"), ("handbook", "p0")]


def test_the_longest_name_wins_and_a_passage_never_names_itself() -> None:
    rows = [
        Alias("new york", "new york", PassageId("ny"), 1.0),
        Alias("new york", "new york city council", PassageId("council"), 1.0),
        Alias("mayor", "mayor", PassageId("own"), 1.0),
    ]
    found = mentions(["Mayor of it.", "The New York City Council sits in New York."])
    assert [(n.target, n.sentence) for n in resolve(PassageId("own"), found, names(rows))] == [
        ("council", 1),
        ("ny", 1),
    ]
    assert "new york" in leads(found)


def test_a_name_that_many_passages_carry_is_ignored() -> None:
    rows = [Alias("overview", "overview", PassageId(f"p{n}"), 0.5) for n in range(4)]
    assert resolve(None, mentions(["Overview"]), names(rows)) == ()
    assert len(resolve(None, mentions(["Overview"]), names(rows[:3]))) == 3


def test_a_sentence_is_no_name_and_one_word_is_no_heading() -> None:
    rows = aliases(
        [passage(0, "Security team", "The security team writes rules", ("Security team", "Rules", "Who asks"))]
    )
    assert keys(rows) == {"security team": 1.0, "who asks": 0.5}


def test_a_list_is_also_named_by_what_it_lists() -> None:
    assert keys(aliases([passage(0, "List of rivers", "")])) == {"list of rivers": 1.0, "rivers": 0.6}


def test_a_name_inside_a_longer_name_is_not_found_again() -> None:
    rows = [
        Alias("north york", "north york city", PassageId("long"), 1.0),
        Alias("york city", "york city", PassageId("inner"), 1.0),
    ]
    found = mentions(["North York City grew."])
    assert [named.target for named in resolve(None, found, names(rows))] == ["long"]


def test_a_name_reaches_over_two_plain_words_and_not_over_three() -> None:
    reaches = {one.words for one in mentions(["Lord of the Rings came to this quiet Town"])}
    assert ("lord", "of", "the", "rings", "came", "to") in reaches
    assert max(map(len, reaches)) == 6


def test_in_a_query_lower_case_names_count_but_not_single_words() -> None:
    rows = [Alias("annual plans", "annual plans", PassageId("a"), 1.0), Alias("plans", "plans", PassageId("b"), 1.0)]
    asked = mentions(["what do annual plans and plans cost"], any_case=True)
    assert [named.target for named in resolve(None, asked, names(rows))] == ["a"]
    spoken = mentions(["what do Plans cost"], any_case=True)
    assert [named.target for named in resolve(None, spoken, names(rows))] == ["b"]
    assert "plans" not in leads(asked)
