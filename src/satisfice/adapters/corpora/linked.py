"""Passages that a query or its best hits name, found in the alias table when they are shown."""

import json
from collections.abc import Mapping, Sequence
from functools import partial

from satisfice.adapters.corpora.ranking import Scored
from satisfice.adapters.corpora.reading import Reader
from satisfice.adapters.corpora.records import bounded_terms
from satisfice.adapters.corpora.schema import decoded, encoded
from satisfice.adapters.corpora.snapshots import Spoken
from satisfice.core.ids import PassageId
from satisfice.core.linking import LINKING_HITS, Alias, Mention, Named, leads, mentions, names, resolve
from satisfice.core.passages import Link
from satisfice.core.text import sentences

_QUERY_CHARS = 2_000
"""Names are looked for in so much of a query."""


class Linking:
    """The links of a search's best hits, by row, and every passage that they or the query name, first the query's."""

    def __init__(self, reader: Reader, query: str, terms: Sequence[str], hits: Sequence[Scored]) -> None:
        self._reader = reader
        best = hits[:LINKING_HITS]
        spoken = [reader.snapshot.spoken.get(hit.candidate.row, partial(self._spoken, hit)) for hit in best]
        asked = mentions([query[:_QUERY_CHARS]], any_case=True)
        known = names(self._aliases([*asked, *(mention for _, found in spoken for mention in found)]))
        self.links: Mapping[int, tuple[Link, ...]] = {
            hit.candidate.row: _links(resolve(PassageId(hit.candidate.id), found, known), parts, terms)
            for hit, (parts, found) in zip(best, spoken, strict=True)
        }
        named = [one.target for one in resolve(None, asked, known)]
        named += [link.target for hit in best for link in self.links[hit.candidate.row]]
        self.named: Sequence[PassageId] = list(dict.fromkeys(named))

    def _spoken(self, hit: Scored) -> Spoken:
        (text,) = self._reader.connection.execute(
            "SELECT text FROM texts WHERE passage = ?", (hit.candidate.row,)
        ).fetchone()
        whole = decoded(text)
        parts = tuple(whole[start:end] for start, end in sentences(whole))
        return parts, mentions(parts)

    def rows(self, ids: Sequence[PassageId]) -> list[int]:
        """Row numbers of live passages."""
        found: list[int] = []
        for id_ in ids:
            rows = self._reader.connection.execute("SELECT row FROM passages WHERE id = ?", (encoded(id_),))
            found += [row for (row,) in rows]
        return found

    def _aliases(self, found: Sequence[Mention]) -> list[Alias]:
        """The readable rows of the alias table that could name something here."""
        now = self._reader.snapshot.number
        rows = self._reader.connection.execute(
            """SELECT a.lead, a.key, p.id, a.weight, p.permission FROM aliases a JOIN passages p ON p.row = a.passage
               WHERE a.lead IN (SELECT value FROM json_each(?)) AND p.born <= ? AND (p.died IS NULL OR p.died > ?)
               ORDER BY a.lead, a.key, p.row""",
            (json.dumps(leads(found)), now, now),
        )
        return [
            Alias(lead, key, PassageId(decoded(id_)), weight)
            for lead, key, id_, weight, permission in rows
            if permission in self._reader.permissions
        ]


def _links(named: Sequence[Named], parts: Sequence[str], terms: Sequence[str]) -> tuple[Link, ...]:
    """One link per target, by its best place: the sentence that shares most with the query."""
    best: dict[PassageId, Link] = {}
    shared: dict[int, tuple[str, ...]] = {}
    for one in named:
        if one.sentence not in shared:
            stems = set(bounded_terms(parts[one.sentence]))
            shared[one.sentence] = tuple(term for term in terms if term in stems)
        link = Link(one.target, one.weight, shared[one.sentence])
        held = best.get(one.target)
        if held is None or (len(link.matched), link.weight) > (len(held.matched), held.weight):
            best[one.target] = link
    return tuple(best.values())
