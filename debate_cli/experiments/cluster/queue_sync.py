"""Puts the cells of an experiment into the queue, and copies the workers' results into the experiment's folder."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from debate_cli.engine import StopSignal
from debate_cli.errors import UsageError
from debate_cli.experiments.cells import CellPlan, cell_to_json
from debate_cli.experiments.cluster.database import Database, fetch
from debate_cli.experiments.cluster.documents import dump_experiment
from debate_cli.experiments.cluster.queued_cells import COLUMNS, TASK, QueuedCells, record_from_row
from debate_cli.experiments.ledger import (
    DEBATES_FOLDER,
    LEASE_S,
    LEDGER_NAME,
    REHEARSAL_META,
    CellRecord,
    Ledger,
    ResultRow,
)
from debate_cli.experiments.progress import ExperimentObserver, deciding_winners, read_progress
from debate_cli.experiments.runner import RENEW_S, RunSummary
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX

if TYPE_CHECKING:
    from psycopg import AsyncConnection

QUEUE_META = "queue"
"""Name under which the ledger stores the address of the queue."""
QUEUED_AS = "queued_as"
"""Name of the ledger's entry with the time when the experiment was first queued. This time identifies the experiment:
the queue may have a different experiment with the same name."""
_CHUNK = 500
_JOBS_CHUNK = 5000
_OVERLAP = timedelta(seconds=60)
"""Time span before the newest copied change. `copy_changes` reads the changes in this time span again, because other
connections may see a change only some time after its `updated_at`."""
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_NO_WORKER_NOTICE_S = 10.0


def experiment_id(name: str, *, mock: bool) -> str:
    """Return the id of an experiment in the queue. Runs with and without `--mock` (`mock`) have different ids."""
    return f"{'mock' if mock else 'experiment'}:{name}"


async def enqueue(database: Database, plan: CellPlan, ledger: Ledger, *, retry_failed: bool) -> int:
    """Put cells of a plan into the queue: the open cells, and the finished cells whose results the ledger has lost.

    Return the number of cells that were added. `retry_failed`: whether to add failed cells too.
    """
    experiment = experiment_id(plan.config.name, mock=plan.experiment.mock)
    document = dump_experiment(plan.experiment)
    stored = await database.run(partial(_store_experiment, plan=plan, ledger=ledger, document=document))
    ledger.set_meta(QUEUED_AS, stored.created_at)
    ledger.set_meta(QUEUE_META, database.shown)
    if stored.plan != plan.fingerprint:
        records = ledger.records()
        while chunk := list(islice(records, _CHUNK)):
            rows = [_cell_row(experiment, record, ledger) for record in chunk]
            added = await database.run(partial(_store_cells, rows=rows))
            for record in chunk:
                if record.cell.key in added and record.state != "done":
                    await _store_begun(database, experiment, record, ledger.path.parent)
        await database.fetch("UPDATE experiments SET plan = %s WHERE id = %s", plan.fingerprint, experiment)
    debates = ledger.path.parent / DEBATES_FOLDER
    for record in ledger.records_without_results(debates):
        await database.fetch(
            "UPDATE cells SET state = 'open', transcript = %s, updated_at = clock_timestamp() "
            "WHERE experiment = %s AND key = %s AND state = 'done'",
            (debates / f"{record.cell.debate}{TRANSCRIPT_SUFFIX}").read_bytes(),
            experiment,
            record.cell.key,
        )
    if retry_failed:
        await database.fetch(
            "UPDATE cells SET state = 'open', updated_at = clock_timestamp() "
            "WHERE experiment = %s AND plan = %s AND state = 'failed'",
            experiment,
            plan.fingerprint,
        )
    count = 0
    while added := await database.run(partial(_add_jobs, database=database, experiment=experiment)):
        count += added
    if count >= _JOBS_CHUNK:  # without new statistics, PostgreSQL reads all jobs to fetch one
        await database.fetch("ANALYZE procrastinate_jobs")
    return count


class _StoredExperiment(NamedTuple):
    plan: str
    notes: str
    rehearsal_notice: str
    created_at: str


async def _find_experiment(connection: AsyncConnection, experiment: str) -> _StoredExperiment | None:
    query = "SELECT plan, notes, rehearsal_notice, created_at::text FROM experiments WHERE id = %s"
    rows = await fetch(connection, query, experiment)
    return _StoredExperiment(*rows[0]) if rows else None


def _refuse_other(found: _StoredExperiment | None, ledger: Ledger, plan: str) -> None:
    if found is not None and found.plan not in {"", plan} and ledger.meta(QUEUED_AS) != found.created_at:
        raise UsageError(
            f"the queue already has a different experiment with the name `{ledger.name}`, queued on {found.created_at[:10]}; change "
            "`name` in your file, or watch the queued experiment: debate experiment status EXP.yaml -o NEW_FOLDER"
        )


async def _store_experiment(
    connection: AsyncConnection, *, plan: CellPlan, ledger: Ledger, document: bytes
) -> _StoredExperiment:
    (spent_usd, spent_tokens, _), limits = ledger.usage(), plan.context.config.limits
    experiment = experiment_id(plan.config.name, mock=plan.experiment.mock)
    _refuse_other(await _find_experiment(connection, experiment), ledger, plan.fingerprint)
    [row] = await fetch(
        connection,
        """
        INSERT INTO experiments (id, name, rehearsal_notice, plan, notes, document, max_cost_usd, max_tokens, spent_usd,
            spent_tokens)
        VALUES (%s, %s, %s, '', %s, %s, %s, %s, %s, %s)
        ON CONFLICT (id) DO UPDATE SET notes = excluded.notes, rehearsal_notice = excluded.rehearsal_notice,
            document = excluded.document, halted = NULL,
            max_cost_usd = excluded.max_cost_usd, max_tokens = excluded.max_tokens, revision = experiments.revision + 1
        RETURNING plan, notes, rehearsal_notice, created_at::text
        """,
        *(experiment, plan.config.name, plan.experiment.rehearsal_notice, ledger.meta("notes") or "", document,
         limits.max_cost_usd, limits.max_tokens, spent_usd, spent_tokens),
    )  # fmt: skip
    return _StoredExperiment(*row)


def _cell_row(experiment: str, record: CellRecord, ledger: Ledger) -> tuple[Any, ...]:
    results = ledger.results_of(record.cell.key) if record.state == "done" else []
    state = "open" if record.state == "running" else record.state
    return (experiment, record.cell.key, record.plan, record.seq, json.dumps(cell_to_json(record.cell)), state, record.attempts,
            record.cost_usd, record.tokens, record.calls, record.seconds, record.cause, record.message,
            json.dumps(results, ensure_ascii=False))  # fmt: skip


async def _store_cells(connection: AsyncConnection, *, rows: Sequence[tuple[Any, ...]]) -> set[str]:
    keys = [row[1] for row in rows]
    query = "SELECT key FROM cells WHERE experiment = %s AND key = ANY(%s)"
    known = {key for (key,) in await fetch(connection, query, rows[0][0], keys)}
    async with connection.cursor() as cursor:
        await cursor.executemany(
            """
            INSERT INTO cells (experiment, key, plan, seq, cell, state, attempts, cost_usd, tokens, calls, seconds, cause,
                message, results) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
            ON CONFLICT (experiment, key) DO UPDATE SET plan = excluded.plan, seq = excluded.seq, cell = excluded.cell,
                updated_at = clock_timestamp(),
                state = CASE WHEN cells.state IN ('done', 'running') AND cells.cell -> 'judges' <> excluded.cell -> 'judges'
                    THEN 'open' ELSE cells.state END
            """,
            rows,
        )
    return set(keys) - known


async def _store_begun(database: Database, experiment: str, record: CellRecord, folder: Path) -> None:
    path = folder / DEBATES_FOLDER / record.cell.debate
    transcript, journal = path.with_suffix(TRANSCRIPT_SUFFIX), path.with_suffix(JOURNAL_SUFFIX)
    where = (experiment, record.cell.key)
    if transcript.exists():
        query = "UPDATE cells SET transcript = %s WHERE experiment = %s AND key = %s"
        await database.fetch(query, transcript.read_bytes(), *where)
    if journal.exists():
        query = "INSERT INTO lines VALUES (%s, %s, 0, 0, %s) ON CONFLICT DO NOTHING"
        await database.fetch(query, *where, journal.read_bytes())


async def _add_jobs(connection: AsyncConnection, *, database: Database, experiment: str) -> int:
    """Add jobs for open cells without a job, at most 5,000. Return the number of added jobs.

    Jobs have no `lock`, because with locks PostgreSQL is very slow to fetch a job.
    """
    from procrastinate.jobs import Job

    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", (experiment,))
    rows = await fetch(
        connection,
        """
        SELECT key FROM cells JOIN experiments ON experiments.id = experiment AND experiments.plan = cells.plan
        WHERE experiment = %s AND state = 'open' AND key NOT IN (
            SELECT args ->> 'cell' FROM procrastinate_jobs WHERE queue_name = %s AND status IN ('todo', 'doing')
        ) ORDER BY seq LIMIT %s
        """,
        *(experiment, experiment, _JOBS_CHUNK),
    )
    jobs = [
        Job(queue=experiment, lock=None, queueing_lock=f"{experiment} {key}", task_name=TASK, task_kwargs={"cell": key})
        for (key,) in rows
    ]
    if jobs:
        await database.jobs.batch_defer_jobs_async(jobs, connection=connection)
    return len(jobs)


async def copy_changes(database: Database, ledger: Ledger) -> list[tuple[CellRecord, list[ResultRow]]]:
    """Copy all changed cells from the queue into the experiment's folder. Return these cells with their results."""
    experiment = experiment_id(ledger.name, mock=ledger.replaces_models)
    stored = await database.run(partial(_find_experiment, experiment=experiment))
    found = stored or _StoredExperiment("", "", "", "")
    for name, value in (
        ("plan", found.plan),
        ("notes", found.notes),
        (REHEARSAL_META, found.rehearsal_notice),
        (QUEUED_AS, found.created_at),
        (QUEUE_META, database.shown),
    ):
        ledger.set_meta(name, value)
    query = (
        f"SELECT {COLUMNS}, results, transcript IS NOT NULL, updated_at FROM cells "  # noqa: S608 - constants
        "WHERE experiment = %s AND (updated_at, key) > (%s, %s) ORDER BY updated_at, key LIMIT %s"
    )
    stored_since = ledger.meta("queue_since")
    since = datetime.fromisoformat(stored_since) if stored_since else _EPOCH
    changed: list[tuple[CellRecord, list[ResultRow]]] = []
    after = (since - _OVERLAP, "")
    while rows := await database.fetch(query, experiment, *after, _CHUNK):
        for *columns, results, has_transcript, updated_at in rows:
            record = record_from_row(columns)
            found = [ResultRow(*result) for result in results]
            if await _copy_cell(database, ledger, record, found, has_transcript=has_transcript):
                changed.append((record, found))
            after = updated_at, record.cell.key
        since = max(since, after[0])
    ledger.set_meta("queue_since", since.isoformat())
    return changed


async def _copy_cell(
    database: Database, ledger: Ledger, record: CellRecord, results: list[ResultRow], *, has_transcript: bool
) -> bool:
    """Copy a cell's record, results and transcript from the queue into the folder of `ledger`, if they have changed.

    Return whether the cell was copied. If it has not changed since the last copy, the transcript in the folder is kept,
    because the user may have added judgements to it. A missing transcript is copied again.
    """
    path = ledger.path.parent / DEBATES_FOLDER / f"{record.cell.debate}{TRANSCRIPT_SUFFIX}"
    is_ended = record.state in {"done", "failed"}
    if ledger.find(record.cell.key) == record and (path.exists() or not is_ended):
        return False
    if has_transcript and is_ended:
        query = "SELECT transcript FROM cells WHERE experiment = %s AND key = %s"
        experiment = experiment_id(ledger.name, mock=ledger.replaces_models)
        [(data,)] = await database.fetch(query, experiment, record.cell.key)
        atomic_write(path, data, overwrite=True)
        path.with_suffix(JOURNAL_SUFFIX).unlink(missing_ok=True)
    with ledger.transaction():
        ledger.add_settled(record, results)
    return True


def refuse_queued(ledger: Ledger) -> None:
    """Raise UsageError if cells of the ledger are in a queue, because workers may be running them."""
    cells, queue = ledger.counts(), ledger.meta(QUEUE_META)
    if queue and (cells["open"] or cells["running"]):
        raise UsageError(
            f"{ledger.path.parent}: this experiment is in the queue {queue}, so it cannot run without --queue; add --queue, or choose another folder with --out"
        )


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """The queue of an experiment, and options for using the queue."""

    dsn: str
    retry_failed: bool = False
    enqueue_only: bool = False
    """Whether to end as soon as the cells are in the queue. If false, wait until workers have run the cells."""


async def run_in_queue(
    options: QueueOptions, plan: CellPlan, ledger: Ledger, observer: ExperimentObserver, *, stop: StopSignal
) -> RunSummary:
    """Put an experiment into the queue, and wait until workers have run its cells.

    `stop` ends only this wait. The workers continue.
    """
    async with Database.connect(options.dsn) as database:
        added = await enqueue(database, plan, ledger, retry_failed=options.retry_failed)
        cells = "1 cell" if added == 1 else f"{added} cells"
        observer.note(f"added {cells} to the queue {database.shown}")
        if options.enqueue_only:
            await copy_changes(database, ledger)
            return RunSummary(read_progress(ledger), 0, 0)
        budget = plan.context.config.limits.max_cost_usd
        return await _watch(database, ledger, observer, stop=stop, budget_usd=budget)


async def copy_from_queue(dsn: str, folder: Path, name: str, *, mock: bool, lease_s: float = LEASE_S) -> None:
    """Copy the workers' results into the experiment's folder. Create the folder if it does not exist.

    First, the cells of workers that sent no heartbeat for `lease_s` seconds are given back to the queue.
    Raises UsageError if neither the queue nor the folder has the experiment.
    """
    async with Database.connect(dsn) as database:
        experiment = experiment_id(name, mock=mock)
        stored = await database.run(partial(_find_experiment, experiment=experiment))
        if stored is not None:
            await QueuedCells(database, experiment, stored.plan, folder, lease_s).sweep()
            with Ledger.create(folder, name, mock=mock) as ledger:
                if ledger.plan:
                    _refuse_other(stored, ledger, ledger.plan)
                await copy_changes(database, ledger)
        elif not (folder / LEDGER_NAME).exists():
            raise UsageError(
                f"{database.shown}: has no experiment `{name}`; put the experiment into the queue with: debate experiment run EXP.yaml --queue DSN"
            )


async def _watch(
    database: Database, ledger: Ledger, observer: ExperimentObserver, *, stop: StopSignal, budget_usd: float | None
) -> RunSummary:
    experiment = experiment_id(ledger.name, mock=ledger.replaces_models)
    query = (
        "SELECT (SELECT halted FROM experiments WHERE id = %s), EXISTS (SELECT FROM procrastinate_workers "
        "WHERE last_heartbeat > clock_timestamp() - make_interval(secs => %s))"
    )
    started_at, seen_worker_at = time.monotonic(), time.monotonic()
    done, is_first = 0, True
    while True:
        changed = await copy_changes(database, ledger)
        progress = replace(read_progress(ledger), max_cost_usd=budget_usd)
        ended = [] if is_first else [each for each in changed if each[0].state in {"done", "failed"}]
        steps = [progress]
        for record, _ in reversed(ended[1:]):
            steps.append(steps[-1].move(record.state, "running"))
        for record, results in ended:
            observer.settled(record, deciding_winners(record.cell, results), steps.pop())
        done, is_first = done + len(ended), False
        [(halted, has_worker)] = await database.fetch(query, experiment, LEASE_S)
        left = progress.cells["open"] + progress.cells["running"]
        elapsed = time.monotonic() - started_at
        observer.changed(replace(progress, seconds_left=left * elapsed / done if done else None))
        stopped = "interrupted" if stop.requested else halted if not progress.cells["running"] else None
        if stopped or not left:
            return RunSummary(progress, progress.cells["done"], progress.cells["failed"], stopped if left else None)
        if has_worker:
            seen_worker_at = time.monotonic()
        elif time.monotonic() - seen_worker_at > _NO_WORKER_NOTICE_S:
            observer.note("no worker is running; start one with: debate worker")
            seen_worker_at = float("inf")
        await asyncio.sleep(RENEW_S)
