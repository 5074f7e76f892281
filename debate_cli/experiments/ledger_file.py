"""Creates and opens the SQLite file of a ledger, and turns its errors into a StorageError with one sentence."""

import os
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from debate_cli.errors import StorageError, UsageError
from debate_cli.storage.atomic_write import FILE_MODE, make_folder

LEDGER_NAME = "ledger.sqlite"
_APPLICATION_ID = 0x64656278
_VERSION = 1
_BUSY_S = 60.0
_RETRY_S = 0.02
_PRIMARY_CODE = 0xFF
"""Bit mask for the primary part of an SQLite error code, which is equal for all kinds of locks."""
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    plan TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    motion TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    axes TEXT NOT NULL,
    debate TEXT NOT NULL,
    judges TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open',
    owner TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    cause TEXT,
    message TEXT,
    updated_at REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS next_cell ON cells (plan, state, seq);
CREATE TABLE IF NOT EXISTS results (
    cell TEXT NOT NULL,
    judge TEXT NOT NULL,
    system TEXT NOT NULL,
    winner TEXT,
    decides INTEGER NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (cell, judge, system)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workers (
    owner TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    until REAL NOT NULL,
    unsettled_usd REAL NOT NULL,
    unsettled_tokens INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    at REAL NOT NULL,
    tokens INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_of_account ON calls (account, at);
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
"""


class LedgerFile:
    """An open ledger file. Use it in a `with` statement. All methods raise StorageError if the file cannot be used."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._db = connection

    @classmethod
    def create(cls, folder: Path, name: str, *, mock: bool) -> Self:
        """Open the ledger in `folder`; create it if there is none.

        Raises UsageError if the ledger belongs to another experiment, or if it is a rehearsal and `mock` is not set, or
        the reverse.
        """
        path = folder / LEDGER_NAME
        make_folder(folder)
        if not path.exists():
            with _friendly(path):
                os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE))
        ledger = cls._open(path)
        kind = "rehearsal" if mock else "run"
        with ledger.transaction():
            is_new = not ledger._has_tables()
            if is_new and ledger._query("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                raise UsageError(
                    f"{path}: not a ledger of an experiment; remove it, or choose another folder with --out"
                )
            for statement in _SCHEMA.split(";"):
                ledger._query(statement)
            if is_new:
                ledger.set_meta("name", name)
                ledger.set_meta("kind", kind)
        if ledger.name != name:
            raise UsageError(
                f"{path}: belongs to the experiment `{ledger.name}`, not to `{name}`; choose another folder with --out"
            )
        if ledger.is_rehearsal != mock:
            held = "a rehearsal, and this run is not one" if ledger.is_rehearsal else "a run that is not a rehearsal"
            raise UsageError(f"{path}: holds {held}; choose another folder with --out")
        return ledger

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the ledger in `folder`. Raises UsageError if there is none."""
        path = folder / LEDGER_NAME
        if not path.is_file():
            raise UsageError(f"{folder}: holds no experiment; run it first, or name its folder")
        ledger = cls._open(path)
        if not ledger._has_tables():
            raise UsageError(f"{path}: not a ledger of an experiment; choose another folder with --out")
        return ledger

    @classmethod
    def _open(cls, path: Path) -> Self:
        if path.is_symlink() or not path.is_file():
            raise UsageError(f"{path}: is not a regular file; remove it, or choose another folder with --out")
        with _friendly(path):
            connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > _VERSION:
            raise UsageError(f"{path}: written by a newer version of debate-cli; upgrade debate-cli")
        return cls(path, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.meta("name") or ""

    @property
    def is_rehearsal(self) -> bool:
        """Whether the debates ran on the mock."""
        return self.meta("kind") == "rehearsal"

    def meta(self, name: str) -> str | None:
        """Return the value that is stored as `name`; None if there is none."""
        row = self._query("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def set_meta(self, name: str, value: str) -> None:
        """Store a value as `name`, in place of an earlier one."""
        self._query("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Open a transaction. It is rolled back if the block raises."""
        with _friendly(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:  # SQLite itself undoes a transaction for which the disk has no space
                    self._db.execute("ROLLBACK")

    def _has_tables(self) -> bool:
        return self._query("PRAGMA application_id").fetchone()[0] == _APPLICATION_ID

    def _query(self, statement: str, values: Sequence[Any] = (), *, one: bool = False) -> Any:
        with _friendly(self.path):
            cursor = self._db.execute(statement, values)
            if not one:
                return cursor
            rows = cursor.fetchall()
            return rows[0] if rows else None


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL. Retries for a minute, because SQLite does not wait while another process opens a new file."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _PRIMARY_CODE != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)
        else:
            return


@contextmanager
def _friendly(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        full = "full" in str(error) or "disk I/O" in str(error)
        advice = "free some space" if full else "check the folder, or choose another one with --out"
        raise StorageError(f"{path}: cannot be written ({error}); {advice}; nothing that was saved is lost") from error
    except sqlite3.DatabaseError as error:
        raise UsageError(
            f"{path}: not a ledger of an experiment ({error}); choose another folder with --out"
        ) from error
    except OSError as error:
        raise StorageError(f"{path}: cannot be opened ({error.strerror}); choose another folder with --out") from error
