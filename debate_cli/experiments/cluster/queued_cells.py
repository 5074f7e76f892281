"""Takes the cells of an experiment from the queue, and gives back the cells of dead workers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from debate_cli.domain.config import Limits
from debate_cli.errors import LeaseLostError, StorageError
from debate_cli.experiments.cells import cell_from_json
from debate_cli.experiments.cluster.database import Database, fetch
from debate_cli.experiments.cluster.lease import CURRENT_LEASE, Lease
from debate_cli.experiments.cluster.limits import QueueWindow, SharedBudget
from debate_cli.experiments.ledger import DEBATES_FOLDER, LEASE_S, CellRecord, CellState, ResultRow
from debate_cli.experiments.progress import ExperimentProgress
from debate_cli.llm.budget import Budget
from debate_cli.llm.rate_limit import SharedRates
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, validate_id

if TYPE_CHECKING:
    from procrastinate.jobs import Job
    from psycopg import AsyncConnection

TASK = "debate_cli.cell"
"""Name of the task that runs a cell, in the job queue."""
COLUMNS = "cell, seq, plan, state, attempts, cost_usd, tokens, calls, seconds, cause, message"
"""Columns of the table `cells` that `record_from_row` needs."""
_POLL_S = 1.0
_SWEEPS_PER_LEASE_PERIOD = 3


def record_from_row(row: Sequence[Any]) -> CellRecord:
    """Convert a row with `COLUMNS` to a record. Raises UsageError if the debate's id cannot be the name of a file."""
    fields: dict[str, Any] = row[0]
    validate_id(fields["debate"])
    return CellRecord(cell_from_json(fields), *row[1:])


class _FetchedJob(NamedTuple):
    number: int
    cell: str


class QueuedCells:
    """One worker's access to the queued cells of an experiment. It has the methods of `LedgerCells`."""

    def __init__(self, database: Database, experiment: str, plan: str, folder: Path, lease_s: float = LEASE_S) -> None:
        """`experiment`: id in the queue. `plan`: fingerprint of the plan.

        `folder`: folder of the debates' journals and transcripts. `lease_s`: seconds that a lease lasts.
        """
        self.rates: SharedRates = partial(QueueWindow, database)
        self._database = database
        self._experiment = experiment
        self._plan = plan
        self._folder = folder
        self._lease_s = lease_s
        self._worker = 0
        self._leases = set[Lease]()
        """Leases of running tasks. If this worker loses a cell and takes it again, the cell has two leases for a time."""
        self._poll_lock = asyncio.Lock()
        self._swept_at = -lease_s

    def journal_mirror(self) -> Lease:
        """Return the current asyncio task's lease on a cell. The lease copies the cell's journal to the queue."""
        return CURRENT_LEASE.get()

    async def open_budget(self, limits: Limits) -> Budget:
        """Register this worker. Return the budget that all workers share."""
        self._worker = await self._database.run_jobs(self._database.jobs.register_worker)
        await self.sweep()
        budget = SharedBudget(self._database, self._experiment, limits.max_cost_usd, limits.max_tokens)
        await budget.refresh()
        return budget

    async def load_progress(self) -> ExperimentProgress:
        """Return the current progress of the experiment, without the scores of players."""
        query = (
            "SELECT state, count(*), coalesce(sum(cost_usd), 0), coalesce(sum(tokens), 0)::bigint, "
            "coalesce(sum(calls), 0)::bigint FROM cells WHERE experiment = %s AND plan = %s GROUP BY state"
        )
        found = await self._database.fetch(query, self._experiment, self._plan)
        [(name, notice)] = await self._database.fetch(
            "SELECT name, rehearsal_notice FROM experiments WHERE id = %s", self._experiment
        )
        cells: dict[CellState, int] = {"open": 0, "running": 0, "failed": 0, "done": 0}
        cells |= {row[0]: row[1] for row in found}
        cost, tokens, calls = (sum(row[column] for row in found) for column in (2, 3, 4))
        return ExperimentProgress(name, cells, {}, cost, tokens, calls, notice)

    async def take(self, without: Collection[str] = ()) -> CellRecord | None:
        """Take the next free cell, and write its unfinished debate from the queue into the folder of debates.

        If no cell is free, wait for one as long as this worker still runs other cells. Return None if no cell became free,
        if the experiment was halted, or if its plan has changed.

        `without`: players whose cells are skipped. If it is not empty, the method does not wait.
        """
        async with nullcontext() if without else self._poll_lock:
            while True:
                job = await self._fetch_job([*without])
                if job is None:
                    if without or not self._leases:
                        return None
                    await asyncio.sleep(_POLL_S)
                    continue
                lease = await self._database.run(partial(self._lease, job=job))
                if lease == "end":
                    await self._give_back([job.number])
                    return None
                if lease is None:
                    await self._finish(job.number)
                elif (record := await self._begin(lease)) is not None:
                    return record

    async def settle(self, taken: CellRecord, ended: CellRecord, results: Sequence[ResultRow]) -> bool:
        """Store the record, the results and the transcript of an attempt to run a cell.

        If another worker has taken the cell, store nothing and return False.
        """
        lease = CURRENT_LEASE.get()
        path = self._folder / DEBATES_FOLDER / ended.cell.debate
        transcript = path.with_suffix(TRANSCRIPT_SUFFIX)
        try:
            await lease.sync()
            data = transcript.read_bytes() if transcript.exists() else None
            await self._database.run(partial(_store_end, lease=lease, ended=ended, results=results, transcript=data))
            if ended.state == "open":
                await self._give_back([lease.job])
            else:
                await self._finish(lease.job)
        except LeaseLostError:
            return False
        finally:
            self._leases.remove(lease)
            if not any(other.cell == lease.cell for other in self._leases):
                for suffix in (TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX):
                    path.with_suffix(suffix).unlink(missing_ok=True)
        return True

    async def renew(self, budget: Budget) -> ExperimentProgress | None:
        """Send a heartbeat, and update `budget` with the costs of all workers.

        A few times per lease period, this method also gives back the cells of dead workers, and returns the progress
        of the experiment. Otherwise it returns None.
        """
        await self._database.fetch(
            "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = %s", self._worker
        )
        if isinstance(budget, SharedBudget):
            await budget.refresh()
        if time.monotonic() - self._swept_at < self._lease_s / _SWEEPS_PER_LEASE_PERIOD:
            return None
        await self.sweep()
        return await self.load_progress()

    async def close(self) -> None:
        """Give back the unfinished cells of this worker, and remove the worker from the queue."""
        for lease in self._leases:
            await self._release(lease)
        await self._database.run_jobs(partial(self._database.jobs.unregister_worker, self._worker))

    async def _fetch_job(self, without: list[str]) -> _FetchedJob | None:
        """Fetch the next job. Skip debates of the players in `without`. Return None if no job is left.

        The SQL below repeats `procrastinate_fetch_job_v2` of the queue's library, and adds the condition on players.
        """
        if not without:
            fetch = partial(self._database.jobs.fetch_job, [self._experiment], self._worker)
            job = await self._database.run_jobs(fetch)
            return None if job is None else _FetchedJob(_number(job), str(job.task_kwargs["cell"]))
        rows = await self._database.fetch(
            """
            UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s WHERE id = (
                SELECT jobs.id FROM procrastinate_jobs AS jobs
                JOIN cells ON cells.experiment = jobs.queue_name AND cells.key = jobs.args ->> 'cell'
                WHERE jobs.queue_name = %s AND jobs.status = 'todo'
                    AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
                    AND NOT (cells.cell ->> 'first' = ANY(%s) OR cells.cell ->> 'second' = ANY(%s))
                ORDER BY jobs.id LIMIT 1 FOR UPDATE OF jobs SKIP LOCKED
            ) RETURNING id, args ->> 'cell'
            """,
            self._worker,
            self._experiment,
            without,
            without,
        )
        return _FetchedJob(*rows[0]) if rows else None

    async def _begin(self, lease: Lease) -> CellRecord | None:
        CURRENT_LEASE.set(lease)
        self._leases.add(lease)
        try:
            return await self._restore(lease)
        except StorageError:
            self._leases.remove(lease)
            await self._release(lease)
            raise
        except Exception as error:  # noqa: BLE001 - an unreadable row must not stop the worker
            self._leases.remove(lease)
            with suppress(LeaseLostError):
                await self._database.run(partial(_store_unreadable, lease=lease, error=error))
                await self._finish(lease.job)
            return None

    async def _lease(self, connection: AsyncConnection, job: _FetchedJob) -> Lease | Literal["end"] | None:
        query = "SELECT plan FROM experiments WHERE id = %s AND halted IS NULL"
        if await fetch(connection, query, self._experiment) != [(self._plan,)]:
            return "end"
        await _book_reservations_as_spent(connection, self._experiment, [job.cell])
        rows = await fetch(
            connection,
            """
            UPDATE cells SET state = 'running', lease = lease + 1, attempts = attempts + 1, job = %s,
                updated_at = clock_timestamp()
            WHERE experiment = %s AND key = %s AND plan = %s AND (state = 'open' OR state = 'running' AND job = %s)
            RETURNING lease
            """,
            job.number,
            self._experiment,
            job.cell,
            self._plan,
            job.number,
        )
        return Lease(self._database, self._experiment, job.cell, rows[0][0], job.number) if rows else None

    async def _restore(self, lease: Lease) -> CellRecord:
        where = (lease.experiment, lease.cell)
        query = f"SELECT transcript, {COLUMNS} FROM cells WHERE experiment = %s AND key = %s"  # noqa: S608 - constants
        [(transcript, *columns)] = await self._database.fetch(query, *where)
        record = record_from_row(columns)._replace(state="open")
        query = "SELECT line FROM lines WHERE experiment = %s AND cell = %s ORDER BY lease, seq"
        journal = b"".join(line for (line,) in await self._database.fetch(query, *where))
        path = self._folder / DEBATES_FOLDER / record.cell.debate
        for suffix, data in ((TRANSCRIPT_SUFFIX, transcript), (JOURNAL_SUFFIX, journal)):
            if data:
                atomic_write(path.with_suffix(suffix), data, overwrite=True)
        return record

    async def sweep(self) -> None:
        """Give back the cells of workers that send no heartbeats."""
        self._swept_at = time.monotonic()
        await self._database.run(self._give_back_stalled)

    async def _give_back_stalled(self, connection: AsyncConnection) -> None:
        """Give back the cells of workers that send no heartbeats.

        Does nothing in the first lease period after the database server started, because workers cannot send heartbeats
        while the server is down.
        """
        [(may_sweep,)] = await fetch(
            connection,
            "SELECT clock_timestamp() - pg_postmaster_start_time() > make_interval(secs => %s) "
            "AND pg_try_advisory_xact_lock(hashtextextended(%s, 1))",
            self._lease_s,
            self._experiment,
        )
        if may_sweep:
            jobs = await self._database.jobs.get_stalled_jobs(
                queue=self._experiment, seconds_since_heartbeat=self._lease_s
            )
            stalled = {_number(job): str(job.task_kwargs["cell"]) for job in jobs}
            if stalled:
                await self._database.run(partial(self._end_leases, cells=[*stalled.values()]))
                await self._give_back(stalled)

    async def _end_leases(self, connection: AsyncConnection, cells: list[str]) -> None:
        await _book_reservations_as_spent(connection, self._experiment, cells)
        await connection.execute(
            "UPDATE cells SET state = 'open', lease = lease + 1, updated_at = clock_timestamp() "
            "WHERE experiment = %s AND key = ANY(%s) AND state = 'running'",
            (self._experiment, cells),
        )

    async def _release(self, lease: Lease) -> None:
        async def end(connection: AsyncConnection) -> None:
            await lease.check(connection)
            await self._end_leases(connection, [lease.cell])

        with suppress(LeaseLostError, StorageError):
            await self._database.run(end)
            await self._give_back([lease.job])

    async def _give_back(self, jobs: Iterable[int]) -> None:
        from procrastinate.utils import utcnow

        for job in jobs:
            with suppress(StorageError):
                await self._database.run_jobs(partial(self._database.jobs.retry_job_by_id_async, job, utcnow()))

    async def _finish(self, job: int) -> None:
        from procrastinate.jobs import Status

        with suppress(StorageError):
            finish = self._database.jobs.finish_job_by_id_async
            await self._database.run_jobs(partial(finish, job, Status.SUCCEEDED, delete_job=True))


def _number(job: Job) -> int:
    assert job.id is not None
    return job.id


async def _book_reservations_as_spent(connection: AsyncConnection, experiment: str, cells: list[str]) -> None:
    await connection.execute(
        """
        WITH lost AS (DELETE FROM reservations WHERE experiment = %s AND cell = ANY(%s) RETURNING usd, tokens)
        UPDATE experiments SET spent_usd = spent_usd + (SELECT sum(usd) FROM lost),
            spent_tokens = spent_tokens + (SELECT sum(tokens) FROM lost)
        WHERE id = %s AND EXISTS (SELECT FROM lost)
        """,
        (experiment, cells, experiment),
    )


async def _store_end(
    connection: AsyncConnection,
    *,
    lease: Lease,
    ended: CellRecord,
    results: Sequence[ResultRow],
    transcript: bytes | None,
) -> None:
    await lease.check(connection)
    where = (lease.experiment, lease.cell)
    if transcript is not None:
        await connection.execute("DELETE FROM lines WHERE experiment = %s AND cell = %s", where)
    await connection.execute(
        """
        UPDATE cells SET state = %s, cost_usd = %s, tokens = %s, calls = %s, seconds = %s, cause = %s, message = %s,
            results = %s, transcript = coalesce(%s, transcript), updated_at = clock_timestamp()
        WHERE experiment = %s AND key = %s
        """,
        (ended.state, *ended[5:], json.dumps(results, ensure_ascii=False), transcript, *where),
    )


async def _store_unreadable(connection: AsyncConnection, *, lease: Lease, error: Exception) -> None:
    await lease.check(connection)
    await connection.execute(
        "UPDATE cells SET state = 'failed', cause = %s, message = %s, updated_at = clock_timestamp() "
        "WHERE experiment = %s AND key = %s",
        (type(error).__name__, f"the cell cannot be read: {error}", lease.experiment, lease.cell),
    )
