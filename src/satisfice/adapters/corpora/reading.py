"""What one principal may see of one generation, on an open read transaction."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tantivy import Query as IndexQuery

from satisfice.adapters.corpora.filtering import MAX_SECOND, MIN_SECOND, date_range, filter_tokens, principal_tokens
from satisfice.adapters.corpora.records import MAX_TERM_CHARS, passage_from, permission_from, select_passages
from satisfice.adapters.corpora.schema import encoded
from satisfice.adapters.corpora.snapshots import Snapshot
from satisfice.core.access import Permission, Principal, may_read
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.passages import Passage
from satisfice.core.queries import NO_FILTERS, Filters

if TYPE_CHECKING:
    from satisfice.adapters.corpora.vectors import Rows

_LIVE = "p.born <= :now AND (p.died IS NULL OR p.died > :now)"


class Reader:
    """A principal's view. Whatever an index says, a passage leaves only when the tables agree that it may be read."""

    def __init__(self, connection: sqlite3.Connection, snapshot: Snapshot, principal: Principal) -> None:
        self.connection = connection
        self.snapshot = snapshot
        self._fingerprint = principal.fingerprint()
        self._permits = principal_tokens(principal)
        self.permissions, self._reads_all = snapshot.permissions.get(
            self._fingerprint, lambda: self._readable_permissions(principal)
        )

    def allowed(self, filters: Filters) -> IndexQuery:
        """What the word index must restrict itself to."""
        return self.snapshot.words.allowed(self._permits, filter_tokens(filters), date_range(filters))

    def restricted(self, wanted: IndexQuery, filters: Filters = NO_FILTERS) -> IndexQuery:
        """A query over what may be given; as it is, where that is everything."""
        if filters == NO_FILTERS and self._reads_all:
            return wanted
        return self.snapshot.words.both(wanted, self.allowed(filters))

    def readable(self, filters: Filters = NO_FILTERS) -> int:
        """Passages that could be given under the filters."""
        words, searcher = self.snapshot.words, self.snapshot.searcher
        return self.snapshot.counts.get(
            (self._fingerprint, filters), lambda: words.count(searcher, self.allowed(filters))
        )

    def containing(self, term: str) -> int:
        """Readable passages with a term, whatever the filters: how rare it is does not depend on them."""
        words, searcher = self.snapshot.words, self.snapshot.searcher
        term = term[:MAX_TERM_CHARS]
        return self.snapshot.counts.get(
            (self._fingerprint, term),
            lambda: words.count(searcher, self.restricted(words.having(term))),
        )

    def mean_terms(self) -> float:
        """Mean length of the readable passages, in terms."""

        def count() -> float:
            passages, terms = self.connection.execute(
                "SELECT sum(passages), sum(terms) FROM permissions WHERE row IN (SELECT value FROM json_each(?))",
                (json.dumps(sorted(self.permissions)),),
            ).fetchone()
            return terms / passages if passages else 0.0

        return self.snapshot.mean_terms.get(self._fingerprint, count)

    def selection(self, filters: Filters) -> "Rows":
        """The vectors that may be compared; only where the snapshot has vectors."""

        def select() -> "Rows":
            vectors = self.snapshot.vectors
            assert vectors is not None  # noqa: S101  asked for only where there are vectors
            labels = None if filters == NO_FILTERS else sorted(self.labels(filters))
            return vectors.select(sorted(self.permissions), labels)

        return self.snapshot.selections.get((self._fingerprint, filters), select)

    def look_up(self, ids: Sequence[PassageId]) -> list[Passage]:
        """Passages in the order asked, each once."""
        found = (self._live("p.id = :id", id=encoded(id_)) for id_ in dict.fromkeys(ids))
        return [passage for passages in found for passage in passages]

    def neighbours(self, id_: PassageId, reach: int) -> list[Passage]:
        """The passages next to one, in order, itself left out; nothing when it is not readable itself."""
        if not self._live("p.id = :id", id=encoded(id_)):
            return []
        document, ordinal = self.connection.execute(
            f"SELECT document, ordinal FROM passages p WHERE id = :id AND {_LIVE}",  # noqa: S608  a constant
            {"id": encoded(id_), "now": self.snapshot.number},
        ).fetchone()
        return self._live(
            "p.document = :document AND p.ordinal BETWEEN :first AND :last AND p.ordinal != :own",
            document=document,
            first=ordinal - reach,
            last=ordinal + reach,
            own=ordinal,
        )

    def versions(self, ids: Sequence[DocumentId]) -> dict[DocumentId, str]:
        """Content hashes of the live documents that are readable."""
        hashes: dict[DocumentId, str] = {}
        for id_ in ids:
            found = self.connection.execute(
                f"SELECT content_hash, permission FROM documents p WHERE id = :id AND {_LIVE}",  # noqa: S608  a constant
                {"id": encoded(id_), "now": self.snapshot.number},
            ).fetchone()
            if found is not None and found[1] in self.permissions:
                hashes[id_] = found[0]
        return hashes

    def texts(self, rows: Sequence[int]) -> dict[int, Passage]:
        """Passages by row number; the rows are those of checked candidates."""
        found = select_passages(
            self.connection, "p.row IN (SELECT value FROM json_each(:rows))", {"rows": json.dumps(list(rows))}
        )
        return {row: passage_from(stored) for row, stored in found}

    def _live(self, condition: str, **values: object) -> list[Passage]:
        found = select_passages(
            self.connection,
            f"{condition} AND {_LIVE} ORDER BY p.ordinal",
            {**values, "now": self.snapshot.number},
        )
        permitted = set(self.permissions.values())
        passages = [passage_from(stored) for _, stored in found]
        return [passage for passage in passages if passage.provenance.permission in permitted]

    def _readable_permissions(self, principal: Principal) -> tuple[Mapping[int, Permission], bool]:
        """The permissions that let the principal read, by row, and whether there are no others."""
        rows = self.connection.execute("SELECT row, tenant, tags, uses FROM permissions").fetchall()
        found = [(row, permission_from(*key)) for row, *key in rows]
        readable = {row: permission for row, permission in found if may_read(principal, permission)}
        return readable, len(readable) == len(found)

    def labels(self, filters: Filters, among: Collection[int] | None = None) -> set[int]:
        """The labels that meet the filters, of all or of some; `filters` must filter something."""
        some = "" if among is None else " AND label IN (SELECT value FROM json_each(:some))"
        values: dict[str, object] = {"some": json.dumps(sorted(among or ()))}
        sets: list[set[int]] = []
        for group in filter_tokens(filters):
            filed = self.connection.execute(
                f"SELECT label FROM filed WHERE token IN (SELECT value FROM json_each(:tokens)){some}",  # noqa: S608  constants
                {**values, "tokens": json.dumps(list(group))},
            )
            sets.append({label for (label,) in filed})
        low, high = date_range(filters)
        if low is not None or high is not None:
            dated = self.connection.execute(
                f"SELECT row AS label FROM labels WHERE published BETWEEN :low AND :high{some}",  # noqa: S608  constants
                {**values, "low": MIN_SECOND if low is None else low, "high": MAX_SECOND if high is None else high},
            )
            sets.append({label for (label,) in dated})
        return set[int].intersection(*sets)
