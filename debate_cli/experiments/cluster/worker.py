"""The loop of `debate worker`, which runs the cells of all experiments in a queue."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from debate_cli.app.consent import require_consents
from debate_cli.engine import StopSignal
from debate_cli.errors import UsageError
from debate_cli.experiments.cells import CellPlan
from debate_cli.experiments.cluster.database import Database, address_secrets
from debate_cli.experiments.cluster.documents import load_document
from debate_cli.experiments.cluster.queued_cells import QueuedCells
from debate_cli.experiments.definition import ConfigVariant
from debate_cli.experiments.ledger import LEASE_S
from debate_cli.experiments.progress import ExperimentObserver
from debate_cli.experiments.runner import MAX_FAILURES_IN_A_ROW, ExperimentRun
from debate_cli.resolved_secrets import record_secrets

IDLE_S = 1.0
"""Seconds between two checks of an idle queue."""
_STOP_CAUSES: Mapping[str, str] = {
    "budget": "its budget is reached; raise limits.max_cost_usd or limits.max_tokens",
    "failures": f"{MAX_FAILURES_IN_A_ROW} cells failed in a row; correct the cause",
}
"""Why an experiment was stopped for all workers, and what to do about it."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Options of a worker."""

    concurrency: int | None = None
    """Maximum number of debates at once. None means the number in the experiment's file."""
    trusted_hosts: Sequence[str] = ()
    """Hosts to which experiments may send requests, in addition to the hosts of built-in providers."""
    until_empty: bool = False
    lease_s: float = LEASE_S
    """Seconds without a heartbeat after which other workers are treated as dead."""


@dataclass
class WorkerSummary:
    """What a worker has done."""

    finished: int = 0
    failed: int = 0
    refused: int = 0
    """Number of experiments that this worker refused, e.g. because an API key is missing."""


class _Queued(NamedTuple):
    id: str
    plan: str
    revision: int
    has_waiting_cell: bool


async def run_worker(
    dsn: str, observer: ExperimentObserver, options: WorkerOptions, env: Mapping[str, str], *, stop: StopSignal
) -> WorkerSummary:
    """Run the cells of a queue until `stop` is requested. With `options.until_empty`, end when no cell is left.

    Raises StorageError if the queue cannot be reached.
    """
    secrets = address_secrets(dsn)
    record_secrets(secrets)
    async with Database.connect(dsn) as database:
        with tempfile.TemporaryDirectory(prefix="debate-worker-") as folder:
            return await _Worker(database, observer, options, env, Path(folder), secrets).run(stop)


class _Worker:
    def __init__(
        self,
        database: Database,
        observer: ExperimentObserver,
        options: WorkerOptions,
        env: Mapping[str, str],
        folder: Path,
        address_secrets: Sequence[str],
    ) -> None:
        self._database = database
        self._observer = observer
        self._options = options
        self._env = env
        self._folder = folder
        self._address_secrets = address_secrets
        self._plans: dict[tuple[str, int], CellPlan | None] = {}
        self._summary = WorkerSummary()

    async def run(self, stop: StopSignal) -> WorkerSummary:
        while not stop.requested:
            found = [(each, plan) for each in await self._list() if (plan := await self._plan_of(each))]
            ready = next(((each, plan) for each, plan in found if each.has_waiting_cell), None)
            if ready is not None:
                await self._run_experiment(*ready, stop)
            elif not found and self._options.until_empty:
                break
            else:
                for each, _ in found:
                    await self._cells_of(each).sweep()
                await asyncio.sleep(IDLE_S)
        return self._summary

    async def _list(self) -> list[_Queued]:
        rows = await self._database.fetch(
            """
            SELECT id, plan, revision,
                EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = experiments.id AND status = 'todo')
            FROM experiments WHERE halted IS NULL
                AND EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = experiments.id AND status IN ('todo', 'doing'))
            ORDER BY created_at
            """
        )
        return [_Queued(*row) for row in rows]

    async def _plan_of(self, queued: _Queued) -> CellPlan | None:
        key = queued.id, queued.revision
        if key not in self._plans:
            [(document,)] = await self._database.fetch("SELECT document FROM experiments WHERE id = %s", queued.id)
            self._plans[key] = None
            try:
                experiment = load_document(document, queued.id, self._env)
                require_consents(experiment.destinations, self._options.trusted_hosts, self._env)
                variants = tuple(map(self._adapt, experiment.variants))
                self._plans[key] = CellPlan(replace(experiment, variants=variants))
            except UsageError as error:
                self._summary.refused += 1
                for problem in error.problems:
                    self._observer.note(f"this worker refused an experiment: {problem}")
        return self._plans[key]

    def _adapt(self, variant: ConfigVariant) -> ConfigVariant:
        context = variant.context
        concurrency = self._options.concurrency or context.config.limits.concurrency
        limits = context.config.limits.model_copy(update={"concurrency": concurrency})
        config = context.config.model_copy(update={"limits": limits})
        return replace(
            variant, context=replace(context, config=config, secrets=(*context.secrets, *self._address_secrets))
        )

    def _cells_of(self, queued: _Queued) -> QueuedCells:
        return QueuedCells(self._database, queued.id, queued.plan, self._folder, self._options.lease_s)

    async def _run_experiment(self, queued: _Queued, plan: CellPlan, stop: StopSignal) -> None:
        end = await ExperimentRun(plan, self._cells_of(queued), self._folder, self._observer).run(stop=stop)
        self._summary.finished += end.finished
        self._summary.failed += end.failed
        if end.stopped is not None and end.stopped in _STOP_CAUSES:
            query = "UPDATE experiments SET halted = %s WHERE id = %s AND revision = %s"
            await self._database.fetch(query, end.stopped, queued.id, queued.revision)
            self._observer.note(
                f"{queued.id}: no worker continues this experiment, because {_STOP_CAUSES[end.stopped]}, then "
                "put it into the queue again with: debate experiment run EXP.yaml --queue DSN"
            )
