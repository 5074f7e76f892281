"""`CellStore` is the protocol for taking cells and storing results. `LedgerCells` implements it with a ledger.

`cluster` implements the protocol with PostgreSQL.
"""

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
from typing import Protocol

from debate_cli.domain.config import Limits
from debate_cli.errors import DebateError, StorageError
from debate_cli.experiments.ledger import (
    DEBATES_FOLDER,
    CellRecord,
    CellState,
    Ledger,
    ResultRow,
    Settlement,
    to_record,
)
from debate_cli.experiments.progress import Progress, read_progress
from debate_cli.llm.budget import Budget, BudgetAmount
from debate_cli.llm.rate_limit import MINUTE_S, Admission, SharedRates
from debate_cli.storage.journal import JournalMirror
from debate_cli.storage.transcript_store import open_debate

LEASE_S = 30.0
"""Seconds without a renewal after which a worker counts as dead."""
MIN_WAIT_S = 0.01
"""Minimum seconds to wait before a call that exceeds a limit per minute is tried again."""
RECOVER_EVERY = 10
"""Number of lease renewals between two searches for cells of dead workers."""


class CellStore(Protocol):
    """The cells of an experiment. A run takes them one by one. Several runs may share them.

    All methods raise StorageError if the store cannot be used.
    """

    @property
    def rates(self) -> SharedRates:
        """Counts the requests and tokens per minute of all runs together."""
        ...

    def journal_mirror(self) -> JournalMirror | None:
        """Return the mirror for the journal of the current task's cell; None if the store keeps no copy of journals."""
        ...

    async def open_budget(self, limits: Limits) -> Budget:
        """Begin the run, before it takes the first cell. Returns the budget, which all runs share."""
        ...

    async def load_progress(self) -> Progress:
        """Return the current progress of the experiment."""
        ...

    async def take(self, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next cell in which no player of `without` speaks; None if there is no such cell now.

        The returned record has the state that the cell had before it was taken.
        """
        ...

    async def settle(self, record: CellRecord, how: Settlement, results: Sequence[ResultRow]) -> bool:
        """Store the end of an attempt. Returns False, and stores nothing, if this run no longer has the cell."""
        ...

    async def renew(self, budget: Budget) -> Progress | None:
        """Renew the lease of this run. Called once a second. Returns the progress if this call read it, else None."""
        ...

    async def close(self) -> None:
        """Give back the cells that this run took and did not settle."""
        ...


class LedgerCells:
    """The cells of a ledger. Each run renews its lease. When a lease expires, another run takes over its cells.

    A run that lost a cell cannot store the cell's result.
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
        """`folder`: folder of the experiment. `retry_failed`: take failed cells only.

        `shard`: number of the shard, from 1, and number of shards. `clock`: returns seconds since 1970.
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
        """Cells that changed since then are skipped, so that a run tries each cell once."""
        self._after = -1
        """Sequence number of the last cell that was taken."""
        self._renewals = 0
        self._baseline = self._settled_here = BudgetAmount()
        """Cost of the cells that were settled before this run (`_baseline`), and by this run (`_settled_here`)."""

    def journal_mirror(self) -> None:
        """Return None, because the journal is only in the experiment's folder."""

    async def open_budget(self, limits: Limits) -> Budget:
        """Begin the run. Returns a budget in which the cost of all cells settled so far is spent."""
        self._recover()
        self._renew(BudgetAmount())
        self._baseline = self._spent()
        return Budget(
            limits.max_cost_usd, limits.max_tokens, used_cost=self._baseline.usd, used_tokens=self._baseline.tokens
        )

    async def load_progress(self) -> Progress:
        """Return the current progress of this run's shard."""
        return read_progress(self._ledger, self._shard)

    async def take(self, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next cell of the shard in which no player of `without` speaks; None if there is none now.

        A cell that changed since the run began is skipped, so that the run tries each cell once.
        """
        if without:
            return self._claim(-1, without)
        record = self._claim(self._after)
        if record is None and self._after >= 0:  # cells that were given back since may be before the last one
            record = self._claim(-1)
        self._after = -1 if record is None else record.seq
        return record

    def _claim(self, after: int, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next cell after the sequence number `after`; return None if no cell is left."""
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
                return to_record(rows[0])._replace(state=state)
        return None

    async def settle(self, record: CellRecord, how: Settlement, results: Sequence[ResultRow]) -> bool:
        """Store the end of an attempt. Returns False, and stores nothing, if another run has taken the cell over."""
        # The journal of a lost cell tells its next worker what was spent here, so that the ledger counts it either way.
        self._settled_here += BudgetAmount(how.tokens - record.tokens, how.cost_usd - record.cost_usd)
        key = record.cell.key
        with self._ledger.transaction():
            changed = self._ledger.query(
                """
                UPDATE cells SET state = ?, owner = NULL, cost_usd = ?, tokens = ?, calls = ?, seconds = seconds + ?,
                    cause = ?, message = ?, updated_at = ?
                WHERE key = ? AND owner = ? AND state = 'running' RETURNING key
                """,
                *(*how, self._clock(), key, self._owner),
            )
            if changed:
                self._ledger.store_results(key, results)
        return bool(changed)

    async def renew(self, budget: Budget) -> Progress | None:
        """Renew the lease, store what this run spent, and read what other runs spent."""
        earlier = self._baseline + self._settled_here
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
        """Give back the cells that this run took and did not settle, and end its lease."""
        with self._ledger.transaction():
            self._ledger.release(self._owner)

    def _spent(self) -> BudgetAmount:
        cost, tokens, _ = self._ledger.usage()
        return BudgetAmount(tokens, cost)

    def _renew(self, unsettled: BudgetAmount) -> None:
        """Renew the lease, and store what this run spent on cells that it has not settled."""
        host, pid, until = socket.gethostname(), os.getpid(), self._clock() + LEASE_S
        values = (self._owner, host, pid, until, unsettled.usd, unsettled.tokens)
        self._ledger.query("INSERT OR REPLACE INTO workers VALUES (?, ?, ?, ?, ?, ?)", *values)

    def _recover(self) -> None:
        """Open the cells of dead processes again. Stores what these cells have cost according to their journals."""
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
    """The calls of one account in the last minute, counted in the ledger."""

    ledger: Ledger
    clock: Callable[[], float]
    account: str
    requests_per_minute: int | None
    tokens_per_minute: int | None

    async def admit(self, tokens: int) -> Admission:
        """Add a call of up to `tokens` tokens if it fits within the limits; otherwise return how long to wait.

        A call with more tokens than the limit is admitted after a minute without calls.
        """
        now, requests, most = self.clock(), self.requests_per_minute, self.tokens_per_minute
        query = self.ledger.query
        with self.ledger.transaction():
            query("DELETE FROM calls WHERE account = ? AND at <= ?", self.account, now - MINUTE_S)
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
        return Admission(max(free_at + MINUTE_S - now, MIN_WAIT_S))

    async def correct(self, entry: int, tokens: int) -> None:
        """Set the actual tokens of a call that has ended. If they cannot be stored, the estimate stays."""
        with suppress(StorageError):  # the estimate stays, which is higher
            self.ledger.query("UPDATE calls SET tokens = ? WHERE id = ?", tokens, entry)


def _at_least_zero(amount: BudgetAmount) -> BudgetAmount:
    return BudgetAmount(max(0, amount.tokens), max(0.0, amount.usd))
