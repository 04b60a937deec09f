"""Shared accounts in `state.db`: every process of a machine draws on the same ones."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from satisfice.adapters.quotas import books
from satisfice.adapters.quotas.books import Hold, LimitsOf
from satisfice.core.accounts import Account
from satisfice.core.amounts import Charge
from satisfice.core.orders import Denied
from satisfice.errors import QuotaError, StoreError

_NAME = "sqlite"

_TABLES = (
    "CREATE TABLE IF NOT EXISTS quota_accounts (account BLOB PRIMARY KEY, used BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS quota_holds (key BLOB PRIMARY KEY, hold BLOB NOT NULL) WITHOUT ROWID",
)

T = TypeVar("T")


class Database(Protocol):
    """The state file, as far as a quota needs it. Errors arrive as `StoreError`."""

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run work in a transaction that no other process can come between."""
        ...


class SqliteQuota:
    """`Quota` on a state file, which the caller closes."""

    def __init__(self, database: Database, limits: LimitsOf) -> None:
        self._database = database
        self._limits = limits
        self._prepared = False

    async def hold(self, key: str, path: Sequence[str], charge: Charge) -> Denied | None:
        """A key that is still held stands for an intent that never appeared: its hold makes way for the new one."""
        return await self._write(partial(self._hold, key, Hold(tuple(dict.fromkeys(path)), charge)))

    async def settle(self, key: str, charge: Charge) -> None:
        """A key under which nothing is held has nothing to replace, and changes nothing either."""
        await self._write(partial(self._settle, key, charge))

    async def release(self, key: str) -> None:
        await self._write(partial(self._release, key))

    async def left(self, account: str) -> Charge:
        return books.left((await self._write(partial(self._accounts, (account,))))[0])

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            if not self._prepared:
                await self._database.write(_create_tables)
                self._prepared = True
            return await self._database.write(work)
        except StoreError as error:
            raise QuotaError(_NAME, error.why, retryable=error.retryable) from error

    def _hold(self, key: str, asked: Hold, connection: sqlite3.Connection) -> Denied | None:
        before = _stored_hold(connection, key)
        if before is not None and (before.settled or before == asked):
            return None
        self._release(key, connection)
        accounts = books.held(self._accounts(asked.path, connection), asked.charge)
        if isinstance(accounts, Denied):
            return accounts
        _keep(connection, accounts)
        _keep_hold(connection, key, asked)
        return None

    def _settle(self, key: str, charge: Charge, connection: sqlite3.Connection) -> None:
        hold = _stored_hold(connection, key)
        if hold is not None and not hold.settled:
            _keep(connection, books.settled(self._accounts(hold.path, connection), hold.charge, charge))
            _keep_hold(connection, key, replace(hold, settled=True))

    def _release(self, key: str, connection: sqlite3.Connection) -> None:
        hold = _stored_hold(connection, key)
        if hold is not None and not hold.settled:
            _keep(connection, books.released(self._accounts(hold.path, connection), hold.charge))
            connection.execute("DELETE FROM quota_holds WHERE key = ?", (_bytes(key),))

    def _accounts(self, path: Sequence[str], connection: sqlite3.Connection) -> Sequence[Account]:
        return [_stored_account(connection, books.fresh(name, self._limits(name))) for name in path]


def _create_tables(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(table)


def _stored_account(connection: sqlite3.Connection, fresh: Account) -> Account:
    """What was used so far, under the limits of today."""
    found = connection.execute("SELECT used FROM quota_accounts WHERE account = ?", (_bytes(fresh.name),)).fetchone()
    return replace(_from_json(found[0], Account), limits=fresh.limits, sums=fresh.sums) if found else fresh


def _keep(connection: sqlite3.Connection, accounts: Sequence[Account]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO quota_accounts (account, used) VALUES (?, ?)",
        [(_bytes(account.name), _to_json(replace(account, limits={}, sums=()))) for account in accounts],
    )


def _stored_hold(connection: sqlite3.Connection, key: str) -> Hold | None:
    found = connection.execute("SELECT hold FROM quota_holds WHERE key = ?", (_bytes(key),)).fetchone()
    return _from_json(found[0], Hold) if found else None


def _keep_hold(connection: sqlite3.Connection, key: str, hold: Hold) -> None:
    connection.execute("INSERT OR REPLACE INTO quota_holds (key, hold) VALUES (?, ?)", (_bytes(key), _to_json(hold)))


def _to_json(value: Any) -> bytes:
    """By the standard library, which escapes lone surrogates and counts past 64 bits."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def _from_json(stored: bytes, cls: type[T]) -> T:
    try:
        return msgspec.convert(json.loads(stored), cls)
    except (ValueError, msgspec.ValidationError) as error:
        raise QuotaError(
            _NAME, f"an account or hold in the state file is damaged ({error}); restore the file from a backup"
        ) from error


def _bytes(name: str) -> bytes:
    """Names may hold lone surrogates, which SQLite's text may not."""
    return name.encode("utf-8", "surrogatepass")
