"""How a log lies in SQLite: its tables, and rows that carry a checksum over everything they say."""

import sqlite3
import zlib
from collections.abc import Sequence

from satisfice.adapters.event_stores.appending import Batch
from satisfice.adapters.event_stores.codec import Unreadable, decode, encode
from satisfice.core.facts import SCHEMA_VERSION, Envelope, Fact, kind
from satisfice.core.ids import BranchId, RunId
from satisfice.errors import Corrupt

TABLES = (
    """
    CREATE TABLE IF NOT EXISTS runs (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        facts INTEGER NOT NULL,
        stop TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        host TEXT, pid INTEGER, started TEXT, token TEXT
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS summaries (
        number INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL, principal TEXT NOT NULL, question TEXT NOT NULL, task TEXT NOT NULL,
        started_at TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS facts (
        number INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        kind TEXT NOT NULL,
        schema INTEGER NOT NULL,
        order_number INTEGER NOT NULL,
        branch TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        data TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (number, seq)
    )
    """,
)

_INSERT = """
    INSERT INTO facts (number, seq, kind, schema, order_number, branch, at_ms, epoch, data, checksum)
    VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?, CAST(? AS TEXT), ?)
"""

_SELECT = """
    SELECT seq, kind, schema, order_number, branch, at_ms, epoch, data, checksum
    FROM facts WHERE number = ? AND seq > ? ORDER BY seq LIMIT ?
"""

_Told = tuple[int, bytes, int, int, bytes, int, int, bytes]
"""Everything a row says, in the order of its columns; the checksum is over all of it."""

_Row = tuple[int, bytes, int, int, bytes, int, int, bytes, int]


def to_bytes(name: str) -> bytes:
    """Text as SQLite is given it: names may hold lone surrogates."""
    return name.encode("utf-8", "surrogatepass")


def to_text(stored: bytes) -> str:
    """What `to_bytes` was given."""
    return str(stored, "utf-8", "surrogatepass")


def insert(connection: sqlite3.Connection, number: int, run: RunId, batch: Batch) -> None:
    """Write the facts of a batch."""
    connection.executemany(_INSERT, [(number, *_row(run, envelope, data)) for envelope, data in batch.rows])


def rewrite(connection: sqlite3.Connection, number: int, run: RunId, envelope: Envelope) -> None:
    """Put a changed fact in the place of the old one."""
    connection.execute("DELETE FROM facts WHERE number = ? AND seq = ?", (number, envelope.seq))
    connection.execute(_INSERT, (number, *_row(run, envelope, encode(envelope.fact))))


def select(number: int, run: RunId, after: int, upto: int, connection: sqlite3.Connection) -> Sequence[Envelope]:
    """The facts with `after < seq <= upto`, all of which must be there and whole. Raises `Corrupt`."""
    # All at once: a cursor that an error leaves open would keep the file from being emptied.
    stored: list[_Row] = connection.execute(_SELECT, (number, after, max(0, upto - after))).fetchall()
    facts = [_envelope(run, row, seq) for seq, row in enumerate(stored, after + 1)]
    if after + len(facts) < upto:
        raise damaged(run, after + len(facts) + 1, "it is missing")
    return facts


def damaged(run: RunId, seq: int, found: str) -> Corrupt:
    """The error of a log that cannot be trusted, from this fact on."""
    return Corrupt(
        "sqlite",
        f"run {run!r}, fact {seq}: {found}; the log cannot be trusted from there on. Restore the state file from a "
        f"backup, or remove this run; other runs are not concerned",
        run=run,
        seq=seq,
    )


def _row(run: RunId, envelope: Envelope, data: bytes) -> _Row:
    name, branch = kind(envelope.fact).encode(), to_bytes(envelope.branch)
    told = (envelope.seq, name, SCHEMA_VERSION, envelope.order, branch, envelope.at_ms, envelope.epoch, data)
    return (*told, _checksum(run, told))


def _envelope(run: RunId, row: _Row, expected: int) -> Envelope:
    seq, name, schema, order, branch, at_ms, epoch, data, checksum = row
    told = (seq, name, schema, order, branch, at_ms, epoch, data)
    if seq != expected:
        raise damaged(run, expected, "it is missing")
    try:
        whole = checksum == _checksum(run, told)
    except TypeError:
        whole = False  # a damaged row may hold values of any type
    if not whole:
        raise damaged(run, seq, "its checksum does not match")
    return Envelope(seq, at_ms, epoch, _fact(run, seq, name, schema, data), order, BranchId(to_text(branch)))


def _fact(run: RunId, seq: int, name: bytes, schema: int, data: bytes) -> Fact:
    try:
        return decode(to_text(name), schema, data)
    except Unreadable as error:
        raise damaged(run, seq, str(error)) from error


def _checksum(run: RunId, told: _Told) -> int:
    return zlib.crc32(b"%b %d %b %d %d %b %d %d %b" % (to_bytes(run), *told))
