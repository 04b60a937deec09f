"""Thinking, without the world: a reasoner answers a view at once, or says which prompt it needs answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from satisfice.core.claims import Claim
from satisfice.core.conflicts import Conflict
from satisfice.core.evidence import Evidence, Judgement
from satisfice.core.facts import Thought
from satisfice.core.ids import ClaimId, PassageId
from satisfice.core.orders import Refusal, Step
from satisfice.core.passages import Handle, Passage
from satisfice.core.queries import Lineage, Query
from satisfice.core.sources import SourceProfile
from satisfice.ports.model import Completion, Prompt
from satisfice.ports.retriever import TermStatistics


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A query of this run: what came back, in its order."""

    query: Query
    lineage: Lineage
    handles: tuple[Handle, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """Everything a thought may depend on. Filled by the shell, so that the same view gives the same thought.

    `cosines` compare the question with each held passage; `word_cosines` each content word of the question with words
    of the held passages, only pairs at or above .3. Both are empty without an embedder.
    """

    question: str
    sources: tuple[SourceProfile, ...]
    as_of: str
    """UTC date-time of the run's start: what "now" means."""
    history: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    passages: tuple[Passage, ...] = ()
    """Held passages this caller may read, in the order they arrived."""
    unjudged: frozenset[PassageId] = frozenset()
    evidence: tuple[Evidence, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    queries: tuple[PastQuery, ...] = ()
    gaps: Mapping[ClaimId, str] = field(default_factory=dict[ClaimId, str])
    """Open claims and the kind of gap, heaviest first."""
    conflicts: tuple[Conflict, ...] = ()
    """Claims with incompatible values as the contract sees them: of a resolved one the first side won."""
    statistics: TermStatistics = field(default_factory=TermStatistics)
    cosines: Mapping[PassageId, float] = field(default_factory=dict[PassageId, float])
    word_cosines: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    top_k: int = 5
    """Passages the task class wants from one query."""
    refused: tuple[Refusal, ...] = ()
    """What was proposed on this line of work and did not run, and why: a repeat brought nothing new."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A completion that could not be read: why, in words a model can act on."""

    why: str


class Reasoner(Protocol):
    """Takes steps of thought. Never calls a model, a source or a clock: it returns what it needs."""

    @property
    def id(self) -> str:
        """Name and version; recorded, so that a replay knows who thought."""
        ...

    def terms(self, view: View) -> Sequence[str]:
        """The stemmed terms whose statistics it wants before `ask`."""
        ...

    def ask(self, steps: Sequence[Step], view: View) -> Thought | Prompt:
        """The thought itself, or the prompt whose completion `read` turns into one."""
        ...

    def read(self, steps: Sequence[Step], view: View, completion: Completion) -> Thought | Unusable:
        """Turn a completion into a thought."""
        ...
