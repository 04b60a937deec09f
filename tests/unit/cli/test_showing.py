"""A report on the screen and as JSON."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from satisfice.cli import machine, showing
from satisfice.core.conflicts import Conflict, ConflictKind
from satisfice.core.evidence import Stance
from satisfice.core.passages import quote_hash
from satisfice.core.report import RunReport


def shown(report: RunReport, width: int = 100) -> str:
    out = io.StringIO()
    showing.show(report, Console(file=out, markup=False, highlight=False, width=width))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_a_report_shows_all_it_stands_on(report: RunReport) -> None:
    assert (
        shown(report)
        == """\
Annual plans can be refunded within 14 days. [1]

Evidence
  [1] policy.md · Refunds › Annual plans · line 12 · official, published 2026-05-04, version 9

Claims
  supported   the refund window for annual plans [1]
  against     60 day: forum.md · pages 2-3 · community
  unsupported who approves refunds (wanted, not required)
              missing: no evidence

Notes
  - a provider used more than it was allowed; all of it is counted
  - the extractive step stood in

Stopped A limit was reached before the evidence was enough. (BUDGET_EXHAUSTED)
        The limit is on queries: 1 more needed, 0 left.
        Also true: NO_AUTHORITY_FOUND.
Spent   2 of 2 queries, 0 of 0 model calls, 7 of 40 passages, 18 of 15,000 ms, 0.0015 of 0.20 US
        dollars
Run     r1"""
    )


def test_no_answer_says_so(report: RunReport) -> None:
    said = shown(replace(report, answer=None, sentences=(), citations=()))
    assert said.startswith("No answer.\n")
    assert "Evidence" not in said


def test_a_quote_is_shown_when_the_answer_does_not_hold_it(report: RunReport) -> None:
    [sentence] = report.sentences
    said = shown(replace(report, sentences=(replace(sentence, text="Two weeks."),)))
    assert said.startswith("Two weeks. [1]")
    assert "“Annual plans can be refunded within 14 days.”" in said


def test_a_sentence_nothing_stands_behind_has_no_number(report: RunReport) -> None:
    [sentence] = report.sentences
    said = shown(replace(report, sentences=(replace(sentence, text="The policy says:", citations=()), sentence)))
    assert said.startswith("The policy says:\n  Annual plans can be refunded within 14 days. [1]\n")


def test_lists_and_records_keep_their_lines_and_prose_does_not(report: RunReport) -> None:
    [sentence] = report.sentences
    texts = ("One\nsentence.", "Plans:\n- Sketch\n- Studio", "city: Leipzig\nrole: office")
    said = shown(replace(report, sentences=tuple(replace(sentence, text=text) for text in texts)))
    assert said.startswith("One sentence. [1]\nPlans:\n- Sketch\n- Studio [1]\ncity: Leipzig\nrole: office [1]\n")


@pytest.mark.parametrize("resolved", [True, False])
def test_both_sides_of_a_conflict_are_shown(report: RunReport, resolved: bool) -> None:
    first, second = report.evidence
    conflict = Conflict(first.claim_id, next(iter(ConflictKind)), ((first,), (second,)), resolved, "newer")
    said = shown(replace(report, conflicts=(conflict,)))
    assert ("settled" if resolved else "open") in said
    assert "14 day: policy.md [1]" in said
    assert "60 day: forum.md · pages 2-3 · community" in said


def test_a_side_that_may_not_be_read_has_no_text(report: RunReport) -> None:
    first, second = report.evidence
    conflict = Conflict(first.claim_id, next(iter(ConflictKind)), ((first,), (second,)), False)
    hidden = replace(
        report, conflicts=(conflict,), passages={first.span.passage_id: report.passages[first.span.passage_id]}
    )
    claims = tuple(replace(claim, contradictions=()) for claim in report.claims)
    said = shown(replace(hidden, claims=claims))
    assert "a value you may not see" in said
    assert "60" not in said
    written = json.dumps(machine.of_report(replace(hidden, claims=claims)))
    assert "forum" not in written


def test_an_open_run_says_how_to_go_on(report: RunReport) -> None:
    assert "satisfice runs resume r1" in shown(replace(report, stop=None, outcome="open"))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_screen(report: RunReport, width: int) -> None:
    long = replace(report, notes=("word " * 100, "x" * 300))
    assert max(len(line) for line in shown(long, width).splitlines()) <= width


def test_text_from_documents_cannot_move_the_cursor(report: RunReport) -> None:
    [sentence] = report.sentences
    assert "\x1b" not in shown(replace(report, sentences=(replace(sentence, text="a\x1b[2Jb"),)))


def test_the_json_holds_what_each_claim_stands_on(report: RunReport, capsys: pytest.CaptureFixture[str]) -> None:
    machine.write(machine.of_report(report))
    found = json.loads(capsys.readouterr().out)
    [claim, wanted] = found["claims"]
    assert claim["evidence"] == [
        {
            "source_id": "handbook",
            "document": "policy.md",
            "span": {"passage_id": "policy", "start": 11, "end": 55},
            "class": "document",
            "authority": "official",
            "published_at": "2026-05-04",
            "retrieved_at": None,
            "version": "9",
            "supports": True,
            "stance": "supports",
            "quote_hash": quote_hash("Annual plans can be refunded within 14 days."),
            "value": "14",
            "unit": "day",
        }
    ]
    assert [item["supports"] for item in claim["contradictions"]] == [False]
    assert wanted["gaps"] == [{"claim_id": "c2", "kind": "NO_EVIDENCE", "detail": ""}]
    assert found["stop"]["reason"] == "BUDGET_EXHAUSTED"
    assert found["spent"]["queries"] == {"spent": 2, "limit": 2}
    assert found["citations"][0]["lines"] == [12, 12]
    assert [passage["passage_id"] for passage in found["left_out"]] == ["forum"]


def test_only_the_supporting_stance_supports(report: RunReport) -> None:
    [first, *rest] = report.claims
    mention = replace(first.evidence[0], stance=Stance.MENTIONS)
    found = machine.of_report(replace(report, claims=(replace(first, evidence=(mention,)), *rest)))
    assert json.loads(json.dumps(found))["claims"][0]["evidence"][0]["supports"] is False


def test_lone_surrogates_do_not_break_the_json(report: RunReport, capsys: pytest.CaptureFixture[str]) -> None:
    machine.write(machine.of_report(replace(report, question="what \udcff?")))
    assert json.loads(capsys.readouterr().out)["question"] == "what \ufffd?"
