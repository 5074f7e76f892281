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
from debate_cli.domain.content import Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Asked, Assessed, Closed, CloseReason, Event, Failed, Failure, Turned
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.formats import next_step
from debate_cli.judging.schedules import first_to_ask, owed
from debate_cli.llm.port import OnText
from debate_cli.render.watcher import Watcher

GRACE_S = 10.0
"""Seconds that answers in flight are given to come in after the user asked to stop."""


class Speaker(Protocol):
    """Makes speeches for one debater."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Answer the cue; a provider's failure is returned, not raised."""
        ...


class Assessor(Protocol):
    """Makes assessments for every judge."""

    def hear(self, turn: Turn, debate: Debate) -> None:
        """A speech was made, which judges will be asked about."""
        ...

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        """Answer the brief; a failure or an abstention is returned, not raised."""
        ...


@dataclass(frozen=True, slots=True)
class Cast:
    """The actors of one run."""

    debaters: Mapping[str, Speaker]
    """By name."""
    judge: Assessor


class Stop:
    """The user's wish to end a run: once, gently; twice, at once."""

    def __init__(self) -> None:
        self._gently = asyncio.Event()
        self._at_once = asyncio.Event()

    def request(self) -> None:
        """Ask for the end; a second call insists."""
        (self._at_once if self._gently.is_set() else self._gently).set()

    @property
    def requested(self) -> bool:
        """Whether nothing new is to be asked."""
        return self._gently.is_set()

    async def wait(self, grace_s: float = GRACE_S) -> None:
        """Return when in-flight answers are no longer worth waiting for."""
        await self._gently.wait()
        try:
            await asyncio.wait_for(self._at_once.wait(), grace_s)
        except TimeoutError:
            return


class Run:
    """One run over a debate, from where its events stand to a close or an interruption."""

    def __init__(
        self,
        debate: Debate,
        cast: Cast,
        append: Callable[[Event], None],
        watcher: Watcher,
        *,
        clock: Callable[[], datetime],
        stop: Stop,
        judging_runs: Collection[str] | None = None,
        head_start_s: float = 0.0,
    ) -> None:
        """`append` makes an event durable before it counts.

        With `judging_runs`, only briefs of those runs are answered and no speech is asked for (`debate judge`). The debate
        waits for its speakers and not for its judges, and for the judges that will ask on longer than for the others: so long
        do those have to be asked before the rest is asked beside them.
        """
        self.debate = debate
        self._cast = cast
        self._append = append
        self._watcher = watcher
        self._clock = clock
        self._stop = stop
        self._judging_runs = judging_runs
        self._head_start_s = head_start_s
        self._flying: dict[asyncio.Task[Event], Task] = {}
        self._halted: CloseReason | None = None

    async def conduct(self) -> Debate:
        """Ask until nothing is due, then close; the debate as it stands afterwards."""
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            reason = self._ask_what_is_due()
            while self._flying:
                done, _ = await asyncio.wait({*self._flying, stopping}, return_when=asyncio.FIRST_COMPLETED)
                self._take(done)
                if stopping in done:
                    break
                reason = self._ask_what_is_due()
        finally:
            await _cancel([stopping, *self._flying])
        if self._judging_runs is None:
            self._record(Closed(at=self._clock(), reason=self._close_reason(reason)))
        return self.debate

    @property
    def halted(self) -> CloseReason | None:
        """Why the run ended before everything due was done: `budget`, `failed`, `interrupted`; None when it did not."""
        return "interrupted" if self._stop.requested and self._halted is None else self._halted

    def _close_reason(self, reason: CloseReason | None) -> CloseReason:
        return self.halted or reason or "failed"

    def _ask_what_is_due(self) -> CloseReason | None:
        """Start every task that is due and not under way; why the format would close, if it would."""
        if self.halted is not None:
            return None
        cues, reason = self._cues()
        briefs = [brief for brief in owed(self.debate) if self._judging_runs is None or brief.run in self._judging_runs]
        under_way = {task.key: task for task in self._flying.values()}
        due = [task for task in (*cues, *briefs) if task.key not in under_way]
        ahead = {task.key for task in (*under_way.values(), *due) if isinstance(task, Cue)}
        ahead = ahead or first_to_ask(self.debate, [task for task in due if isinstance(task, Brief)])
        for task in due:
            self._start(task, ahead)
        return reason

    def _cues(self) -> tuple[tuple[Cue, ...], CloseReason | None]:
        if self._judging_runs is not None:
            return (), None
        step = next_step(self.debate)
        return step.cues, step.close

    def _start(self, task: Task, ahead: Collection[str]) -> None:
        self._record(Asked(at=self._clock(), key=task.key))
        self._watcher.asking(task)
        answer = self._speak(task) if isinstance(task, Cue) else self._assess(task, ahead)
        self._flying[asyncio.ensure_future(answer)] = task

    async def _speak(self, cue: Cue) -> Event:
        answer = await self._cast.debaters[cue.speaker].speak(cue, self.debate, partial(self._watcher.text, cue))
        if isinstance(answer, Failure):
            return Failed(at=self._clock(), failure=answer)
        return Turned(at=self._clock(), turn=answer)

    async def _assess(self, brief: Brief, ahead: Collection[str]) -> Event:
        leaving = [] if brief.key in ahead else [item for item, task in self._flying.items() if task.key in ahead]
        if self._head_start_s and leaving:
            await asyncio.wait(leaving, timeout=self._head_start_s)
        answer = await self._cast.judge.assess(brief, self.debate)
        if isinstance(answer, Failure):
            return Failed(at=self._clock(), failure=answer)
        return Assessed(at=self._clock(), assessment=answer)

    def _take(self, done: Collection[asyncio.Future[Any]]) -> None:
        """Record what came in, in the order in which it was asked for rather than that of arrival.

        Where something cannot be made durable, all that came in is kept in memory nevertheless.
        """
        arrived = [item for item in self._flying if item in done]
        for item in arrived:
            del self._flying[item]
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
        if isinstance(event, Turned):
            self._cast.judge.hear(event.turn, self.debate)
        if isinstance(event, Failed):
            self._halt_on(event.failure)
        self._watcher.event(event, self.debate)

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
