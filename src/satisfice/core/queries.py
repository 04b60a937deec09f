"""Queries: what is sent to a source, when two are the same, and where one comes from."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from satisfice.core.ids import ClaimId, PassageId, SourceId
from satisfice.core.text import canonical


class Transformation(StrEnum):
    """How a query was made from its parent. ORIGINAL is the question, or a claim, as it stands."""

    ORIGINAL = "original"
    PARAPHRASE = "paraphrase"
    NARROW = "narrow"
    DECOMPOSE = "decompose"
    TRANSLATE = "translate"
    FUSE = "fuse"


class ReasonCode(StrEnum):
    """Why a rewrite was proposed."""

    FIRST_LOOK = "first_look"
    NARROW_ENTITY = "narrow_entity"
    ADD_TIME_FILTER = "add_time_filter"
    RESOLVE_ALIAS = "resolve_alias"
    RESOLVE_REFERENCE = "resolve_reference"
    VERIFY_CLAIM = "verify_claim"
    RESOLVE_CONFLICT = "resolve_conflict"
    FOLLOW_BRIDGE = "follow_bridge"
    DECOMPOSE = "decompose"
    BROADEN_TERMS = "broaden_terms"
    TRANSLATE = "translate"
    OTHER_SOURCE = "other_source"


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrowing by metadata and date. Tenant and tags are no filters: they come from the principal alone.

    `fields` are (name, accepted values) pairs, all of which must hold; a passage without the field does not match.
    """

    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    published_from: str | None = None
    published_to: str | None = None
    documents: tuple[str, ...] = ()

    def narrows(self, outer: "Filters") -> bool:
        """Whether everything this lets through, `outer` lets through too."""
        mine = dict(self.fields)
        for name, accepted in outer.fields:
            if name not in mine or not set(mine[name]) <= set(accepted):
                return False
        if outer.documents and not (self.documents and set(self.documents) <= set(outer.documents)):
            return False
        if outer.published_from and (self.published_from or "") < outer.published_from:
            return False
        return not outer.published_to or (self.published_to or "9999") <= outer.published_to


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """What is sent to one source.

    `weights` are (stemmed term, weight) pairs for the lexical side, `about` the text for the vector side; when absent
    both use `text`, every term at 1. They refine the ranking and are part of the identity.
    """

    text: str
    source: SourceId
    top_k: int = 5
    filters: Filters = NO_FILTERS
    weights: tuple[tuple[str, float], ...] = ()
    about: str = ""

    def identity(self) -> str:
        """Equal for two queries whose repetition could bring nothing new; source and version left out."""
        parts = (
            canonical(self.text),
            canonical(self.about),
            str(self.top_k),
            repr(sorted(self.weights)),
            repr(sorted((name, tuple(sorted(values))) for name, values in self.filters.fields)),
            repr((self.filters.published_from, self.filters.published_to, sorted(self.filters.documents))),
        )
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a query comes from: its parent's identity (empty for a first look), its target and its depth in hops."""

    parent: str = ""
    claim: ClaimId | None = None
    transformation: Transformation = Transformation.ORIGINAL
    reason: ReasonCode = ReasonCode.FIRST_LOOK
    depth: int = 0
    expands: PassageId | None = None
    """The passage whose names a FOLLOW_BRIDGE query is made of."""
