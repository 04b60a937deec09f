"""The gate for rewrites: each thing a rewrite may not do, and what it may."""

import pytest

from satisfice.core.ids import SourceId
from satisfice.core.orders import Refusal, RefusalKind
from satisfice.core.queries import NO_FILTERS, Filters, Lineage, Query, ReasonCode, Transformation
from satisfice.core.rewriting import may_rewrite

QUESTION = "How long is the refund window for annual plans?"
PARAPHRASE = Lineage(transformation=Transformation.PARAPHRASE, depth=1)


def gate(
    text: str,
    lineage: Lineage | None = None,
    *,
    question: str = QUESTION,
    filters: Filters = NO_FILTERS,
    scope: Filters = NO_FILTERS,
    known: tuple[str, ...] = (),
) -> Refusal | None:
    query = Query(text, SourceId("s"), filters=filters)
    return may_rewrite(question, query, lineage or Lineage(), scope=scope, known=known)


def kind(refusal: Refusal | None) -> RefusalKind | None:
    return refusal.kind if refusal else None


def test_a_rewrite_on_the_question_within_its_limits_may_run() -> None:
    assert gate("refund window annual") is None
    assert gate("refund window", Lineage(depth=2)) is None


@pytest.mark.parametrize("text", ["", "  ", "?!", "…"])
def test_a_query_without_a_word_is_empty(text: str) -> None:
    assert kind(gate(text)) is RefusalKind.EMPTY


def test_a_query_that_shares_nothing_with_the_question_is_off_it_unless_something_held_leads_there() -> None:
    assert kind(gate("founders of Initech")) is RefusalKind.OFF_QUESTION
    assert gate("founders of Initech", known=("Annual plans are sold by Initech.",)) is None
    assert gate("退款期限", question="年度套餐的退款期限是多少") is None
    assert kind(gate("发票下载", question="年度套餐的退款期限是多少")) is RefusalKind.OFF_QUESTION


def test_a_translation_and_an_alias_need_not_share_a_word() -> None:
    assert gate("Rückerstattungsfrist", Lineage(transformation=Transformation.TRANSLATE)) is None
    assert gate("money-back guarantee", Lineage(reason=ReasonCode.RESOLVE_ALIAS)) is None


def test_filters_may_be_narrowed_and_never_widened() -> None:
    scope = Filters(fields=(("region", ("eu", "us")),), published_from="2025-01-01")
    narrower = Filters(fields=(("region", ("eu",)),), published_from="2025-06-01")
    assert gate("refund window", filters=narrower, scope=scope) is None
    assert kind(gate("refund window", scope=scope)) is RefusalKind.WIDENS_FILTER
    wider = Filters(fields=(("region", ("eu", "jp")),), published_from="2025-06-01")
    assert kind(gate("refund window", filters=wider, scope=scope)) is RefusalKind.WIDENS_FILTER


def test_now_may_not_become_ever() -> None:
    now = "Who is the current head of the Berlin office?"
    assert gate("current head Berlin office", question=now) is None
    assert gate("head Berlin office", question=now) is None
    assert kind(gate("former heads of the Berlin office", question=now)) is RefusalKind.WIDENS_FILTER
    assert gate("former heads of the Berlin office", question="Who was a former head of the Berlin office?") is None


def test_a_paraphrase_may_not_assume_a_number_a_date_or_a_negation_and_a_narrower_query_may() -> None:
    assert kind(gate("refund window annual plans 2026", PARAPHRASE)) is RefusalKind.OFF_QUESTION
    assert kind(gate("annual plans without refund", PARAPHRASE)) is RefusalKind.OFF_QUESTION
    narrow = Lineage(transformation=Transformation.NARROW, reason=ReasonCode.ADD_TIME_FILTER, depth=1)
    assert gate("refund window annual plans 2026", narrow) is None
