"""Conflicts: a claim for which documents give incompatible values. Found, classified, settled only by a declared order.

Each document is one voice: the values of its best spans. Two voices differ when none of their values agree and at least
one pair certainly differs. Both sides stay; a value is never blended with another. What settles a conflict, in this order:

1. one side declares that it supersedes the other;
2. both are of a declared tier, and one is stable where the other is a draft, or is the newer one and of no lower tier;
3. one side is of a higher tier, at least secondary: a community post never wins;
4. only one side's scope (its metadata) matches the caller's attributes.

Where the sides declare different scopes, rules 2 and 3 say nothing: a newer rule for another region replaces nothing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from satisfice.core.agreement import Agreement, compare
from satisfice.core.claims import AnswerType, Claim, ClaimKind
from satisfice.core.evidence import Evidence, Stance
from satisfice.core.ids import ClaimId, DocumentId, PassageId
from satisfice.core.lineage import supersedes
from satisfice.core.passages import Passage, Provenance
from satisfice.core.sources import Authority

CONTENDS = 0.85
"""A span speaks in a conflict when its score reaches this share of the claim's best: weaker ones are seldom about it."""
_VALUES_PER_VOICE = 3

JURISDICTION_FIELDS = frozenset({"region", "country", "jurisdiction", "locale", "market", "territory", "state"})
SCOPE_FIELDS = frozenset({"plan", "role", "audience", "product", "edition", "tier", "platform", "team", "department"})
_DRAFT = re.compile(r"draft|alpha|beta|rc\d*\b|preview|proposal|unstable|deprecated|obsolete|archived", re.IGNORECASE)


class ConflictKind(StrEnum):
    """What the sides differ in, besides the value. GENUINE: nothing explains it."""

    DATE = "date"
    JURISDICTION = "jurisdiction"
    VERSION = "version"
    AUTHORITY = "authority"
    SCOPE = "scope"
    GENUINE = "genuine"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A claim with incompatible values. When resolved, the first side is the one that holds; the others are disclosed.

    `why` says what settled it, or why nothing does.
    """

    claim_id: ClaimId
    kind: ConflictKind
    sides: tuple[tuple[Evidence, ...], ...]
    resolved: bool
    why: str = ""

    def holds(self) -> tuple[Evidence, ...]:
        """The evidence that an answer may rest on: that of the winning side, none while the conflict is open."""
        return self.sides[0] if self.resolved else ()


@dataclass(frozen=True, slots=True)
class _Side:
    """Documents that agree on a value. Tier, newest date, draft and versions are those of its documents of that tier."""

    evidence: tuple[Evidence, ...]
    origins: tuple[Provenance, ...]
    tier: Authority
    newest: str
    draft: bool
    versions: frozenset[str]

    def rank(self) -> tuple[int, bool, str, float, str]:
        """For showing the stronger side first when nothing settles it."""
        best = self.evidence[0]
        return (self.tier, not self.draft, self.newest, best.score, best.value)


def find(
    claim: Claim,
    evidence: Sequence[Evidence],
    passages: Mapping[PassageId, Passage],
    attributes: Sequence[tuple[str, str]] = (),
) -> Conflict | None:
    """The conflict among what speaks for and against a claim, settled where the declared order settles it.

    The result does not depend on the order of `evidence`.
    """
    sides = _sides(claim, evidence, passages)
    if len(sides) < 2:
        return None
    sides.sort(key=_Side.rank, reverse=True)
    for side in sides:
        others = [other for other in sides if other is not side]
        reasons = [_beats(side, other, attributes) for other in others]
        if all(reasons):
            strongest = others[0]
            kind = _kind(side, strongest, attributes)
            return Conflict(
                claim.id, kind, (side.evidence, *(o.evidence for o in others)), True, "; ".join(dict.fromkeys(reasons))
            )
    kind = _kind(sides[0], sides[1], attributes)
    return Conflict(claim.id, kind, tuple(side.evidence for side in sides), False, _why_open(kind, sides[0], sides[1]))


def agree(claim: Claim, one: Evidence, other: Evidence) -> bool:
    """Whether two pieces of evidence speak for the same value, or for the same side where there are no values."""
    if one.stance is not other.stance:
        return False
    if not one.value and not other.value:
        return True
    return compare(one.value, one.unit, other.value, other.unit, _type(claim)) is Agreement.SAME


# --- voices --------------------------------------------------------------------------------------------------------


def _sides(claim: Claim, evidence: Sequence[Evidence], passages: Mapping[PassageId, Passage]) -> list[_Side]:
    """Documents grouped by what they say; those that say nothing comparable are in none."""
    said = [e for e in evidence if e.stance is not Stance.MENTIONS]
    floor = CONTENDS * max((e.score for e in said), default=0.0)
    voices: dict[DocumentId, list[Evidence]] = {}
    speaking = [e for e in said if e.score >= floor and _speaks(claim, e)]
    for item in sorted(speaking, key=_place):
        voice = voices.setdefault(passages[item.span.passage_id].provenance.document_id, [])
        if not voice or voice[0].stance is item.stance:  # a document does not contradict itself: its best span leads
            voice.append(item)
    # The most exact value first, so that "2021" joins "2021-03-05" and does not bridge it to "2021-04-01".
    order = sorted(voices, key=lambda v: (-len(voices[v][0].value), -voices[v][0].score, v))
    groups: list[list[list[Evidence]]] = []
    for voice in order:
        mine = voices[voice][:_VALUES_PER_VOICE]
        home = next((g for g in groups if not _differ(claim, mine, g[0])), None)
        if home is None:
            groups.append([mine])
        else:
            home.append(mine)
    return [_side([item for voice in group for item in voice], passages) for group in groups]


def _speaks(claim: Claim, item: Evidence) -> bool:
    return bool(item.value) or item.stance is Stance.CONTRADICTS or claim.kind is not ClaimKind.OPEN


def _side(evidence: Iterable[Evidence], passages: Mapping[PassageId, Passage]) -> _Side:
    items = sorted(evidence, key=_place)
    found = {passages[e.span.passage_id].provenance for e in items}
    origins = sorted(found, key=lambda o: (o.document_id, o.start, o.end))
    tier = max(origin.authority for origin in origins)
    leading = [origin for origin in origins if origin.authority is tier]
    stable = [origin for origin in leading if not _is_draft(origin)]
    newest = max(((origin.published_at or "")[:10] for origin in stable), default="")
    versions = frozenset(origin.version for origin in leading if origin.version)
    return _Side(tuple(items), tuple(origins), tier, newest, not stable, versions)


def _place(item: Evidence) -> tuple[float, str, int, int]:
    return (-item.score, item.span.passage_id, item.span.start, item.span.end)


def _differ(claim: Claim, voice: Sequence[Evidence], other: Sequence[Evidence]) -> bool:
    """Whether two voices are for opposite things, or none of their values agree and one pair certainly differs."""
    if voice[0].stance is not other[0].stance:
        return True
    found = {compare(a.value, a.unit, b.value, b.unit, _type(claim)) for a in voice for b in other}
    return Agreement.SAME not in found and Agreement.DIFFERENT in found


def _type(claim: Claim) -> AnswerType:
    """An assertion or a yes-or-no question has values such as `yes` and `no`, whatever type it expects."""
    return claim.expects if claim.kind is ClaimKind.OPEN else AnswerType.ANY


# --- the declared order --------------------------------------------------------------------------------------------


def _beats(side: _Side, other: _Side, attributes: Sequence[tuple[str, str]]) -> str:
    """Why this side holds against the other; empty when it does not."""
    replaces, replaced = _replaces(side, other), _replaces(other, side)
    if replaces != replaced:
        return "it supersedes the other document" if replaces else ""
    if not _scoped_apart(side, other, attributes):
        newer = _newer(side, other)
        if newer or _newer(other, side):
            return newer
        if side.tier != other.tier and max(side.tier, other.tier) >= Authority.SECONDARY:
            return f"{_named(side.tier)} stands above {_named(other.tier)}" if side.tier > other.tier else ""
    mine, theirs = _matches(side, attributes), _matches(other, attributes)
    return f"it applies to {mine}" if mine and not theirs and _scoped_apart(side, other, attributes) else ""


def _replaces(side: _Side, other: _Side) -> bool:
    """Whether a side declares that it supersedes the other. Below SECONDARY nobody replaces a higher tier by saying so."""
    may = side.tier >= min(other.tier, Authority.SECONDARY)
    return may and any(supersedes(a, b) for a in side.origins for b in other.origins)


def _newer(side: _Side, other: _Side) -> str:
    if side.tier < other.tier or other.tier < Authority.SECONDARY:
        return ""
    if side.draft != other.draft:
        return "" if side.draft else "it is stable, the other a draft"
    mine, theirs = side.newest, other.newest
    length = min(len(mine), len(theirs))
    if mine[:length] > theirs[:length]:  # nothing is newer than an unknown date
        return f"{mine} is newer than {theirs} and of no lower tier"
    return ""


def _named(tier: Authority) -> str:
    return tier.name.lower()


def _is_draft(origin: Provenance) -> bool:
    return bool(_DRAFT.search(origin.version or ""))


# --- scope and kind ------------------------------------------------------------------------------------------------


def _scope(side: _Side, attributes: Sequence[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """What a side declares of whom it applies to, by field; values may be lists with commas."""
    fields = JURISDICTION_FIELDS | SCOPE_FIELDS | {name.casefold() for name, _ in attributes}
    found: dict[str, set[str]] = {}
    for origin in side.origins:
        for name, text in origin.metadata:
            if name.casefold() in fields:
                values = {value.strip().casefold() for value in text.split(",")}
                found.setdefault(name.casefold(), set()).update(values - {""})
    return {name: frozenset(values) for name, values in found.items()}


def _apart(side: _Side, other: _Side, attributes: Sequence[tuple[str, str]]) -> list[str]:
    """The fields in which both declare a scope and share none of it, sorted."""
    mine, theirs = _scope(side, attributes), _scope(other, attributes)
    return sorted(name for name in mine.keys() & theirs.keys() if mine[name].isdisjoint(theirs[name]))


def _scoped_apart(side: _Side, other: _Side, attributes: Sequence[tuple[str, str]]) -> bool:
    return bool(_apart(side, other, attributes))


def _matches(side: _Side, attributes: Sequence[tuple[str, str]]) -> str:
    """The caller's attributes that the side's scope names, sorted; empty when one of them is left out by it."""
    scope = _scope(side, attributes)
    asked = sorted((n.casefold(), v.casefold()) for n, v in attributes if n.casefold() in scope)
    if any(value not in scope[name] for name, value in asked):
        return ""
    return ", ".join(f"{name} {value}" for name, value in asked)


def _kind(side: _Side, other: _Side, attributes: Sequence[tuple[str, str]]) -> ConflictKind:
    apart = _apart(side, other, attributes)
    if apart:
        return ConflictKind.JURISDICTION if apart[0] in JURISDICTION_FIELDS else ConflictKind.SCOPE
    versions_apart = side.versions and other.versions and side.versions.isdisjoint(other.versions)
    if side.draft != other.draft or versions_apart:
        return ConflictKind.VERSION
    if side.tier != other.tier:
        return ConflictKind.AUTHORITY
    if side.newest and other.newest and side.newest != other.newest:
        return ConflictKind.DATE
    return ConflictKind.GENUINE


def _why_open(kind: ConflictKind, side: _Side, other: _Side) -> str:
    values = f"{_shown(side)} against {_shown(other)}"
    if kind is ConflictKind.GENUINE:
        return f"{values}: of one date and one tier"
    return f"{values}: they differ in {kind}, and nothing declared settles it"


def _shown(side: _Side) -> str:
    first = side.evidence[0]
    return f"{first.value} {first.unit}".strip() or str(first.stance)
