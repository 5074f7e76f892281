"""The loop of `debate worker`: runs the cells of all experiments in a queue, one experiment after the other."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from debate_cli.app.consent import missing_consents, refuse_consents, required_consents
from debate_cli.engine import StopSignal
from debate_cli.errors import UsageError
from debate_cli.experiments.cells import Cell, CellInputs, CellPlan
from debate_cli.experiments.cluster.database import Database, address_secrets, fetch_value
from debate_cli.experiments.cluster.documents import load_document
from debate_cli.experiments.cluster.lease import CURRENT_LEASE
from debate_cli.experiments.cluster.queued_cells import LEASE_S, QueuedCells
from debate_cli.experiments.progress import ExperimentObserver
from debate_cli.experiments.runner import ExperimentRun

if TYPE_CHECKING:
    from psycopg import AsyncConnection

IDLE_S = 1.0
"""Seconds between two checks of an idle queue."""
_FOLDER_PREFIX = "debate-worker-"
_FOLDER_GRACE_S = 60.0
"""Seconds after which a worker has certainly locked its new folder. Younger folders are not removed."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Options of a worker."""

    concurrency: int | None = None
    """Number of debates at the same time; None uses the experiment's setting."""
    trusted_hosts: Sequence[str] = ()
    until_empty: bool = False
    """Whether the worker ends when no cell is left."""
    lease_s: float = LEASE_S
    """Seconds without a heartbeat after which other workers count as dead."""


@dataclass
class WorkerSummary:
    """What a worker has done."""

    finished: int = 0
    failed: int = 0
    refused: int = 0
    """Number of experiments that the worker must not or cannot run."""


class _Queued(NamedTuple):
    id: str
    plan: str
    revision: int
    has_waiting: bool
    """Whether a cell waits for a worker. If not, other workers run all remaining cells."""


class QueuedExperiment:
    """An experiment from the queue, as a `CellSource` for `ExperimentRun`."""

    def __init__(self, plan: CellPlan, cells: QueuedCells, concurrency: int | None) -> None:
        self._plan = plan
        self._cells = cells
        limits = plan.context.config.limits
        limits = limits.model_copy(update={"concurrency": concurrency or limits.concurrency})
        self.name = plan.name
        self.players = plan.players
        self.context = replace(plan.context, config=plan.context.config.model_copy(update={"limits": limits}))

    def inputs_of(self, cell: Cell) -> CellInputs:
        """See `CellSource`. The journal is copied to the queue."""
        inputs = self._plan.inputs_of(cell)
        return inputs._replace(context=replace(inputs.context, journal_mirror=CURRENT_LEASE.get()))


async def run_worker(
    dsn: str, observer: ExperimentObserver, options: WorkerOptions, env: Mapping[str, str], *, stop: StopSignal
) -> WorkerSummary:
    """Run cells until the worker is stopped or none is left. Raises StorageError if the queue cannot be reached."""
    async with Database.connect(dsn) as database:
        return await _Worker(database, observer, options, env, address_secrets(dsn)).run(stop)


class _Worker:
    def __init__(
        self,
        database: Database,
        observer: ExperimentObserver,
        options: WorkerOptions,
        env: Mapping[str, str],
        secrets: Sequence[str],
    ) -> None:
        """`secrets`: values that must never be written, besides the keys in `env`."""
        self._database = database
        self._observer = observer
        self._options = options
        self._secrets = secrets
        self._env = env
        self._plans: dict[tuple[str, int], CellPlan | None] = {}
        """Id and revision of an experiment -> its plan; None if it was refused."""
        self._summary = WorkerSummary()

    async def run(self, stop: StopSignal) -> WorkerSummary:
        with _journal_folder() as folder:
            while not stop.requested:
                listed = await self._database.run(_list_experiments)
                found = [(each, plan) for each in listed if (plan := await self._plan_of(each)) is not None]
                ready = next(((each, plan) for each, plan in found if each.has_waiting), None)
                if ready is not None:
                    await self._run_experiment(*ready, folder, stop)
                elif not found and self._options.until_empty:
                    break
                else:
                    for each, _ in found:
                        await self._cells_of(each, folder).sweep()
                    await asyncio.sleep(IDLE_S)
        return self._summary

    async def _plan_of(self, queued: _Queued) -> CellPlan | None:
        """The plan of an experiment; None if this worker cannot or must not run it. A note says why, once."""
        key = queued.id, queued.revision
        if key not in self._plans:
            document = await self._database.run(partial(_read_document, experiment=queued.id))
            self._plans[key] = None
            try:
                self._plans[key] = self._load(document, queued.id)
            except UsageError as error:
                self._summary.refused += 1
                for problem in error.problems:
                    self._observer.note(f"not run here: {problem}")
        return self._plans[key]

    def _load(self, document: bytes, name: str) -> CellPlan:
        """Load an experiment without asking a model.

        Raises ConfigError for a missing key, and for a server that this worker may not send to.
        """
        experiment = load_document(document, name, self._env)
        needed = required_consents(experiment.destinations)
        refuse_consents(missing_consents(needed, self._options.trusted_hosts, self._env))
        variants = tuple(
            replace(each, context=replace(each.context, secrets=(*each.context.secrets, *self._secrets)))
            for each in experiment.variants
        )
        return CellPlan(replace(experiment, variants=variants))

    def _cells_of(self, queued: _Queued, folder: Path) -> QueuedCells:
        return QueuedCells(self._database, queued.id, queued.plan, folder, self._options.lease_s)

    async def _run_experiment(self, queued: _Queued, plan: CellPlan, folder: Path, stop: StopSignal) -> None:
        """Run cells of an experiment until none waits.

        When the budget is reached, or after many failures, the experiment is halted for all workers.
        """
        cells = self._cells_of(queued, folder)
        source = QueuedExperiment(plan, cells, self._options.concurrency)
        end = await ExperimentRun(source, cells, folder, self._observer).run(stop=stop)
        self._summary.finished += end.finished
        self._summary.failed += end.failed
        if end.stopped in {"budget", "failures"}:
            await self._database.run(partial(_halt, queued=queued, reason=end.stopped))
            self._observer.note(f"{queued.id}: halted ({end.stopped}) until it is put into the queue again")


@contextmanager
def _journal_folder() -> Generator[Path]:
    """A temporary folder, locked while this worker lives. Also removes the folders of killed workers."""
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError):
            _remove_if_abandoned(left)
    with tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX) as name, _locked(Path(name)):
        yield Path(name)


def _remove_if_abandoned(folder: Path) -> None:
    """Remove a folder of this user that no process has locked, unless it is new. Raises OSError."""
    found = folder.lstat()
    if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _FOLDER_GRACE_S:
        with _locked(folder):
            shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Hold the lock of a folder. Raises OSError if another process has it, or if it is no folder."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


async def _list_experiments(connection: AsyncConnection) -> list[_Queued]:
    """The experiments that have cells left and are not halted, the oldest first."""
    rows = await connection.execute(
        """
        SELECT id, plan, revision, EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = experiments.id AND status = 'todo')
        FROM experiments WHERE halted IS NULL
            AND EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = experiments.id AND status IN ('todo', 'doing'))
        ORDER BY created_at
        """
    )
    return [_Queued(*row) for row in await rows.fetchall()]


async def _read_document(connection: AsyncConnection, *, experiment: str) -> bytes:
    return await fetch_value(connection, "SELECT document FROM experiments WHERE id = %s", experiment)


async def _halt(connection: AsyncConnection, *, queued: _Queued, reason: str) -> None:
    query = "UPDATE experiments SET halted = %s WHERE id = %s AND revision = %s"
    await connection.execute(query, (reason, queued.id, queued.revision))
