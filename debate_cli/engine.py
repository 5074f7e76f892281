"""The loop: ask the two schedulers what is due, let the actors answer, append what happened; until nothing is due.

Which questions are due is decided by `formats.next_step` and `judging.schedules.owed`; how they are answered, by the
actors; what it means, by the fold and the scorers. None of that lives here, nor does anything about files.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Mapping
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
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.formats import next_step
from debate_cli.judging.schedule import owed_briefs
from debate_cli.llm.model import OnText
from debate_cli.observer import Observer

GRACE_S = 10.0
"""Seconds that answers in flight are given to come in after the user asked to stop."""


class Speaker(Protocol):
    """Makes speeches for one debater."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer the cue; a provider's failure is returned, not raised."""
        ...


class Assessor(Protocol):
    """Makes assessments for every judge."""

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """Answer the brief; a failure or an abstention is returned, not raised."""
        ...


@dataclass(frozen=True, slots=True)
class Actors:
    """The actors of one run."""

    debaters: Mapping[str, Speaker]
    """By name."""
    judge: Assessor


class StopSignal:
    """The user's wish to end a run: once, gently; twice, at once."""

    def __init__(self) -> None:
        self._graceful = asyncio.Event()
        self._immediate = asyncio.Event()

    def request(self) -> None:
        """Ask for the end; a second call insists."""
        (self._immediate if self._graceful.is_set() else self._graceful).set()

    @property
    def requested(self) -> bool:
        """Whether nothing new is to be asked."""
        return self._graceful.is_set()

    async def wait(self, grace_s: float = GRACE_S) -> None:
        """Return when in-flight answers are no longer worth waiting for."""
        await self._graceful.wait()
        try:
            await asyncio.wait_for(self._immediate.wait(), grace_s)
        except TimeoutError:
            return


class DebateRun:
    """One run over a debate, from where its events stand to a close or an interruption."""

    def __init__(
        self,
        debate: Debate,
        cast: Actors,
        append: Callable[[Event], None],
        watcher: Observer,
        *,
        clock: Callable[[], datetime],
        stop: StopSignal,
        judging_runs: Collection[str] | None = None,
    ) -> None:
        """`append` makes an event durable before it counts.

        With `judging_runs`, only briefs of those runs are answered and no speech is asked for (`debate judge`).
        """
        self.debate = debate
        self._actors = cast
        self._append = append
        self._observer = watcher
        self._clock = clock
        self._stop = stop
        self._judging_runs = judging_runs
        self._in_flight: dict[asyncio.Task[Event], Task] = {}
        self._halted: CloseReason | None = None

    async def run(self) -> Debate:
        """Ask until nothing is due, then close; the debate as it stands afterwards."""
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            reason = self._start_due_tasks()
            while self._in_flight:
                done, _ = await asyncio.wait({*self._in_flight, stopping}, return_when=asyncio.FIRST_COMPLETED)
                self._record_finished(done)
                if stopping in done:
                    break
                reason = self._start_due_tasks()
        finally:
            await _cancel([stopping, *self._in_flight])
        if self._judging_runs is None:
            self._record(DebateClosed(at=self._clock(), reason=self._close_reason(reason)))
        return self.debate

    @property
    def halted(self) -> CloseReason | None:
        """Why the run ended before everything due was done: `budget`, `failed`, `interrupted`; None when it did not."""
        return "interrupted" if self._stop.requested and self._halted is None else self._halted

    def _close_reason(self, reason: CloseReason | None) -> CloseReason:
        return self.halted or reason or "failed"

    def _start_due_tasks(self) -> CloseReason | None:
        """Start every task that is due and not under way; why the format would close, if it would."""
        if self.halted is not None:
            return None
        cues, reason = self._due_cues()
        briefs = [
            brief for brief in owed_briefs(self.debate) if self._judging_runs is None or brief.run in self._judging_runs
        ]
        under_way = {task.key for task in self._in_flight.values()}
        for task in (*cues, *briefs):
            if task.key not in under_way:
                self._start(task)
        return reason

    def _due_cues(self) -> tuple[tuple[Cue, ...], CloseReason | None]:
        if self._judging_runs is not None:
            return (), None
        step = next_step(self.debate)
        return step.cues, step.close

    def _start(self, task: Task) -> None:
        self._record(TaskStarted(at=self._clock(), key=task.key))
        self._observer.asking(task)
        answer = self._speak(task) if isinstance(task, Cue) else self._assess(task)
        self._in_flight[asyncio.ensure_future(answer)] = task

    async def _speak(self, cue: Cue) -> Event:
        answer = await self._actors.debaters[cue.speaker].speak(cue, self.debate, partial(self._observer.text, cue))
        if isinstance(answer, Failure):
            return TaskFailed(at=self._clock(), failure=answer)
        return TurnCompleted(at=self._clock(), turn=answer)

    async def _assess(self, brief: Brief) -> Event:
        answer = await self._actors.judge.assess(brief, self.debate)
        if isinstance(answer, Failure):
            return TaskFailed(at=self._clock(), failure=answer)
        return AssessmentCompleted(at=self._clock(), assessment=answer)

    def _record_finished(self, done: Collection[asyncio.Future[Any]]) -> None:
        """Record what came in, in the order in which it was asked for rather than that of arrival.

        Where something cannot be made durable, all that came in is kept in memory nevertheless.
        """
        arrived = [item for item in self._in_flight if item in done]
        for item in arrived:
            del self._in_flight[item]
        waiting = deque(item.result() for item in arrived)
        try:
            while waiting:
                self._record(waiting.popleft())
        finally:
            for event in waiting:
                self.debate = self.debate.apply(event)

    def _record(self, event: Event) -> None:
        """Make the event part of the debate. It is kept in memory even where it cannot be made durable."""
        self.debate = self.debate.apply(event)
        self._append(event)
        if isinstance(event, TaskFailed):
            self._halt_on(event.failure)
        self._observer.event(event, self.debate)

    def _halt_on(self, failure: Failure) -> None:
        """A budget reached ends the run, and so does a debater who cannot speak; a judge's failure never does."""
        if failure.cause == "BudgetError":
            self._halted = "budget"
        elif isinstance(failure.task, Cue):
            self._halted = self._halted or "failed"


async def _cancel(tasks: Collection[asyncio.Future[Any]]) -> None:
    """Cancel what still runs and wait until it is gone."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
