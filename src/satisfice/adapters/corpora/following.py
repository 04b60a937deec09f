"""Bringing the derived indexes to the generation of the tables, after every commit and after every crash alike.

The order is: vectors, word index with its marker, then `complete` and the removal of dead rows. A reader uses the
generation of the marker, so whoever dies in between leaves the last complete one readable, and the next to open for
writing carries on here.
"""

import json
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

from satisfice.adapters.corpora.filtering import permission_tokens
from satisfice.adapters.corpora.lexical import FORMAT, Entry, LexicalIndex, LexicalWriter, Marker
from satisfice.adapters.corpora.records import TERMS_BY, passage_from, permission_from, select_passages, terms_of
from satisfice.adapters.corpora.truth import Generation, purge, read_generation
from satisfice.adapters.corpora.vectors import Placed, forget_generations, open_vectors, write_generation
from satisfice.core.access import Permission
from satisfice.errors import CorpusCorrupt

LEXICAL_FOLDER = "lexical"
PAGE_ROWS = 1_000
"""Passages handled in one unit of work: 10 to 30 ms."""

Boundary = Callable[[str], None]


def marker_name(generation: Generation) -> str:
    """What an index must be marked with to be of use: this store, cut into terms this way, in this format."""
    return f"{generation.store}/{TERMS_BY}/{FORMAT}"


def has_vectors(now: Generation, vectors_by: str) -> bool:
    """Whether every passage has a vector by this embedder (none, when empty)."""
    return bool(vectors_by) and now.vectors_by == vectors_by and not now.unembedded


def is_behind(connection: sqlite3.Connection, folder: Path, *, vectors_by: str) -> bool:
    """Whether anything derived is not at the generation of the tables."""
    now = read_generation(connection)
    if now.complete != now.number or now.terms_by != TERMS_BY:
        return True
    if has_vectors(now, vectors_by) and open_vectors(folder, now.number) is None:
        return True
    return _reached(LexicalIndex(folder / LEXICAL_FOLDER), now) != now.number


def follow(connection: sqlite3.Connection, folder: Path, *, vectors_by: str, dim: int, at: Boundary) -> Generator[None]:
    """Catch up in units; the caller holds the writer lock and no transaction is open. `vectors_by` is empty without an embedder."""
    if read_generation(connection).terms_by != TERMS_BY:
        yield from _cut_again(connection)
    now = read_generation(connection)
    lexical = LexicalIndex(folder / LEXICAL_FOLDER)
    reached = _reached(lexical, now)
    if has_vectors(now, vectors_by):
        written = yield from _follow_vectors(connection, folder, now, reached, dim)
        if written:
            at("vectors written")
    if reached != now.number:
        yield from _follow_words(connection, lexical, now, reached, at)
        at("words committed")
    if now.complete != now.number:
        purge(connection, now.number)
        at("completed")
    forget_generations(folder, now.number)


def _reached(lexical: LexicalIndex, now: Generation) -> int | None:
    """The generation the word index holds; None when it is missing, foreign, damaged or older than the dead rows' removal."""
    try:
        generation, _, name = lexical.marker(lexical.open(create=False).searcher())
    except CorpusCorrupt:
        return None
    usable = name == marker_name(now) and now.complete <= generation <= now.number
    return generation if usable else None


def _follow_words(
    connection: sqlite3.Connection, lexical: LexicalIndex, now: Generation, reached: int | None, at: Boundary
) -> Generator[None]:
    try:
        index = lexical.open(create=True)
    except CorpusCorrupt:
        lexical.discard()
        index = lexical.open(create=True)
    writer = LexicalWriter(index, lexical.schema)
    try:
        if reached is None:
            writer.clear()
        else:
            writer.remove(_died_after(connection, reached))
        for page in _entry_pages(connection, reached or 0):
            writer.add(page)
            yield
        at("words added")
        writer.commit(Marker(now.number, now.version, marker_name(now)))
    finally:
        writer.close()


def _follow_vectors(
    connection: sqlite3.Connection, folder: Path, now: Generation, reached: int | None, dim: int
) -> Generator[None, None, bool]:
    """True when there was something to write."""
    previous = None
    if reached is not None:
        previous = open_vectors(folder, reached)
        if previous is not None and (previous.by, previous.dim) != (now.vectors_by, dim):
            previous = None
        if previous is not None and reached == now.number:
            return False
    since = 0 if previous is None or reached is None else reached
    yield from write_generation(
        folder,
        now.number,
        by=now.vectors_by,
        dim=dim,
        previous=previous,
        dead=_died_after(connection, since) if since else (),
        added=_vector_pages(connection, since),
    )
    return True


def _died_after(connection: sqlite3.Connection, generation: int) -> Sequence[int]:
    return [row for (row,) in connection.execute("SELECT row FROM passages WHERE died > ?", (generation,))]


def _entry_pages(connection: sqlite3.Connection, since: int) -> Iterator[Sequence[Entry]]:
    """Every live passage born after a generation, as the word index should hold it."""
    last = 0
    while rows := connection.execute(
        "SELECT row FROM passages WHERE born > ? AND died IS NULL AND row > ? ORDER BY row LIMIT ?",
        (since, last, PAGE_ROWS),
    ).fetchall():
        numbers = [row for (row,) in rows]
        yield entries_of(connection, numbers)
        last = numbers[-1]


def entries_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[Entry]:
    """These passages as the word index should hold them."""
    rows = connection.execute(
        """SELECT p.row, p.permission, p.label, l.published, t.head, t.body
           FROM passages p JOIN labels l ON l.row = p.label JOIN terms t ON t.passage = p.row
           WHERE p.row IN (SELECT value FROM json_each(?)) ORDER BY p.row""",
        (json.dumps(numbers),),
    ).fetchall()
    permits: dict[int, Sequence[str]] = {}
    filed: dict[int, Sequence[str]] = {}
    entries: list[Entry] = []
    for row, permission, label, published, head, body in rows:
        if permission not in permits:
            permits[permission] = permission_tokens(_permission(connection, permission))
        if label not in filed:
            filed[label] = _filed(connection, label)
        entries.append(Entry(row, head, body, permits[permission], filed[label], published))
    return entries


def _filed(connection: sqlite3.Connection, label: int) -> Sequence[str]:
    return [one for (one,) in connection.execute("SELECT token FROM filed WHERE label = ? ORDER BY token", (label,))]


def _permission(connection: sqlite3.Connection, row: int) -> Permission:
    return permission_from(
        *connection.execute("SELECT tenant, tags, uses FROM permissions WHERE row = ?", (row,)).fetchone()
    )


def _vector_pages(connection: sqlite3.Connection, since: int) -> Iterator[Sequence[Placed]]:
    last = 0
    while True:
        rows = connection.execute(
            """SELECT p.row, p.permission, p.label, v.vector FROM passages p JOIN vectors v ON v.passage = p.row
               WHERE p.born > ? AND p.died IS NULL AND p.row > ? ORDER BY p.row LIMIT ?""",
            (since, last, PAGE_ROWS),
        ).fetchall()
        if not rows:
            return
        yield [Placed(*row) for row in rows]
        last = rows[-1][0]


def _cut_again(connection: sqlite3.Connection) -> Generator[None]:
    """The terms were cut by another version: make them anew from the texts, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    last = 0
    while rows := select_passages(connection, "p.row > ? ORDER BY p.row LIMIT ?", (last, PAGE_ROWS)):
        for number, row in rows:
            connection.execute(
                "UPDATE terms SET length = ?, head = ?, body = ? WHERE passage = ?",
                (*terms_of(passage_from(row)), number),
            )
        last = rows[-1][0]
        yield
    connection.execute(
        """UPDATE permissions SET terms = (SELECT coalesce(sum(length), 0) FROM passages JOIN terms ON passage = row
           WHERE permission = permissions.row AND died IS NULL)"""
    )
    connection.execute("UPDATE generation SET terms_by = ?", (TERMS_BY,))
    connection.execute("COMMIT")
