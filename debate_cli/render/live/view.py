"""The live view of a run: finished speeches and reports are printed, running ones are drawn below and redrawn.

While the view is started, a separate thread applies the events and writes to the terminal, ten times a second. So a
slow terminal never delays the debate. A view that is not started prints at once and draws nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from threading import Event as ThreadEvent
from threading import Thread
from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType, Segment
from rich.text import Text

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Phase, Turn
from debate_cli.observer import is_judging_only
from debate_cli.render import theme
from debate_cli.render.content import chair, judge_report
from debate_cli.render.content.citations import index_citations
from debate_cli.render.content.cross_examination import ThreadIndex
from debate_cli.render.content.event_order import precedes, reading_position
from debate_cli.render.content.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.content.summary import change_lines
from debate_cli.render.live import header
from debate_cli.render.live.header import ProgressLine
from debate_cli.render.live.speech import PanelRow, SpeechStream, Tail, streaming_panels, turn_panel
from debate_cli.render.replay import group_waves
from debate_cli.render.terminal.drawing import terminal_line

FRAMES_PER_SECOND = 10


class LiveObserver:
    """An Observer for a terminal, and a context manager that restores the terminal at its end.

    `expected`: minimum number of calls, to show progress; None if unknown. The heading shows `plan`. `hint`: a line at
    the bottom, e.g. on keys.
    """

    def __init__(
        self,
        console: Console,
        expected: int | None = None,
        *,
        plan: theme.RunPlan = theme.NO_PLAN,
        show_hidden: bool = False,
        hint: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._script = _Script(expected, plan, show_hidden=show_hidden, hint=hint, clock=clock)
        self._screen = _Screen(console, self._script)
        self._actions: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._stopping = ThreadEvent()
        self._thread: Thread | None = None
        self._error: BaseException | None = None
        self.console = console

    def __enter__(self) -> Self:
        """Start drawing."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing."""
        self.stop()

    def start(self) -> None:
        """Start the clock; if the console is a terminal, start drawing."""
        self._script.progress.start()
        self.resume()

    def resume(self) -> None:
        """Start drawing if the console is a terminal, also after a pause."""
        if self._thread is None and self.console.is_terminal:
            self._stopping.clear()
            self._screen.start()
            self._thread = Thread(target=self._draw_until_stopped, name="live-view", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Stop drawing, remove the region that was drawn, and show the cursor."""
        self._stop_thread()
        self._screen.stop()

    def stop(self) -> None:
        """Print finished parts, remove the drawn region, show the cursor. May be called twice."""
        self._stop_thread()
        try:
            self._apply_queued()
            self._script.finish()
            self._screen.print_pending()
        finally:
            self._screen.stop()

    def _stop_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopping.set()
            thread.join()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        self._do(lambda: self._script.event(event, debate))

    def asking(self, task: Task) -> None:
        """See `Observer`."""
        self._do(lambda: self._script.asking(task))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Observer`."""
        self._do(lambda: self._script.text(cue, piece))

    def note(self, note: str) -> None:
        """See `Observer`."""
        self._do(lambda: self._script.print(header.warning_notice(note)))

    def region(self) -> RenderableType:
        """The part that is drawn below the printed part: running speeches, progress line, hint."""
        return self._script.region(*self.console.size)

    def _do(self, action: Callable[[], None]) -> None:
        """Pass `action` to the drawing thread. Raises the error if that thread could not write to the terminal."""
        if self._error is not None:
            raise self._error
        self._actions.put(action)
        if self._thread is None:
            self._apply_queued()
            self._screen.print_pending()

    def _apply_queued(self) -> None:
        while True:
            try:
                action = self._actions.get_nowait()
            except Empty:
                return
            action()

    def _draw_until_stopped(self) -> None:
        try:
            while not self._stopping.wait(1 / FRAMES_PER_SECOND):
                self._apply_queued()
                self._screen.draw()
        except OSError as error:  # the terminal is gone: the next call raises it
            self._error = error


class _Region:
    """The lines that are drawn below the printed part."""

    def __init__(self) -> None:
        self.lines: list[list[Segment]] = []

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, line in enumerate(self.lines):
            if number:
                yield Segment.line()
            yield from line


class _Screen:
    """Writes to the terminal: each frame at once, as a synchronized update, and only after a change."""

    def __init__(self, console: Console, script: _Script) -> None:
        self._console = console
        self._script = script
        self._region = _Region()
        self._width = console.width
        self._live = self._new_live()

    def _new_live(self) -> Live:
        return Live(
            self._region,
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )

    def start(self) -> None:
        """Start drawing below the cursor. Uses a new `Live`, which does not know where an earlier one drew."""
        self._live = self._new_live()
        self._live.start()

    def stop(self) -> None:
        self._erase_wrapped_lines()
        self._region.lines = []
        self._live.stop()

    def print_pending(self) -> None:
        printed = self._script.take_printed()
        if self._live.is_started and printed:
            self.draw(printed)
            return
        for renderable in printed:
            self._console.print(renderable)

    def draw(self, printed: Sequence[RenderableType] = ()) -> None:
        """Print finished parts and redraw the region after a change."""
        printed = [*printed, *self._script.take_printed()]
        width, height = self._console.size
        region = self._script.region(width, height)
        lines = self._console.render_lines(region, self._console.options.update(height=None), pad=False)
        if lines == self._region.lines and not printed and width == self._width:
            return
        with self._console:
            self._console.control(_control("\x1b[?2026h"))
            self._erase_wrapped_lines()
            self._region.lines = lines
            if printed:
                self._console.print(Group(*printed))
            else:
                self._live.refresh()
            self._console.control(_control("\x1b[?2026l"))

    def _erase_wrapped_lines(self) -> None:
        """Erase the extra lines after the window became narrower and wrapped the region.

        Rich erases the other lines.
        """
        width, self._width = self._width, self._console.width
        if self._width < width:
            cells = [Segment.get_line_length(line) for line in self._region.lines]
            extra = sum(max(0, (count - 1) // max(1, self._width)) for count in cells)
            up = ((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1))
            self._console.control(Control(ControlType.CARRIAGE_RETURN, *up * extra))


def _control(sequence: str) -> Control:
    """A control sequence that Rich does not have. `?2026` begins and ends a synchronized update."""
    control = Control()
    control.segment = Segment(sequence, None, [(ControlType.HOME,)])
    return control


class _Script:
    """Collects what is to be printed and what is to be drawn. Used by one thread at a time."""

    def __init__(
        self, expected: int | None, plan: theme.RunPlan, *, show_hidden: bool, hint: str, clock: Callable[[], float]
    ) -> None:
        self._plan = plan
        self.progress = ProgressLine(expected, clock)
        self._show_hidden = show_hidden
        self._hint = hint
        self._printed: list[RenderableType] = []
        self._debate: Debate | None = None
        self._wave: list[SpeechStream] = []
        self._withheld: list[Assessment] = []
        self._pending: dict[str, Brief] = {}
        self._failures = FailureGrouper()
        self._round = 0, ""

    def print(self, *renderables: RenderableType) -> None:
        self._printed += renderables

    def take_printed(self) -> list[RenderableType]:
        printed, self._printed = self._printed, []
        return printed

    def region(self, width: int, height: int) -> RenderableType:
        """The running speeches above the progress line, together with fewer lines than the window."""
        if self._debate is None:
            return Group()
        status = [self.progress.render(width)]
        if self._hint:
            status.append(Text(self._hint, no_wrap=True, overflow="ellipsis"))
        rows = max(2, height - 1)
        if not self._wave:
            return Tail(Group(*status), rows, marked=False)
        cue = self._wave[0].cue
        rule = [] if self._round == (cue.round, cue.phase) else self._round_heading(cue.round, cue.phase, one_line=True)
        size = width, rows - len(rule) - len(status)
        styles = theme.participant_styles(self._debate.participants)
        panels = streaming_panels(self._wave, styles, index_citations(self._debate), size)
        return Tail(Group(*rule, panels, *status), rows, marked=False)

    def event(self, event: Event, debate: Debate) -> None:
        if self._debate is None and is_judging_only(event, debate):
            self.print(header.rejudging_heading(debate))
        self._debate = debate
        self._failures.record_event(event)
        match event:
            case DebateOpened():
                self._open(debate)
            case DebateResumed():
                self._resume(event, debate)
            case JudgingOpened():
                self.print(header.judging_run_heading(debate, debate.run(event.run)))
            case TurnCompleted():
                self._complete_turn(event.turn, debate)
            case AssessmentCompleted():
                self._withheld.append(event.assessment)
                self._settle(event.assessment.brief.key)
            case TaskFailed():
                self._settle(event.failure.task.key)
            case DebateClosed():
                self.finish()
                self.print(*([header.closing_notice(debate, event.reason)] if debate.document_name is None else []))
            case _:
                pass
        for group in self._failures.pop_ready():
            self._print_failure(group)
        self.progress.record_event(event, debate)

    def asking(self, task: Task) -> None:
        self.progress.asking(task)
        self._failures.asking(task)
        if isinstance(task, Brief):
            self._pending[task.key] = task
        elif self._debate is not None and self._stream(task.index) is None:
            self._add(SpeechStream(task, ThreadIndex(self._debate.turns)))

    def text(self, cue: Cue, piece: str) -> None:
        stream = self._stream(cue.index)
        if stream is not None:
            stream.pieces.append(piece)

    def finish(self) -> None:
        self._pending = {}
        for group in self._failures.rest():
            self._print_failure(group)
        self._print_wave()

    def _stream(self, index: int) -> SpeechStream | None:
        return next((stream for stream in self._wave if stream.cue.index == index), None)

    def _add(self, stream: SpeechStream) -> None:
        self._wave = sorted([*self._wave, stream], key=lambda item: item.cue.index)

    def _open(self, debate: Debate) -> None:
        self.print(header.debate_heading(debate, plan=self._plan))
        if announcement := chair.announce_debate(debate):
            self.print(header.chair_notice(announcement))

    def _resume(self, event: DebateResumed, debate: Debate) -> None:
        self.progress.resume(debate)
        self.print(header.debate_heading(debate, theme.describe_resume(debate), self._plan._replace(calls=None)))
        self.print(*(terminal_line(f"changed: {line}", theme.MUTED) for line in change_lines(event.changes)))
        threads = ThreadIndex(debate.turns)
        for wave in group_waves(debate):
            self._print_speeches([(turn, threads) for turn in wave], debate)
        if debate.turns:
            self.print(header.resume_rule(debate))

    def _complete_turn(self, turn: Turn, debate: Debate) -> None:
        stream = self._stream(turn.index)
        if stream is None:
            cue = Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
            stream = SpeechStream(cue, ThreadIndex(debate.turns))
            self._add(stream)
        stream.turn = turn
        self._print_complete_wave()

    def _settle(self, key: str) -> None:
        self._pending.pop(key, None)
        self._print_reports()

    def _print_reports(self) -> None:
        """Print the judges' reports that come next in reading order. The others stay held back."""
        if self._debate is None:
            return
        withheld, self._withheld = sorted(self._withheld, key=lambda item: reading_position(item.brief)), []
        for assessment in withheld:
            if self._is_early(assessment):
                self._withheld.append(assessment)
            else:
                report = judge_report.build_judge_report(assessment, self._debate)
                self.print(header.judge_report_notice(report, self._debate))

    def _is_early(self, assessment: Assessment) -> bool:
        if any(stream.cue.index in assessment.subject.turns for stream in self._wave):
            return True
        waiting = [*self._pending.values(), *(other.brief for other in self._withheld)]
        return any(precedes(brief, assessment.brief) for brief in waiting)

    def _print_failure(self, group: FailureGroup) -> None:
        """Print a failure below the simultaneous speeches, which no longer wait for the failed one."""
        cues = [failure.task for failure in group.failures if isinstance(failure.task, Cue)]
        failed = {cue.key for cue in cues}
        self._wave = [stream for stream in self._wave if stream.cue.key not in failed]
        self._print_complete_wave()
        for cue in cues:
            if cue.round >= self._round[0]:
                self._open_round(cue.round, cue.phase)
        self.print(header.failure_notice(group))

    def _print_complete_wave(self) -> None:
        if self._wave and all(stream.turn is not None for stream in self._wave):
            self._print_wave()

    def _print_wave(self) -> None:
        wave, self._wave = self._wave, []
        if self._debate is not None:
            self._print_speeches([(item.turn, item.threads) for item in wave if item.turn is not None], self._debate)
        self._print_reports()

    def _print_speeches(self, turns: Iterable[tuple[Turn, ThreadIndex]], debate: Debate) -> None:
        styles, citations = theme.participant_styles(debate.participants), index_citations(debate)
        panels = [
            turn_panel(turn, styles, threads, citations, show_hidden=self._show_hidden) for turn, threads in turns
        ]
        first = next(iter(turns), None)
        if first is not None:
            self._open_round(first[0].round, first[0].phase)
            self.print(PanelRow(panels))

    def _open_round(self, round_number: int, phase: Phase) -> None:
        if self._round != (round_number, phase):
            self._round = round_number, phase
            self.print(*self._round_heading(round_number, phase))

    def _round_heading(self, number: int, phase: Phase, *, one_line: bool = False) -> list[RenderableType]:
        """The rule of a round and the chair's announcement. `one_line`: cuts the announcement to the width."""
        assert self._debate is not None
        notice = header.chair_notice(chair.announce_round(self._debate, number, phase))
        notice.no_wrap, notice.overflow = one_line, "ellipsis" if one_line else "fold"
        return [header.round_rule(number, phase), notice]
