"""Limits that all workers of a queue share: the budget, requests per minute and tokens per minute."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from debate_cli.errors import BudgetError, StorageError
from debate_cli.experiments.cluster.database import Database, fetch
from debate_cli.experiments.cluster.lease import CURRENT_LEASE, Lease
from debate_cli.llm.budget import Budget, BudgetAmount, BudgetReservation
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.rate_limit import WINDOW_S, Admission

if TYPE_CHECKING:
    from psycopg import AsyncConnection

_BUDGET_RETRY_S = 0.5


class SharedBudget(Budget):
    """The budget of an experiment, which all workers share in the database.

    `reserve` also stores the debate's journal in the database, so that another worker can continue the debate.
    """

    def __init__(self, database: Database, experiment: str, max_cost_usd: float | None, max_tokens: int | None) -> None:
        super().__init__(max_cost_usd, max_tokens)
        self._database = database
        self._experiment = experiment

    async def refresh(self) -> None:
        """Read the amounts that all workers have spent."""
        await self._database.run(self._read)

    @asynccontextmanager
    async def reserve(self, worst: BudgetAmount, what: str) -> AsyncGenerator[BudgetReservation, None]:
        """Reserve `worst`, the maximum usage of a call. After the call, the caller sets the reservation's `used`.

        If the reservations of other calls leave too little of the budget, waits until one of these calls ends. Raises
        BudgetError if the budget is too small even without these reservations. `what`: name of the call in this error.
        """
        lease, number = CURRENT_LEASE.get(), secrets.token_hex(16)
        reservation = BudgetReservation(worst)
        try:
            with pause_deadline():
                await lease.sync()
                while True:
                    if self._closing_message is not None:
                        raise BudgetError(self._closing_message)
                    fits, held = await lease.run(lambda connection: self._reserve(connection, lease, number, worst))
                    if fits:
                        break
                    if held and self._fits(self.used + worst):
                        await asyncio.sleep(_BUDGET_RETRY_S)
                    else:
                        self._closing_message = self._format_refusal(worst, what)
            yield reservation
        finally:
            lease.settle_call(number, reservation.used.usd, reservation.used.tokens)

    async def _reserve(
        self, connection: AsyncConnection, lease: Lease, number: str, worst: BudgetAmount
    ) -> tuple[bool, bool]:
        """Reserve `worst`, the maximum usage of one call, if the budget allows it.

        Return two values: whether `worst` was reserved, and whether other calls have reservations.
        """
        if self.is_limited:  # lets one worker at a time reserve a call
            await connection.execute("SELECT FROM experiments WHERE id = %s FOR UPDATE", (self._experiment,))
        await lease.check(connection)
        await self._read(connection)
        [(held_usd, held_tokens)] = await fetch(
            connection,
            "SELECT coalesce(sum(usd), 0), coalesce(sum(tokens), 0)::bigint FROM reservations WHERE experiment = %s AND id <> %s",
            self._experiment,
            number,
        )
        fits = self._fits(self.used + BudgetAmount(held_tokens, held_usd) + worst)
        if fits:
            await connection.execute(
                "INSERT INTO reservations VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (number, lease.experiment, lease.cell, lease.number, worst.usd, worst.tokens),
            )
        return fits, held_usd > 0 or held_tokens > 0

    async def _read(self, connection: AsyncConnection) -> None:
        query = "SELECT spent_usd, spent_tokens, max_cost_usd, max_tokens FROM experiments WHERE id = %s"
        [row] = await fetch(connection, query, self._experiment)
        usd, tokens, self._max_cost_usd, self._max_tokens = row
        self.used = BudgetAmount(tokens, usd)
        self.has_cost_limit = self._max_cost_usd is not None
        self.is_limited = self.has_cost_limit or self._max_tokens is not None


@dataclass(frozen=True, slots=True)
class QueueWindow:
    """Counts an account's calls of the last minute in the database, by the clock of the database server."""

    database: Database
    account: str
    requests: int | None
    tokens: int | None

    async def admit(self, tokens: int) -> Admission:
        """Count a call of at most `tokens` tokens if the limits allow it now. Otherwise return the seconds to wait."""
        return await self.database.run(lambda connection: self._admit(connection, tokens))

    async def correct(self, entry: int, tokens: int) -> None:
        """Store `tokens` as the actual tokens of the call `entry`, in place of the estimate."""
        with suppress(StorageError):  # then the estimate is kept, which is higher
            await self.database.fetch("UPDATE rates SET tokens = %s WHERE id = %s", tokens, entry)

    async def _admit(self, connection: AsyncConnection, tokens: int) -> Admission:
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self.account,))
        await connection.execute(
            "DELETE FROM rates WHERE account = %s AND at <= clock_timestamp() - make_interval(secs => %s)",
            (self.account, WINDOW_S),
        )
        [(calls, used)] = await fetch(
            connection, "SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM rates WHERE account = %s", self.account
        )
        extra_calls = 0 if self.requests is None else calls + 1 - self.requests
        extra_tokens = 0 if self.tokens is None else used + min(tokens, self.tokens) - self.tokens
        if extra_calls <= 0 and extra_tokens <= 0:
            [(entry,)] = await fetch(
                connection, "INSERT INTO rates (account, tokens) VALUES (%s, %s) RETURNING id", self.account, tokens
            )
            return Admission(0, entry)
        [(wait,)] = await fetch(
            connection,
            """
            SELECT extract(epoch FROM min(at) - clock_timestamp())::float8 + %s FROM (
                SELECT at, row_number() OVER past AS calls, sum(tokens) OVER past AS tokens FROM rates
                WHERE account = %s WINDOW past AS (ORDER BY at, id)
            ) AS entries WHERE calls >= %s AND tokens >= %s
            """,
            WINDOW_S,
            self.account,
            extra_calls,
            extra_tokens,
        )
        return Admission(max(wait or 0.0, 0.01))
