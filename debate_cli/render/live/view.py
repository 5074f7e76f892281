"""Shows a run on a terminal: finished speeches are printed, speeches in progress are redrawn below them.

Another thread writes to the terminal, so that a slow terminal never delays the debate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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
    Failure,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Phase, Turn
from debate_cli.observer import is_judging_only
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.run_notices import (
    EventOrder,
    build_judge_report,
    cue_of,
    describe_failure,
)
from debate_cli.render.content.speech_parts import ThreadIndex, index_citations
from debate_cli.render.content.summary import change_lines
from debate_cli.render.live import header
from debate_cli.render.live.header import ProgressLine
from debate_cli.render.live.speech import PanelRow, SpeechStream, Tail, streaming_panels, turn_panel
from debate_cli.render.replay import group_waves
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
        """See `RunContext.waits`."""
        self._plan = plan
        self._show_hidden = show_hidden
        self._hint = hint
        self._progress = ProgressLine(expected, clock)
        self._printed: list[RenderableType] = []
        self._debate: Debate | None = None
        self._order = EventOrder()
        self._streams: dict[int, SpeechStream] = {}
        """The speeches that are not printed yet, by the index of their turn."""
        self._pending: dict[str, Brief] = {}
        self._shown_failures: set[str] = set()
        self._round = 0, ""
        self._actions: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """Changes of the fields above. They are made by one thread at a time."""
        self._stopping = ThreadEvent()
        self._thread: Thread | None = None
        self._error: OSError | None = None

    def start(self) -> None:
        """Start the clock and, on a terminal, start drawing."""
        self._progress.start()
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
        self._finish()
        self._print_finished()

    def event(self, event: Event, debate: Debate) -> None:
        """Print what `event` completes, e.g. a speech, and update the redrawn region."""
        self._enqueue(lambda: self._apply(event, debate))

    def asking(self, task: Task) -> None:
        """Show that `task` was sent to a model."""
        self._enqueue(lambda: self._expect(task))

    def text(self, cue: Cue, piece: str) -> None:
        """Add a piece to a speech in progress."""
        self._enqueue(lambda: self._add_text(cue, piece))

    def note(self, note: str) -> None:
        """Print the note above the redrawn region."""
        self._enqueue(lambda: self._print(header.notice("!", theme.GOLD, note)))

    def region(self) -> RenderableType:
        """Return the redrawn region: speeches in progress, the progress line, what the run waits for, and the hint."""
        if self._debate is None:
            return Group()
        width, height = self.console.size
        status = [self._progress.render(width, self._pending.values())]
        waits = filter(None, (describe() for describe in self.waits.values()))
        status += [terminal_line(f"! {wait}", theme.GOLD) for wait in waits]
        if self._hint:
            status.append(Text(self._hint, no_wrap=True, overflow="ellipsis"))
        rows = max(2, height - 1)
        parts: list[RenderableType] = []
        streams = [self._streams[index] for index in sorted(self._streams)]
        waves = [list(wave) for _, wave in groupby(streams, lambda stream: self._wave_of(stream.cue))]
        current = self._round
        for wave in waves:
            heading: list[Rule | Text] = []
            if current != (current := (wave[0].cue.round, wave[0].cue.phase)):
                rule, notice = self._round_heading(*current)
                notice.no_wrap, notice.overflow = True, "ellipsis"
                heading = [rule, notice]
            size = width, (rows - len(status)) // len(waves) - len(heading)
            parts += [*heading, streaming_panels(wave, self._debate, size)]
        return Tail(Group(*parts, *status), rows, marked=False)

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
        printed, self._printed = self._printed, []
        if printed:
            self.console.print(Group(*printed))

    def _print(self, *renderables: RenderableType) -> None:
        self._printed += renderables

    def _apply(self, event: Event, debate: Debate) -> None:
        if self._debate is None and is_judging_only(event, debate):
            self._print(header.rejudging_heading(debate))
        self._debate = debate
        match event:
            case TurnCompleted(turn=turn):
                self._streams.setdefault(turn.index, SpeechStream(cue_of(turn))).turn = turn
            case AssessmentCompleted(assessment=judged) | TaskFailed(failure=Failure(task=Brief()) as judged):
                self._pending.pop(judged.task.key if isinstance(judged, Failure) else judged.brief.key, None)
            case DebateClosed():
                self._pending = {}
            case _:
                pass
        self._show(self._order.release(event, debate))
        self._progress.record_event(event, debate)

    def _expect(self, task: Task) -> None:
        self._order.expect(task)
        if isinstance(task, Brief):
            self._pending[task.key] = task
        else:
            self._streams.setdefault(task.index, SpeechStream(task))

    def _add_text(self, cue: Cue, piece: str) -> None:
        if cue.index in self._streams:
            self._streams[cue.index].pieces.append(piece)

    def _finish(self) -> None:
        self._pending = {}
        self._show(self._order.release_all())
        self._streams = {}

    def _wave_of(self, speech: Turn | Cue) -> int:
        """Return a number that simultaneous speeches share."""
        return speech.index if self._debate is not None and self._debate.is_sequential else speech.round

    def _show(self, events: Sequence[Event]) -> None:
        waves = groupby(events, lambda event: self._wave_of(event.turn) if isinstance(event, TurnCompleted) else None)
        for _, group in waves:
            wave = list(group)
            if turns := [event.turn for event in wave if isinstance(event, TurnCompleted)]:
                self._print_speeches(turns)
            else:
                for event in wave:
                    self._show_event(event)

    def _show_event(self, event: Event) -> None:
        debate = self._debate
        assert debate is not None
        match event:
            case DebateOpened():
                announcement = chair.announce_debate(debate)
                notice = [header.chair_notice(announcement)] if announcement else []
                self._print(header.debate_heading(debate, plan=self._plan), *notice)
            case DebateResumed():
                self._resume(event, debate)
            case JudgingOpened():
                self._print(header.judging_run_heading(debate, debate.run(event.run)))
            case AssessmentCompleted():
                self._print(header.judge_report_notice(build_judge_report(event.assessment, debate), debate))
            case TaskFailed(failure=failure):
                if isinstance(failure.task, Cue):
                    self._streams.pop(failure.task.index, None)
                    self._open_round(failure.task.round, failure.task.phase)
                self._print(header.notice("✗", theme.RED, describe_failure(failure, self._shown_failures)))
            case DebateClosed():
                self._streams = {}
                self._print(*header.closing_notices(debate, event.reason))
            case _:
                pass

    def _resume(self, event: DebateResumed, debate: Debate) -> None:
        self._print(header.debate_heading(debate, theme.describe_resume(debate), self._plan._replace(calls=None)))
        self._print(*(terminal_line(f"changed: {line}", theme.MUTED) for line in change_lines(event.changes)))
        for wave in group_waves(debate):
            self._print_speeches(wave)
        if debate.turns:
            self._print(header.resume_rule(debate))

    def _print_speeches(self, turns: Sequence[Turn]) -> None:
        debate = self._debate
        assert debate is not None
        self._open_round(turns[0].round, turns[0].phase)
        styles, threads = theme.participant_styles(debate.participants), ThreadIndex(debate.turns)
        show = partial(turn_panel, styles=styles, threads=threads, citations=index_citations(debate))
        self._print(PanelRow([show(turn, show_hidden=self._show_hidden) for turn in turns]))
        for turn in turns:
            self._streams.pop(turn.index, None)

    def _open_round(self, number: int, phase: Phase) -> None:
        if number >= self._round[0] and self._round != (number, phase):
            self._round = number, phase
            self._print(*self._round_heading(number, phase))

    def _round_heading(self, number: int, phase: Phase) -> tuple[Rule, Text]:
        assert self._debate is not None
        return header.round_rule(number, phase), header.chair_notice(chair.announce_round(self._debate, number, phase))
