"""One search, in one read transaction and one thread: candidates from both indexes, checked against the tables, ranked."""

import json
from collections.abc import Sequence

from satisfice.adapters.corpora.linked import Linking
from satisfice.adapters.corpora.ranking import (
    Background,
    Candidate,
    Scored,
    WordsScore,
    best_first,
    inverse_frequency,
    scored,
    without_repeats,
    words_score,
)
from satisfice.adapters.corpora.reading import Reader
from satisfice.adapters.corpora.records import MAX_TERM_CHARS, bounded_terms
from satisfice.adapters.corpora.schema import decoded
from satisfice.core.ids import DocumentId, PassageId
from satisfice.core.passages import Handle, Link
from satisfice.core.queries import NO_FILTERS, Query
from satisfice.core.text import is_stop
from satisfice.ports.retriever import Hits

MAX_TERMS = 128
"""Different terms of one query that are searched; a longer text is cut after so many."""
_VECTOR_CANDIDATES = 32
"""The nearest passages beside those that the words propose: 16, 64 and 200 gave the same first ten on nine sets."""
_SPARE_CANDIDATES = 16
"""The index measures length in steps and rarity over everything: a few places of its order may be wrong."""
_NAMED_PLACES = 16
"""Handles kept for passages that the query or its best hits name, when they are no hits of the first rank anyway."""


class Search:
    """Answers one query for one reader. `vector` is the query's, when the source has vectors."""

    def __init__(self, reader: Reader, query: Query, vector: bytes | None) -> None:
        self._reader = reader
        self._query = query
        self._vector = vector if reader.snapshot.vectors is not None else None
        self._weights: dict[str, float] = {}
        self._known: set[str] = set()
        self._top = 0.0
        self._background: Background | None = None

    def hits(self, *, limit: int, handles: int) -> Hits:
        """What the port promises."""
        reader = self._reader
        readable = reader.readable(self._query.filters)
        warnings = (reader.snapshot.warning,) if readable and reader.snapshot.warning else ()
        self._weights = self._rarities() if readable else {}
        if not self._weights:
            # No readable passage has any of the words: what is nearest to them then is near by accident.
            return Hits((), version=reader.snapshot.version, readable=readable, warnings=warnings)
        candidates = self._candidates([*self._by_words(max(limit, handles)), *self._by_vector(limit)])
        self._known = {candidate.id for candidate in candidates}
        words, cosines = self._words(candidates), self._cosines(candidates)
        self._top = max((one.score for one in words), default=0.0)
        ranked, repeats = without_repeats(scored(candidates, words, self._top, cosines, self._background))
        linking = Linking(reader, self._query.text, tuple(self._weights), ranked)
        first = ranked[:limit]
        handles = max(handles, len(first))
        shown = [*first, *self._others(ranked[limit:], linking, handles - len(first)), *repeats]
        texts = reader.texts([hit.candidate.row for hit in first])
        return Hits(
            tuple(texts[hit.candidate.row] for hit in first),
            tuple(_handle(hit, linking.links.get(hit.candidate.row, ())) for hit in shown[:handles]),
            version=reader.snapshot.version,
            readable=readable,
            warnings=warnings,
        )

    def _rarities(self) -> dict[str, float]:
        """The query's terms with weight times rarity; those that no readable passage has are left out."""
        query, reader = self._query, self._reader
        asked = dict(query.weights) if query.weights else dict.fromkeys(query_terms(query.text), 1.0)
        passages = reader.readable()
        rarities: dict[str, float] = {}
        for term, weight in list(asked.items())[:MAX_TERMS]:
            containing = reader.containing(term) if weight > 0.0 else 0
            if containing:
                rarities[term[:MAX_TERM_CHARS]] = weight * inverse_frequency(passages, containing)
        return rarities

    # --- candidates --------------------------------------------------------------------------------------------------

    def _by_words(self, wanted: int) -> Sequence[int]:
        """Rows of the best passages by words, a few more than are wanted."""
        reader = self._reader
        words, searcher = reader.snapshot.words, reader.snapshot.searcher
        weights = dict(self._query.weights)
        terms = [(term, weights.get(term, 1.0)) for term in sorted(self._weights)]
        restricted = reader.restricted(words.wanted(terms), self._query.filters)
        return words.search(searcher, restricted, wanted + _SPARE_CANDIDATES)

    def _by_vector(self, wanted: int) -> Sequence[int]:
        """Rows of the nearest passages; takes note of the background they stand before."""
        vectors = self._reader.snapshot.vectors
        if vectors is None or self._vector is None:
            return []
        selection = self._reader.selection(self._query.filters)
        if not len(selection):
            return []
        import numpy as np

        cosines = vectors.cosines(self._vector, selection)
        self._background = Background(float(cosines.mean()), float(cosines.std()))
        best = np.arange(len(cosines))
        wanted = max(wanted, _VECTOR_CANDIDATES)
        if len(cosines) > wanted:
            best = np.argpartition(-cosines, wanted)[:wanted]
        return [int(row) for row in vectors.passages[selection[best]]]

    def _candidates(self, rows: Sequence[int]) -> list[Candidate]:
        """The live, readable passages among these rows: an index is believed only where the tables agree."""
        reader = self._reader
        found = reader.connection.execute(
            """SELECT p.label, p.permission, p.row, p.id, d.id, l.title, l.authority, p.tokens, p.start, p.stop,
                      t.length, t.head, t.body
               FROM passages p JOIN documents d ON d.row = p.document JOIN labels l ON l.row = p.label
               JOIN terms t ON t.passage = p.row
               WHERE p.row IN (SELECT value FROM json_each(?)) AND p.born <= ? AND (p.died IS NULL OR p.died > ?)
               ORDER BY p.row""",
            (json.dumps(sorted(set(rows))), reader.snapshot.number, reader.snapshot.number),
        ).fetchall()
        labels = {label for label, *_ in found}
        if self._query.filters != NO_FILTERS:
            labels = reader.labels(self._query.filters, labels)
        return [
            Candidate(row, decoded(id_), *others)
            for label, permission, row, id_, *others in found
            if permission in reader.permissions and label in labels
        ]

    def _words(self, candidates: Sequence[Candidate]) -> list[WordsScore]:
        mean_terms = self._reader.mean_terms()
        return [words_score(candidate, self._weights, mean_terms) for candidate in candidates]

    def _cosines(self, candidates: Sequence[Candidate]) -> list[float] | None:
        vectors = self._reader.snapshot.vectors
        if vectors is None or self._vector is None:
            return None
        positions = vectors.position([candidate.row for candidate in candidates])
        known = [number for number, position in enumerate(positions) if position >= 0]
        cosines = [0.0] * len(candidates)
        for number, cosine in zip(known, vectors.cosines(self._vector, positions[known]), strict=True):
            cosines[number] = float(cosine)
        return cosines

    # --- handles -----------------------------------------------------------------------------------------------------

    def _others(self, ranked: Sequence[Scored], linking: Linking, places: int) -> list[Scored]:
        """The hits that become handles without text: the best, then what is named, then others as far as there is room."""
        first = list(ranked[: max(places - _NAMED_PLACES, 0)])
        others = {hit.candidate.id: hit for hit in ranked[len(first) :]}
        named = [others.pop(id_) for id_ in linking.named if id_ in others]
        beside = self._candidates(linking.rows([id_ for id_ in linking.named if id_ not in self._known]))
        scores = (self._words(beside), self._top, self._cosines(beside), self._background)
        named += scored(beside, *scores, beside=True)[:_NAMED_PLACES]
        return sorted([*first, *named, *others.values()][:places], key=best_first)


def query_terms(text: str) -> list[str]:
    """The terms a query is searched by: without stop words, unless it has nothing else."""
    terms = list(dict.fromkeys(bounded_terms(text)))
    return [term for term in terms if not is_stop(term)] or terms


def _handle(hit: Scored, links: tuple[Link, ...]) -> Handle:
    candidate = hit.candidate
    return Handle(
        id=PassageId(candidate.id),
        document_id=DocumentId(decoded(candidate.document)),
        title=decoded(candidate.title),
        score=hit.score,
        lexical=hit.lexical,
        cosine=hit.cosine,
        matched=hit.matched,
        links=links,
        tokens=candidate.tokens,
    )
