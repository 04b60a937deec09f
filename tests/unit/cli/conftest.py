"""A report with everything in it."""

import pytest

from satisfice.core.amounts import Dimension
from satisfice.core.claims import Claim, Requirement
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import AccountName, ClaimId, DocumentId, PassageId, RunId, SourceId
from satisfice.core.orders import Denied, StopReason
from satisfice.core.passages import Passage, Provenance, Span, quote, quote_hash
from satisfice.core.queries import ReasonCode
from satisfice.core.report import Citation, CitedSentence, ClaimReport, QueryTried, RunReport, Spent
from satisfice.core.sources import Authority
from satisfice.core.state import QueryStatus
from satisfice.core.sufficiency import Gap, GapKind, Status

POLICY = "# Refunds\n\nAnnual plans can be refunded within 14 days.\nMonthly plans cannot."
FORUM = "I got mine after 60 days, \x1b[31mjust ask\x1b[0m."


def passage(name: str, text: str, **provenance: object) -> Passage:
    origin = Provenance(SourceId("handbook"), DocumentId(name), f"{name}.md", name.title(), 0, len(text))
    changed = {field: provenance.get(field, getattr(origin, field)) for field in Provenance.__dataclass_fields__}
    return Passage(PassageId(name), text, Provenance(**changed), quote_hash(text), 12)  # type: ignore[arg-type]


def span(of: Passage, text: str) -> Span:
    start = of.text.index(text)
    return Span(of.id, start, start + len(text))


@pytest.fixture
def report() -> RunReport:
    official = passage(
        "policy", POLICY, headings=("Refunds", "Annual plans"), lines=(10, 13), authority=Authority.OFFICIAL,
        published_at="2026-05-04", version="9",
    )  # fmt: skip
    forum = passage("forum", FORUM, pages=(2, 3), authority=Authority.COMMUNITY)
    said, heard = span(official, "Annual plans can be refunded within 14 days."), span(forum, "after 60 days")
    window = Claim(ClaimId("c1"), "the refund window for annual plans", "refund window for annual plans")
    lead = Claim(ClaimId("c2"), "who approves refunds", "who approves", requirement=Requirement(must=False))
    evidence = Evidence(window.id, said, quote_hash(quote(official, said)), Stance.SUPPORTS, 0.9, "14", "day")
    against = Evidence(window.id, heard, quote_hash(quote(forum, heard)), Stance.CONTRADICTS, 0.4, "60", "day")
    gap = Gap(lead.id, GapKind.NO_EVIDENCE)
    return RunReport(
        run=RunId("r1"),
        question="How long is the refund window for annual plans, and who approves refunds?",
        answer=quote(official, said),
        sentences=(CitedSentence(quote(official, said), (1,), (window.id,)),),
        citations=(Citation(1, said, quote(official, said), official),),
        claims=(
            ClaimReport(window, Status.SUPPORTED, 0.9, (evidence,), (against,), ()),
            ClaimReport(lead, Status.UNSUPPORTED, 0.0, (), (), (gap,)),
        ),
        gaps=(gap,),
        conflicts=(),
        evidence=(evidence, against),
        passages={official.id: official, forum.id: forum},
        spent=(
            Spent(Dimension.QUERIES, 2, 2),
            Spent(Dimension.MODEL_CALLS, 0, 0),
            Spent(Dimension.DOCUMENTS, 7, 40),
            Spent(Dimension.RERANKS, 0, 4),
            Spent(Dimension.WALL_CLOCK_MS, 18, 15_000),
            Spent(Dimension.COST_MICROUSD, 1_500, 200_000),
        ),
        branches=(),
        stop=StopReason.BUDGET_EXHAUSTED,
        detail="queries: asked 1, left 0",
        denied=Denied(Dimension.QUERIES, 1, 0, AccountName("run")),
        also=(StopReason.NO_AUTHORITY_FOUND,),
        outcome="partial",
        flags=("overrun",),
        notes=("the extractive step stood in",),
        dropped=(),
        queries=(QueryTried("refund window", "handbook", ReasonCode.FIRST_LOOK, QueryStatus.FINISHED, 5, 5, 1),),
        denials=(),
        classification=None,
        duration_ms=18,
    )
