"""The extractive reasoner as the engine meets it: a view in, a thought out, the same one every time."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.adapters.reasoners.extractive import NEEDS_MODEL, ExtractiveReasoner
from satisfice.adapters.reasoners.writing import DISAGREE, UNSETTLED, check
from satisfice.core.access import Permission, Use
from satisfice.core.claims import AnswerType, Claim
from satisfice.core.evidence import Evidence, Judgement, Stance
from satisfice.core.facts import RetrievalAction, Thought
from satisfice.core.ids import ClaimId, DocumentId, PassageId, SourceId
from satisfice.core.orders import Answer, LookUpProposal, SearchProposal, Sentence, Step
from satisfice.core.passages import Handle, Link, Passage, Provenance, Span, Trust, quote, quote_hash
from satisfice.core.queries import Lineage, Query, ReasonCode, Transformation
from satisfice.core.sources import Authority, Shape, SourceProfile
from satisfice.ports.model import Completion
from satisfice.ports.reasoner import PastQuery, Unusable, View
from satisfice.ports.retriever import TermStatistics

SOURCE = SourceId("handbook")
AS_OF = "2026-01-01T00:00:00Z"
REASONER = ExtractiveReasoner()


def passage(
    name: str,
    text: str,
    title: str = "",
    *,
    headings: tuple[str, ...] = (),
    trust: Trust = Trust.NORMAL,
    permission: Permission | None = None,
    published: str | None = None,
    authority: Authority = Authority.OFFICIAL,
) -> Passage:
    place = Provenance(
        SOURCE, DocumentId(name), f"{name}.md", title, 0, len(text), headings, published_at=published, authority=authority
    )  # fmt: skip
    place = place if permission is None else replace(place, permission=permission)
    return Passage(PassageId(name), text, place, quote_hash(text), len(text) // 4, trust=trust)


def planned(question: str, *sources: SourceProfile, history: tuple[str, ...] = ()) -> Thought:
    view = View(question, sources or (SourceProfile(SOURCE),), AS_OF, history)
    return REASONER.ask((Step.CLASSIFY, Step.PLAN, Step.DRAFT), view)


def held(question: str, *passages: Passage, statistics: TermStatistics | None = None) -> View:
    known = statistics or TermStatistics(200, {"plan": 60, "refund": 30, "window": 30, "offic": 40})
    view = View(question, (SourceProfile(SOURCE),), AS_OF, claims=planned(question).claims, passages=passages)
    return replace(view, unjudged=frozenset(p.id for p in passages), statistics=known)


def judged(view: View) -> Thought:
    return REASONER.ask((Step.JUDGE, Step.WRITE, Step.CHECK), view)


def shown(thought: Thought) -> list[str]:
    assert thought.answer is not None
    return [sentence.text for sentence in thought.answer.sentences]


REFUNDS = passage(
    "refunds",
    "Annual plans can be refunded in full within 30 days of purchase. Monthly plans can be refunded within 7 days. "
    "The money is returned to the card it came from.",
    "Refund policy",
    headings=("Refund policy", "Refund window"),
)
OFFICES = passage("offices", "The Ghent office opens at nine. Visitors sign in at the front desk.", "Offices")
KEYS = passage(
    "keys",
    "# API keys\n\nKeys belong to an account. API keys must be rotated every 90 days.\n\n"
    "## How to rotate a key\n\n1. Open the settings and press New key.\n2. Put the new key into your program.\n"
    "3. Press Revoke beside the old key.\n\nBoth keys work side by side.",
    "API keys",
    headings=("API keys",),
)


# --- classify, plan, draft -----------------------------------------------------------------------------------------


def test_a_greeting_is_answered_without_a_search() -> None:
    thought = planned("hello there!")
    assert thought.classification is not None
    assert thought.classification.action is RetrievalAction.NO_RETRIEVE
    assert thought.classification.shape is Shape.CHAT
    assert len(shown(thought)) == 1


def test_a_question_behind_a_greeting_is_looked_up_without_it() -> None:
    thought = planned("hi, what is the refund window?")
    assert thought.classification is not None
    assert thought.classification.action is RetrievalAction.RETRIEVE
    assert thought.answer is None
    assert [claim.text for claim in thought.claims] == ["what is the refund window?"]


def test_reworking_ones_own_text_says_plainly_that_it_needs_a_model() -> None:
    thought = planned("Please rewrite this in a formal tone: we are sorry about the delay")
    assert thought.classification is not None
    assert thought.classification.shape is Shape.OWN_TEXT
    assert shown(thought) == [NEEDS_MODEL]


def test_each_part_of_a_question_becomes_a_claim_with_a_first_look() -> None:
    thought = planned("Who wrote Refund Policy and when was it published?")
    assert [claim.quote for claim in thought.claims] == ["Who wrote Refund Policy", "when was it published?"]
    assert thought.claims[1].text == "when was it published? Refund Policy"
    searches = [p for p in thought.proposals if isinstance(p, SearchProposal)]
    assert [(p.lineage.claim, p.lineage.reason) for p in searches] == [
        (ClaimId("c1"), ReasonCode.FIRST_LOOK),
        (ClaimId("c2"), ReasonCode.FIRST_LOOK),
    ]
    assert all(p.lineage.transformation is Transformation.DECOMPOSE for p in searches)


def test_a_comparison_has_a_claim_for_each_side() -> None:
    thought = planned("Which film came out first, Blind Shaft or Red Cliff?")
    assert [claim.quote for claim in thought.claims] == ["Blind Shaft", "Red Cliff"]
    assert thought.claims[0].text == "Which film came out, Blind Shaft?"


def test_claims_of_the_task_are_kept_as_they_are() -> None:
    claim = Claim(ClaimId("effective"), "the date from which the policy applies", "", key="effective_date")
    view = View("When does it apply?", (SourceProfile(SOURCE),), AS_OF, claims=(claim,))
    assert REASONER.ask((Step.PLAN,), view).claims == (claim,)


def test_a_follow_up_takes_its_subject_from_what_was_asked_before() -> None:
    thought = planned(
        "What about monthly plans?", history=("How long is the refund window for annual plans?", "30 days")
    )
    assert thought.classification is not None
    assert thought.classification.action is RetrievalAction.REFORMULATE_THEN_RETRIEVE
    (claim,) = thought.claims
    assert claim.quote == "What about monthly plans?"
    assert {"refund", "window"} <= set(claim.text.split())
    assert claim.expects is AnswerType.NUMBER


def test_the_first_look_goes_to_the_source_that_fits_best() -> None:
    other = SourceProfile(SourceId("a-wiki"), "Cooking recipes")
    best = SourceProfile(SourceId("z-handbook"), "The handbook: plans, refunds, security")
    (look,) = planned("What is the refund window?", other, best).proposals
    assert isinstance(look, SearchProposal)
    assert look.query.source == "z-handbook"


@given(st.text(max_size=300))
def test_any_question_gets_a_plan_whose_claims_quote_it(question: str) -> None:
    thought = planned(question)
    assert thought.classification is not None
    assert all(claim.quote in question for claim in thought.claims)
    assert thought == planned(question)


# --- judge ---------------------------------------------------------------------------------------------------------


def test_an_answerable_question_is_settled_by_the_exact_sentence() -> None:
    view = held("How long is the refund window for annual plans?", OFFICES, REFUNDS)
    thought = judged(view)
    best = max(thought.evidence, key=lambda item: item.score)
    assert quote(REFUNDS, best.span) == "Annual plans can be refunded in full within 30 days of purchase."
    assert (best.stance, best.value, best.unit) == (Stance.SUPPORTS, "30", "day")
    assert best.quote_hash == quote_hash(quote(REFUNDS, best.span))
    assert thought.judgements[0].support >= 0.5
    assert set(thought.judged) == {REFUNDS.id, OFFICES.id}


def test_a_question_about_something_else_is_not_settled_and_says_what_is_missing() -> None:
    thought = judged(held("How many parking spaces does the Osaka office have?", OFFICES, REFUNDS))
    assert thought.judgements[0].support < 0.5
    assert {"parking", "Osaka"} <= set(thought.judgements[0].missing)


def test_an_identifier_must_stand_in_the_passage_letter_by_letter() -> None:
    other = passage("errors", "Error E1043 means that the disk is full. Free some space and try again.", "Errors")
    wrong = judged(held("What does error E1042 mean?", other))
    right = judged(held("What does error E1043 mean?", other))
    assert wrong.judgements[0].support < 0.5 <= right.judgements[0].support


def test_a_procedure_is_quoted_with_its_steps() -> None:
    thought = judged(held("How do I rotate an API key?", KEYS, OFFICES))
    best = max(thought.evidence, key=lambda item: item.score)
    assert quote(KEYS, best.span).startswith("1. Open the settings")
    assert quote(KEYS, best.span).endswith("beside the old key.")


def test_a_procedure_is_quoted_with_its_steps_with_vectors_too() -> None:
    view = held("How do I rotate an API key?", KEYS, OFFICES)
    view = replace(view, cosines={KEYS.id: 0.5, OFFICES.id: 0.1}, word_cosines={"rotate": {"rotated": 0.8}})
    best = max(judged(view).evidence, key=lambda item: item.score)
    assert quote(KEYS, best.span).startswith("1. Open the settings")


def test_kept_spans_never_overlap_and_no_passage_takes_them_all() -> None:
    long = passage("long", " ".join(f"The refund window of plan {n} is {n} days." for n in range(9)), "Refunds")
    for question in ("How long is the refund window?", "How do I rotate an API key?"):
        thought = judged(held(question, long, KEYS, REFUNDS))
        spans = sorted((e.span.passage_id, e.span.start, e.span.end) for e in thought.evidence)
        assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(spans))
        assert max(sum(name == p for name, _, _ in spans) for p in ("long", "keys")) == 3


def test_a_claim_that_names_something_unheard_of_is_less_supported() -> None:
    known = judged(held("How long is the refund window for annual plans?", REFUNDS, OFFICES)).judgements[0]
    named = judged(held("How long is the refund window for annual Zephyr plans?", REFUNDS, OFFICES)).judgements[0]
    assert named.support < 0.5 < known.support
    assert named.missing == ("Zephyr",)


def test_a_yes_or_no_question_needs_an_explicit_yes_or_no() -> None:
    plan = passage("plan", "The audit log is included in the Practice plan.", "Plans")
    question = "Is the audit log included in the Practice plan?"
    (yes,) = (e for e in judged(held(question, plan)).evidence if e.stance is Stance.SUPPORTS)
    assert yes.value == "yes"
    (no,) = (
        e
        for e in judged(
            held(question, replace(plan, text="The audit log is not included in the Practice plan."))
        ).evidence
        if e.stance is Stance.SUPPORTS
    )
    assert no.value == "no"
    vague = replace(plan, text="Ask sales about the audit log of the Practice plan.")
    assert {e.stance for e in judged(held(question, vague)).evidence} == {Stance.MENTIONS}
    assert judged(held(question, vague)).judgements[0].support < 0.5


def test_an_assertion_is_contradicted_by_its_denial() -> None:
    text = passage("plan", "The free plan is not refundable under any condition.", "Plans")
    stances = {e.stance for e in judged(held("The free plan is refundable.", text)).evidence}
    assert stances == {Stance.CONTRADICTS}


def test_suspicious_text_only_mentions_and_is_never_quoted() -> None:
    poisoned = passage("bad", "Annual plans can be refunded within 900 days of purchase.", trust=Trust.SUSPICIOUS)
    thought = judged(held("How long can annual plans be refunded?", poisoned, OFFICES))
    assert {e.stance for e in thought.evidence if e.span.passage_id == "bad"} == {Stance.MENTIONS}
    assert all("900" not in text for text in shown(thought))


def test_a_span_that_supported_and_is_outdone_only_mentions() -> None:
    view = held("How long is the refund window for annual plans?", OFFICES, REFUNDS)
    span = Span(OFFICES.id, 0, 31)
    earlier = Evidence(ClaimId("c1"), span, quote_hash(quote(OFFICES, span)), Stance.SUPPORTS, 0.9, "9")
    again = judged(replace(view, evidence=(earlier,)))
    (item,) = (e for e in again.evidence if e.span == span)
    assert item.stance is Stance.MENTIONS


def test_two_sentences_answer_together_where_one_names_what_the_other_is_about() -> None:
    approvals = passage("approvals", "Refunds for the Practice plan are approved by the Revenue Desk.", "Refunds")
    chart = passage(
        "chart", "The Revenue Desk is led by Ines Moravec. The Ghent office is led by Jo Baert.", "Org chart"
    )
    view = held("Who leads the team that approves refunds for the Practice plan?", approvals, chart, OFFICES)
    quotes = shown(judged(view))
    assert quotes[-2:] == [approvals.text, "The Revenue Desk is led by Ines Moravec."]


def test_judging_is_the_same_whatever_the_order_of_passages() -> None:
    question = "How long is the refund window for annual plans?"
    one, other = judged(held(question, REFUNDS, OFFICES, KEYS)), judged(held(question, KEYS, OFFICES, REFUNDS))
    assert {(e.span, e.stance, e.score) for e in one.evidence} == {(e.span, e.stance, e.score) for e in other.evidence}
    assert one.judgements == other.judgements


@given(st.lists(st.text(max_size=200), min_size=1, max_size=4), st.text(min_size=1, max_size=80))
def test_evidence_always_points_at_what_it_says(texts: Sequence[str], question: str) -> None:
    passages = [passage(f"p{i}", text) for i, text in enumerate(texts)]
    view = held(question, *passages)
    by_id = {p.id: p for p in passages}
    thought = judged(view)
    for item in thought.evidence:
        assert item.quote_hash == quote_hash(quote(by_id[item.span.passage_id], item.span))
        assert 0.0 <= item.score <= 1.0
    assert all(0.0 <= j.support <= 1.0 for j in thought.judgements)
    assert thought.answer is not None
    assert thought.answer.dropped == ()


def test_word_vectors_are_used_when_they_are_there() -> None:
    car = passage("car", "The automobile costs 900 euros. The garden is green and quiet.", "Prices")
    view = held("How much does the vehicle cost?", car, OFFICES)
    with_vectors = replace(
        view,
        cosines={car.id: 0.6, OFFICES.id: 0.0},
        word_cosines={"vehicle": {"automobile": 0.9}, "cost": {"costs": 0.9}},
    )
    best = max(judged(with_vectors).evidence, key=lambda item: item.score)
    assert quote(car, best.span) == "The automobile costs 900 euros."


# --- propose -------------------------------------------------------------------------------------------------------


def searched(view: View, *handles: Handle) -> View:
    query = Query(view.claims[0].text, SOURCE)
    found = tuple(Handle(p.id, p.provenance.document_id, p.provenance.title, 1.0) for p in view.passages)
    return replace(view, queries=(PastQuery(query, Lineage(claim=view.claims[0].id), (*found, *handles)),))


def test_an_open_claim_is_followed_by_its_links_and_its_missing_terms() -> None:
    film = passage("film", "The Long Road is a film directed by Ana Berg.", "The Long Road")
    view = held("When was the director of The Long Road born?", film)
    link = Link(PassageId("ana"), 1.0, ("director",))
    handle = Handle(film.id, film.provenance.document_id, "The Long Road", 1.0, matched=("long", "road"), links=(link,))
    linked = Handle(PassageId("ana"), DocumentId("ana"), "Ana Berg", 0.1)
    view = searched(view, handle, linked)
    thought = REASONER.ask((Step.JUDGE, Step.PROPOSE), view)
    kinds = [p.lineage.reason if isinstance(p, SearchProposal) else type(p).__name__ for p in thought.proposals]
    assert "LookUpProposal" in kinds
    assert ReasonCode.NARROW_ENTITY in kinds
    (look_up,) = (p for p in thought.proposals if isinstance(p, LookUpProposal))
    assert (look_up.passages, look_up.source, look_up.claim) == ((PassageId("ana"),), SOURCE, ClaimId("c1"))


def test_a_settled_claim_needs_nothing_more() -> None:
    view = searched(held("How long is the refund window for annual plans?", REFUNDS, OFFICES))
    assert REASONER.ask((Step.JUDGE, Step.PROPOSE), view).proposals == ()


def test_what_ran_before_is_not_proposed_again() -> None:
    view = searched(held("Where is the Osaka parking garage of the Ghent office?", OFFICES))
    first = REASONER.ask((Step.JUDGE, Step.PROPOSE), view).proposals
    ran = tuple(PastQuery(p.query, p.lineage) for p in first if isinstance(p, SearchProposal))
    assert ran
    again = REASONER.ask((Step.JUDGE, Step.PROPOSE), replace(view, queries=(*view.queries, *ran))).proposals
    sent = {past.query.identity() for past in ran}
    assert all(p.query.identity() not in sent for p in again if isinstance(p, SearchProposal))


# --- write and check -----------------------------------------------------------------------------------------------


def test_a_clear_answer_is_one_exact_quote() -> None:
    view = held("How long is the refund window for annual plans?", REFUNDS, OFFICES)
    (sentence,) = judged(view).answer.sentences  # pyright: ignore[reportOptionalMemberAccess]
    assert quote(REFUNDS, sentence.citations[0]) == sentence.text
    assert sentence.claims == (ClaimId("c1"),)


def test_disagreeing_documents_are_both_quoted_with_source_and_date() -> None:
    one = passage("one", "The refund window for annual plans is 30 days.", "Policy one", published="2024-03-01")
    two = passage("two", "The refund window for annual plans is 14 days.", "Policy two", published="2024-03-01")
    texts = shown(judged(held("How long is the refund window for annual plans?", one, two)))
    assert texts[0] == DISAGREE
    assert {one.text, two.text, "Policy one (2024-03-01) says:", "Policy two (2024-03-01) says:"} == set(texts[1:])


def test_the_newer_of_two_policies_is_put_first_and_the_older_is_not_hidden() -> None:
    old = passage("old", "The refund window for annual plans is 30 days.", "Old policy", published="2024-03-01")
    new = passage("new", "The refund window for annual plans is 14 days.", "New policy", published="2026-03-01")
    texts = shown(judged(held("How long is the refund window for annual plans?", old, new)))
    assert texts[0] == new.text
    assert texts[-1] == old.text


def test_a_question_nothing_speaks_to_gets_no_answer() -> None:
    thought = judged(held("Who painted the ceiling of the Sistine Chapel?", OFFICES))
    assert thought.answer == Answer(())


def test_a_gap_beside_an_answer_is_said_plainly() -> None:
    question = "How long is the refund window for annual plans and who painted the Sistine Chapel ceiling?"
    texts = shown(judged(held(question, REFUNDS, OFFICES)))
    assert texts[0] == "Annual plans can be refunded in full within 30 days of purchase."
    assert texts[-1] == "Nothing was found that answers: who painted the Sistine Chapel ceiling?"


def test_what_is_not_settled_is_introduced_as_such() -> None:
    thought = judged(held("How long is the refund window for annual plans?", REFUNDS, OFFICES))
    weak = tuple(replace(j, support=0.3) for j in thought.judgements)
    view = replace(held("How long is the refund window for annual plans?", REFUNDS, OFFICES), judgements=weak)
    texts = shown(REASONER.ask((Step.WRITE,), replace(view, evidence=thought.evidence)))
    assert texts[0] == UNSETTLED
    assert len(texts) > 2


def test_what_two_documents_say_alike_is_quoted_once() -> None:
    other = passage("copy", REFUNDS.text, "Refund policy", headings=("Refund policy", "Refund window"))
    texts = shown(judged(held("How long is the refund window for annual plans?", REFUNDS, other, OFFICES)))
    assert texts.count("Annual plans can be refunded in full within 30 days of purchase.") == 1


def test_a_copy_that_differs_in_marks_and_line_breaks_is_not_quoted_again() -> None:
    marked = REFUNDS.text.replace("Annual plans can be refunded", "*Annual plans* can\nbe refunded")
    other = passage("copy", marked, "Refund policy", headings=("Refund policy", "Refund window"))
    texts = shown(judged(held("How long is the refund window for annual plans?", REFUNDS, other, OFFICES)))
    assert sum("refunded in full within 30 days" in text for text in texts) == 1


def test_evidence_from_suspicious_text_is_not_quoted_whoever_judged_it() -> None:
    view = held("How long is the refund window for annual plans?", REFUNDS)
    thought = judged(view)
    poisoned = replace(REFUNDS, trust=Trust.SUSPICIOUS)
    later = replace(view, passages=(poisoned,), evidence=thought.evidence, judgements=thought.judgements)
    assert REASONER.ask((Step.WRITE,), later).answer == Answer(())


def test_text_that_may_be_read_but_not_quoted_is_not_quoted() -> None:
    closed = replace(REFUNDS, provenance=replace(REFUNDS.provenance, permission=Permission(uses=frozenset({Use.READ}))))
    assert judged(held("How long is the refund window for annual plans?", closed)).answer == Answer(())


@pytest.mark.parametrize(
    ("text", "span", "why"),
    [
        ("Annual plans are free.", Span(REFUNDS.id, 0, 64), "is not what its citation says"),
        ("Annual", Span(PassageId("gone"), 0, 6), "cites passage 'gone', which is not held"),
        ("Annual", Span(REFUNDS.id, 0, 9_999), "is not inside passage"),
    ],
)
def test_a_sentence_whose_citation_does_not_say_it_is_dropped_and_reported(text: str, span: Span, why: str) -> None:
    view = held("How long is the refund window?", REFUNDS)
    good = Sentence(quote(REFUNDS, Span(REFUNDS.id, 0, 64)), (Span(REFUNDS.id, 0, 64),))
    checked = check(Answer((good, Sentence(text, (span,)))), view, ())
    assert checked.sentences == (good,)
    assert why in checked.dropped[0]


def test_a_quote_from_a_passage_that_changed_since_is_dropped() -> None:
    span = Span(REFUNDS.id, 0, 64)
    item = Evidence(ClaimId("c1"), span, quote_hash("other text"), Stance.SUPPORTS, 0.9)
    view = held("How long is the refund window?", REFUNDS)
    checked = check(Answer((Sentence(quote(REFUNDS, span), (span,)),)), view, (item,))
    assert checked.sentences == ()
    assert "has changed" in checked.dropped[0]


def test_judging_before_is_enough_to_write_later() -> None:
    view = held("How long is the refund window for annual plans?", REFUNDS, OFFICES)
    thought = REASONER.ask((Step.JUDGE,), view)
    later = replace(view, evidence=thought.evidence, judgements=thought.judgements, unjudged=frozenset())
    assert REASONER.ask((Step.WRITE, Step.CHECK), later).answer == judged(view).answer


# --- the port ------------------------------------------------------------------------------------------------------


def test_it_asks_for_the_statistics_of_what_it_compares() -> None:
    view = held("How long is the refund window for annual plans?", REFUNDS)
    assert {"refund", "window", "plan", "polici"} <= set(REASONER.terms(view))


def test_it_reads_no_completion_because_it_asks_no_model() -> None:
    view = held("Why?", REFUNDS)
    assert isinstance(REASONER.read((Step.WRITE,), view, Completion("hello")), Unusable)


def test_an_empty_view_gets_an_empty_thought() -> None:
    view = View("", (), AS_OF)
    thought = REASONER.ask(tuple(Step), view)
    assert (thought.evidence, thought.proposals, thought.judgements) == ((), (), ())


def test_a_judgement_of_the_view_counts_when_nothing_is_judged_anew() -> None:
    view = replace(held("Who?", REFUNDS), judgements=(Judgement(ClaimId("c1"), 0.9),))
    assert REASONER.ask((Step.WRITE,), view).answer == Answer(())
