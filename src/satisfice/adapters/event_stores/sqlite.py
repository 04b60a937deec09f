"""Logs and leases in `state.db`, shared by every process of a machine."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from satisfice.adapters.event_stores import rows
from satisfice.adapters.event_stores.appending import Batch, checked, moved_on, stale
from satisfice.adapters.event_stores.leases import Lease, granted
from satisfice.adapters.event_stores.redacting import redacted
from satisfice.adapters.event_stores.rows import to_bytes, to_text
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.core.facts import Envelope, RunStarted
from satisfice.core.ids import DocumentId, RunId
from satisfice.errors import Corrupt, RunNotFound
from satisfice.ports.clock import Clock
from satisfice.ports.event_store import Owner, RunSummary

_NAME = "sqlite"

_PAGE = 500
"""Facts read in one go; the file's thread serves others in between."""


class SqliteEventStore:
    """`EventStore` on a state file, which the caller closes.

    Leases are kept on the wall clock. A clock that jumps forward ends them early, which is safe: the old owner's epoch
    is stale from then on.
    """

    def __init__(self, file: StateFile, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._prepared = False

    async def take(self, run: RunId, owner: Owner, ttl_ms: int) -> int:
        await self._prepare()
        return await self._file.write(partial(_take, run, owner, self._clock.wall_ms(), ttl_ms))

    async def append(self, run: RunId, facts: Sequence[Envelope], expected: int, epoch: int) -> None:
        await self._prepare()
        await self._file.write(partial(_append, run, checked(_NAME, run, facts, expected), expected, epoch))

    async def read(self, run: RunId, after: int = 0) -> Sequence[Envelope]:
        await self._prepare()
        number, upto, page = await self._file.read(partial(_first_page, run, after))
        facts = [*page]
        while after + len(facts) < upto:
            facts += await self._file.read(
                partial(rows.select, number, run, after + len(facts), min(upto, after + len(facts) + _PAGE))
            )
        return facts

    async def release(self, run: RunId, epoch: int) -> None:
        await self._prepare()
        await self._file.write(partial(_release, run, epoch))

    async def list(self, *, tenant: str | None = None, limit: int = 50) -> Sequence[RunSummary]:
        await self._prepare()
        return await self._file.read(partial(_list, tenant, limit))

    async def remove(self, run: RunId) -> bool:
        await self._prepare()
        return await self._file.forget(partial(_remove, run))

    async def redact(self, document: DocumentId) -> int:
        """Runs that cannot be read are left as they are, and the first of them is raised once all others are done."""
        await self._prepare()
        touched = 0
        damage: Corrupt | None = None
        for number, run in await self._file.read(partial(_naming, document)):
            try:
                touched += await self._file.forget(partial(_redact, number, run, document))
            except Corrupt as error:
                damage = damage or error
        if damage is not None:
            raise damage
        return touched

    async def _prepare(self) -> None:
        if not self._prepared:
            await self._file.write(_create_tables)
            self._prepared = True


def _create_tables(connection: sqlite3.Connection) -> None:
    for table in rows.TABLES:
        connection.execute(table)


def _take(run: RunId, owner: Owner, now_ms: int, ttl_ms: int, connection: sqlite3.Connection) -> int:
    lease = granted(_lease(connection, run), owner, now_ms, ttl_ms, run=run, adapter=_NAME)
    connection.execute(
        """
        INSERT INTO runs (run, facts, stop, epoch, until_ms, host, pid, started, token)
        VALUES (CAST(? AS TEXT), 0, '', ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run) DO UPDATE SET
            (epoch, until_ms, host, pid, started, token)
            = (excluded.epoch, excluded.until_ms, excluded.host, excluded.pid, excluded.started, excluded.token)
        """,
        (to_bytes(run), lease.epoch, lease.until_ms, owner.host, owner.pid, owner.started, owner.token),
    )
    return lease.epoch


def _lease(connection: sqlite3.Connection, run: RunId) -> Lease | None:
    found: tuple[int, int, bytes, int, bytes, bytes | None] | None = connection.execute(
        "SELECT epoch, until_ms, host, pid, started, token FROM runs WHERE run = CAST(? AS TEXT)", (to_bytes(run),)
    ).fetchone()
    if found is None:
        return None
    epoch, until_ms, host, pid, started, token = found
    owner = None if token is None else Owner(to_text(host), pid, to_text(started), to_text(token))
    return Lease(epoch, owner, until_ms)


def _append(run: RunId, batch: Batch, expected: int, epoch: int, connection: sqlite3.Connection) -> None:
    found: tuple[int, int, int, int] | None = connection.execute(
        "SELECT number, facts, epoch, token IS NOT NULL FROM runs WHERE run = CAST(? AS TEXT)", (to_bytes(run),)
    ).fetchone()
    if found is None:
        raise stale(_NAME, run, epoch, 0)
    number, facts, newest, held = found
    if newest != epoch or not held:
        raise stale(_NAME, run, epoch, newest)
    if facts != expected:
        raise moved_on(_NAME, run, expected, facts)
    rows.insert(connection, number, run, batch)
    if batch.started is not None:
        _summarise(connection, number, batch.started)
    connection.execute(
        "UPDATE runs SET facts = ?, stop = coalesce(nullif(?, ''), stop) WHERE number = ?",
        (expected + len(batch.rows), batch.stop, number),
    )


def _summarise(connection: sqlite3.Connection, number: int, started: RunStarted) -> None:
    words = (started.principal.tenant, started.principal.name, started.question, started.task.name, started.as_of)
    connection.execute(
        """
        INSERT OR REPLACE INTO summaries (number, tenant, principal, question, task, started_at)
        VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT))
        """,
        (number, *map(to_bytes, words)),
    )


def _first_page(run: RunId, after: int, connection: sqlite3.Connection) -> tuple[int, int, Sequence[Envelope]]:
    """The run's number, how many facts it has, and the first of those that were asked for."""
    found: tuple[int, int, int] | None = connection.execute(
        """
        SELECT number, facts, (SELECT coalesce(max(seq), 0) FROM facts WHERE facts.number = runs.number)
        FROM runs WHERE run = CAST(? AS TEXT)
        """,
        (to_bytes(run),),
    ).fetchone()
    if found is None or not any(found[1:]):
        raise RunNotFound(_NAME, f"no run is called {run!r}")
    number, upto, last = found
    if last != upto:
        raise rows.damaged(run, min(last, upto) + 1, f"the run has {upto} facts, and the last one here is {last}")
    return number, upto, rows.select(number, run, after, min(upto, after + _PAGE), connection)


def _release(run: RunId, epoch: int, connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE runs SET token = NULL WHERE run = CAST(? AS TEXT) AND epoch = ?", (to_bytes(run), epoch))


def _list(tenant: str | None, limit: int, connection: sqlite3.Connection) -> Sequence[RunSummary]:
    mine = None if tenant is None else to_bytes(tenant)
    found = connection.execute(
        """
        SELECT run, tenant, principal, question, task, started_at, facts, stop
        FROM summaries JOIN runs USING (number)
        WHERE ? IS NULL OR tenant = CAST(? AS TEXT)
        ORDER BY number DESC LIMIT ?
        """,
        (mine, mine, limit),
    )
    return [
        RunSummary(RunId(to_text(run)), *map(to_text, words), facts=facts, stop=to_text(stop))
        for run, *words, facts, stop in found
    ]


def _remove(run: RunId, connection: sqlite3.Connection) -> bool:
    found: tuple[int] | None = connection.execute(
        "SELECT number FROM runs WHERE run = CAST(? AS TEXT)", (to_bytes(run),)
    ).fetchone()
    if found is None:
        return False
    connection.execute("DELETE FROM facts WHERE number = ?", found)
    connection.execute("DELETE FROM summaries WHERE number = ?", found)
    connection.execute("DELETE FROM runs WHERE number = ?", found)
    return True


def _naming(document: DocumentId, connection: sqlite3.Connection) -> Sequence[tuple[int, RunId]]:
    """Runs whose log may name the document, by number."""
    # As facts are written: only an identifier that JSON leaves as it is can be looked for without reading every fact.
    plain = document.isascii() and json.dumps(document) == f'"{document}"'
    found = connection.execute(
        "SELECT DISTINCT number, run FROM facts JOIN runs USING (number) WHERE instr(data, ?) > 0 ORDER BY number",
        (document if plain else "",),
    )
    return [(number, RunId(to_text(run))) for number, run in found]


def _redact(number: int, run: RunId, document: DocumentId, connection: sqlite3.Connection) -> int:
    """1 when the run's log was changed, else 0."""
    found: tuple[int] | None = connection.execute("SELECT facts FROM runs WHERE number = ?", (number,)).fetchone()
    log = rows.select(number, run, 0, found[0], connection) if found else ()
    changed = 0
    for envelope, fact in zip(log, redacted([envelope.fact for envelope in log], document), strict=True):
        if fact != envelope.fact:
            rows.rewrite(connection, number, run, replace(envelope, fact=fact))
            changed = 1
    return changed
