"""What kind of question it is, whether it needs a search, and how it falls apart."""

import pytest

from satisfice.adapters.reasoners.classifying import classify
from satisfice.adapters.reasoners.courtesy import after_courtesy, courtesy
from satisfice.adapters.reasoners.planning import claims_of
from satisfice.adapters.reasoners.splitting import comparison_sides, parts
from satisfice.core.claims import AnswerType, ClaimKind
from satisfice.core.facts import RetrievalAction
from satisfice.core.sources import Shape
from satisfice.core.tasks import Complexity


@pytest.mark.parametrize(
    "text",
    [
        "hi", "Hello there!", "thanks a lot :)", "Thank you ever so much for that!", "ok, bye", "How are you doing today?",
        "你好", "谢谢！", "再见", "مرحبا", "شكرا جزيلا", "hola, ¿qué tal?", "muchas gracias", "Guten Morgen", "vielen Dank!",
        "bonjour", "merci beaucoup", "こんにちは", "안녕하세요", "who made you?", "what is your name?", "are you a robot",
        "tell me a joke", "😀", "!!!",
    ],
)  # fmt: skip
def test_courtesies_need_no_search(text: str) -> None:
    found = classify(text)
    assert (found.action, found.shape, found.layer) == (RetrievalAction.NO_RETRIEVE, Shape.CHAT, "intent")


@pytest.mark.parametrize(
    "text",
    [
        "hi, what is the refund window?", "thanks, and how do I rotate a key?", "你好，退款期限是多少？", "hello world program in C",
        "what is your refund policy?", "who made the decision to close the Ghent office?", "thanks to whom was it built?",
        "good morning routine of the CEO", "how old is the building?", "summarize all documents",
        "How do I rewrite history in git?", "Can you translate documents with the Team plan?", "fix my email configuration",
        "translate", "rewrite",
    ],
)  # fmt: skip
def test_what_may_be_a_question_is_looked_up(text: str) -> None:
    assert classify(text).action is RetrievalAction.RETRIEVE


@pytest.mark.parametrize(
    "text",
    [
        "Please rewrite this paragraph in a formal tone: We are sorry.", "translate the following to French: good evening to all",
        "Summarise this email:\nDear team, the office is closed on Monday.", "Proofread “Their going to the office tomorow.”",
        "请帮我改写下面这段话：我们很抱歉。", "Übersetze ins Englische: Das Büro ist heute geschlossen.",
    ],
)  # fmt: skip
def test_reworking_a_text_that_is_given_needs_no_search(text: str) -> None:
    found = classify(text)
    assert (found.action, found.shape) == (RetrievalAction.NO_RETRIEVE, Shape.OWN_TEXT)


def test_reworking_the_last_reply_needs_no_search_and_without_one_it_does() -> None:
    assert classify("make it shorter", ("Where is the office?", "In Ghent.")).shape is Shape.OWN_TEXT
    assert classify("make it shorter").action is RetrievalAction.RETRIEVE


@pytest.mark.parametrize(
    ("text", "shape", "complexity"),
    [
        ("error E1042", Shape.IDENTIFIER, Complexity.LOW),
        ("What does --no-cache-dir do?", Shape.IDENTIFIER, Complexity.LOW),
        ("SLA-7", Shape.IDENTIFIER, Complexity.LOW),
        ("What is the refund window for annual plans?", Shape.FACT, Complexity.LOW),
        ("How do I rotate an API key?", Shape.PROCEDURE, Complexity.LOW),
        ("如何轮换 API 密钥？", Shape.PROCEDURE, Complexity.LOW),
        ("What is the difference between the Pro and Team plans?", Shape.COMPARISON, Complexity.BOUNDED),
        ("Pro vs Team", Shape.COMPARISON, Complexity.BOUNDED),
        ("Did Blind Shaft and Red Cliff come out in the same year?", Shape.COMPARISON, Complexity.BOUNDED),
        ("年度计划和月度计划的区别是什么？", Shape.COMPARISON, Complexity.BOUNDED),
        ("What is the SLA and how long is the refund window?", Shape.MULTI_PART, Complexity.BOUNDED),
        ("Who is the spouse of the director of the film Red Cliff?", Shape.MULTI_HOP, Complexity.BOUNDED),
        ("What are the main themes across the reports?", Shape.THEME, Complexity.FULL),
    ],
)
def test_the_shape_of_a_question(text: str, shape: Shape, complexity: Complexity) -> None:
    found = classify(text)
    assert (found.shape, found.complexity) == (shape, complexity)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is X? When was it built?", ["What is X?", "When was it built?"]),
        ("What is the SLA and how long is the window?", ["What is the SLA", "how long is the window?"]),
        ("Who wrote the policy; when does it apply?", ["Who wrote the policy", "when does it apply?"]),
        ("年度计划多少钱，月度计划多少钱？", ["年度计划多少钱", "月度计划多少钱？"]),
    ],
)
def test_several_questions_come_apart(question: str, expected: list[str]) -> None:
    assert [question[start:end] for start, end in parts(question)] == expected


@pytest.mark.parametrize(
    "question",
    [
        "What contract is given when the contractor must plan and must build the house?",
        "Do they keep the tapes or did they lose them?",
        "How do research and development differ?",
        "What is salt and pepper?",
        "Refunds are possible. They take 30 days.",
    ],
)
def test_one_question_stays_one(question: str) -> None:
    assert len(parts(question)) == 1


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Which is older, Python or Ruby?", ["Python", "Ruby"]),
        ("Are Local H and Nirvana both from the United States?", ["Local H", "Nirvana"]),
        ("Who was born first out of Heng Pov and Rajesh Bhola?", ["Heng Pov", "Rajesh Bhola"]),
        ("Does Julia Leigh have the same nationality as Ana Berg?", ["Julia Leigh", "Ana Berg"]),
        ("How does tantivy differ from FTS5?", ["tantivy", "FTS5"]),
        ("How many points did they score in the game versus Pittsburgh in the last minutes?", []),
        ("When did Spain and Portugal join the Union?", []),
    ],
)
def test_the_sides_of_a_comparison(question: str, sides: list[str]) -> None:
    assert [question[start:end] for start, end in comparison_sides(question)] == sides


@pytest.mark.parametrize(
    ("question", "kind", "expects"),
    [
        ("Is the free plan refundable?", ClaimKind.YES_NO, AnswerType.ANY),
        ("The free plan is refundable.", ClaimKind.ASSERTION, AnswerType.ANY),
        ("refund window annual", ClaimKind.OPEN, AnswerType.ANY),
        ("How much does it cost?", ClaimKind.OPEN, AnswerType.MONEY),
        ("How many seats are there?", ClaimKind.OPEN, AnswerType.NUMBER),
        ("What percentage of users pay?", ClaimKind.OPEN, AnswerType.PERCENT),
        ("When does it apply?", ClaimKind.OPEN, AnswerType.DATE),
        ("In which year was it built?", ClaimKind.OPEN, AnswerType.DATE),
        ("Who leads the team?", ClaimKind.OPEN, AnswerType.NAME),
        ("What city hosts it?", ClaimKind.OPEN, AnswerType.PLACE),
        ("Where is it?", ClaimKind.OPEN, AnswerType.PLACE),
        ("Why is it closed?", ClaimKind.OPEN, AnswerType.REASON),
        ("What monthly report is due?", ClaimKind.OPEN, AnswerType.ANY),
        ("What does the author do?", ClaimKind.OPEN, AnswerType.ANY),
        ("退款期限是多少？", ClaimKind.OPEN, AnswerType.NUMBER),
        ("会议是什么时候？", ClaimKind.OPEN, AnswerType.DATE),
        ("متى يبدأ الاجتماع؟", ClaimKind.OPEN, AnswerType.DATE),
    ],
)
def test_what_kind_of_claim_and_value_is_sought(question: str, kind: ClaimKind, expects: AnswerType) -> None:
    (claim,) = claims_of(question)
    assert (claim.kind, claim.expects) == (kind, expects)


def test_the_question_starts_behind_the_greeting() -> None:
    text = "Hello, how are refunds made?"
    assert text[after_courtesy(text) :] == "how are refunds made?"
    assert courtesy(text) == ""
