"""Several questions in one are told apart, and one question is never torn."""

import pytest

from satisfice.adapters.reasoners.planning import claims_of


@pytest.mark.parametrize(
    "asked",
    [
        [
            "How long are backups kept",
            "how often must API keys be rotated",
            "who leads the Security team",
            "how quickly must a page be acknowledged?",
        ],
        ["What is the late fee", "how is it paid", "when is it due?"],
        ["Who wrote the book", "who published it", "what year did it come out?"],
        ["How long are backups kept", "how many copies are there?"],
    ],
)
def test_each_question_of_a_list_is_a_claim_that_quotes_it(asked: list[str]) -> None:
    *most, last = asked
    for question in (", ".join(asked), f"{', '.join(most)}, and {last}"):
        assert [claim.quote for claim in claims_of(question)] == asked


@pytest.mark.parametrize(
    "question",
    [
        "Which dog is a giant breed, the Leonberger or the Basset Hound?",
        "Who directed the film, which was released in 1999, about sharks?",
        "Who directed the film, which was released in 1999?",
        "Who is the actor, who played the captain of the ship?",
        "What is the city, where the king was born, called?",
        "How many legs does the animal have, in which Karl discusses them?",
        "When the server fails, what does the client do?",
        "In which year, and by whom, was the school founded?",
        "What did red, green and blue mean on the map?",
    ],
)
def test_relative_clauses_lists_and_conditions_stay_with_their_question(question: str) -> None:
    assert [claim.quote for claim in claims_of(question)] == [question]
