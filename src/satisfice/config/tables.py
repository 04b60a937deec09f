"""The shape of settings: which tables and keys there are, and what each may hold."""

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr
from pydantic_core import PydanticCustomError

from satisfice.config.mistakes import nearest
from satisfice.core.amounts import Dimension
from satisfice.core.claims import ANY_CLASS, AnswerType, Claim, ClaimKind, Impact, Requirement
from satisfice.core.ids import ClaimId
from satisfice.core.limits import MAX_LIMIT
from satisfice.core.orders import StopReason
from satisfice.core.report import Outcome
from satisfice.core.sources import Authority, EvidenceClass
from satisfice.core.tasks import Complexity, TaskClass
from satisfice.errors import ConfigError, Problem

DEFAULT_TASK = "default"
"""The task class that always exists."""


def _authority(value: object) -> object:
    if isinstance(value, str) and value in (a.name.lower() for a in Authority):
        return Authority[value.upper()]
    names = ", ".join(repr(a.name.lower()) for a in reversed(Authority))
    raise PydanticCustomError("one_of", "{names}", {"names": names})


def _microusd(value: object) -> object:
    """Exact, or not at all: a float cannot say .1."""
    try:
        micros = Decimal(value) * 1_000_000 if isinstance(value, str) else None
    except InvalidOperation:
        micros = None
    if micros is None or not micros.is_finite() or micros < 0 or micros != micros.to_integral_value():
        raise PydanticCustomError("money", 'US dollars as text with at most six decimals, e.g. "0.20"')
    return int(micros)


def _path(value: object) -> object:
    if value == "" or "\0" in str(value):
        raise PydanticCustomError("path_type", "a path")
    return value


Text = Annotated[StrictStr, Field(min_length=1)]
Words = Annotated[tuple[Text, ...], Field(strict=False)]
Name = Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
Limit = Annotated[StrictInt, Field(ge=0, le=MAX_LIMIT)]
Count = Annotated[StrictInt, Field(ge=1)]
Tier = Annotated[Authority, BeforeValidator(_authority)]
Loose = Field(strict=False)
Place = Annotated[Path, Loose, BeforeValidator(_path)]


class Table(BaseModel):
    """A table of settings: frozen, and no key goes unnoticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class BudgetTable(Table):
    """Limits of a task. 0 allows nothing; an absent one is what the task's complexity says."""

    steps: Limit | None = None
    queries: Limit | None = None
    unique_queries: Limit | None = None
    rewrite_depth: Limit | None = None
    sources: Limit | None = None
    documents: Limit | None = None
    retrieved_tokens: Limit | None = None
    reranks: Limit | None = None
    model_calls: Limit | None = None
    model_tokens: Limit | None = None
    evidence_tokens: Limit | None = None
    branches: Limit | None = None
    wall_clock_ms: Limit | None = None
    cost_microusd: Limit | None = None
    cost_usd: Annotated[int | None, BeforeValidator(_microusd)] = None
    """The same limit in dollars, written as text; held in micro-dollars. The smaller of the two holds."""

    def limits(self) -> tuple[tuple[Dimension, int], ...]:
        """Every limit that was set."""
        named = {d: cast("int | None", getattr(self, d.value)) for d in Dimension}
        costs = [cost for cost in (self.cost_microusd, self.cost_usd) if cost is not None]
        named[Dimension.COST_MICROUSD] = min(costs) if costs else None
        return tuple((d, limit) for d, limit in named.items() if limit is not None)


class ClaimTable(Table):
    """One thing that every answer of a task must establish, and the evidence it needs."""

    key: Name
    text: Text
    """What must be established, in words."""
    kind: Annotated[ClaimKind, Loose] = ClaimKind.OPEN
    expects: Annotated[AnswerType, Loose] = AnswerType.ANY
    """What the value looks like."""
    classes: Annotated[frozenset[Annotated[EvidenceClass, Loose]], Field(strict=False, min_length=1)] = ANY_CLASS
    min_authority: Tier = Authority.UNKNOWN
    """Evidence below this tier leaves a gap."""
    max_age_days: Limit | None = None
    """Older evidence leaves a gap; counted from when it was published."""
    min_independent_sources: Count = 1
    """Ten copies of one text count once."""
    citation: StrictBool = True
    must: StrictBool = True
    """False: wanted, and its absence does not keep the answer from being sufficient."""
    impact: Annotated[Impact, Loose] = Impact.NORMAL
    """`high` asks for two independent sources of at least official authority."""
    allow_inference: StrictBool = False
    """Whether a claim that follows from supported ones may count."""
    sole_authority: StrictStr = ""
    """Why one source is enough where two would be asked for; shown in the report."""

    def claim(self) -> Claim:
        """As the contract reads it."""
        requirement = Requirement(
            classes=self.classes,
            min_authority=self.min_authority,
            max_age_days=self.max_age_days,
            min_independent_sources=self.min_independent_sources,
            citation=self.citation,
            must=self.must,
            impact=self.impact,
            allow_inference=self.allow_inference,
            sole_authority=self.sole_authority,
        )
        return Claim(ClaimId(self.key), self.text, "", self.kind, self.expects, requirement, self.key)


def _distinct(claims: tuple[ClaimTable, ...]) -> tuple[ClaimTable, ...]:
    keys = [claim.key for claim in claims]
    for key in keys:
        if keys.count(key) > 1:
            raise PydanticCustomError(
                "distinct", "claims with different keys; {key} is there twice", {"key": repr(key)}
            )
    return claims


class TaskTable(Table):
    """A task class: what a kind of question may spend and must establish."""

    complexity: Annotated[Complexity, Loose] = Complexity.BOUNDED
    """The row of default limits, and how much work a question may take; `supervised` asks a person to approve."""
    budget: BudgetTable = BudgetTable()
    always_retrieve: Words = ()
    """Words that make searching mandatory, whatever the question looks like."""
    top_k: Annotated[StrictInt, Field(ge=1, le=64)] = 5
    """Passages asked for in one search, 1 to 64."""
    claim: Annotated[tuple[ClaimTable, ...], Loose, AfterValidator(_distinct)] = ()
    """What every answer must establish. Absent: the parts of the question."""
    outcomes: dict[Annotated[StopReason, Loose], Annotated[Outcome, Loose]] = {}
    """Outcomes (answered, partial, refused, clarify, escalated) that differ from the usual ones."""

    def task_class(self, name: str) -> TaskClass:
        """As a run reads it."""
        return TaskClass(
            name=name,
            complexity=self.complexity,
            budget=self.budget.limits(),
            claims=tuple(claim.claim() for claim in self.claim),
            always_retrieve=self.always_retrieve,
            top_k=self.top_k,
            outcomes=tuple(sorted((reason.value, outcome.value) for reason, outcome in self.outcomes.items())),
        )


class SourceTable(Table):
    """A folder to search. `description` says what it holds; authority and access are defaults a document may narrow."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_by_alias=True, validate_by_name=True)

    kind: Literal["folder"] = "folder"
    path: Place
    description: StrictStr = ""
    """What the folder holds, not what can be done with it."""
    evidence_class: Annotated[EvidenceClass, Field(strict=False, alias="class")] = EvidenceClass.DOCUMENT
    """What kind of record the documents are."""
    authority: Tier = Authority.UNKNOWN
    access: Words = ()
    """Tags, one of which a reader needs; empty is open to the whole tenant."""
    ignore: Words = ()
    """Patterns as in a .gitignore, beside those of the folder's own .gitignore."""


class StoreTable(Table):
    """Where documents and runs are kept."""

    dir: Place | None = None
    """Absent: a folder of the user's cache directory, one for all."""
    retention_days: Count | None = None
    """Runs older than this are removed; absent keeps them."""
    fsync: StrictBool = False
    """True survives power loss as well as a killed process, and is slower."""


class Settings(Table):
    """Everything that can be set."""

    task: dict[Name, TaskTable] = {}
    source: dict[Name, SourceTable] = {}
    store: StoreTable = StoreTable()

    def task_class(self, name: str = DEFAULT_TASK, *, where: str = "task") -> TaskClass:
        """A task class by name; `default` always exists. Raises `ConfigError` with the nearest name."""
        if name != DEFAULT_TASK and name not in self.task:
            known = sorted({*self.task, DEFAULT_TASK})
            raise ConfigError((Problem(where, "task", repr(name), ", ".join(known), nearest(name, known)),))
        return self.task.get(name, TaskTable()).task_class(name)
