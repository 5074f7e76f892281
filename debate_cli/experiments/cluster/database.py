"""The database of a queue: its address, its tables and its transactions."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from debate_cli.errors import StorageError, UsageError
from debate_cli.plugins import require_packages
from debate_cli.storage.variables import QUEUE_VARIABLE

if TYPE_CHECKING:
    from procrastinate.manager import JobManager
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

SCHEMA = "debate_cli"
"""Name of the PostgreSQL schema that contains all tables."""
VERSION = 3
OUTAGE_S = 300.0
"""Seconds for which a transaction is repeated while the server cannot be reached."""
_RETRY_S = 0.5
_CONNECT_S = 5.0
_MAX_CONNECTIONS = 8
_TABLE_CREATION_LOCK = 0x64656274
_TABLES = """
CREATE TABLE version (number INTEGER NOT NULL);
INSERT INTO version VALUES (3);
CREATE TABLE experiments (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, rehearsal_notice TEXT NOT NULL, plan TEXT NOT NULL, notes TEXT NOT NULL,
    document BYTEA NOT NULL, revision INTEGER NOT NULL DEFAULT 1, max_cost_usd DOUBLE PRECISION, max_tokens BIGINT,
    spent_usd DOUBLE PRECISION NOT NULL DEFAULT 0, spent_tokens BIGINT NOT NULL DEFAULT 0, halted TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE cells (
    experiment TEXT NOT NULL REFERENCES experiments, key TEXT NOT NULL, plan TEXT NOT NULL, seq INTEGER NOT NULL,
    cell JSONB NOT NULL, state TEXT NOT NULL, lease BIGINT NOT NULL DEFAULT 0, job BIGINT,
    attempts INTEGER NOT NULL DEFAULT 0, cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0,
    calls BIGINT NOT NULL DEFAULT 0, seconds DOUBLE PRECISION NOT NULL DEFAULT 0, cause TEXT, message TEXT,
    results JSONB NOT NULL DEFAULT '[]', transcript BYTEA, updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (experiment, key)
);
CREATE INDEX cells_updated ON cells (experiment, updated_at);
CREATE INDEX cells_state ON cells (experiment, state);
CREATE TABLE lines (
    experiment TEXT NOT NULL, cell TEXT NOT NULL, lease BIGINT NOT NULL, seq INTEGER NOT NULL, line BYTEA NOT NULL,
    PRIMARY KEY (experiment, cell, lease, seq)
);
CREATE TABLE reservations (
    id TEXT PRIMARY KEY, experiment TEXT NOT NULL, cell TEXT NOT NULL, lease BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL, tokens BIGINT NOT NULL
);
CREATE INDEX reservations_cell ON reservations (experiment, cell);
CREATE TABLE rates (
    id BIGSERIAL PRIMARY KEY, account TEXT NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    tokens BIGINT NOT NULL
);
CREATE INDEX rates_account ON rates (account, at);
"""
T = TypeVar("T")


def describe_address(dsn: str) -> str:
    """Return the address `dsn` without user, password and options.

    Raises UsageError if `dsn` is not an address of PostgreSQL. Also raises UsageError for an address with two `@`,
    because error messages of psycopg would show a part of the password.
    """
    try:
        parts = urlsplit(dsn)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in {"postgresql", "postgres"} or parts.netloc.count("@") > 1:
        raise UsageError(
            f"--queue: write the address of a PostgreSQL database, as postgresql://USER@HOST/NAME, or set {QUEUE_VARIABLE}; "
            "in a password, write @ as %40, / as %2F and # as %23"
        )
    host = parts.hostname or "localhost"
    return f"postgresql://{host}{f':{port}' if port else ''}{parts.path}"


def address_secrets(dsn: str) -> tuple[str, ...]:
    """Return the address and the passwords in it. These texts must never be written or shown."""
    parts = urlsplit(dsn)
    passwords = [parts.password or "", *parse_qs(parts.query).get("password", ())]
    return (dsn, *(unquote(password) for password in passwords if password))


class Database:
    """Connections to the database of a queue."""

    def __init__(self, pool: AsyncConnectionPool, jobs: JobManager, shown: str) -> None:
        self._pool = pool
        self.jobs = jobs
        """The job queue. Call its methods within `run_jobs`, which turns their errors into StorageError."""
        self.shown = shown
        """The address of the database without secrets, for messages."""

    @classmethod
    @asynccontextmanager
    async def connect(cls, dsn: str) -> AsyncGenerator[Database]:
        """Connect to the database, and create missing tables.

        Raises UsageError if the address is wrong, or if a newer version of debate-cli created the tables.
        Raises StorageError if no connection is possible.
        """
        require_packages("a queue", "cluster", ("procrastinate", "psycopg", "psycopg_pool"))
        from procrastinate import App, PsycopgConnector
        from psycopg import AsyncConnection, Error, ProgrammingError
        from psycopg_pool import AsyncConnectionPool

        for name in ("psycopg", "procrastinate"):
            logging.getLogger(name).addHandler(logging.NullHandler())
        shown = describe_address(dsn)
        try:
            await (await AsyncConnection.connect(dsn, connect_timeout=int(_CONNECT_S))).close()
        except ProgrammingError:  # its message repeats parts of the address
            raise UsageError(
                f"{shown}: the part of the address after the host name is not valid; write postgresql://USER@HOST/NAME"
            ) from None
        except Error as error:
            raise StorageError(_describe_failure(shown, error)) from None
        options = {"options": f"-c search_path={SCHEMA}", "application_name": "debate-cli"}
        pool: AsyncConnectionPool = AsyncConnectionPool(
            dsn, min_size=1, max_size=_MAX_CONNECTIONS, timeout=_CONNECT_S, open=False, kwargs=options
        )
        app = App(connector=PsycopgConnector())
        async with pool, app.open_async(pool):
            database = cls(pool, app.job_manager, shown)
            await database.run(partial(_create_tables, queue_schema=app.schema_manager.get_schema()))
            yield database

    async def run(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Run `work` in a transaction. `work` must be idempotent, because it runs again after a lost connection.

        Raises StorageError if a statement of `work` fails, or if the server cannot be reached for OUTAGE_S seconds.
        """

        async def transaction() -> T:
            async with self._pool.connection() as connection:
                return await work(connection)

        return await self.run_jobs(transaction)

    async def fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one SQL statement in a separate transaction, and return its rows."""
        return await self.run(lambda connection: fetch(connection, query, *values))

    async def run_jobs(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work`, which calls methods of the job queue.

        `work` must be idempotent, because it runs again after a lost connection. Raises StorageError if a
        statement of `work` fails, or if the server cannot be reached for OUTAGE_S seconds.
        """
        from procrastinate.exceptions import ConnectorException
        from psycopg import Error, InterfaceError, OperationalError

        until = time.monotonic() + OUTAGE_S
        while True:
            try:
                return await work()
            except (ConnectorException, Error) as error:
                cause = error if isinstance(error, Error) else error.__cause__
                if not isinstance(cause, OperationalError | InterfaceError) or time.monotonic() > until:
                    raise StorageError(_describe_failure(self.shown, cause or error)) from error
            await asyncio.sleep(_RETRY_S)


async def _create_tables(connection: AsyncConnection, queue_schema: str) -> None:
    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_TABLE_CREATION_LOCK,))
    if await fetch(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.version") == [(None,)]:
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
        await connection.execute((_TABLES + queue_schema).encode())
        return
    [(number,)] = await fetch(connection, "SELECT number FROM version")
    if number > VERSION:
        raise UsageError("a newer version of debate-cli created this queue; upgrade debate-cli on this machine")
    if number < VERSION:
        raise UsageError(
            "an unreleased version of debate-cli created this queue, and this version cannot read it; delete it with the SQL "
            f"statement `DROP SCHEMA {SCHEMA} CASCADE`"
        )


async def fetch(connection: AsyncConnection, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Run one SQL statement, and return its rows. Returns an empty list if the statement has no result."""
    cursor = await connection.execute(query.encode(), values)
    return [] if cursor.description is None else await cursor.fetchall()


def _describe_failure(shown: str, error: BaseException) -> str:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    return f"{shown}: the queue cannot be used ({reason}); check the address and whether PostgreSQL is running; saved results are not lost"
