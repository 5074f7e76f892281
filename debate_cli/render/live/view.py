"""Shows a run on a terminal: finished speeches are printed, speeches in progress are redrawn below them.

Another thread writes to the terminal, so that a slow terminal never delays the debate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from queue import SimpleQueue
from threading import Event as ThreadEvent
from threading import Thread

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

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
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.observer import is_judging_only
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.reading_order import ReadingOrder, group_waves
from debate_cli.render.content.run_notices import (
    build_judge_report,
    describe_failure,
)
from debate_cli.render.content.speech_parts import ThreadIndex, index_citations
from debate_cli.render.content.summary import change_lines
from debate_cli.render.live import header
from debate_cli.render.live.header import ProgressLine
from debate_cli.render.live.speech import PanelRow, SpeechStream, Tail, streaming_panels, turn_panel
from debate_cli.render.terminal.drawing import terminal_line

FRAMES_PER_SECOND = 10


class LiveObserver:
    """Observer that shows a run on a terminal. Before `start`, only finished speeches are shown.

    `expected`: minimum number of calls; None if unknown. `hint`: text of the bottom line; empty for no bottom line.
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
        self.console = console
        self.waits: Mapping[str, Callable[[], str]] = {}
        """Maps each provider to a function that returns how long the provider has refused all calls; see `RunContext.waits`."""
        self._state = _ViewState(expected, plan, show_hidden=show_hidden, hint=hint, clock=clock)
        self._actions: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._stopping = ThreadEvent()
        self._thread: Thread | None = None
        self._error: OSError | None = None

    def start(self) -> None:
        """Start the clock and, on a terminal, start drawing."""
        self._state.progress.start()
        self.resume()

    def resume(self) -> None:
        """Start drawing on a terminal, or continue after `pause`."""
        if self._thread is None and self.console.is_terminal:
            self._stopping.clear()
            self._thread = Thread(target=self._draw, name="live-view", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Stop drawing, erase the redrawn region, and show the cursor."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopping.set()
            thread.join()

    def stop(self) -> None:
        """Stop drawing, and print everything that is finished."""
        self.pause()
        self._apply_queued()
        self._state.finish()
        self._print_finished()

    def event(self, event: Event, debate: Debate) -> None:
        """Print what `event` completes, e.g. a speech, and update the redrawn region."""
        self._enqueue(lambda: self._state.event(event, debate))

    def asking(self, task: Task) -> None:
        """Show that `task` was sent to a model."""
        self._enqueue(lambda: self._state.asking(task))

    def text(self, cue: Cue, piece: str) -> None:
        """Add a piece to a speech in progress."""
        self._enqueue(lambda: self._state.text(cue, piece))

    def note(self, note: str) -> None:
        """Print the note above the redrawn region."""
        self._enqueue(lambda: self._state.print(header.notice("!", theme.GOLD, note)))

    def region(self) -> RenderableType:
        """Return the redrawn region: speeches in progress, the progress line, what the run waits for, and the hint."""
        return self._state.region(
            self.console.size, list(filter(None, (describe() for describe in self.waits.values())))
        )

    def __rich__(self) -> RenderableType:  # Rich calls it after each print, so the region is up to date
        return self.region()

    def _enqueue(self, action: Callable[[], None]) -> None:
        if self._error is not None:
            raise self._error
        self._actions.put(action)
        if self._thread is None:
            self._apply_queued()
            self._print_finished()

    def _draw(self) -> None:
        live = Live(
            self,
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        try:
            with live:
                while not self._stopping.wait(1 / FRAMES_PER_SECOND):
                    self._apply_queued()
                    self._print_finished()
                    live.refresh()
        except OSError as error:  # the terminal is gone: the next call raises it
            self._error = error

    def _apply_queued(self) -> None:
        while not self._actions.empty():
            self._actions.get()()

    def _print_finished(self) -> None:
        if printed := self._state.take_printed():
            self.console.print(Group(*printed))


class _ViewState:
    """State of the live view: content to print, and content to redraw.

    Not thread-safe: changes must go through `LiveObserver._enqueue`.
    """

    def __init__(
        self, expected: int | None, plan: theme.RunPlan, *, show_hidden: bool, hint: str, clock: Callable[[], float]
    ) -> None:
        self._plan = plan
        self.progress = ProgressLine(expected, clock)
        self._show_hidden = show_hidden
        self._hint = hint
        self._printed: list[RenderableType] = []
        self._debate: Debate | None = None
        self._streams_by_turn: dict[int, SpeechStream] = {}
        self._order = ReadingOrder(whole_waves=True)
        self._shown_failures: set[str] = set()
        self._round = 0

    def print(self, *renderables: RenderableType) -> None:
        self._printed += renderables

    def take_printed(self) -> list[RenderableType]:
        printed, self._printed = self._printed, []
        return printed

    def region(self, window: tuple[int, int], waits: Sequence[str]) -> RenderableType:
        if self._debate is None:
            return Group()
        parts: list[RenderableType] = []
        width, height = window
        status = [self.progress.render(width, self._order.briefs_in_flight)]
        status += [terminal_line(f"! {wait}", theme.GOLD) for wait in waits]
        if self._hint:
            status.append(Text(self._hint, no_wrap=True, overflow="ellipsis"))
        rows = max(2, height - 1)
        cues = [self._streams_by_turn[index].cue for index in sorted(self._streams_by_turn)]
        waves, current = group_waves(cues, self._debate), self._round
        for wave in waves:
            heading: list[Rule | Text] = []
            if current != (current := wave[0].round):
                rule, notice = _round_heading(wave[0], self._debate)
                notice.no_wrap, notice.overflow = True, "ellipsis"
                heading = [rule, notice]
            size = width, (rows - len(status)) // len(waves) - len(heading)
            parts += [
                *heading,
                streaming_panels([self._streams_by_turn[cue.index] for cue in wave], self._debate, size),
            ]
        return Tail(Group(*parts, *status), rows, marked=False)

    def event(self, event: Event, debate: Debate) -> None:
        if self._debate is None and is_judging_only(event, debate):
            self.print(header.rejudging_heading(debate))
        self._debate = debate
        if isinstance(event, TurnCompleted) and event.turn.index in self._streams_by_turn:
            self._streams_by_turn[event.turn.index].turn = event.turn
        self._show(self._order.add(event, debate), debate)
        self.progress.record_event(event, debate)

    def _show(self, events: Iterable[Event], debate: Debate) -> None:
        for is_speech, together in groupby(events, key=lambda event: isinstance(event, TurnCompleted)):
            if is_speech:
                turns = [event.turn for event in together if isinstance(event, TurnCompleted)]
                self._print_speeches(turns, debate)
            else:
                for event in together:
                    self._show_event(event, debate)

    def _show_event(self, event: Event, debate: Debate) -> None:
        match event:
            case DebateOpened():
                announcement = chair.announce_debate(debate)
                notice = [header.chair_notice(announcement)] if announcement else []
                self.print(header.debate_heading(debate, plan=self._plan), *notice)
            case DebateResumed():
                self._resume(event, debate)
            case JudgingOpened():
                self.print(header.judging_run_heading(debate, debate.run(event.run)))
            case TaskFailed(failure=failure):
                if isinstance(failure.task, Cue):
                    self._streams_by_turn.pop(failure.task.index, None)
                    self._open_round(failure.task, debate)
                self.print(header.notice("✗", theme.RED, describe_failure(failure, self._shown_failures)))
            case AssessmentCompleted():
                self.print(header.judge_report_notice(build_judge_report(event.assessment, debate), debate))
            case DebateClosed():
                self._streams_by_turn.clear()
                self.print(*header.closing_notices(debate, event.reason))
            case _:
                pass

    def asking(self, task: Task) -> None:
        self._order.asking(task)
        if isinstance(task, Cue):
            self._streams_by_turn.setdefault(task.index, SpeechStream(task))

    def text(self, cue: Cue, piece: str) -> None:
        if cue.index in self._streams_by_turn:
            self._streams_by_turn[cue.index].pieces.append(piece)

    def finish(self) -> None:
        if self._debate is not None:
            self._show(self._order.finish(self._debate), self._debate)
        self._streams_by_turn.clear()

    def _resume(self, event: DebateResumed, debate: Debate) -> None:
        self.print(header.debate_heading(debate, theme.describe_resume(debate), self._plan._replace(calls=None)))
        self.print(*(terminal_line(f"changed: {line}", theme.MUTED) for line in change_lines(event.changes)))
        self._print_speeches(debate.turns, debate)
        if debate.turns:
            self.print(header.resume_rule(debate))

    def _print_speeches(self, turns: Iterable[Turn], debate: Debate) -> None:
        show = partial(
            turn_panel,
            styles=theme.participant_styles(debate.participants),
            threads=ThreadIndex(debate.turns),
            citations=index_citations(debate),
            show_hidden=self._show_hidden,
        )
        for wave in group_waves(turns, debate):
            self._open_round(wave[0], debate)
            self.print(PanelRow([show(turn) for turn in wave]))
            for turn in wave:
                self._streams_by_turn.pop(turn.index, None)

    def _open_round(self, speech: Turn | Cue, debate: Debate) -> None:
        if self._round < speech.round:
            self._round = speech.round
            self.print(*_round_heading(speech, debate))


def _round_heading(speech: Turn | Cue, debate: Debate) -> tuple[Rule, Text]:
    announcement = chair.announce_round(debate, speech.round, speech.phase)
    return header.round_rule(speech.round, speech.phase), header.chair_notice(announcement)
