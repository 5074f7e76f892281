"""`batches.sqlite`: the debates of a folder that wait for judgements, and the batches with their requests and answers.

The file contains no prompts. A debate and its requests are removed when the transcript contains the answers.
"""

import os
import sqlite3
from collections.abc import Collection, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from debate_cli.errors import StorageError
from debate_cli.storage.atomic_write import FILE_MODE, make_folder

STORE_NAME = "batches.sqlite"
_BUSY_S = 60.0
_VERSION = 3
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS batches (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    written_at REAL NOT NULL,
    requests INTEGER NOT NULL,
    reserved_usd REAL,
    vendor_id TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (
    custom_id TEXT PRIMARY KEY,
    batch TEXT NOT NULL,
    model TEXT NOT NULL,
    debate TEXT NOT NULL,
    task TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer TEXT,
    is_rejected INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waiting (debate TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unfinished (debate TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_task ON requests (debate, task);
CREATE INDEX IF NOT EXISTS by_batch ON requests (batch);
PRAGMA user_version = {_VERSION};
"""

BatchState = Literal["pending", "unused", "unfinished"]
"""State of a debate's missing judgements that were requested in batches. `pending`: a batch with a question about the
debate is in progress. `unused`: an answer is paid for, but not used, e.g. because of a budget. `unfinished`: neither."""


class RequestKey(NamedTuple):
    """Identifies a request, also in another process or after a restart."""

    model: str
    """`provider/model`."""
    debate: str
    """Id of the debate."""
    task: str
    """Key of the task in the debate."""
    fingerprint: str
    """SHA-256 of the request's content."""


class StoredRequest(NamedTuple):
    """A request of a stored batch."""

    custom_id: str
    batch: str
    """Key of the batch that contains the request."""
    key: RequestKey
    answer: str | None = None
    """The vendor's result; None until the result is collected."""
    is_rejected: bool = False
    """Whether the vendor reported that it rejected the request. Such a request costs nothing."""


class StoredBatch(NamedTuple):
    """A batch of requests, stored before its submission."""

    key: str
    model: str
    written_at: float
    """Time at which the batch was stored, in seconds since 1970."""
    requests: int
    reserved_usd: float | None
    """Maximum cost of the batch in US dollars; None if the price is unknown."""
    vendor_id: str | None = None
    """The vendor's id of the batch; None if the vendor has not confirmed the batch."""


class BatchStore:
    """The batches in the file `batches.sqlite` of a folder. Without this file, there are no batches.

    Every method but `state` may raise StorageError.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / STORE_NAME

    def find_by_task(self, key: RequestKey) -> list[StoredRequest]:
        """Return the stored requests that equal `key` in model, debate and task, oldest first."""
        statement = (
            "SELECT r.custom_id, r.batch, r.fingerprint, r.answer, r.is_rejected FROM requests r "
            "JOIN batches b ON b.key = r.batch"
        )
        rows = self._read(
            f"{statement} WHERE debate = ? AND task = ? AND r.model = ? ORDER BY written_at",
            (key.debate, key.task, key.model),
        )
        return [StoredRequest(row[0], row[1], key._replace(fingerprint=row[2]), row[3], bool(row[4])) for row in rows]

    def batch(self, key: str) -> StoredBatch:
        """Return the batch with this key. Raises StorageError if the batch was removed."""
        rows = self._read("SELECT * FROM batches WHERE key = ?", (key,))
        if not rows:
            raise StorageError(f"{self.path}: another process has removed the batch {key}; run the command again")
        return StoredBatch(*rows[0])

    def open_debates(self) -> frozenset[str]:
        """Return the ids of the debates with a request in a batch. Requests that the vendor rejected do not count."""
        return frozenset(row[0] for row in self._read("SELECT DISTINCT debate FROM requests WHERE NOT is_rejected"))

    def waiting_debates(self) -> frozenset[str]:
        """Return the ids of the debates that wait for judgements, even if they have no request in a batch yet.

        If a debate has stopped early, e.g. because its budget is used up, no new requests follow. The debate is then
        included only until the answers to its earlier requests are collected.
        """
        statement = "SELECT debate FROM waiting UNION SELECT debate FROM requests WHERE answer IS NULL"
        return frozenset(row[0] for row in self._read(statement))

    def state(self, debate: str) -> BatchState | None:
        """Return the state of the missing judgements of a debate. None if they were not requested in batches.

        Also returns None if the file is unusable.
        """
        statement = (
            "SELECT answer IS NULL, NOT is_rejected FROM requests WHERE debate = ?1 "
            "UNION SELECT 1, 0 FROM waiting WHERE debate = ?1 UNION SELECT 0, 0 FROM unfinished WHERE debate = ?1"
        )
        try:
            rows = self._read(statement, (debate,))
        except StorageError:
            return None
        is_waiting, is_open = (any(column) for column in zip(*rows, strict=True)) if rows else (False, False)
        if is_open:
            return "pending" if is_waiting else "unused"
        return "unfinished" if rows else None

    def open_batches(self) -> list[StoredBatch]:
        """Return the batches with uncollected answers, oldest first."""
        rows = self._read(
            "SELECT * FROM batches WHERE key IN (SELECT batch FROM requests WHERE answer IS NULL) ORDER BY written_at"
        )
        return [StoredBatch(*row) for row in rows]

    def add_waiting(self, debate: str) -> None:
        """Store that a debate waits for judgements, before any of its requests is in a batch."""
        with self._writing() as database:
            database.execute("INSERT OR IGNORE INTO waiting VALUES (?)", (debate,))

    def add(self, batch: StoredBatch, requests: Iterable[StoredRequest]) -> None:
        """Store a batch and its requests, before it is submitted. Adds the requests' debates to `waiting_debates`."""
        with self._writing() as database:
            database.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?)", batch)
            rows = ((each.custom_id, each.batch, *each.key, each.answer, each.is_rejected) for each in requests)
            database.executemany("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            database.execute("INSERT OR IGNORE INTO waiting SELECT debate FROM requests WHERE batch = ?", (batch.key,))

    def confirm(self, key: str, vendor_id: str) -> None:
        """Store the id that the vendor gave to a batch."""
        with self._writing() as database:
            database.execute("UPDATE batches SET vendor_id = ? WHERE key = ?", (vendor_id, key))

    def save_answers(self, answers: Iterable[tuple[str, str]]) -> None:
        """Store answers. Each answer is a pair: custom id of the request, and the vendor's result."""
        with self._writing() as database:
            database.executemany("UPDATE requests SET answer = ?2 WHERE custom_id = ?1", answers)

    def mark_rejected(self, custom_ids: Iterable[str]) -> None:
        """Store that the vendor has rejected the requests with these custom ids."""
        with self._writing() as database:
            rows = ((custom_id,) for custom_id in custom_ids)
            database.executemany("UPDATE requests SET is_rejected = 1 WHERE custom_id = ?", rows)

    def add_unfinished(self, debate: str) -> None:
        """Store that a debate still lacks judgements after its run has ended.

        From then on, `state` returns `unfinished` while no batch has a request about the debate. (Requests that the
        vendor rejected do not count.) `forget` removes the debate again. `waiting_debates` does not change, because an
        unfinished debate does not wait for an answer.
        """
        with self._writing() as database:
            database.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (debate,))

    def drop(self, custom_id: str) -> None:
        """Remove a request, so that it can be submitted again. `waiting_debates` still contains its debate."""
        with self._writing() as database:
            found = database.execute("SELECT custom_id, batch FROM requests WHERE custom_id = ?", (custom_id,))
            _remove_requests(database, found.fetchall())

    def drop_batch(self, key: str) -> None:
        """Remove an unsubmitted batch and its requests. `waiting_debates` still contains the requests' debates."""
        with self._writing() as database:
            database.execute("DELETE FROM requests WHERE batch = ?", (key,))
            database.execute("DELETE FROM batches WHERE key = ?", (key,))

    def forget(self, debate: str, tasks: Collection[str] | None = None) -> None:
        """Remove a debate and its requests. Call this when the answers are saved, or no longer needed.

        `tasks`: keys of the tasks whose requests are removed. None: the requests of all tasks.
        """
        if self.path.exists():
            with self._writing() as database:
                database.execute("DELETE FROM waiting WHERE debate = ?", (debate,))
                database.execute("DELETE FROM unfinished WHERE debate = ?", (debate,))
                found = database.execute("SELECT custom_id, batch, task FROM requests WHERE debate = ?", (debate,))
                removed = [row[:2] for row in found.fetchall() if tasks is None or row[2] in tasks]
                _remove_requests(database, removed)

    def _read(self, statement: str, values: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with self._opened() as database:
            if not database.execute("PRAGMA user_version").fetchone()[0]:  # another process is creating the tables
                return []
            return database.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        make_folder(self.path.parent)
        with self._opened() as database:
            database.executescript(_SCHEMA)
            with database:
                database.execute("BEGIN IMMEDIATE")
                yield database

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        try:
            opened = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
            os.close(opened)
            with closing(sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None)) as database:
                version = database.execute("PRAGMA user_version").fetchone()[0]
                if version > _VERSION:
                    raise StorageError(f"{self.path}: written by a newer version of debate-cli; upgrade debate-cli")
                if 0 < version < _VERSION:
                    raise StorageError(
                        f"{self.path}: written by an unreleased version of debate-cli; choose another folder"
                    )
                yield database
        except sqlite3.Error as error:
            advice = "restore the file; without the file, requests of running batches are sent and paid for again"
            raise StorageError(f"{self.path}: cannot be used ({error}); {advice}") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StorageError(f"{self.path}: cannot be opened ({reason}); choose another folder") from error


def _remove_requests(database: sqlite3.Connection, requests: Collection[tuple[str, str]]) -> None:
    """Remove requests, and their batches that have no other request. A request is a pair: its custom id, and its batch."""
    database.executemany("DELETE FROM requests WHERE custom_id = ?", [(custom_id,) for custom_id, _ in requests])
    database.executemany(
        "DELETE FROM batches WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM requests WHERE batch = ?1)",
        {(batch,) for _, batch in requests},
    )
