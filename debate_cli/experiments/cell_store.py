"""Gives the cells of an experiment (one debate each) to runs, and stores the results of cells."""

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from debate_cli.domain.config import Limits
from debate_cli.errors import DebateError, StorageError
from debate_cli.experiments.ledger import (
    DEBATES_FOLDER,
    LEASE_S,
    CellRecord,
    CellState,
    Ledger,
    ResultRow,
)
from debate_cli.experiments.progress import ExperimentProgress, read_progress
from debate_cli.llm.budget import Budget, BudgetAmount
from debate_cli.llm.rate_limit import WINDOW_S, Admission, SharedRates
from debate_cli.storage.transcript_store import open_debate

MIN_WAIT_S = 0.01
"""Minimum seconds to wait if a limit per minute is reached."""
RECOVER_EVERY = 10
"""Number of lease renewals between two searches for cells of dead runs."""


class LedgerCells:
    """The cells in a ledger. After the lease of a run has expired, other runs may take the run's cells.

    All methods raise StorageError if the cells cannot be read or written.
    """

    def __init__(
        self,
        ledger: Ledger,
        folder: Path,
        *,
        retry_failed: bool = False,
        shard: tuple[int, int] = (1, 1),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`retry_failed`: whether to take only cells that failed in an earlier run.

        `shard`: e.g. `(2, 3)` for the second of three shards.
        `clock`: returns seconds since 1970.
        """
        self.rates: SharedRates = partial(LedgerWindow, ledger, clock)
        self._ledger = ledger
        self._plan = ledger.plan
        self._folder = folder
        self._clock = clock
        self._shard = shard
        self._states: tuple[CellState, ...] = ("failed",) if retry_failed else ("open", "failed")
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._started_at = clock()
        """Start of this run, in seconds since 1970. A cell that changed after the start is not taken again, so that the
        run tries each cell only once."""
        self._last_taken_seq = -1
        self._renewals = 0
        self._settled_before = self._settled_here = BudgetAmount()

    def journal_mirror(self) -> None:
        """Return None: journals are copied only if the cells are in a queue, not if they are in a ledger."""

    async def open_budget(self, limits: Limits) -> Budget:
        """Register this run. Return a budget that starts with the stored costs of all cells.

        Sets the cells of dead runs to `open`. Also sets a finished cell to `open` if its debate is saved, but a judge's
        result is missing.
        """
        self._recover()
        for record in self._ledger.records_without_results(self._folder / DEBATES_FOLDER):
            self._ledger.query("UPDATE cells SET state = 'open' WHERE key = ?", record.cell.key)
        self._renew(BudgetAmount())
        self._settled_before = self._spent()
        return Budget(limits.max_cost_usd, limits.max_tokens, self._settled_before)

    async def load_progress(self) -> ExperimentProgress:
        """Return the current progress of this run's shard."""
        return read_progress(self._ledger, self._shard, now=self._clock())

    async def take(self, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next free cell of the shard. Return None if no cell is free now.

        The cell is now running, but the returned record still has the state before this call.
        Skips cells that any run has taken or stored since this run began, so that this run tries each cell only once.
        `without`: names of players. The cells of these players are also skipped.
        """
        if without:
            return self._claim(-1, without)
        record = self._claim(self._last_taken_seq)
        if record is None and self._last_taken_seq >= 0:  # earlier cells may be free again
            record = self._claim(-1)
        self._last_taken_seq = -1 if record is None else record.seq
        return record

    def _claim(self, after: int, without: Collection[str] = ()) -> CellRecord | None:
        players = json.dumps([*without])
        number, shards = self._shard
        for state in self._states:
            rows = self._ledger.query(
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
                *(self._owner, self._clock(), self._plan, state, after, self._started_at, shards, number - 1),
                *(players, players),
            )
            if rows:
                return self._ledger.to_record(rows[0])._replace(state=state)
        return None

    async def settle(self, taken: CellRecord, ended: CellRecord, results: Sequence[ResultRow]) -> bool:
        """Store the end of an attempt to run a cell, and return True.

        `taken`: the record before the attempt. `ended`: the record after it. `results`: the results of the debate. If
        another run has taken the cell, store nothing and return False.
        """
        # If this cell was lost, the next run reads its costs from the journal, so the ledger counts them in both cases.
        self._settled_here += BudgetAmount(ended.tokens - taken.tokens, ended.cost_usd - taken.cost_usd)
        key = ended.cell.key
        with self._ledger.transaction():
            changed = self._ledger.query(
                """
                UPDATE cells SET state = ?, owner = NULL, cost_usd = ?, tokens = ?, calls = ?, seconds = ?,
                    cause = ?, message = ?, updated_at = ?
                WHERE key = ? AND owner = ? AND state = 'running' RETURNING key
                """,
                *(ended.state, *ended[5:], self._clock(), key, self._owner),
            )
            if changed:
                self._ledger.store_results(key, results)
        return bool(changed)

    async def renew(self, budget: Budget) -> ExperimentProgress | None:
        """Renew the lease, and update `budget` with the costs of other runs.

        Every tenth call returns the progress. All other calls return None.
        """
        earlier = self._settled_before + self._settled_here
        self._renew(_at_least_zero(budget.used - earlier))
        [unsettled] = self._ledger.query(
            "SELECT CAST(TOTAL(unsettled_tokens) AS INTEGER), TOTAL(unsettled_usd) FROM workers WHERE owner <> ?",
            self._owner,
        )
        elsewhere = self._spent() + BudgetAmount(*unsettled) - earlier
        budget.set_used_elsewhere(_at_least_zero(elsewhere))
        self._renewals += 1
        if self._renewals % RECOVER_EVERY:
            return None
        self._recover()
        return await self.load_progress()

    async def close(self) -> None:
        """Give back the unfinished cells of this run, and end its lease."""
        with self._ledger.transaction():
            self._ledger.release(self._owner)

    def _spent(self) -> BudgetAmount:
        cost, tokens, _ = self._ledger.usage()
        return BudgetAmount(tokens, cost)

    def _renew(self, unsettled: BudgetAmount) -> None:
        host, pid, until = socket.gethostname(), os.getpid(), self._clock() + LEASE_S
        values = (self._owner, host, pid, until, unsettled.usd, unsettled.tokens)
        self._ledger.query("INSERT OR REPLACE INTO workers VALUES (?, ?, ?, ?, ?, ?)", *values)

    def _recover(self) -> None:
        for record in self._ledger.recover(self._clock()):
            path = self._folder / DEBATES_FOLDER / f"{record.cell.debate}.json"
            try:
                usage = open_debate(path).debate.charge_reservations().usage
            except DebateError:
                continue
            self._ledger.query(
                "UPDATE cells SET cost_usd = ?, tokens = ? WHERE key = ?",
                *(usage.cost_usd or 0.0, usage.input_tokens + usage.output_tokens, record.cell.key),
            )


@dataclass(frozen=True, slots=True)
class LedgerWindow:
    """Counts the calls to one provider with one API key, over the last minute.

    All runs of the experiment share the counts, which are stored in the experiment's ledger file.
    """

    ledger: Ledger
    clock: Callable[[], float]
    account: str
    requests_per_minute: int | None
    tokens_per_minute: int | None

    async def admit(self, tokens: int) -> Admission:
        """Admit a call of at most `tokens` tokens, and count it, if the limits allow it now.

        Otherwise the returned `Admission` says how many seconds to wait.

        A call of more tokens than the limit per minute is allowed after a minute without calls.
        """
        now, requests, most = self.clock(), self.requests_per_minute, self.tokens_per_minute
        query = self.ledger.query
        with self.ledger.transaction():
            query("DELETE FROM calls WHERE account = ? AND at <= ?", self.account, now - WINDOW_S)
            [(count, used)] = query(
                "SELECT COUNT(*), CAST(TOTAL(tokens) AS INTEGER) FROM calls WHERE account = ?", self.account
            )
            calls_over = 0 if requests is None else count + 1 - requests
            tokens_over = 0 if most is None else used + min(tokens, most) - most
            if calls_over <= 0 and tokens_over <= 0:
                insert = "INSERT INTO calls (account, at, tokens) VALUES (?, ?, ?) RETURNING id"
                return Admission(0.0, query(insert, self.account, now, tokens)[0][0])
            [(free_at,)] = query(
                "SELECT MIN(at) FROM (SELECT at, row_number() OVER past AS calls, SUM(tokens) OVER past AS tokens "
                "FROM calls WHERE account = ? WINDOW past AS (ORDER BY at, id)) WHERE calls >= ? AND tokens >= ?",
                *(self.account, calls_over, tokens_over),
            )
        return Admission(max(free_at + WINDOW_S - now, MIN_WAIT_S))

    async def correct(self, entry: int, tokens: int) -> None:
        """Store `tokens` as the actual tokens of the call `entry`, in place of the estimate."""
        with suppress(StorageError):  # then the estimate is kept, which is higher
            self.ledger.query("UPDATE calls SET tokens = ? WHERE id = ?", tokens, entry)


def _at_least_zero(amount: BudgetAmount) -> BudgetAmount:
    return BudgetAmount(max(0, amount.tokens), max(0.0, amount.usd))
