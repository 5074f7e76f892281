"""`CellStore`: the protocol for taking cells and storing results; `LedgerCells`: its implementation by a ledger.

`cluster` implements it with PostgreSQL.
"""

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
    Claim,
    Ledger,
    ResultRow,
    Settlement,
)
from debate_cli.experiments.progress import Progress, read_progress
from debate_cli.llm.budget import Budget, BudgetAmount
from debate_cli.llm.rate_limit import Admission, SharedRates
from debate_cli.storage.journal import JournalMirror
from debate_cli.storage.transcript_store import open_debate

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
        """Renew the lease of this run. Called once a second. Returns the progress if it was read again, else None."""
        ...

    async def close(self) -> None:
        """Give back the cells that this run took and did not settle."""
        ...


class LedgerCells:
    """The cells of a ledger. Each run renews its lease; other runs take over the cells of an expired lease."""

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
        self._folder = folder
        self._clock = clock
        self._shard = shard
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        states: tuple[CellState, ...] = ("failed",) if retry_failed else ("open", "failed")
        self._claim = Claim(self._owner, ledger.plan, clock(), states, shard)
        self._after = -1
        """Sequence number of the last cell that was taken."""
        self._renewals = 0
        self._baseline = self._settled_here = BudgetAmount()
        """Cost of the cells that were settled before this run (`_baseline`), and by this run (`_settled_here`)."""

    def journal_mirror(self) -> None:
        """See `CellStore`. The journal is only in the experiment's folder."""

    async def open_budget(self, limits: Limits) -> Budget:
        """See `CellStore`."""
        self._recover()
        self._ledger.renew(self._owner, BudgetAmount(), self._clock())
        self._baseline = self._ledger.spent()
        return Budget(
            limits.max_cost_usd, limits.max_tokens, used_cost=self._baseline.usd, used_tokens=self._baseline.tokens
        )

    async def load_progress(self) -> Progress:
        """See `CellStore`."""
        return read_progress(self._ledger, self._shard)

    async def take(self, without: Collection[str] = ()) -> CellRecord | None:
        """See `CellStore`."""
        if without:
            return self._ledger.claim(self._claim, -1, self._clock(), without)
        record = self._ledger.claim(self._claim, self._after, self._clock())
        if record is None and self._after >= 0:  # cells that were given back since may be before the last one
            record = self._ledger.claim(self._claim, -1, self._clock())
        self._after = -1 if record is None else record.seq
        return record

    async def settle(self, record: CellRecord, how: Settlement, results: Sequence[ResultRow]) -> bool:
        """See `CellStore`."""
        # The journal of a lost cell tells its next worker what was spent here, so that the ledger counts it either way.
        self._settled_here += BudgetAmount(how.tokens - record.tokens, how.cost_usd - record.cost_usd)
        return self._ledger.settle(self._owner, record.cell.key, how, results, self._clock())

    async def renew(self, budget: Budget) -> Progress | None:
        """Renew the lease, store what this run spent, and read what other runs spent."""
        earlier = self._baseline + self._settled_here
        self._ledger.renew(self._owner, _at_least_zero(budget.used - earlier), self._clock())
        elsewhere = self._ledger.spent() + self._ledger.unsettled_elsewhere(self._owner) - earlier
        budget.set_used_elsewhere(_at_least_zero(elsewhere))
        self._renewals += 1
        if self._renewals % RECOVER_EVERY:
            return None
        self._recover()
        return await self.load_progress()

    async def close(self) -> None:
        """See `CellStore`."""
        self._ledger.retire(self._owner)

    def _recover(self) -> None:
        """Open the cells of dead processes again. Stores the costs that are in their journals."""
        for record in self._ledger.recover(self._clock()):
            path = self._folder / DEBATES_FOLDER / f"{record.cell.debate}.json"
            try:
                usage = open_debate(path).debate.charge_reservations().usage
            except DebateError:
                continue
            tokens = usage.input_tokens + usage.output_tokens
            self._ledger.correct_cost(record.cell.key, BudgetAmount(tokens, usage.cost_usd or 0.0))


@dataclass(frozen=True, slots=True)
class LedgerWindow:
    """The calls of one account in the last minute, counted in the ledger."""

    ledger: Ledger
    clock: Callable[[], float]
    account: str
    requests_per_minute: int | None
    tokens_per_minute: int | None

    async def admit(self, tokens: int) -> Admission:
        """See `SharedWindow`."""
        limits = self.requests_per_minute, self.tokens_per_minute
        return self.ledger.count_call(self.account, tokens, limits, self.clock())

    async def correct(self, entry: int, tokens: int) -> None:
        """See `SharedWindow`."""
        with suppress(StorageError):  # the estimate stays, which is higher
            self.ledger.correct_call(entry, tokens)


def _at_least_zero(amount: BudgetAmount) -> BudgetAmount:
    return BudgetAmount(max(0, amount.tokens), max(0.0, amount.usd))
