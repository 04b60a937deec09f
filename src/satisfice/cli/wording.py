"""Plain words for what the core calls by name. One sentence each; the code stands beside it wherever it is shown."""

from collections.abc import Mapping

from satisfice.core.amounts import Dimension
from satisfice.core.orders import StopReason
from satisfice.core.sufficiency import GapKind

STOPS: Mapping[StopReason, str] = {
    StopReason.SUFFICIENT: "The evidence is enough: every claim that must be supported is.",
    StopReason.NOT_NEEDED: "No search was needed to answer this.",
    StopReason.BUDGET_EXHAUSTED: "A limit was reached before the evidence was enough.",
    StopReason.DEADLINE_EXCEEDED: "The time was up before the evidence was enough.",
    StopReason.NO_PROGRESS: "Searching on brought nothing new, and the evidence is not enough.",
    StopReason.NO_AUTHORITY_FOUND: "Nothing that qualifies as evidence was found.",
    StopReason.CONTRADICTION_UNRESOLVED: "The sources disagree, and nothing says which of them is right.",
    StopReason.USER_CLARIFICATION_REQUIRED: "The question can be read in several ways; say which is meant.",
    StopReason.PERMISSION_BLOCKED: "The sources that could answer refused the search.",
    StopReason.SOURCE_UNAVAILABLE: "A source that was needed could not be searched.",
    StopReason.ESCALATED: "A person has to decide.",
    StopReason.CANCELLED: "It was cancelled.",
    StopReason.FAILED: "It failed; what had been found is kept.",
}

MEANINGS: Mapping[StopReason, str] = {
    StopReason.SUFFICIENT: "The contract passed. No other reason says so.",
    StopReason.NOT_NEEDED: "A greeting, or the rewriting of text that came with the question: no source was asked.",
    StopReason.BUDGET_EXHAUSTED: "An action was worth doing and a limit forbade it. The report names the limit, what was asked of it and what was left.",
    StopReason.DEADLINE_EXCEEDED: "`wall_clock_ms` had passed, less the share kept for writing.",
    StopReason.NO_PROGRESS: "Two rounds returned passages and added no cited fact, resolved no conflict and raised no authority.",
    StopReason.NO_AUTHORITY_FOUND: "No evidence, or only evidence of the wrong class, a low authority or too great an age.",
    StopReason.CONTRADICTION_UNRESOLVED: "A claim that must be supported has incompatible values, and neither date, version, scope nor authority settles it. Both sides are shown.",
    StopReason.USER_CLARIFICATION_REQUIRED: "No evidence separates the readings.",
    StopReason.PERMISSION_BLOCKED: "Every source refused this caller. Passages the caller may not read look absent instead.",
    StopReason.SOURCE_UNAVAILABLE: "Searches failed after every attempt, and no evidence was found elsewhere.",
    StopReason.ESCALATED: "The task asks for a person's approval.",
    StopReason.CANCELLED: "The caller cancelled. No answer is written; everything found stays in the report.",
    StopReason.FAILED: "Something that a run cannot do without broke.",
}

GAPS: Mapping[GapKind, str] = {
    GapKind.NO_EVIDENCE: "no evidence",
    GapKind.WRONG_CLASS: "what was found is not the kind of record that counts",
    GapKind.LOW_AUTHORITY: "what was found has too little authority",
    GapKind.STALE: "what was found is too old",
    GapKind.NOT_INDEPENDENT: "too few independent sources say so",
    GapKind.CONFLICTED: "the sources disagree",
    GapKind.NOT_CITED: "no sentence of the answer cites it",
    GapKind.NOT_PERMITTED: "you may not read what could answer it",
    GapKind.INDIRECT: "what was found is about it and does not settle it",
}

FLAGS: Mapping[str, str] = {
    "answered_from_cache": "answered from passages found earlier",
    "model_truncated": "the model's reply was cut off",
    "model_refused": "the model declined to answer",
    "overrun": "a provider used more than it was allowed; all of it is counted",
    "not_cited": "a claim that must be cited is not, so the answer does not count as sufficient",
}

DIMENSIONS: Mapping[Dimension, str] = {
    Dimension.STEPS: "steps",
    Dimension.QUERIES: "queries",
    Dimension.UNIQUE_QUERIES: "different queries",
    Dimension.REWRITE_DEPTH: "hops from the question",
    Dimension.SOURCES: "sources",
    Dimension.DOCUMENTS: "passages",
    Dimension.RETRIEVED_TOKENS: "retrieved tokens",
    Dimension.RERANKS: "reranks",
    Dimension.MODEL_CALLS: "model calls",
    Dimension.MODEL_TOKENS: "model tokens",
    Dimension.EVIDENCE_TOKENS: "evidence tokens",
    Dimension.BRANCHES: "branches",
    Dimension.WALL_CLOCK_MS: "ms",
    Dimension.COST_MICROUSD: "US dollars",
}


def amount(dimension: Dimension, value: int) -> str:
    """A spent or allowed amount as people write it: thousands apart, money in dollars."""
    if dimension is Dimension.COST_MICROUSD:
        cents, rest = divmod(value, 10_000)
        small = f"{rest:04d}".rstrip("0")
        return f"{cents // 100:,}.{cents % 100:02d}{small}"
    return f"{value:,}"
