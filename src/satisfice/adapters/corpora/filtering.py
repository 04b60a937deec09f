"""Who may read what, and which filters hold, in the form the indexes understand."""

import calendar
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from satisfice.adapters.corpora.schema import ADAPTER
from satisfice.core.access import Permission, Principal, Use
from satisfice.core.passages import Provenance
from satisfice.core.queries import Filters
from satisfice.errors import RetrieverError

_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


MIN_SECOND, MAX_SECOND = -(1 << 62), 1 << 62
"""Before and after every date."""


def token(*parts: str) -> str:
    """A short index term for a value of any length. Collisions are harmless: every hit is checked against its own row."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def permission_tokens(permission: Permission) -> Sequence[str]:
    """What a passage is filed under: its tenant when open, else each of its tags; nothing when nobody may read it."""
    if Use.READ not in permission.uses:
        return ()
    if not permission.tags:
        return (token("open", permission.tenant),)
    return tuple(token("tag", permission.tenant, tag) for tag in sorted(permission.tags))


def principal_tokens(principal: Principal) -> Sequence[str]:
    """A passage filed under any of these may be read."""
    return (
        token("open", principal.tenant),
        *(token("tag", principal.tenant, tag) for tag in sorted(principal.tags)),
    )


def label_tokens(provenance: Provenance) -> Sequence[str]:
    """What a passage is filed under for filters: its document, and each of its metadata."""
    return tuple(
        sorted(
            {
                token("document", provenance.document_id),
                *(token("field", name, value) for name, value in provenance.metadata),
            }
        )
    )


def filter_tokens(filters: Filters) -> Sequence[Sequence[str]]:
    """A passage meets the filters when it is filed under one of each group."""
    groups = [[token("field", name, value) for value in values] for name, values in filters.fields]
    if filters.documents:
        groups.append([token("document", document) for document in filters.documents])
    return groups


def first_second(text: str | None) -> int | None:
    """The first second an ISO date, month, year or date-time stands for; None when it is no date."""
    bounds = _bounds(text)
    return None if bounds is None else bounds[0]


def date_range(filters: Filters) -> tuple[int | None, int | None]:
    """Bounds in seconds since 1970, both inclusive: a day counts whole.

    Raises
    ------
    RetrieverError
        A bound that is no date.
    """
    low = _bound("published_from", filters.published_from)
    high = _bound("published_to", filters.published_to)
    return (low[0] if low else None), (high[1] if high else None)


def _bound(name: str, text: str | None) -> tuple[int, int] | None:
    if not text:
        return None
    bounds = _bounds(text)
    if bounds is None:
        raise RetrieverError(
            ADAPTER, f"filter {name} is {text!r}; allowed is an ISO date such as 2026-01-31 or a UTC date-time"
        )
    return bounds


def _bounds(text: str | None) -> tuple[int, int] | None:
    if not text:
        return None
    try:
        match = _DAY.fullmatch(text.strip())
        if match is None:
            moment = datetime.fromisoformat(text.strip())
            second = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
            return second, second
        year, month, day = (int(part) if part else None for part in match.groups())
        first = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        last_month = month or 12
        last = datetime(year or 0, last_month, day or calendar.monthrange(year or 0, last_month)[1], tzinfo=UTC)
        return int(first.timestamp()), int((last + timedelta(days=1)).timestamp()) - 1
    except (ValueError, OverflowError):
        return None
