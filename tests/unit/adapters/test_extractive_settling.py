"""A unit settles only what it is of the kind to settle."""

import pytest

from satisfice.adapters.reasoners.aiming import aim_of
from satisfice.adapters.reasoners.planning import claims_of
from satisfice.adapters.reasoners.scoring import Scene, scored
from satisfice.adapters.reasoners.settling import fit, fitting_first, subject_of
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.passages import Passage, Provenance, quote_hash
from satisfice.ports.retriever import TermStatistics


def grade(question: str, text: str, title: str = "Guide") -> int:
    """The best grade any unit of the text gets for the question's first claim."""
    claim = claims_of(question)[0]
    compared = question if claim.quote != question else ""
    aim = aim_of(claim.text, claim.expects)
    return max((fit(claim, aim, compared, one) for one in scored(aim, scene(text, title))), default=0)


def scene(text: str, title: str = "Guide") -> Scene:
    origin = Provenance(SourceId("s"), DocumentId("d"), "d.md", title, 0, len(text))
    return Scene.of([Passage(PassageId("p"), text, origin, quote_hash(text), 1)], TermStatistics(), {}, {})


@pytest.mark.parametrize(
    ("question", "settling", "naming"),
    [
        (
            "What is a slice?",
            "A slice is a reference to a contiguous sequence of elements.",
            "String slices, as you might imagine, are specific to strings.",
        ),
        (
            "What is a build script?",
            "A build script is a program that is compiled before the package.",
            "The Multiple Build Scripts feature allows several build scripts in a package.",
        ),
        (
            "What does --offline do?",
            "The --offline flag tells the tool to not touch the network at all.",
            "See the --offline flag for more information on using the offline mode.",
        ),
        (
            "What does PKG_VERSION contain?",
            "- PKG_VERSION — The full version of the package being built.",
            "The version will from now on contain the value of PKG_VERSION.",
        ),
        (
            "How many users does the tool have?",
            "The tool has about 90 thousand users in twelve countries.",
            "New users are encouraged to use tool-log(1) instead of the tool.",
        ),
        (
            "Who founded Amazon Web Services?",
            "Amazon Web Services was founded by Maria Lopez in a garage.",
            "The example enables this Amazon Web Services account for Maria Lopez.",
        ),
        (
            "Does Jinja support async PHP templates?",
            "Jinja does support async PHP templates.",
            "Jinja does support async templates.",
        ),
        (
            "What is the default block size of df?",
            "The default block size of df is 1024 bytes.",
            "Scale the block size of df by 1024 bytes before printing.",
        ),
        (
            "Which port does the server listen on?",
            "The server listens on port 7878.",
            "The server that listens on a port looks like Figure 21.",
        ),
        (
            "What are the three rules of ownership?",
            "The rules of ownership are one owner, one value, and one scope.",
            "The rules of ownership are explained with a data type.",
        ),
        (
            "Which company employs the most developers?",
            "Acme employs more developers than any company.",
            "Add Sally, a developer whom a company employs, to Engineering.",
        ),
        (
            "How do I publish a crate?",
            "To publish a crate, run the publish command with your token.",
            "Let's publish a crate and look at how it differs from a program.",
        ),
        (
            "How long are unused files kept?",
            "Unused files are kept for 90 days.",
            "Deletion of unused files that are kept was stabilized in release 1.88.",
        ),
        (
            "How do I log in to the registry?",
            "To log in to the registry, run the login command with your token.",
            "In order to become an owner, a user must have logged into the registry.",
        ),
        (
            "How do I install the tool?",
            "To install the tool, run the setup script once.",
            "To install the latest tool: `https://example.org/en/latest <https://example.org/en/latest>`_.",
        ),
        (
            "What is the default of codegen units in the dev profile?",
            "The default of codegen units in the dev profile is 256.",
            "- Type: integer - Default: See the dev profile for codegen units.",
        ),
        (
            "What does --count do?",
            "--count is the option that prints only how many lines match.",
            "Lines that do not match are left out when\n    --count is given with another option.",
        ),
        (
            "How do I undo the last commit?",
            "To undo the last commit, reset the branch to the one before.",
            "The last three commits were bad and nobody wants to see them.",
        ),
        (
            "What is the difference between Fetch and Pull?",
            "Unlike Pull, Fetch is a command that changes no branch.",
            "After Fetch the new objects lie in the local folder.",
        ),
    ],
)
def test_a_unit_that_only_names_the_thing_does_not_settle_what_is_asked(
    question: str, settling: str, naming: str
) -> None:
    assert grade(question, settling) > 0
    assert grade(question, naming) == 0


def test_a_table_of_contents_settles_nothing() -> None:
    text = "0. Overview\n1. Documentation\n1.1. Files of the documentation\n2. Licence\n"
    claim = claims_of("What files does the documentation have?")[0]
    units = scored(aim_of(claim.text, claim.expects), scene(text))
    whole = max(units, key=lambda one: one.unit.end - one.unit.start)
    assert fit(claim, aim_of(claim.text, claim.expects), "", whole) == 0


def test_a_line_of_a_changelog_settles_only_questions_about_changes() -> None:
    line = "* Fixed how to report a bug (Bug#735); thanks to Peter."
    assert grade("Where is a bug reported?", line) == 0
    assert grade("What was fixed about how to report a bug?", line) > 0
    assert grade("Where is a bug reported?", "- Report a bug in the tracker.", "Changelog") == 0


def test_a_definition_in_full_comes_before_what_else_is_said_of_the_thing() -> None:
    text = "Ownership is unique. Ownership is the set of rules by which memory is managed."
    claim = claims_of("What is ownership?")[0]
    aim = aim_of(claim.text, claim.expects)
    ranked = list(scored(aim, scene(text)))
    found, fits = fitting_first(claim, aim, "", ranked)
    assert fits
    assert text[found[0].unit.start : found[0].unit.end].startswith("Ownership is the set")
    assert {one.unit.start for one in found} == {one.unit.start for one in ranked}


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a slice in Rust?", "slice"),
        ("What does the --all flag do?", "--all flag"),
        ("What is the pool entry fee?", ""),
        ("What is a good price for the ticket?", ""),
        ("Who is Ada?", ""),
    ],
)
def test_only_questions_for_a_meaning_have_something_to_define(question: str, subject: str) -> None:
    assert subject_of(question) == subject
