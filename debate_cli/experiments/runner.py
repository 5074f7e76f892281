"""Runs the cells of an experiment: debates as asyncio tasks that share connections, limits and the budget.

Each cell is a debate with its journal in `debates/`, so a killed run resumes where its journals end. A `CellStore`
provides the cells; several processes may take cells from it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from debate_cli.app.batches import BatchQueues, count_waiting_debates
from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool
from debate_cli.app.outcome import Outcome
from debate_cli.app.session import AddedRuns, Session, is_finished
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, Event, JudgingOpened, TaskFailed, TaskStarted, TurnCompleted
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.engine import StopSignal
from debate_cli.errors import DebateError, StorageError
from debate_cli.experiments.cell_store import CellStore
from debate_cli.experiments.cells import Cell, CellInputs, CellPlan
from debate_cli.experiments.definition import Experiment, Judge
from debate_cli.experiments.ledger import DEBATES_FOLDER, CellRecord, CellState, Ledger, ResultRow, Settlement
from debate_cli.experiments.progress import ExperimentObserver, PlayerScore, Progress
from debate_cli.experiments.results import judge_results
from debate_cli.observer import NullObserver
from debate_cli.providers.registry import split_model_name
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.lock import lock_holder
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import StoredDebate, open_debate

RENEW_S = 1.0
"""Seconds between two renewals of the lease and two reports of the progress."""
OPENING_CELLS = 4
"""Number of cells that may be between their start and their first request or search.

The first requests then leave while other cells are prepared, so that answers do not arrive all at once.
"""
MAX_FAILURES_IN_A_ROW = 25
"""Number of consecutive failed cells after which no further cell is started."""
LOCKED = "locked"
"""Cause stored for a cell that stays open because another process, e.g. `debate judge`, has locked its debate."""
BASE_JUDGES = "judges"
"""Name of the base's judges in reports."""


class CellSource(Protocol):
    """Provides what the cells of an experiment need."""

    @property
    def name(self) -> str:
        """Name of the experiment."""
        ...

    @property
    def players(self) -> Sequence[str]:
        """Names of the players."""
        ...

    @property
    def context(self) -> RunContext:
        """Limits, environment and secrets, which all cells share."""
        ...

    def inputs_of(self, cell: Cell) -> CellInputs:
        """Everything to run the debate of a cell."""
        ...


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Result of a run of an experiment."""

    progress: Progress
    finished: int
    """Number of cells that this run finished."""
    failed: int
    """Number of cells that failed in this run."""
    stopped: str | None = None
    """Why no further cell was started: `interrupted`, `budget` or `failures`; None if no cell was left."""
    elsewhere: int = 0
    """Number of cells that other processes run, or whose debates they have locked."""


def plan_experiment(experiment: Experiment, ledger: Ledger) -> CellPlan:
    """Plan the cells of an experiment, and make them the cells of the ledger."""
    plan = CellPlan(experiment)
    if ledger.plan != plan.fingerprint:
        ledger.set_plan(plan.fingerprint, plan.cells())
        ledger.set_meta("notes", "\n".join(describe_exclusions(plan)))
    return plan


def describe_exclusions(plan: CellPlan) -> list[str]:
    """A sentence for each judge that does not judge some debates, because its model speaks in them."""
    return [
        f"judge {name} does not judge {', '.join(f'{first} against {second}' for first, second in pairs)}, because its own "
        "model speaks there (`self_judging: true` allows it)"
        for name, pairs in plan.excluded_judges().items()
    ]


class ExperimentRun:
    """One run of an experiment in this process."""

    def __init__(
        self,
        source: CellSource,
        cells: CellStore,
        folder: Path,
        observer: ExperimentObserver,
        *,
        limit: int | None = None,
    ) -> None:
        """`folder`: folder of the experiment. `limit`: maximum number of cells; None for all."""
        self._source = source
        self._cells = cells
        self._folder = folder
        self._observer = observer
        self._stop = StopSignal()
        self._limit = limit
        self.batches: BatchQueues | None = None
        """Set before `run` to ask judges in batches; None asks them at once. Speeches are always asked one by one."""
        self._started_at = time.monotonic()
        self._taken = self._failures_in_a_row = self._calls = self._locked = self._substitutes = 0
        self._opening = asyncio.Semaphore(OPENING_CELLS)
        self._running: dict[str, Cell] = {}
        """Key -> cell."""
        self._providers: dict[str, str] = {}
        """Player -> provider of its model; only players in cells that were started."""
        self._exhausted = frozenset[str]()
        """Waiting players without whom no cell is left. While the same players wait, the search is not repeated."""
        self._outcomes: Counter[CellState] = Counter()
        self._stopped: str | None = None
        self._fatal: StorageError | None = None
        self._redact = source.context.redact

    async def run(self, *, stop: StopSignal) -> RunSummary:
        """Run cells until none is left, `stop` is requested, or the budget is reached.

        Raises StorageError if the disk is full. Everything that was saved before is kept.
        """
        self._stop = stop
        context = replace(self._source.context, observer=_NoteObserver(self._observer.note), stop=self._stop)
        limits = context.config.limits
        self._pool = ModelPool(context, await self._cells.open_budget(limits), self._cells.rates)
        self._show(await self._cells.load_progress())
        renewing: asyncio.Future[None] | None = None
        try:
            async with asyncio.TaskGroup() as group:
                renewing = asyncio.ensure_future(self._renew(group))
                for _ in range(
                    limits.concurrency if self.batches is None else min(count_waiting_debates(), self._progress.left)
                ):
                    group.create_task(self._work())
        finally:
            if self.batches is not None:
                await self.batches.aclose()
            if renewing is not None:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
            await self._pool.aclose()
            await self._cells.close()
        if self._fatal is not None:
            raise self._fatal
        return await self._summarize()

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
        return frozenset(name for name, provider in self._providers.items() if provider in closed)

    def _start_substitutes(self, group: asyncio.TaskGroup) -> None:
        """Start one further cell, without the waiting players, for each cell that waits for a provider.

        At most as many as the limit on concurrent debates.
        """
        waiting = self._waiting_players()
        held = sum(1 for cell in self._running.values() if waiting & {cell.first, cell.second})
        most = min(held, self._source.context.config.limits.concurrency)
        if waiting != self._exhausted:
            for _ in range(most - self._substitutes):
                group.create_task(self._substitute())

    async def _next_cell(self, without: frozenset[str] = frozenset()) -> CellRecord | None:
        """Take the next cell; None if there is none or the run must end. `without`: players who do not speak in it."""
        if self._ends() or (self._limit is not None and self._taken >= self._limit):
            return None
        self._taken += 1
        try:
            record = await (self._cells.take_without(without) if without else self._cells.take())
        except StorageError as error:
            self._end_with(error)
            record = None
        if record is None:
            self._taken -= 1
            self._exhausted = without or self._exhausted
            return None
        self._move(record.state, "running")
        self._observer.started(record, self._progress)
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

    async def _run_cell(self, record: CellRecord) -> None:
        """Run the debate of a cell, judge it, and store the result. A failure does not end the run.

        If the run ends before the cell is opened, the cell stays as it is.
        """
        started = time.monotonic()
        results: list[ResultRow] = []
        self._running[record.cell.key] = record.cell
        await self._opening.acquire()
        try:
            with ExitStack() as opening:
                opening.callback(self._opening.release)
                if self._ends():
                    how = Settlement("open", record.cost_usd, record.tokens, record.calls)
                else:
                    how, results = await self._debate(record, opening)
        except StorageError as error:
            how = Settlement("open", record.cost_usd, record.tokens, record.calls)
            self._end_with(error)
        except DebateError as error:
            how = _failure(record, type(error).__name__, str(error))
        except Exception as error:  # noqa: BLE001 - a defect in one cell must not end the others
            how = _failure(record, type(error).__name__, f"unexpected {type(error).__name__}: {error}")
        finally:
            del self._running[record.cell.key]
        message = None if how.message is None else self._redact(how.message)
        await self._settle(record, how._replace(message=message, seconds=time.monotonic() - started), results)

    def _end_with(self, error: StorageError) -> None:
        self._fatal = self._fatal or error
        if not self._stop.requested:
            self._stop.request()

    async def _settle(self, record: CellRecord, how: Settlement, results: Sequence[ResultRow]) -> None:
        try:
            kept = await self._cells.settle(record, how, results)
        except StorageError as error:
            self._end_with(error)
            return
        if not kept:
            return
        self._outcomes[how.state] += 1
        self._locked += how.cause == LOCKED
        if how.state != "open":
            self._failures_in_a_row = self._failures_in_a_row + 1 if how.state == "failed" else 0
        winners = {each.row["judge"] or BASE_JUDGES: each.winner for each in results if each.decides}
        self._move("running", how.state)
        self._add_winners(record, winners.values())
        self._observer.settled(record, how, winners, self._progress)

    async def _debate(self, record: CellRecord, opening: ExitStack) -> tuple[Settlement, list[ResultRow]]:
        """Run what is missing of a cell: the rest of its debate, then the judges that have not judged it.

        `opening` is closed at the first request or search.
        """
        cell = record.cell
        path = self._folder / DEBATES_FOLDER / f"{cell.debate}.json"
        holder = lock_holder(path)
        if holder is not None:
            return Settlement("open", record.cost_usd, record.tokens, record.calls, cause=LOCKED), []
        inputs = self._source.inputs_of(cell)
        for name, spec in zip((cell.first, cell.second), inputs.models, strict=True):
            self._providers[name] = split_model_name(spec.model)[0]
        queue = None if self.batches is None else self.batches.of(path.parent, self._stop)
        context = replace(inputs.context, observer=_CellObserver(self, opening), stop=self._stop, batches=queue)
        session = Session(context, self._pool)

        def missing(debate: Debate) -> tuple[JudgingOpened, ...]:
            return _missing_runs(debate, inputs.judges, context) if is_finished(debate) else ()

        stored = _open_if_saved(path)
        if stored is None:
            outcome = await session.begin(cell.debate, path.parent, added_runs=missing)
        else:
            outcome = await _complete(session, stored, path, missing)
        how = _settlement_of(outcome)
        if how.state != "done":
            return how, []
        runs = {
            key: (judge, found.id) for key, judge in inputs.judges.items() if (found := _run_of(outcome.debate, judge))
        }
        return how, judge_results(outcome.debate, cell, inputs.motion, self._source.name, runs, inputs.models)

    async def _renew(self, group: asyncio.TaskGroup) -> None:
        """Renew the lease, start substitutes in `group` and report the progress, every second."""
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                found = await self._cells.renew(self._pool.budget)
            except StorageError as error:
                self._end_with(error)
                return
            if found is not None:
                self._progress = replace(self._progress, cells=found.cells)
            self._start_substitutes(group)
            self._update_rates()
            self._observer.changed(self._progress)

    def _show(self, progress: Progress) -> None:
        players = {name: PlayerScore() for name in self._source.players} | dict(progress.players)
        budget = self._source.context.config.limits.max_cost_usd
        self._progress = replace(progress, players=players, max_cost_usd=budget)

    def _move(self, before: CellState, after: CellState) -> None:
        cells = {**self._progress.cells}
        cells[before] -= 1
        cells[after] += 1
        self._progress = replace(self._progress, cells=cells)

    def _add_winners(self, record: CellRecord, winners: Iterable[str | None]) -> None:
        players = dict(self._progress.players)
        for winner in winners:
            for name in dict.fromkeys((record.cell.first, record.cell.second)):
                known = players.get(name, PlayerScore())
                players[name] = PlayerScore(known.won + (winner == name), known.judged + 1)
        self._progress = replace(self._progress, players=players)

    def _update_rates(self) -> None:
        elapsed = max(time.monotonic() - self._started_at, RENEW_S)
        done = self._outcomes["done"] + self._outcomes["failed"]
        left = self._progress.left if self._limit is None else max(0, self._limit - done)
        used = self._pool.budget.used
        self._progress = replace(
            self._progress,
            cost_usd=used.usd,
            tokens=used.tokens,
            calls_per_minute=self._calls * 60 / elapsed if self._calls else None,
            seconds_left=left * elapsed / done if done else None,
        )

    def count_call(self) -> None:
        """Count an answer of a model."""
        self._calls += 1

    async def _summarize(self) -> RunSummary:
        self._update_rates()
        cells = (await self._cells.load_progress()).cells
        progress = replace(self._progress, cells=cells)
        elsewhere = cells["running"] + self._locked
        return RunSummary(progress, self._outcomes["done"], self._outcomes["failed"], self._stopped, elsewhere)


class _NoteObserver(NullObserver):
    """Forwards the notes of the shared model clients to an experiment's observer."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def note(self, note: str) -> None:
        self._note(note)


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
    """Run the rest of a saved debate, then its missing judging runs."""
    if is_finished(stored.debate) and not path.with_suffix(JOURNAL_SUFFIX).exists():
        outcome = Outcome(stored.debate, (), path, untouched=True)
    else:
        outcome = await session.resume(stored)
    openings = missing(outcome.debate) if outcome.halted is None else ()
    if not openings:
        return outcome
    return await session.judge(transcript_to_events(to_transcript(outcome.debate)), openings, path)


def _open_if_saved(path: Path) -> StoredDebate | None:
    """The debate at `path`; None if neither its transcript nor its journal exists. Raises TranscriptError."""
    return open_debate(path) if path.exists() or path.with_suffix(JOURNAL_SUFFIX).exists() else None


def _run_of(debate: Debate, judge: Judge) -> JudgingRun | None:
    return next(
        (
            run
            for run in reversed(debate.runs[1:])
            if run.judging == judge.judging and _without_price(run.models.get("judge")) == _without_price(judge.spec)
        ),
        None,
    )


def _without_price(spec: ModelSpec | None) -> ModelSpec | None:
    return None if spec is None else spec.model_copy(update={"price": None})


def _missing_runs(debate: Debate, judges: Mapping[str, Judge], context: RunContext) -> tuple[JudgingOpened, ...]:
    missing = [judge for judge in judges.values() if _run_of(debate, judge) is None]
    taken = len(debate.runs)
    known = [run.id for judge in judges.values() if (run := _run_of(debate, judge)) is not None]
    first = known[0] if known else f"r{taken + 1}"
    return tuple(
        JudgingOpened(
            at=context.now(),
            run=f"r{taken + number}",
            beside=None if f"r{taken + number}" == first else first,
            judging=judge.judging,
            models={"judge": judge.spec},
        )
        for number, judge in enumerate(missing, start=1)
    )


def _settlement_of(outcome: Outcome) -> Settlement:
    """`done` if nothing is missing, `open` if the run was stopped or the budget reached, else `failed`."""
    debate = outcome.debate
    usage = debate.usage
    spent = Settlement("done", usage.cost_usd or 0.0, usage.input_tokens + usage.output_tokens, usage.attempts)
    if outcome.halted in {"interrupted", "budget"}:
        return spent._replace(state="open", cause=outcome.halted)
    if outcome.halted is None and is_finished(debate):
        return spent
    failure = next((item for item in reversed(debate.failures) if not item.final), None)
    cause, message = (
        (failure.cause, failure.message) if failure is not None else ("unknown", "the debate is incomplete")
    )
    return spent._replace(state="failed", cause=cause, message=message)


def _failure(record: CellRecord, cause: str, message: str) -> Settlement:
    return Settlement("failed", record.cost_usd, record.tokens, record.calls, cause=cause, message=message)
