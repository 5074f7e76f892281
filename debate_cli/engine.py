"""The loop of a run: starts the speeches and judgements that are due, and records each answer as an event."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    Event,
    Failure,
    Reservation,
    SearchEnded,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.evidence import Search
from debate_cli.domain.message_text import one_line
from debate_cli.domain.model_call import ModelCall, add_model_calls
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.evidence.retrieval import PassageFinder
from debate_cli.formats.schedule import next_step
from debate_cli.judging.schedule import owed_briefs
from debate_cli.llm.meter import CallMeter, use_meter
from debate_cli.llm.model import OnText
from debate_cli.observer import Observer

GRACE_S = 10.0
"""Maximum number of seconds to wait for calls in flight after the user requested a stop."""
IDLE_CHECK_S = 0.1
"""After the user requested a stop: number of seconds between two checks whether calls are still in flight."""


class Speaker(Protocol):
    """Makes speeches for one debater."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Return the speech that `cue` requests, or a Failure that says why there is none."""
        ...


class Assessor(Protocol):
    """Makes assessments for all judges of a run."""

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """Return the assessment that `brief` requests, or a Failure that says why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Actors:
    """The debaters (by name) and the judges of a run."""

    debaters: Mapping[str, Speaker]
    judge: Assessor
    passages: PassageFinder | None = None
    """Finds passages; None if the debate has no sources."""


class EventLog(Protocol):
    """Stores the events of a run."""

    def append(self, event: Event) -> None:
        """Write the event so that it survives a crash of this process."""
        ...

    async def sync(self) -> None:
        """Wait until all written events are safe on disk, so that a power failure cannot lose them."""
        ...


class NullEventLog:
    """Log of a run that is not saved."""

    def append(self, event: Event) -> None:
        """Discard the event."""

    async def sync(self) -> None:
        """Return at once."""


class StopSignal:
    """Asks a run to stop. The first request lets calls in flight end; the second request stops the run at once."""

    def __init__(self) -> None:
        self._graceful = asyncio.Event()
        self._immediate = asyncio.Event()
        self._parts: list[StopSignal] = []

    def make_part(self) -> StopSignal:
        """Return a signal that stops one part of the run. The rest of the run continues when this part stops."""
        part = StopSignal()
        if self.requested:
            part.request()
        self._parts.append(part)
        return part

    def request(self) -> None:
        """Request a stop of the run and of each part from `make_part`. The second call requests an immediate stop."""
        (self._immediate if self._graceful.is_set() else self._graceful).set()
        for part in self._parts:
            part.request()

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._graceful.is_set()

    async def wait(self, may_end: Callable[[], bool]) -> None:
        """Wait for the first stop request. Then wait until `may_end` returns True, but at most GRACE_S seconds.

        `may_end` is called every IDLE_CHECK_S seconds. A second request ends the wait at once.
        """
        await self._graceful.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while not may_end():
                    with suppress(TimeoutError):
                        async with asyncio.timeout(IDLE_CHECK_S):  # wait_for of Python 3.11 may swallow a cancellation
                            await self._immediate.wait()
                            return


class DebateRun:
    """Runs a debate from its present state until the debate closes or the user stops it."""

    def __init__(
        self,
        debate: Debate,
        actors: Actors,
        log: EventLog,
        observer: Observer,
        *,
        clock: Callable[[], datetime],
        stop: StopSignal,
        judging_runs: Collection[str] | None = None,
    ) -> None:
        """Create the run. `observer` receives an answer only after `log` has synced it.

        `judging_runs`: ids of judging runs. If given, the run asks only the judges of these judging runs and no
        debaters. If None, the run asks all debaters and judges.
        """
        self.debate = debate
        self._actors = actors
        self._log = log
        self._observer = observer
        self._clock = clock
        self._stop = stop
        self._judging_runs = judging_runs
        self._in_flight: dict[asyncio.Task[Event], Task] = {}
        self._searching: set[str] = set()
        """Keys of the tasks for which a search is in flight."""
        self._meters: dict[str, CallMeter] = {}
        """Maps the key of each task in flight to the meter that adds up the usage of its requests."""
        self._halted: CloseReason | None = None

    async def run(self) -> Debate:
        """Run until nothing is due or a stop is requested. Then close the debate and return it.

        After a stop, the debate closes as `interrupted` only if a task is still due. A run that only judges does not
        close the debate.
        """
        stopping = asyncio.ensure_future(self._stop.wait(self._cancel_waiting))
        try:
            await self._start_due_tasks()
            while self._in_flight:
                done, _ = await asyncio.wait({*self._in_flight, stopping}, return_when=asyncio.FIRST_COMPLETED)
                await self._record_finished(done)
                if stopping in done:
                    break
                await self._start_due_tasks()
        finally:
            for task in (stopping, *self._in_flight):
                task.cancel()
            await asyncio.gather(stopping, *self._in_flight, return_exceptions=True)
        due, reason = self._find_due_tasks()
        if self._stop.requested and due:
            self._halted = self._halted or "interrupted"
        if self._judging_runs is None:
            is_over = self.debate.status == "complete" and self.debate.closed is not None
            closed = self.debate.closed if is_over else self._halted or reason
            await self._record([DebateClosed(at=self._clock(), reason=closed or "failed")])
        self.debate = self.debate.charge_reservations()
        return self.debate

    @property
    def halted(self) -> CloseReason | None:
        """Why the run ended early: `budget`, `failed` or `interrupted`. None if there is no such reason.

        After a stop request, the reason is `interrupted` only if a task is still due at the end of the run.
        """
        return self._halted

    def _cancel_waiting(self) -> bool:
        """Cancel each task that waits to send its next request. Return whether all tasks in flight were waiting."""
        waiting = {key for key, meter in self._meters.items() if meter.is_waiting}
        for item, task in self._in_flight.items():
            if task.key in waiting and not item.cancelling():
                item.cancel()
        return len(waiting) == len(self._meters)

    def _find_due_tasks(self) -> tuple[list[Task], CloseReason | None]:
        """Return the tasks without an answer, and why the debate is over.

        Tasks in flight are included. The reason is None if the debate is not over, or if the run only judges.
        """
        briefs = owed_briefs(self.debate)
        if self._judging_runs is not None:
            return [brief for brief in briefs if brief.run in self._judging_runs], None
        step = next_step(self.debate)
        return [*step.cues, *briefs], step.close

    async def _start_due_tasks(self) -> None:
        if self._stop.requested or self._halted is not None:
            return
        due, _ = self._find_due_tasks()
        in_flight = {task.key for task in self._in_flight.values()}
        for task in await self._prepare_passages([task for task in due if task.key not in in_flight]):
            self._record_started(TaskStarted(at=self._clock(), key=task.key))
            self._observer.asking(task)
            self._ask(task, partial(self._make_answer, task))

    async def _prepare_passages(self, due: Sequence[Task]) -> list[Task]:
        """Find the passages that the due tasks need. Returns the tasks that can start now.

        Passages get their ids after all searches have ended, so the ids do not depend on which search is fastest.
        """
        finder = self._actors.passages
        if finder is None:
            return list(due)
        waiting = [
            task
            for task in due
            if task.key not in self.debate.shown_passages and finder.needs_passages(task, self.debate)
        ]
        for task in waiting:
            searches = finder.list_searches(task, self.debate)
            search = next((item for item in searches if not self.debate.is_search_settled(item)), None)
            if search is not None:
                self._searching.add(task.key)
                activity = "searching the web" if search.kind == "web" else "ordering passages by meaning"
                who = task.speaker if isinstance(task, Cue) else f"{task.system} ({task.assessor})"
                self._observer.note(f"{activity} for {who}: {one_line(search.query)}")
                self._ask(task, partial(self._search, task, search, finder))
        if self._searching:
            return [task for task in due if task not in waiting]
        for task in waiting:
            await self._record([finder.find(task, self.debate, self._clock())])
        return list(due)

    async def _search(self, task: Task, search: Search, finder: PassageFinder) -> Event:
        record = await finder.search(search)
        failure = record.failure
        if failure is None or failure.cause != "BudgetError":
            return SearchEnded(at=self._clock(), search=record)
        who = task.speaker if isinstance(task, Cue) else task.assessor
        failed = Failure(
            task=task, who=who, cause=failure.cause, message=failure.message, final=False, exchange=record.exchange
        )
        return TaskFailed(at=self._clock(), failure=failed)

    def _ask(self, task: Task, ask: Callable[[], Awaitable[Event]]) -> None:
        self._in_flight[asyncio.ensure_future(self._answer(task, ask))] = task

    async def _answer(self, task: Task, ask: Callable[[], Awaitable[Event]]) -> Event:
        """Call `ask`, which requests the answer to `task`. Return the answer.

        Each request is recorded before it is sent, so that its cost counts even if the answer is lost.
        """
        meter = self._meters[task.key] = CallMeter(partial(self._record_reservation, task))
        with use_meter(meter):
            try:
                return await ask()
            except asyncio.CancelledError:
                if meter.has_recorded:
                    self._record_reservation(task, add_model_calls(*meter.ended))
                raise
            finally:
                del self._meters[task.key]

    def _record_reservation(self, task: Task, call: ModelCall) -> None:
        reservation = Reservation(task=task, exchange=call)
        self._record_started(TaskStarted(at=self._clock(), key=task.key, reservation=reservation))

    def _record_started(self, event: TaskStarted) -> None:
        self.debate = self.debate.apply(event)
        self._log.append(event)
        self._observer.event(event, self.debate)

    async def _make_answer(self, task: Task) -> Event:
        actors = self._actors
        if isinstance(task, Cue):
            on_text = partial(self._observer.text, task)
            answer = await actors.debaters[task.speaker].speak(task, self.debate, on_text)
        else:
            answer = await actors.judge.assess(task, self.debate)
        at = self._clock()
        if isinstance(answer, Failure):
            return TaskFailed(at=at, failure=answer)
        if isinstance(answer, Turn):
            return TurnCompleted(at=at, turn=answer)
        return AssessmentCompleted(at=at, assessment=answer.model_copy(update={"at": at}))

    async def _record_finished(self, done: Collection[asyncio.Future[Any]]) -> None:
        """Record the answers that have arrived, in the order in which their tasks were started."""
        ended = [item for item in self._in_flight if item in done]
        for item in ended:
            self._searching.discard(self._in_flight.pop(item).key)
        arrived = [item for item in ended if not (self._stop.requested and item.cancelled())]
        await self._record([item.result() for item in arrived if item.exception() is None])
        for item in arrived:
            item.result()

    async def _record(self, events: Iterable[Event]) -> None:
        applied: list[tuple[Event, Debate]] = []
        for event in events:
            self.debate = self.debate.apply(event)
            applied.append((event, self.debate))
            if isinstance(event, TaskFailed) and event.failure.cause == "BudgetError":
                self._halted = "budget"
            elif isinstance(event, TaskFailed) and isinstance(
                event.failure.task, Cue
            ):  # a judge's failure does not stop the debate
                self._halted = self._halted or "failed"
        for event, _ in applied:
            self._log.append(event)
        if applied:
            await self._log.sync()
        for event, debate in applied:
            self._observer.event(event, debate)
