"""The ledger of an experiment: an SQLite file with its cells, their states, costs and results.

Several processes may use a ledger at once.
"""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

from debate_cli.domain.message_text import printable_line
from debate_cli.errors import StorageError, UsageError
from debate_cli.experiments.cells import Cell, cell_from_json, cell_to_json
from debate_cli.storage.atomic_write import FILE_MODE, make_folder
from debate_cli.storage.folder import validate_id
from debate_cli.storage.plain_data import is_mapping

DEBATES_FOLDER = "debates"
CellState = Literal["open", "running", "failed", "done"]
LEDGER_NAME = "ledger.sqlite"
LEASE_S = 30.0
"""Seconds after which a run, or a worker of a queue, that has not renewed its lease is treated as dead."""
REHEARSAL_META = "rehearsal_notice"
"""Name under which the ledger stores the rehearsal notice, which says that the mock spoke or judged."""
_MOCK_OPTION = "--mock"
_APPLICATION_ID = 0x64656278
_VERSION = 3
_BUSY_S = 60.0
_RETRY_S = 0.02
_PRIMARY_CODE_MASK = 0xFF
_CHUNK = 1000
_MAX_NAME_CHARS = 60
_MAX_ERROR_CHARS = 160
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
    judge_names TEXT NOT NULL,
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
    questions TEXT NOT NULL,
    scoring TEXT NOT NULL,
    system TEXT NOT NULL,
    winner TEXT,
    decides INTEGER NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (cell, questions, scoring, system)
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


class CellRecord(NamedTuple):
    """A cell as stored in the ledger. Cost, tokens, calls and seconds are totals of all attempts."""

    cell: Cell
    seq: int
    plan: str
    """Fingerprint of the newest plan that contains the cell."""
    state: CellState
    attempts: int
    cost_usd: float
    tokens: int
    calls: int
    seconds: float
    cause: str | None
    """Why the last attempt did not finish the cell: `interrupted`, `budget`, `locked`, or the cause of a failure."""
    message: str | None


class ResultRow(NamedTuple):
    """The result of a cell according to one judge and one judging system."""

    questions: str
    """Hash of everything that determines the judge's questions (see `CellJudge.questions`)."""
    scoring: str
    """`CellJudge.scoring` of the judge."""
    row: dict[str, Any]
    """The fields of a `JudgementRow`, except `judge`, `weight` and `axes`."""


class Ledger:
    """An open ledger file. A `with` statement closes it. All methods raise StorageError if the file cannot be used."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._db = connection

    @classmethod
    def create(cls, folder: Path, name: str, *, mock: bool) -> Self:
        """Open the ledger in `folder`. If the folder has no ledger, create one.

        `mock`: whether the mock replaces every model in this run (`--mock`).
        Raises UsageError if the ledger was created with another `name` or with another value of `mock`.
        """
        path = folder / LEDGER_NAME
        make_folder(folder)
        if not path.exists():
            with _friendly(path):
                os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE))
        ledger = cls._open(path)
        with ledger.transaction():
            is_new = not ledger._has_tables()
            if is_new and ledger.query("SELECT 1 FROM sqlite_master"):
                raise UsageError(
                    f"{path}: is not a ledger of an experiment; remove it, or choose another folder with --out"
                )
            for statement in _SCHEMA.split(";"):
                ledger.query(statement)
            if is_new:
                ledger.set_meta("name", name)
                ledger.set_meta("option", _MOCK_OPTION if mock else "")
        ledger.require_experiment(name, mock=mock)
        return ledger

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the ledger in `folder`. Raises UsageError if the folder has no ledger."""
        path = folder / LEDGER_NAME
        if not path.is_file():
            raise UsageError(
                f"{folder}: contains no experiment; run the experiment first, or use the folder of an experiment"
            )
        ledger = cls._open(path)
        if not ledger._has_tables():
            raise UsageError(f"{path}: is not a ledger of an experiment; use another folder")
        return ledger

    @classmethod
    def _open(cls, path: Path) -> Self:
        if path.is_symlink() or not path.is_file():
            raise UsageError(f"{path}: is a link, a folder or a device, not a file; remove it, or use another folder")
        with _friendly(path):
            connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > _VERSION:
            raise UsageError(f"{path}: was written by a newer version of debate-cli; upgrade debate-cli")
        if 0 < version < _VERSION:
            raise UsageError(
                f"{path}: was written by an unreleased version of debate-cli; choose another folder with --out"
            )
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

    def require_name(self, name: str) -> None:
        """Raise UsageError if the ledger was created with another `name`."""
        if self.name != name:
            raise UsageError(
                f"{self.path}: belongs to the experiment `{self.name}`, not to `{name}`; choose another folder with --out"
            )

    def require_experiment(self, name: str, *, mock: bool) -> None:
        """Raise UsageError if the ledger was created with another `name` or with another value of `mock`."""
        self.require_name(name)
        if self.replaces_models != mock:
            one, other = ("without", "with") if mock else ("with", "without")
            raise UsageError(
                f"{self.path}: belongs to runs {one} {_MOCK_OPTION}, not to runs {other} it; choose another folder with --out"
            )

    @property
    def replaces_models(self) -> bool:
        """Whether the ledger belongs to runs with `--mock`, in which the mock replaces every model of the file.

        Such runs have a separate ledger. False for runs without `--mock`, even if every model in the file is the mock.
        """
        return self.meta("option") == _MOCK_OPTION

    @property
    def rehearsal_notice(self) -> str:
        """Notice that the mock gives all answers, or some of them, under the newest plan. Empty if no cell uses the mock."""
        return self.meta(REHEARSAL_META) or ""

    def meta(self, name: str) -> str | None:
        """Return the text that is stored under `name`. None if no text is stored."""
        rows = self.query("SELECT value FROM meta WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def set_meta(self, name: str, value: str) -> None:
        """Store a text under `name`. It replaces an earlier text."""
        self.query("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Run a `with` block as one transaction. If the block raises, nothing is stored."""
        with _friendly(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:  # SQLite has already rolled back if the disk is full
                    self._db.execute("ROLLBACK")

    def query(self, statement: str, *values: Any) -> list[Any]:
        """Run one SQL statement, and return its rows as tuples."""
        with _friendly(self.path):
            return self._db.execute(statement, values).fetchall()

    def _has_tables(self) -> bool:
        return self.query("PRAGMA application_id") == [(_APPLICATION_ID,)]

    @property
    def plan(self) -> str:
        """Fingerprint of the experiment's newest plan. Empty if the ledger has no plan yet."""
        return self.meta("plan") or ""

    def set_plan(self, plan: str, cells: Iterable[Cell]) -> None:
        """Store the newest plan: its fingerprint `plan` and its `cells`. Other cells are kept but are no longer run.

        If the judges or their settings for scoring have changed, finished and running cells become `open`. The debates are
        not repeated, and only judges whose questions have changed are asked.
        """
        rows = (_cell_columns(cell, seq, plan) for seq, cell in enumerate(cells))
        statement = """
            INSERT INTO cells (key, seq, plan, bucket, motion, first, second, repeat, axes, debate, judges,
                judge_names)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET
                seq = excluded.seq, plan = excluded.plan, motion = excluded.motion, first = excluded.first,
                second = excluded.second, judges = excluded.judges,
                judge_names = excluded.judge_names,
                state = CASE WHEN state IN ('done', 'running') AND judges <> excluded.judges THEN 'open' ELSE state END,
                updated_at = CASE WHEN state IN ('done', 'running') AND judges <> excluded.judges THEN 0 ELSE updated_at END
        """
        with self.transaction():
            while chunk := list(islice(rows, _CHUNK)):
                self._db.executemany(statement, chunk)
            self.set_meta("plan", plan)

    @property
    def axes(self) -> tuple[str, ...]:
        """Key paths of the experiment's axes, e.g. `format.rounds`."""
        first = next(self.records(), None)
        return () if first is None else tuple(json.loads(first.cell.axes))

    def recover(self, now: float) -> list[CellRecord]:
        """Set the cells of dead workers to `open`, and return these cells. `now`: seconds since 1970.

        The returned records lack the costs that the dead workers caused.
        """
        found: list[CellRecord] = []
        with self.transaction():
            for owner in self._dead_workers(now):
                found += self.release(owner, updated_at=0)
        return found

    def _dead_workers(self, now: float) -> list[str]:
        workers = self.query("SELECT owner, host, pid, until FROM workers")
        known = {owner: (host, pid, until) for owner, host, pid, until in workers}
        running = self.query("SELECT DISTINCT owner FROM cells WHERE state = 'running' AND owner IS NOT NULL")
        owners = {*known, *(owner for (owner,) in running)}
        return [owner for owner in owners if owner not in known or not _is_alive(*known[owner], now)]

    def release(self, owner: str, *, updated_at: float | None = None) -> list[CellRecord]:
        """Remove a worker, set its running cells to `open`, and return these cells.

        `updated_at`: time of the change, in seconds since 1970. None keeps the time that each cell has.
        """
        self.query("DELETE FROM workers WHERE owner = ?", owner)
        rows = self.query(
            "UPDATE cells SET state = 'open', owner = NULL, updated_at = COALESCE(?, updated_at) "
            "WHERE state = 'running' AND owner = ? RETURNING *",
            updated_at,
            owner,
        )
        return [self.to_record(row) for row in rows]

    def records_without_results(self, debates: Path) -> list[CellRecord]:
        """Return the finished cells of the newest plan that lack the result of a judge.

        Only cells whose debate is saved in the folder `debates` are returned: if such a cell runs again, only the judges
        that have not answered are asked. Without the saved debate, the cell would pay for the whole debate again.
        """
        rows = self.query(
            "SELECT * FROM cells WHERE plan = ? AND state = 'done' AND EXISTS ("
            "SELECT 1 FROM json_each(judges) WHERE NOT EXISTS (SELECT 1 FROM results WHERE cell = cells.key "
            "AND questions = json_extract(value, '$[0]') AND scoring = json_extract(value, '$[1]')))",
            self.plan,
        )
        return [each for each in map(self.to_record, rows) if (debates / f"{each.cell.debate}.json").is_file()]

    def counts(self, shard: tuple[int, int] = (1, 1), *, now: float | None = None) -> dict[CellState, int]:
        """Return how many cells of a shard are in each state. The running cells of dead workers count as open.

        `shard`: e.g. (2, 4) for the second of four shards. `now`: seconds since 1970; None means the current time.
        """
        dead = self._dead_workers(time.time() if now is None else now)
        rows = self.query(
            "SELECT CASE WHEN state = 'running' AND owner IN (SELECT value FROM json_each(?)) THEN 'open' ELSE state END, "
            "COUNT(*) FROM cells WHERE plan = ? AND bucket % ? = ? GROUP BY 1",
            *(json.dumps(dead), self.plan, shard[1], shard[0] - 1),
        )
        return {"open": 0, "running": 0, "failed": 0, "done": 0, **dict(rows)}

    def usage(self) -> tuple[float, int, int]:
        """Return the cost in US dollars, the tokens and the calls of all cells, including cells of earlier plans."""
        [usage] = self.query(
            "SELECT TOTAL(cost_usd), CAST(TOTAL(tokens) AS INTEGER), CAST(TOTAL(calls) AS INTEGER) FROM cells"
        )
        return usage

    def records(self, *, only_planned: bool = True) -> Iterator[CellRecord]:
        """Yield the cells in the order of the plan. With `only_planned=False`, also yield cells of earlier plans."""
        where = "WHERE plan = ?" if only_planned else ""
        values = (self.plan,) if only_planned else ()
        with _friendly(self.path):
            rows = self._db.execute(f"SELECT * FROM cells {where} ORDER BY seq, key", values)  # noqa: S608 - two constants
            yield from map(self.to_record, rows)

    def find(self, key: str) -> CellRecord | None:
        """Return the cell with this key. None if the ledger has no such cell."""
        rows = self.query("SELECT * FROM cells WHERE key = ?", key)
        return self.to_record(rows[0]) if rows else None

    def to_record(self, row: Sequence[Any]) -> CellRecord:
        """Convert a row of the table `cells` to a record. Raises UsageError if a value is invalid, e.g. in a damaged file."""
        (key, seq, plan, _bucket, motion, first, second, repeat, axes, debate, judges, names, state, _owner, attempts, cost,
         tokens, calls, seconds, cause, message, _at) = row  # fmt: skip
        with self.refuse_damaged(f"cell {key}"):
            fields = {"key": key, "motion": motion, "first": first, "second": second, "repeat": repeat, "axes": axes,
                      "debate": debate, "judges": json.loads(judges), "judge_names": json.loads(names)}  # fmt: skip
            cell = cell_from_json(fields)
            validate_id(cell.debate)  # it is the name of a file
            if state not in get_args(CellState) or not is_mapping(json.loads(axes)):
                raise ValueError(state)
            return CellRecord(cell, seq, plan, state, attempts, cost, tokens, calls, seconds, cause, message)

    @contextmanager
    def refuse_damaged(self, what: str) -> Generator[None]:
        """Raise UsageError if the `with` block cannot read a stored value. `what`: name of the value in the message."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, UsageError) as error:
            raise UsageError(
                f"{self.path}: is damaged ({printable_line(what, _MAX_NAME_CHARS)} cannot be read); restore it, or choose "
                "another folder with --out"
            ) from error

    def results_of(self, key: str) -> list[ResultRow]:
        """Return the results of the cell with this key."""
        rows = self.query("SELECT questions, scoring, row FROM results WHERE cell = ?", key)
        with self.refuse_damaged(f"a result of cell {key}"):
            return [ResultRow(questions, scoring, _parse_result(row)) for questions, scoring, row in rows]

    def store_results(self, key: str, results: Iterable[ResultRow]) -> None:
        """Store results of a cell. A result replaces the earlier result of the same judge and system."""
        for questions, scoring, row in results:
            columns = (row["system"], row["winner"], row["decides"], json.dumps(row, ensure_ascii=False))
            self.query("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", key, questions, scoring, *columns)

    def add_settled(self, record: CellRecord, results: Sequence[ResultRow]) -> None:
        """Store a cell of another ledger or of a queue, with its results. It replaces a cell with the same key."""
        self.query(
            "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, 0)",
            *_cell_columns(record.cell, record.seq, record.plan),
            record.state,
            *record[4:],
        )
        self.store_results(record.cell.key, results)


def _parse_result(text: str) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(text)
    if not row.keys() >= {"system", "winner", "decides"}:
        raise ValueError(text)
    return row


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _PRIMARY_CODE_MASK != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)
        else:
            return


@contextmanager
def _friendly(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError) or _means_damage(error):
            reason = printable_line(str(error), _MAX_ERROR_CHARS)  # an error may contain a stored text
            raise UsageError(
                f"{path}: is damaged, or is not a ledger of an experiment ({reason}); restore it, or choose another folder with --out"
            ) from error
        full = "full" in str(error) or "disk I/O" in str(error)
        advice = "free some space" if full else "check the folder, or choose another one with --out"
        raise StorageError(f"{path}: cannot be written ({error}); {advice}; saved results are not lost") from error
    except OSError as error:
        raise StorageError(f"{path}: cannot be opened ({error.strerror}); choose another folder with --out") from error


def _means_damage(error: sqlite3.OperationalError) -> bool:
    """Return whether `error` means wrong content in the file, e.g. malformed JSON. False e.g. for a full disk."""
    code = getattr(error, "sqlite_errorcode", None)  # none if Python could not decode a value
    return code is None or code & _PRIMARY_CODE_MASK == sqlite3.SQLITE_ERROR


def _is_alive(host: str, pid: int, until: float, now: float) -> bool:
    if until < now:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _cell_columns(cell: Cell, seq: int, plan: str) -> tuple[Any, ...]:
    """Return the values of the first columns of the table `cells`, up to `judge_names`."""
    fields = cell_to_json(cell)
    key, *others = (
        json.dumps(each, ensure_ascii=False) if isinstance(each, list) else each for each in fields.values()
    )
    return (key, seq, plan, cell.bucket, *others)
