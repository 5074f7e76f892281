"""A lease on a cell: the right of one worker to write the cell's journal to the database.

Each new lease on a cell has a higher number. Only the lease with the highest number may write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from debate_cli.errors import LeaseLostError, StorageError
from debate_cli.experiments.cluster.database import Database, fetch

if TYPE_CHECKING:
    from psycopg import AsyncConnection


T = TypeVar("T")


CURRENT_LEASE: ContextVar[Lease] = ContextVar("lease")


class Lease:
    """The lease of a worker on a cell. The lease copies the journal of the cell to the database."""

    def __init__(self, database: Database, experiment: str, cell: str, number: int, job: int) -> None:
        """`experiment`: id in the queue. `cell`: key of the cell. `number`: number of this lease.

        `job`: number of the cell's job in the queue.
        """
        self.experiment = experiment
        self.cell = cell
        self.number = number
        self.job = job
        self._database = database
        self._unstored_lines: list[tuple[int, bytes]] = []
        self._seq = 0
        self._replaces_stored_lines = False
        self._finished_calls: list[tuple[str, float, int]] = []
        self._storing = asyncio.Lock()

    def replace(self, lines: Sequence[bytes]) -> None:
        """Replace the journal with `lines`. The next `sync` changes the database."""
        self._replaces_stored_lines, self._seq, self._unstored_lines = True, 0, []
        for line in lines:
            self.append(line)

    def append(self, line: bytes) -> None:
        """Add `line` to the journal. The next `sync` writes it to the database."""
        self._unstored_lines.append((self._seq, line))
        self._seq += 1

    def settle_call(self, reservation: str, usd: float, tokens: int) -> None:
        """Replace the reservation of a call with the actual cost of the call. The next `sync` changes the database."""
        self._finished_calls.append((reservation, usd, tokens))

    async def sync(self) -> None:
        """Store all changes of the journal and all costs of calls that are not in the database yet.

        The storing continues even if the caller is cancelled.

        Raises LeaseLostError if another worker has the cell, or if the database cannot be used.
        """
        await asyncio.shield(self._sync())

    async def _sync(self) -> None:
        async with self._storing:
            if not self._unstored_lines and not self._finished_calls and not self._replaces_stored_lines:
                return
            lines, calls, replaces = self._unstored_lines, self._finished_calls, self._replaces_stored_lines
            self._unstored_lines, self._finished_calls, self._replaces_stored_lines = [], [], False
            await self.run(partial(self._store, lines=lines, calls=calls, replaces=replaces))

    async def run(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Run `work` in a transaction of the database. Raises LeaseLostError if the database cannot be used."""
        try:
            return await self._database.run(work)
        except StorageError as error:
            raise LeaseLostError(str(error)) from error

    async def check(self, connection: AsyncConnection) -> None:
        """Raise LeaseLostError if another worker has the cell. Otherwise, lock the cell until the transaction ends."""
        rows = await fetch(
            connection,
            "SELECT lease FROM cells WHERE experiment = %s AND key = %s AND state = 'running' FOR SHARE",
            self.experiment,
            self.cell,
        )
        if rows != [(self.number,)]:
            raise LeaseLostError(
                f"cell {self.cell}: another worker has taken over this debate, so this worker's result is not stored"
            )

    async def _store(
        self,
        connection: AsyncConnection,
        *,
        lines: Sequence[tuple[int, bytes]],
        calls: Sequence[tuple[str, float, int]],
        replaces: bool,
    ) -> None:
        for call in calls:
            await connection.execute(
                """
                WITH settled AS (DELETE FROM reservations WHERE id = %s RETURNING experiment)
                UPDATE experiments SET spent_usd = spent_usd + %s, spent_tokens = spent_tokens + %s
                WHERE id IN (SELECT experiment FROM settled)
                """,
                call,
            )
        if not lines and not replaces:
            return
        await self.check(connection)
        if replaces:
            await connection.execute(
                "DELETE FROM lines WHERE experiment = %s AND cell = %s AND lease <= %s",
                (self.experiment, self.cell, self.number),
            )
        async with connection.cursor() as cursor:
            await cursor.executemany(
                "INSERT INTO lines VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                [(self.experiment, self.cell, self.number, seq, line) for seq, line in lines],
            )
