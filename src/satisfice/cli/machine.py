"""A report as one JSON object. Keys are only ever added."""

import json
import sys
from collections.abc import Iterable

from satisfice.cli import timeline
from satisfice.cli.terminal import printable
from satisfice.core.conflicts import Conflict
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.facts import Envelope
from satisfice.core.passages import Passage, Span, lines_of, quote_hash
from satisfice.core.report import Citation, ClaimReport, RunReport
from satisfice.core.sufficiency import Gap

Json = dict[str, object]


def write(value: object) -> None:
    """Print a value as JSON on stdout."""
    sys.stdout.write(json.dumps(printable(value), indent=2, ensure_ascii=False) + "\n")


def of_report(report: RunReport, envelopes: Iterable[Envelope] | None = None) -> Json:
    """Everything a report holds; with the run's facts also its timeline."""
    found: Json = {
        "run": report.run,
        "question": report.question,
        "outcome": report.outcome,
        "answer": report.answer,
        "sentences": [
            {"text": s.text, "citations": list(s.citations), "claims": list(s.claims)} for s in report.sentences
        ],
        "citations": [_citation(citation) for citation in report.citations],
        "claims": [_claim(claim, report) for claim in report.claims],
        "gaps": [_gap(gap) for gap in report.gaps],
        "conflicts": [_conflict(conflict, report) for conflict in report.conflicts],
        "stop": {
            "reason": report.stop,
            "detail": report.detail,
            "denied": {
                "dimension": report.denied.dimension,
                "asked": report.denied.asked,
                "left": report.denied.left,
                "account": report.denied.account,
            }
            if report.denied
            else None,
            "also": list(report.also),
        },
        "spent": {item.dimension: {"spent": item.spent, "limit": item.limit} for item in report.spent},
        "branches": [{"branch": b.branch, "goal": b.goal, "spent": dict(b.spent)} for b in report.branches],
        "queries": [
            {
                "text": q.text,
                "source_id": q.source,
                "reason": q.reason,
                "status": q.status,
                "returned": q.returned,
                "new": q.new,
                "attempts": q.attempts,
            }
            for q in report.queries
        ],
        "refused": [{"seq": d.seq, "kind": d.refusal.kind, "detail": d.refusal.detail} for d in report.denials],
        "left_out": [_passage(passage) for passage in _left_out(report)],
        "flags": list(report.flags),
        "notes": list(report.notes),
        "dropped": list(report.dropped),
        "duration_ms": report.duration_ms,
    }
    if envelopes is not None:
        found["timeline"] = [
            {"seq": e.seq, "at_ms": e.at_ms, "order": e.order, "branch": e.branch, "told": timeline.tell(e)}
            for e in envelopes
        ]
    return found


def _left_out(report: RunReport) -> list[Passage]:
    """Passages that were read and are not cited."""
    cited = {citation.span.passage_id for citation in report.citations}
    return [passage for key, passage in report.passages.items() if key not in cited]


def _passage(passage: Passage) -> Json:
    origin = passage.provenance
    return {
        "passage_id": passage.id,
        "source_id": origin.source_id,
        "document_id": origin.document_id,
        "document": origin.title,
        "uri": origin.uri,
        "headings": list(origin.headings),
        "pages": list(origin.pages) if origin.pages else None,
        "lines": list(origin.lines) if origin.lines else None,
        "trust": passage.trust,
    }


def _span(span: Span) -> Json:
    return {"passage_id": span.passage_id, "start": span.start, "end": span.end}


def _worth(passage: Passage) -> Json:
    origin = passage.provenance
    return {
        "class": origin.evidence_class,
        "authority": origin.authority.name.lower(),
        "published_at": origin.published_at,
        "retrieved_at": origin.retrieved_at,
        "version": origin.version,
    }


def _citation(citation: Citation) -> Json:
    passage, span = citation.passage, citation.span
    lines = lines_of(passage, span)
    return {
        "number": citation.number,
        **_passage(passage),
        "lines": list(lines) if lines else None,
        "span": _span(span),
        "quote": citation.quote,
        "quote_hash": quote_hash(citation.quote),
        **_worth(passage),
    }


def _claim(claim: ClaimReport, report: RunReport) -> Json:
    return {
        "claim_id": claim.claim.id,
        "key": claim.claim.key or None,
        "text": claim.claim.text,
        "status": claim.status,
        "must": claim.claim.requirement.must,
        "support": round(claim.support, 4),
        "evidence": [_evidence(item, report) for item in claim.evidence],
        "contradictions": [_evidence(item, report) for item in claim.contradictions],
        "gaps": [_gap(gap) for gap in claim.gaps],
    }


def _evidence(item: Evidence, report: RunReport) -> Json:
    passage = report.passages[item.span.passage_id]
    return {
        "source_id": passage.provenance.source_id,
        "document": passage.provenance.uri,
        "span": _span(item.span),
        **_worth(passage),
        "supports": item.stance is Stance.SUPPORTS,
        "stance": item.stance,
        "quote_hash": item.quote_hash,
        "value": item.value or None,
        "unit": item.unit or None,
    }


def _gap(gap: Gap) -> Json:
    return {"claim_id": gap.claim_id, "kind": gap.kind, "detail": gap.detail}


def _conflict(conflict: Conflict, report: RunReport) -> Json:
    return {
        "claim_id": conflict.claim_id,
        "kind": conflict.kind,
        "resolved": conflict.resolved,
        "why": conflict.why,
        "sides": [
            [_evidence(item, report) for item in side if item.span.passage_id in report.passages]
            for side in conflict.sides
        ],
    }
