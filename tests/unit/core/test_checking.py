"""A thought from outside is what its types say, or it is none."""

from dataclasses import replace
from typing import Any

import pytest

from satisfice.core.checking import MAX_CHARS, fault_of
from satisfice.core.claims import Claim
from satisfice.core.evidence import Judgement
from satisfice.core.facts import Thought
from satisfice.core.ids import ClaimId, ProposalId
from satisfice.core.orders import Answer, BranchProposal, Sentence
from satisfice.testing.building import evidence, passage, retrieve, search

CLAIM = Claim(ClaimId("c"), "what", "what")
LOOK = search("alpha", "c")
FOUND = evidence("c", passage("p", "alpha is 1"))
WHOLE = Thought(
    classification=retrieve(),
    claims=(CLAIM,),
    evidence=(FOUND,),
    judgements=(Judgement(CLAIM.id, 0.5),),
    judged=(FOUND.span.passage_id,),
    proposals=(LOOK, BranchProposal(ProposalId("b"), (CLAIM.id,), 0.5)),
    answer=Answer((Sentence("alpha is 1", (FOUND.span,), (CLAIM.id,)),)),
    notes=("said",),
)
ANYTHING: Any = None


def test_a_whole_thought_and_an_empty_one_are_sound() -> None:
    assert fault_of(WHOLE) == ""
    assert fault_of(Thought()) == ""


@pytest.mark.parametrize(
    ("thought", "where"),
    [
        (None, "thought is NoneType"),
        (7, "thought is int"),
        (replace(WHOLE, claims=ANYTHING), "thought.claims is NoneType"),
        (replace(WHOLE, claims=(replace(CLAIM, text=ANYTHING),)), "thought.claims[0].text is NoneType"),
        (replace(WHOLE, claims=(replace(CLAIM, weight=float("nan")),)), "thought.claims[0].weight is nan"),
        (replace(WHOLE, proposals=("search",)), "thought.proposals[0] is str"),
        (replace(WHOLE, evidence=(replace(FOUND, score=ANYTHING),)), "thought.evidence[0].score is NoneType"),
        (replace(WHOLE, judgements=(Judgement(CLAIM.id, float("inf")),)), "thought.judgements[0].support is inf"),
        (replace(WHOLE, notes=("x" * (MAX_CHARS + 1),)), "thought.notes[0] has 100,001 characters"),
    ],
)
def test_what_is_wrong_is_named(thought: Any, where: str) -> None:
    assert where in fault_of(thought)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"depth": -1}, "lineage.depth is -1"),
        ({"depth": 1.5}, "lineage.depth is float"),
        ({"reason": "haha"}, "lineage.reason is str"),
    ],
)
def test_a_proposal_of_no_depth_or_reason_is_none(change: dict[str, Any], where: str) -> None:
    bad = replace(LOOK, lineage=replace(LOOK.lineage, **change))

    assert where in fault_of(replace(WHOLE, proposals=(bad,)))


def test_a_query_for_nothing_is_none() -> None:
    bad = replace(LOOK, query=replace(LOOK.query, top_k=0))

    assert "query.top_k is 0" in fault_of(replace(WHOLE, proposals=(bad,)))
