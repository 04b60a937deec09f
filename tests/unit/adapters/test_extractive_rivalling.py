"""Documents that say the same but for the value disagree, and nothing else does."""

import pytest

from satisfice.adapters.reasoners.extractive import ExtractiveReasoner
from satisfice.core.conflicts import Conflict, find
from satisfice.core.ids import DocumentId, PassageId, SourceId
from satisfice.core.orders import Step
from satisfice.core.passages import Passage, Provenance, quote_hash
from satisfice.core.sources import Authority, SourceProfile
from satisfice.ports.reasoner import View

REASONER = ExtractiveReasoner()
SOURCE = SourceId("s")


def passage(name: str, text: str, published: str | None = None) -> Passage:
    place = Provenance(
        SOURCE,
        DocumentId(name),
        f"{name}.md",
        name,
        0,
        len(text),
        published_at=published,
        authority=Authority.OFFICIAL,
    )
    return Passage(PassageId(name), text, place, quote_hash(text), len(text) // 4)


def conflict(question: str, *passages: Passage) -> Conflict | None:
    view = View(question, (SourceProfile(SOURCE),), "2026-06-01T00:00:00Z", passages=passages)
    claims = REASONER.ask((Step.PLAN,), view).claims
    judged = REASONER.ask((Step.JUDGE,), View(question, view.sources, view.as_of, claims=claims, passages=passages))
    return find(claims[0], judged.evidence, {one.id: one for one in passages})


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("What is the pool entry fee?", "The pool entry fee is 4 EUR.", "The pool entry fee is 6 EUR."),
        (
            "What is the maximum bonus for a manager?",
            "The maximum bonus for a manager is 40 percent. It is paid in March.",
            "Last spring the board met. The maximum bonus for a manager is 55 percent. Nobody may tell.",
        ),
        ("What is the quorum of the board?", "The quorum of the board is 12.", "The quorum of the board is 15."),
        ("What is the late interest rate?", "The late interest rate is 5%.", "The late interest rate is 7%."),
        ("What is the opening day?", "The opening day is 3 May 2026.", "The opening day is 5 June 2026."),
        (
            "Are dogs allowed in the garden?",
            "Dogs are allowed in the garden. Keep them on a leash.",
            "Dogs are not allowed in the garden. Bicycles are fine.",
        ),
    ],
)
def test_sentences_alike_but_for_the_value_are_a_conflict_that_the_newer_one_wins(
    question: str, one: str, other: str
) -> None:
    open_ = conflict(question, passage("a", one), passage("b", other))
    assert open_ is not None
    assert not open_.resolved
    won = conflict(question, passage("a", one, "2026-01-01"), passage("b", other, "2025-01-01"))
    assert won is not None
    assert won.resolved
    assert {item.span.passage_id for item in won.holds()} == {"a"}


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("What is the fee for members?", "The fee for members is 4 EUR.", "The fee for guests is 6 EUR."),
        ("What is the pool entry fee?", "The pool entry fee is 4 EUR.", "The pool entry fee is 4 euros."),
        ("What is the pool entry fee?", "The pool entry fee is 4 EUR.", "The pool entry fee is 4 EUR or 6 EUR."),
        ("What is the pool entry fee?", "The pool entry fee is 4 EUR.", "The sauna entry fee is 9 EUR."),
        ("What is the pool entry fee?", "The pool entry fee is 4 EUR.", "The pool entry fee is 3 percent."),
        (
            "How long are unused files kept?",
            "Unused files are kept in the folder for 90 days.",
            "Unused files kept too long are deleted since release 1.88.",
        ),
        (
            "Are dogs allowed in the garden?",
            "Dogs are allowed in the garden.",
            "Dogs are allowed in the garden on a leash of two metres, but not in the greenhouse.",
        ),
    ],
)
def test_sentences_about_something_else_or_of_one_value_are_none(question: str, one: str, other: str) -> None:
    assert conflict(question, passage("a", one), passage("b", other)) is None
