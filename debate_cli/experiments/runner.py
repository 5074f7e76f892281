"""Runs several cells of an experiment at once, with shared connections, limits and budget."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from debate_cli.app.batches.queue import BatchQueue, BatchQueues, raise_file_limit
from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool
from debate_cli.app.session import AddedRuns, Outcome, Session, is_finished
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate, new_run_ids
from debate_cli.domain.events import AssessmentCompleted, Event, JudgingOpened, TaskFailed, TaskStarted, TurnCompleted
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.engine import StopSignal
from debate_cli.errors import DebateError, StorageError
from debate_cli.experiments.cell_store import LedgerCells
from debate_cli.experiments.cells import Cell, CellInputs, CellJudge, CellPlan
from debate_cli.experiments.cluster.queued_cells import QueuedCells
from debate_cli.experiments.definition import Experiment, ExperimentJudge
from debate_cli.experiments.ledger import DEBATES_FOLDER, REHEARSAL_META, CellRecord, CellState, Ledger, ResultRow
from debate_cli.experiments.progress import ExperimentObserver, ExperimentProgress, deciding_winners
from debate_cli.experiments.results import JudgedRun, judge_results
from debate_cli.observer import NullObserver
from debate_cli.providers.registry import split_model_name
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.lock import lock_holder, remove_stale_lock
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import StoredDebate, open_debate

RENEW_S = 1.0
"""Seconds between two renewals of a run's lease. Other runs may take the cells of a run whose lease has expired."""
OPENING_CELLS = 4
"""Maximum number of cells that prepare their first request at the same time."""
MAX_FAILURES_IN_A_ROW = 25
"""Number of consecutive failed cells after which a run ends."""
LOCKED = "locked"
"""Cause that is stored for a cell if another process has locked its debate."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of a run of an experiment."""

    progress: ExperimentProgress
    finished: int
    failed: int
    stopped: str | None = None
    """Why the run ended early: `interrupted`, `budget` or `failures`. None if the run did not end early."""
    cells_elsewhere: int = 0
    """Number of cells that other processes run or have locked."""


def plan_experiment(experiment: Experiment, ledger: Ledger) -> CellPlan:
    """Plan the cells of an experiment, and store them in the ledger."""
    plan = CellPlan(experiment)
    ledger.set_meta(REHEARSAL_META, experiment.rehearsal_notice)
    if ledger.plan != plan.fingerprint:
        ledger.set_plan(plan.fingerprint, plan.cells())
        ledger.set_meta("notes", "\n".join(plan.describe_self_judging()))
    return plan


class ExperimentRun:
    """One run of an experiment in this process."""

    def __init__(
        self,
        plan: CellPlan,
        cells: LedgerCells | QueuedCells,
        folder: Path,
        observer: ExperimentObserver,
        *,
        limit: int | None = None,
        batches: BatchQueues | None = None,
    ) -> None:
        """`limit`: maximum number of cells to run. None runs all cells.

        `batches`: queues that collect the judges' requests into batches. If None, each request is sent separately.
        """
        self._plan = plan
        self._cells = cells
        self._folder = folder
        self._observer = observer
        self._limit = limit
        self._batches = batches
        self._stop = StopSignal()
        self._started_at = time.monotonic()
        self._taken = self._failures_in_a_row = self._calls = self._locked = self._substitutes = 0
        self._opening = asyncio.Semaphore(OPENING_CELLS)
        self._running: dict[str, Cell] = {}
        self._provider_of_player: dict[str, str] = {}
        self._found_no_substitute_without = frozenset[str]()
        self._outcomes: Counter[CellState] = Counter()
        self._stopped: str | None = None
        self._is_over = False
        self._fatal: StorageError | None = None

    async def run(self, *, stop: StopSignal) -> RunSummary:
        """Run the cells. Raises StorageError, e.g. if the disk is full.

        The run ends early if `stop` is requested, the budget is used up, or too many cells fail in a row.
        """
        self._stop = stop
        context = replace(self._plan.context, observer=_NoteObserver(self._observer), stop=stop)
        limits = context.config.limits
        self._pool = ModelPool(context, await self._cells.open_budget(limits), self._cells.rates)
        self._progress = await self._cells.load_progress()
        tasks = limits.concurrency if self._batches is None else min(raise_file_limit(), self._progress.left)
        renewing: asyncio.Future[None] | None = None
        try:
            async with asyncio.TaskGroup() as group:
                renewing = asyncio.ensure_future(self._renew(group))
                for _ in range(tasks):
                    group.create_task(self._work())
        finally:
            if self._batches is not None:
                await self._batches.aclose()
            self._is_over = True  # a library may swallow the cancellation
            if renewing is not None:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
            await self._pool.aclose()
            await self._cells.close()
        if self._fatal is not None:
            raise self._fatal
        self._progress = await self._cells.load_progress()
        return RunSummary(
            self._measure(),
            self._outcomes["done"],
            self._outcomes["failed"],
            self._stopped,
            self._progress.cells["running"] + self._locked,
        )

    async def _work(self) -> None:
        while (record := await self._next_cell()) is not None:
            await self._run_cell(record)

    async def _substitute(self) -> None:
        self._substitutes += 1
        try:
            while (waiting := self._waiting_players()) and (record := await self._next_cell(waiting)) is not None:
                await self._run_cell(record)
        finally:
            self._substitutes -= 1

    def _waiting_players(self) -> frozenset[str]:
        closed = self._pool.closed_providers
        return frozenset(name for name, provider in self._provider_of_player.items() if provider in closed)

    def _start_substitutes(self, group: asyncio.TaskGroup) -> None:
        waiting = self._waiting_players()
        held = sum(1 for cell in self._running.values() if waiting & {cell.first, cell.second})
        most = min(held, self._plan.context.config.limits.concurrency)
        if waiting != self._found_no_substitute_without:
            for _ in range(most - self._substitutes):
                group.create_task(self._substitute())

    async def _next_cell(self, without: frozenset[str] = frozenset()) -> CellRecord | None:
        if self._ends() or (self._limit is not None and self._taken >= self._limit):
            return None
        self._taken += 1
        try:
            record = await self._cells.take(without)
        except StorageError as error:
            self._end_with(error)
            record = None
        if record is None:
            self._taken -= 1
            self._found_no_substitute_without = without or self._found_no_substitute_without
            return None
        self._progress = self._progress.move(record.state, "running")
        self._observer.started(record, self._measure())
        return record

    def _ends(self) -> bool:
        if self._stopped is None:
            if self._stop.requested:
                self._stopped = "interrupted"
            elif self._pool.budget.is_closed:
                self._stopped = "budget"
            elif self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                self._stopped = "failures"
        return self._stopped is not None

    def _end_with(self, error: StorageError) -> None:
        self._fatal = self._fatal or error
        if not self._stop.requested:
            self._stop.request()

    async def _run_cell(self, record: CellRecord) -> None:
        started = time.monotonic()
        results: list[ResultRow] = []
        ended = record._replace(state="open", cause=None, message=None)
        self._running[record.cell.key] = record.cell
        queue = None if self._batches is None else self._batches.of(self._folder / DEBATES_FOLDER, self._stop)
        try:
            with ExitStack() as opening, nullcontext() if queue is None else queue.count_debate():
                await self._opening.acquire()
                opening.callback(self._opening.release)
                if not self._ends():
                    ended, results = await self._debate(ended, opening, queue)
        except StorageError as error:
            self._end_with(error)
        except Exception as error:  # noqa: BLE001 - a defect in one cell must not end the others
            cause = type(error).__name__
            message = str(error) if isinstance(error, DebateError) else f"unexpected {cause}: {error}"
            ended = ended._replace(state="failed", cause=cause, message=message)
        finally:
            del self._running[record.cell.key]
        message = None if ended.message is None else self._plan.context.redact(ended.message)
        seconds = record.seconds + time.monotonic() - started
        await self._settle(record, ended._replace(message=message, seconds=seconds), results)

    async def _settle(self, taken: CellRecord, ended: CellRecord, results: Sequence[ResultRow]) -> None:
        try:
            if not await self._cells.settle(taken, ended, results):
                return
        except StorageError as error:
            self._end_with(error)
            return
        self._outcomes[ended.state] += 1
        self._locked += ended.cause == LOCKED
        if ended.state != "open":
            self._failures_in_a_row = self._failures_in_a_row + 1 if ended.state == "failed" else 0
        winners = deciding_winners(taken.cell, results)
        self._progress = self._progress.move("running", ended.state).add_winners(ended, winners)
        self._observer.settled(ended, winners, self._measure())

    async def _debate(
        self, record: CellRecord, opening: ExitStack, queue: BatchQueue | None
    ) -> tuple[CellRecord, list[ResultRow]]:
        cell = record.cell
        path = self._folder / DEBATES_FOLDER / f"{cell.debate}.json"
        if lock_holder(path) is not None:
            return record._replace(cause=LOCKED), []
        inputs = self._plan.inputs_of(cell)
        for name, spec in zip((cell.first, cell.second), inputs.models, strict=True):
            self._provider_of_player[name] = split_model_name(spec.model)[0]
        context = replace(
            inputs.context,
            observer=_CellObserver(self, opening),
            stop=self._stop,
            batches=queue,
            journal_mirror=self._cells.journal_mirror(),
        )
        session = Session(context, self._pool)

        def missing(debate: Debate) -> tuple[JudgingOpened, ...]:
            return _missing_runs(debate, inputs.judges, context) if is_finished(debate) else ()

        if path.exists() or path.with_suffix(JOURNAL_SUFFIX).exists():
            outcome = await _complete(session, open_debate(path), path, missing)
        else:
            outcome = await session.begin(cell.debate, path.parent, added_runs=missing)
        ended = _record_outcome(record, outcome)
        if ended.state != "done":
            return ended, []
        runs = _judged_runs(outcome.debate, cell, inputs)
        return ended, judge_results(outcome.debate, cell, inputs.motion, self._plan.config.name, runs, inputs.models)

    async def _renew(self, group: asyncio.TaskGroup) -> None:
        while not self._is_over:
            await asyncio.sleep(RENEW_S)
            try:
                found = await self._cells.renew(self._pool.budget)
            except StorageError as error:
                self._end_with(error)
                return
            if found is not None:
                self._progress = replace(self._progress, cells=found.cells)
            self._start_substitutes(group)
            self._observer.changed(self._measure())

    def _measure(self) -> ExperimentProgress:
        elapsed = max(time.monotonic() - self._started_at, RENEW_S)
        done = self._outcomes["done"] + self._outcomes["failed"]
        left = self._progress.left if self._limit is None else max(0, self._limit - done)
        used = self._pool.budget.used
        return replace(
            self._progress,
            cost_usd=used.usd,
            tokens=used.tokens,
            max_cost_usd=self._plan.context.config.limits.max_cost_usd,
            calls_per_minute=self._calls * 60 / elapsed if self._calls else None,
            seconds_left=left * elapsed / done if done else None,
        )

    def count_call(self) -> None:
        """Count a finished call to a model."""
        self._calls += 1


class _NoteObserver(NullObserver):
    def __init__(self, observer: ExperimentObserver) -> None:
        self._observer = observer

    def note(self, note: str) -> None:
        self._observer.note(note)


class _CellObserver(NullObserver):
    def __init__(self, run: ExperimentRun, opening: ExitStack) -> None:
        self._run = run
        self._opening = opening

    def note(self, note: str) -> None:
        self._opening.close()

    def event(self, event: Event, debate: Debate) -> None:
        if isinstance(event, TaskStarted):
            self._opening.close()
        elif isinstance(event, TurnCompleted | AssessmentCompleted | TaskFailed):
            self._run.count_call()


async def _complete(session: Session, stored: StoredDebate, path: Path, missing: AddedRuns) -> Outcome:
    if is_finished(stored.debate) and not path.with_suffix(JOURNAL_SUFFIX).exists():
        remove_stale_lock(path)
        outcome = Outcome(stored.debate, (), path, is_unchanged=True)
    else:
        outcome = await session.resume(stored)
    openings = missing(outcome.debate) if outcome.halted is None else ()
    if not openings:
        return outcome
    return await session.judge(transcript_to_events(to_transcript(outcome.debate)), openings, path)


def _judged_runs(debate: Debate, cell: Cell, inputs: CellInputs) -> list[JudgedRun]:
    if not inputs.judges:
        return [JudgedRun(judge, FIRST_RUN, inputs.context.config.judging, None) for judge in cell.judges]
    return [
        JudgedRun(judge, found.id, settings.judging, settings.spec)
        for judge, settings in inputs.judges.items()
        if (found := _run_of(debate, settings)) is not None
    ]


def _run_of(debate: Debate, judge: ExperimentJudge) -> JudgingRun | None:
    """Return the newest judging run with the model and the questions of `judge`. None if there is no such run."""

    def unpriced(spec: ModelSpec | None) -> ModelSpec | None:
        return None if spec is None else spec.model_copy(update={"price": None})

    questions = judge.judging.question_settings()
    for run in reversed(debate.runs[1:]):
        if run.judging.question_settings() == questions and unpriced(run.models.get("judge")) == unpriced(judge.spec):
            return run
    return None


def _missing_runs(
    debate: Debate, judges: Mapping[CellJudge, ExperimentJudge], context: RunContext
) -> tuple[JudgingOpened, ...]:
    known = next((run.id for judge in judges.values() if (run := _run_of(debate, judge)) is not None), None)
    missing = [judge for judge in judges.values() if _run_of(debate, judge) is None]
    openings: list[JudgingOpened] = []
    for run, judge in zip(new_run_ids(debate), missing, strict=False):
        models = {"judge": judge.spec}
        openings.append(JudgingOpened(at=context.now(), run=run, beside=known, judging=judge.judging, models=models))
        known = known or run
    return tuple(openings)


def _record_outcome(record: CellRecord, outcome: Outcome) -> CellRecord:
    debate, usage = outcome.debate, outcome.debate.usage
    tokens = usage.input_tokens + usage.output_tokens
    record = record._replace(cost_usd=usage.cost_usd or 0.0, tokens=tokens, calls=usage.attempts)
    if outcome.halted in {"interrupted", "budget"}:
        return record._replace(state="open", cause=outcome.halted)
    if outcome.halted is None and is_finished(debate):
        return record._replace(state="done")
    failure = next((item for item in reversed(debate.failures) if not item.final), None)
    if failure is None:
        return record._replace(state="failed", cause="unknown", message="the debate is incomplete")
    return record._replace(state="failed", cause=failure.cause, message=failure.message)
