"""The ledger of an experiment, an SQLite file with its cells, their states, attempts and costs, and their results.

Several processes may use it at once. Each registers as a worker and renews its lease. When a lease expires, the
worker's cells are given back. A worker that lost a cell cannot write its result.
"""

import json
import os
import socket
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from debate_cli.experiments.cells import Cell
from debate_cli.experiments.ledger_file import LedgerFile
from debate_cli.llm.budget import BudgetAmount
from debate_cli.llm.rate_limit import MINUTE_S, Admission

DEBATES_FOLDER = "debates"
LEASE_S = 30.0
"""Seconds without a renewal after which a worker counts as dead."""
MIN_WAIT_S = 0.01
"""Minimum wait, in seconds, before a call that exceeded a limit per minute is tried again."""
CellState = Literal["open", "running", "failed", "done"]
_CHUNK = 1000


class CellRecord(NamedTuple):
    """A cell as stored in the ledger."""

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
    message: str | None


class Settlement(NamedTuple):
    """The end of an attempt to run a cell. Amounts include earlier attempts at the same debate."""

    state: CellState
    cost_usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    """Seconds of this attempt."""
    cause: str | None = None
    """Name of the error, if the attempt failed."""
    message: str | None = None


class ResultRow(NamedTuple):
    """One verdict of a cell."""

    judge: str
    """Key of the judge; empty for the base's judges."""
    system: str
    winner: str | None
    decides: bool
    row: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """The cells that a process may take."""

    owner: str
    plan: str
    before: float
    """Start of the run in seconds since 1970. Cells tried since then are skipped, so a run tries each cell once."""
    states: tuple[CellState, ...] = ("open", "failed")
    shard: tuple[int, int] = (1, 1)
    """Number of the shard, from 1, and of all shards."""


class Ledger(LedgerFile):
    """An open ledger. Use it in a `with` statement. All methods raise StorageError if the file cannot be used."""

    @property
    def plan(self) -> str:
        """Fingerprint of the newest plan; empty if there is no plan yet."""
        return self.meta("plan") or ""

    def set_plan(self, plan: str, cells: Iterable[Cell]) -> None:
        """Make `cells` the cells of the experiment.

        New cells are added. Cells of earlier plans that are not in `cells` are kept but no longer count. A cell that
        needs further judges is opened again, without repeating its debate. A worker that runs this cell loses it.
        """
        rows = (
            (cell.key, seq, plan, cell.bucket, cell.motion, cell.first, cell.second, cell.repeat, cell.axes, cell.debate,
             json.dumps(cell.judges))
            for seq, cell in enumerate(cells)
        )  # fmt: skip
        statement = """
            INSERT INTO cells (key, seq, plan, bucket, motion, first, second, repeat, axes, debate, judges)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET
                seq = excluded.seq, plan = excluded.plan, motion = excluded.motion, first = excluded.first,
                second = excluded.second, judges = excluded.judges,
                state = CASE WHEN state IN ('done', 'running') AND judges <> excluded.judges THEN 'open' ELSE state END,
                updated_at = CASE WHEN state IN ('done', 'running') AND judges <> excluded.judges THEN 0 ELSE updated_at END
        """
        with self.transaction():
            while chunk := list(islice(rows, _CHUNK)):
                self._db.executemany(statement, chunk)
            self.set_meta("plan", plan)

    @property
    def axes(self) -> tuple[str, ...]:
        """Key paths of the axes."""
        first = next(self.records(), None)
        return () if first is None else tuple(json.loads(first.cell.axes))

    def claim(self, wanted: Claim, after: int, now: float, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next cell after the sequence number `after`. Returns its record; None if no cell is left.

        The record has the state that the cell had before. `without`: players whose cells are not taken.
        """
        players = json.dumps([*without])
        shard = wanted.shard[1], wanted.shard[0] - 1
        for state in wanted.states:
            row = self._query(
                """
                UPDATE cells SET state = 'running', owner = ?, attempts = attempts + 1, updated_at = ?
                WHERE key = (
                    SELECT key FROM cells
                    WHERE plan = ? AND state = ? AND seq > ? AND updated_at < ? AND bucket % ? = ?
                        AND first NOT IN (SELECT value FROM json_each(?))
                        AND second NOT IN (SELECT value FROM json_each(?))
                    ORDER BY seq LIMIT 1
                ) RETURNING *
                """,
                (wanted.owner, now, wanted.plan, state, after, wanted.before, *shard, players, players),
                one=True,
            )
            if row is not None:
                return _to_record(row)._replace(state=state)
        return None

    def settle(self, owner: str, key: str, how: Settlement, results: Sequence[ResultRow], now: float) -> bool:
        """Store the end of an attempt. Returns False, and stores nothing, if `owner` no longer has the cell."""
        with self.transaction():
            changed = self._db.execute(
                """
                UPDATE cells SET state = ?, owner = NULL, cost_usd = ?, tokens = ?, calls = ?, seconds = seconds + ?,
                    cause = ?, message = ?, updated_at = ?
                WHERE key = ? AND owner = ? AND state = 'running'
                """,
                (how.state, how.cost_usd, how.tokens, how.calls, how.seconds, how.cause, how.message, now, key, owner),
            ).rowcount
            if not changed:
                return False
            self._db.executemany(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (key, each.judge, each.system, each.winner, each.decides, json.dumps(each.row, ensure_ascii=False))
                    for each in results
                ],
            )
        return True

    def renew(self, owner: str, unsettled: BudgetAmount, now: float) -> None:
        """Renew the lease of a worker, and store what it spent on unsettled cells."""
        self._query(
            "INSERT OR REPLACE INTO workers VALUES (?, ?, ?, ?, ?, ?)",
            (owner, socket.gethostname(), os.getpid(), now + LEASE_S, unsettled.usd, unsettled.tokens),
        )

    def retire(self, owner: str) -> None:
        """Remove the worker `owner`, which ends, and open its running cells again."""
        with self.transaction():
            self._db.execute("DELETE FROM workers WHERE owner = ?", (owner,))
            self._db.execute(
                "UPDATE cells SET state = 'open', owner = NULL WHERE state = 'running' AND owner = ?", (owner,)
            )

    def recover(self, now: float) -> list[CellRecord]:
        """Open the cells of dead workers again, and return them. Their actual costs may be higher than stored."""
        found: list[CellRecord] = []
        with self.transaction():
            running = [row[0] for row in self._db.execute("SELECT DISTINCT owner FROM cells WHERE state = 'running'")]
            known: dict[str, tuple[str, int, float]] = {
                row[0]: row[1:] for row in self._db.execute("SELECT owner, host, pid, until FROM workers")
            }
            for owner in {*running, *known}:
                if owner in known and _is_alive(*known[owner], now):
                    continue
                rows = self._db.execute(
                    "UPDATE cells SET state = 'open', owner = NULL, updated_at = 0 "
                    "WHERE state = 'running' AND owner = ? RETURNING *",
                    (owner,),
                )
                found += map(_to_record, rows.fetchall())
                self._db.execute("DELETE FROM workers WHERE owner = ?", (owner,))
        return found

    def correct_cost(self, key: str, spent: BudgetAmount) -> None:
        """Store the cost of a cell, read from its journal."""
        self._query("UPDATE cells SET cost_usd = ?, tokens = ? WHERE key = ?", (spent.usd, spent.tokens, key))

    def spent(self) -> BudgetAmount:
        """Return the cost of all settled cells, including those of earlier plans."""
        return BudgetAmount(
            *self._query("SELECT CAST(TOTAL(tokens) AS INTEGER), TOTAL(cost_usd) FROM cells").fetchone()
        )

    def unsettled_elsewhere(self, owner: str) -> BudgetAmount:
        """Return the amount that other workers spent on unsettled cells."""
        row = self._query(
            "SELECT CAST(TOTAL(unsettled_tokens) AS INTEGER), TOTAL(unsettled_usd) FROM workers WHERE owner <> ?",
            (owner,),
        )
        return BudgetAmount(*row.fetchone())

    def count_call(self, account: str, tokens: int, limits: tuple[int | None, int | None], now: float) -> Admission:
        """Count a call of up to `tokens` tokens if the limits of the last minute allow it.

        `limits`: requests and tokens per minute; None for no limit. A call with more tokens than the limit is allowed
        after a minute without calls.
        """
        requests, most = limits
        needed = 0 if most is None else min(tokens, most)
        with self.transaction():
            self._db.execute("DELETE FROM calls WHERE account = ? AND at <= ?", (account, now - MINUTE_S))
            count, used = self._db.execute(
                "SELECT COUNT(*), CAST(TOTAL(tokens) AS INTEGER) FROM calls WHERE account = ?", (account,)
            ).fetchone()
            calls_over = 0 if requests is None else count + 1 - requests
            tokens_over = 0 if most is None else used + needed - most
            if calls_over <= 0 and tokens_over <= 0:
                added = self._db.execute(
                    "INSERT INTO calls (account, at, tokens) VALUES (?, ?, ?)", (account, now, tokens)
                )
                return Admission(0.0, added.lastrowid or 0)
            (free_at,) = self._db.execute(
                "SELECT MIN(at) FROM (SELECT at, row_number() OVER past AS calls, SUM(tokens) OVER past AS tokens "
                "FROM calls WHERE account = ? WINDOW past AS (ORDER BY at, id)) WHERE calls >= ? AND tokens >= ?",
                (account, calls_over, tokens_over),
            ).fetchone()
        return Admission(max(free_at + MINUTE_S - now, MIN_WAIT_S))

    def correct_call(self, entry: int, tokens: int) -> None:
        """Set the tokens of the counted call `entry` to `tokens`."""
        self._query("UPDATE calls SET tokens = ? WHERE id = ?", (tokens, entry))

    def counts(self, shard: tuple[int, int] = (1, 1)) -> dict[CellState, int]:
        """Map every state to the number of cells in it, of the plan or of a shard."""
        rows = self._query(
            "SELECT state, COUNT(*) FROM cells WHERE plan = ? AND bucket % ? = ? GROUP BY state",
            (self.plan, shard[1], shard[0] - 1),
        )
        return {"open": 0, "running": 0, "failed": 0, "done": 0, **dict(rows.fetchall())}

    def usage(self) -> tuple[float, int, int]:
        """Return the US dollars, tokens and calls of all cells, including those of earlier plans."""
        return self._query(
            "SELECT TOTAL(cost_usd), CAST(TOTAL(tokens) AS INTEGER), CAST(TOTAL(calls) AS INTEGER) FROM cells"
        ).fetchone()

    def removed(self) -> int:
        """Return the number of cells of earlier plans that are not in the newest plan."""
        return self._query("SELECT COUNT(*) FROM cells WHERE plan <> ?", (self.plan,)).fetchone()[0]

    def wins(self) -> list[tuple[str | None, str, str, int]]:
        """Count deciding results. Returns rows of winner (None without one), first and second player, and count."""
        return self._query(
            "SELECT winner, first, second, COUNT(*) FROM results JOIN cells ON cell = key "
            "WHERE decides AND plan = ? AND (judge = '' OR instr(judges, judge)) GROUP BY 1, 2, 3",
            (self.plan,),
        ).fetchall()

    def failures(self) -> list[tuple[str, int, str]]:
        """Count failed cells. Returns rows of cause, count and one of the messages, the most frequent cause first."""
        return self._query(
            "SELECT COALESCE(cause, 'unknown'), COUNT(*), MIN(COALESCE(message, '')) FROM cells "
            "WHERE plan = ? AND state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
            (self.plan,),
        ).fetchall()

    def records(self, *, only_planned: bool = True) -> Iterator[CellRecord]:
        """Yield all cells in their order."""
        rows = self._query(
            f"SELECT * FROM cells {'WHERE plan = ?' if only_planned else ''} ORDER BY seq, key",  # noqa: S608 - two constants
            (self.plan,) if only_planned else (),
        )
        return map(_to_record, rows)

    def find(self, key: str) -> CellRecord | None:
        """Return a cell by its key; None if there is none."""
        row = self._query("SELECT * FROM cells WHERE key = ?", (key,), one=True)
        return None if row is None else _to_record(row)

    def results_of(self, key: str) -> list[ResultRow]:
        """Return the results of a cell."""
        rows = self._query("SELECT judge, system, winner, decides, row FROM results WHERE cell = ?", (key,))
        return [
            ResultRow(judge, system, winner, bool(decides), json.loads(row))
            for judge, system, winner, decides, row in rows
        ]

    def add_settled(self, record: CellRecord, results: Sequence[ResultRow]) -> None:
        """Add or replace a cell from another ledger, with its plan and results."""
        cell = record.cell
        self._db.execute(
            "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, 0)",
            (cell.key, record.seq, record.plan, cell.bucket, cell.motion, cell.first, cell.second, cell.repeat, cell.axes,
             cell.debate, json.dumps(cell.judges), record.state, record.attempts, record.cost_usd, record.tokens,
             record.calls, record.seconds, record.cause, record.message),
        )  # fmt: skip
        self._db.executemany(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)",
            [(cell.key, *each[:4], json.dumps(each.row, ensure_ascii=False)) for each in results],
        )


def _is_alive(host: str, pid: int, until: float, now: float) -> bool:
    """Whether a worker's lease has not expired and, if the worker is on this machine, its process exists."""
    if until < now:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _to_record(row: Sequence[Any]) -> CellRecord:
    (key, seq, plan, _bucket, motion, first, second, repeat, axes, debate, judges, state, _owner, attempts, cost, tokens,
     calls, seconds, cause, message, _at) = row  # fmt: skip
    cell = Cell(key, motion, first, second, repeat, axes, debate, tuple(json.loads(judges)))
    return CellRecord(cell, seq, plan, state, attempts, cost, tokens, calls, seconds, cause, message)
