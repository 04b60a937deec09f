"""What can be searched: a source says what it holds, how far it is to be trusted and what it costs to ask."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from satisfice.core.ids import SourceId


class Authority(IntEnum):
    """How much weight an author carries. Comparisons are meant: a higher tier is worth more."""

    UNKNOWN = 0
    COMMUNITY = 1
    SECONDARY = 2
    OFFICIAL = 3
    PRIMARY = 4


class EvidenceClass(StrEnum):
    """What kind of record a document is. A claim may accept some classes only; GENERATED is never evidence."""

    DOCUMENT = "document"
    POLICY = "policy"
    SPEC = "spec"
    PROCEDURE = "procedure"
    RELEASE_NOTES = "release_notes"
    LIVE_RECORD = "live_record"
    NEWS = "news"
    FORUM = "forum"
    REFERENCE = "reference"
    GENERATED = "generated"


class Shape(StrEnum):
    """What a question looks like, and so where it should go."""

    CHAT = "chat"
    OWN_TEXT = "own_text"
    IDENTIFIER = "identifier"
    FACT = "fact"
    PROCEDURE = "procedure"
    COMPARISON = "comparison"
    THEME = "theme"
    LIVE = "live"
    MULTI_PART = "multi_part"
    MULTI_HOP = "multi_hop"


@dataclass(frozen=True, slots=True)
class SourceProfile:
    """One searchable thing. `description` says what it holds, not what it can do."""

    id: SourceId
    description: str = ""
    evidence_class: EvidenceClass = EvidenceClass.DOCUMENT
    authority: Authority = Authority.UNKNOWN
    shapes: frozenset[Shape] = frozenset(Shape)
    version: str = ""
    """Changes whenever anything in the source changes; empty when the source cannot tell."""
    query_microusd: int = 0
    min_ms: int = 0
    """The least time a search can take; none is started with less left."""
    time_share: float = 1.0
    """The largest share of the remaining time one search may take."""
    passage_tokens: int = 400
    """The most tokens one passage can have: what is held for each passage asked for."""
