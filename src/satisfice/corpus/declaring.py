"""What is declared about documents: by settings, by folders, by the documents themselves.

Nearer declarations come first, with one law: text never widens what it stands in. A document (or a folder further in)
may lower the authority it was given and narrow the access, never raise or widen them; and what a folder calls a forum,
or generated, stays that.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import Enum
from pathlib import Path
from typing import TypeVar, cast

from satisfice.core.sources import Authority, EvidenceClass
from satisfice.corpus.decoding import tidy
from satisfice.corpus.formats import Unreadable
from satisfice.corpus.frontmatter import Fields

DEFAULTS_FILE = ".satisfice.toml"
MAX_VALUE_CHARS = 1_000
MAX_TAGS = 64

_T = TypeVar("_T", bound=Enum)

_STICKY = frozenset({EvidenceClass.FORUM, EvidenceClass.GENERATED})
_AUTHORITIES = {authority.name.lower(): authority for authority in Authority}
_CLASSES = {kind.value: kind for kind in EvidenceClass}
_KEYS = ("title", "authority", "class", "published", "version", "access", "supersedes", "origin")
_SLIP = 0.9
"""How like `access` a key must be to count as a slip: one letter too few, too many or wrong; `accessed` is a word."""
_DATE_KEYS = ("published", "published_at", "date")
DECLARING_KEYS = frozenset({*_KEYS, *_DATE_KEYS})
"""Keys that have a meaning here; every other is metadata."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Declarations in force at one place. None and empty mean: not declared here.

    `problems` are values that could not be used, in words for the report.
    """

    title: str | None = None
    authority: Authority | None = None
    evidence_class: EvidenceClass | None = None
    published_at: str | None = None
    version: str | None = None
    access: frozenset[str] = frozenset()
    supersedes: tuple[str, ...] = ()
    origin: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


NOTHING_DECLARED = Declared()


def declare(fields: Fields) -> Declared:
    """Read the keys that have a meaning; the others become metadata.

    Raises
    ------
    Unreadable
        `access` is there and is neither a name nor a list of names, or is misspelt: what may be read by whom is never
        guessed.
    """
    problems: list[str] = []
    published = next((fields[key] for key in _DATE_KEYS if fields.get(key)), None)
    metadata = tuple(
        (tidy(key)[:MAX_VALUE_CHARS], value[:MAX_VALUE_CHARS])
        for key, values in sorted(fields.items())
        if key not in DECLARING_KEYS
        for value in values or ()
    )
    return Declared(
        title=_first(fields.get("title")),
        authority=_choose("authority", _first(fields.get("authority")), _AUTHORITIES, problems),
        evidence_class=_choose("class", _first(fields.get("class")), _CLASSES, problems),
        published_at=_iso(_first(published), problems),
        version=_first(fields.get("version")),
        access=_tags(fields),
        supersedes=tuple(value[:MAX_VALUE_CHARS] for value in fields.get("supersedes") or ()),
        origin=_first(fields.get("origin")),
        metadata=metadata,
        problems=tuple(problems),
    )


def within(outer: Declared, inner: Declared) -> Declared:
    """What holds for `inner` standing in `outer`.

    Raises
    ------
    Unreadable
        `inner` asks for access tags of which `outer` has none: nobody could be let in without widening something.
    """
    problems = list(inner.problems)
    authority = inner.authority if inner.authority is not None else outer.authority
    if outer.authority is not None and authority is not None and authority > outer.authority:
        problems.append(
            f"authority {authority.name.lower()} lowered to {outer.authority.name.lower()}, as the folder has it"
        )
        authority = outer.authority
    evidence_class = inner.evidence_class or outer.evidence_class
    if outer.evidence_class in _STICKY and evidence_class is not outer.evidence_class:
        problems.append(f"class {evidence_class} not taken: the folder is {outer.evidence_class}")
        evidence_class = outer.evidence_class
    return Declared(
        title=inner.title,
        authority=authority,
        evidence_class=evidence_class,
        published_at=inner.published_at or outer.published_at,
        version=inner.version or outer.version,
        access=_narrowed(outer.access, inner.access),
        supersedes=inner.supersedes,
        origin=inner.origin or outer.origin,
        metadata=_overridden(outer.metadata, inner.metadata),
        problems=tuple(problems),
    )


def folder_defaults(path: Path) -> Declared:
    """What a `.satisfice.toml` declares for its folder: the keys of front matter, and a table `[metadata]`.

    Raises
    ------
    Unreadable
        The file is broken or has a key or value that means nothing: a folder's access is never guessed.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Unreadable(f"{DEFAULTS_FILE} cannot be read ({error}), so nothing of its folder was read") from error
    metadata = table.pop("metadata", {})
    allowed = tuple(key for key in _KEYS if key not in {"title", "supersedes"})
    unknown = sorted(set(table) - set(allowed))
    if unknown or not isinstance(metadata, dict):
        found = ", ".join(repr(key) + _nearest(key, allowed) for key in unknown) or "a [metadata] that is no table"
        raise Unreadable(
            f"{DEFAULTS_FILE} has {found}; allowed: {', '.join(allowed)}, [metadata]. Nothing of its folder was read"
        )
    fields = fields_of(table) | fields_of(cast("dict[str, object]", metadata))
    declared = declare(fields)
    if declared.problems:
        raise Unreadable(f"{DEFAULTS_FILE}: {'; '.join(declared.problems)}. Nothing of its folder was read")
    return declared


def fields_of(values: Mapping[str, object]) -> dict[str, tuple[str, ...] | None]:
    """Typed values as the strings that front matter would have."""
    return {key.strip().lower(): _strings(value) for key, value in values.items()}


def as_utc(text: str) -> str | None:
    """An ISO date as it is, an ISO date-time in UTC; None for anything else. A time without a zone counts as UTC."""
    try:
        if len(text) <= len("2026-01-01"):
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:
        return None


def _strings(value: object) -> tuple[str, ...] | None:
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        items = [_strings(item) for item in cast("Iterable[object]", value)]
        return (
            None if any(item is None or len(item) != 1 for item in items) else tuple(item[0] for item in items if item)
        )
    if isinstance(value, bool):
        return (str(value).lower(),)
    if isinstance(value, date | datetime | time):
        return (value.isoformat(),)
    if isinstance(value, str | int | float):
        text = tidy(str(value)).strip()
        return (text,) if text else ()
    return None


def _first(values: tuple[str, ...] | None) -> str | None:
    return values[0][:MAX_VALUE_CHARS] if values else None


def _tags(fields: Fields) -> frozenset[str]:
    if "access" not in fields:
        slip = difflib.get_close_matches("access", sorted(set(fields) - DECLARING_KEYS), n=1, cutoff=_SLIP)
        if slip:
            raise Unreadable(f"its key {slip[0]!r} reads like a slip for 'access'. Write `access:`, or rename the key")
        return frozenset()
    values = fields["access"]
    if values is None or len(values) > MAX_TAGS or any(len(value) > MAX_VALUE_CHARS for value in values):
        raise Unreadable(f"its access is neither a name nor a list of up to {MAX_TAGS} names. Write `access: [staff]`")
    return frozenset(values)


def _narrowed(outer: frozenset[str], inner: frozenset[str]) -> frozenset[str]:
    if not outer or not inner:
        return outer or inner
    both = outer & inner
    if not both:
        raise Unreadable(
            f"it asks for access {sorted(inner)} inside a folder that is open to {sorted(outer)} only. A document can "
            "narrow its folder's access, not widen it: add the tag to the folder, or move the document"
        )
    return both


def _overridden(outer: tuple[tuple[str, str], ...], inner: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    own = {name for name, _ in inner}
    return (*(pair for pair in outer if pair[0] not in own), *inner)


def _choose(key: str, value: str | None, known: Mapping[str, _T], problems: list[str]) -> _T | None:
    if value is None:
        return None
    found = known.get(value.lower().replace("-", "_").replace(" ", "_"))
    if found is None:
        problems.append(f"{key} {value[:40]!r} is unknown{_nearest(value, tuple(known))}; allowed: {', '.join(known)}")
    return found


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word[:40].lower(), known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _iso(value: str | None, problems: list[str]) -> str | None:
    if value is None:
        return None
    moment = as_utc(value)
    if moment is None:
        problems.append(f"published {value[:40]!r} is no date; write it as 2026-04-01")
    return moment
