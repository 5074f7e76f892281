"""Shows a run on a terminal: finished speeches are printed, speeches in progress are redrawn below them.

Another thread writes to the terminal, so that a slow terminal never delays the debate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import groupby
from queue import SimpleQueue
from threading import Event as ThreadEvent
from threading import Thread

from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from debate_cli.domain.assessment import Assessment
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
    build_judge_report,
    describe_failure,
    must_report_wait,
    must_speech_wait,
    report_position,
    report_round,
)
from debate_cli.render.content.speech_parts import ThreadIndex, index_citations
from debate_cli.render.content.summary import change_lines
from debate_cli.render.live import header
from debate_cli.render.live.header import ProgressLine
from debate_cli.render.live.speech import PanelRow, SpeechStream, Tail, streaming_panels, turn_panel
from debate_cli.render.replay import group_waves
from debate_cli.render.terminal.drawing import terminal_line

FRAMES_PER_SECOND = 10
ECHO_WIDTH = len("^C")
"""Columns that the bottom line leaves free. The terminal writes `^C` there when the user presses Ctrl-C. Without free
columns, the terminal would write `^C` in the next row. The cursor would then be one row lower than expected, and a part
of the redrawn region would not be erased."""


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
        """Maps each provider to a function that returns a text: how long the provider has refused calls, and when the next
        call is sent. The text is empty if calls need not wait."""
        self.stop_notice = ""
        """How the run stops, after a stop was requested; empty before. Shown below the progress line."""
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
        """Print `note` above the redrawn region (see `region`)."""
        self._enqueue(lambda: self._state.print(header.notice("!", theme.GOLD, note)))

    def region(self) -> RenderableType:
        """Return the redrawn region: speeches in progress, progress line, waits, notice of a stop, bottom line."""
        notices = [*(describe() for describe in self.waits.values()), self.stop_notice]
        return self._state.region(self.console, list(filter(None, notices)))

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
        self._withheld: list[Assessment | Failure] = []
        self._pending: dict[str, Brief] = {}
        self._shown_failures: set[str] = set()
        self._round = 0, ""

    def print(self, *renderables: RenderableType) -> None:
        self._printed += renderables

    def take_printed(self) -> list[RenderableType]:
        printed, self._printed = self._printed, []
        return printed

    def region(self, console: Console, notices: Sequence[str]) -> RenderableType:
        if self._debate is None:
            return Group()
        parts: list[RenderableType] = []
        width, height = console.size
        status: list[RenderableType] = [self.progress.render(width, self._pending.values())]
        status += [terminal_line(f"! {notice}", theme.GOLD) for notice in notices]
        if self._hint:
            status.append(Text(self._hint, no_wrap=True, overflow="ellipsis"))
        status[-1] = Constrain(status[-1], max(1, width - ECHO_WIDTH))
        rows = max(2, height - 1)
        styles, citations = theme.participant_styles(self._debate.participants), index_citations(self._debate)
        waves, current = self._waves(), self._round
        for wave in waves:
            is_new = current != (current := (wave[0].cue.round, wave[0].cue.phase))
            heading = Group(*self._round_heading(*current) if is_new else ())
            room = (rows - len(status)) // len(waves) - len(console.render_lines(heading, pad=False))
            parts += [heading, streaming_panels(wave, styles, citations, (width, room))]
        return Tail(Group(*parts, *status), rows, marked=False)

    def event(self, event: Event, debate: Debate) -> None:
        if self._debate is None and is_judging_only(event, debate):
            self.print(header.rejudging_heading(debate))
        self._debate = debate
        match event:
            case DebateOpened():
                announcement = chair.announce_debate(debate)
                notice = [header.chair_notice(announcement)] if announcement else []
                self.print(header.debate_heading(debate, plan=self._plan), *notice)
            case DebateResumed():
                self._resume(event, debate)
            case JudgingOpened():
                self.print(header.judging_run_heading(debate, debate.run(event.run)))
            case TurnCompleted(turn=turn):
                cue = Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
                self._streams_by_turn.setdefault(turn.index, SpeechStream(cue, ThreadIndex(debate.turns))).turn = turn
                self._print_complete_waves()
            case TaskFailed(failure=Failure(task=Cue() as cue) as failure):
                self._end_speech(cue, failure)
            case AssessmentCompleted(assessment=judged) | TaskFailed(failure=judged):
                self._pending.pop(_brief_of(judged).key, None)
                self._withheld.append(judged)
                self._print_reports()
                self._print_complete_waves()
            case DebateClosed():
                self.finish()
                self.print(*header.closing_notices(debate, event.reason))
            case _:
                pass
        self.progress.record_event(event, debate)

    def asking(self, task: Task) -> None:
        if isinstance(task, Brief):
            self._pending[task.key] = task
        elif self._debate is not None:
            self._streams_by_turn.setdefault(task.index, SpeechStream(task, ThreadIndex(self._debate.turns)))

    def text(self, cue: Cue, piece: str) -> None:
        if cue.index in self._streams_by_turn:
            self._streams_by_turn[cue.index].pieces.append(piece)

    def finish(self) -> None:
        self._pending = {}
        self._streams_by_turn = {index: of for index, of in self._streams_by_turn.items() if of.turn is not None}
        self._print_complete_waves()
        self._print_reports()

    def _waves(self) -> list[list[SpeechStream]]:
        streams = [self._streams_by_turn[index] for index in sorted(self._streams_by_turn)]
        if self._debate is not None and self._debate.is_sequential:
            return [[stream] for stream in streams]
        return [list(wave) for _, wave in groupby(streams, key=lambda stream: (stream.cue.round, stream.cue.phase))]

    def _resume(self, event: DebateResumed, debate: Debate) -> None:
        self.print(header.debate_heading(debate, theme.describe_resume(debate), self._plan._replace(calls=None)))
        self.print(*(terminal_line(f"changed: {line}", theme.MUTED) for line in change_lines(event.changes)))
        threads = ThreadIndex(debate.turns)
        for wave in group_waves(debate):
            self._print_speeches([(turn, threads) for turn in wave], debate)
        if debate.turns:
            self.print(header.resume_rule(debate))

    def _print_reports(self) -> None:
        if self._debate is None:
            return
        withheld, self._withheld = self._withheld, []
        for item in sorted(withheld, key=lambda item: report_position(_brief_of(item))):
            brief = _brief_of(item)
            if brief.subject.turns:
                is_speech_open = bool(self._streams_by_turn.keys() & brief.subject.turns)
            else:
                last = report_round(brief, self._debate)
                is_speech_open = any(stream.cue.round <= last for stream in self._streams_by_turn.values())
            if is_speech_open or must_report_wait(brief, self._pending.values()):
                self._withheld.append(item)
            elif isinstance(item, Failure):
                self._print_failure(item)
            else:
                self.print(header.judge_report_notice(build_judge_report(item, self._debate), self._debate))

    def _end_speech(self, cue: Cue, failure: Failure) -> None:
        self._streams_by_turn.pop(cue.index, None)
        self._print_complete_waves(pending=())
        if cue.round >= self._round[0]:
            self._open_round(cue.round, cue.phase)
        self._print_failure(failure)

    def _print_failure(self, failure: Failure) -> None:
        self.print(header.notice("✗", theme.RED, describe_failure(failure, self._shown_failures)))

    def _print_complete_waves(self, pending: Collection[Brief] | None = None) -> None:
        pending = self._pending.values() if pending is None else pending
        if self._debate is None:
            return
        for wave in self._waves():
            said = [(stream.turn, stream.threads) for stream in wave if stream.turn is not None]
            number = wave[0].cue.round
            unprinted = {stream.cue.round for stream in self._streams_by_turn.values() if stream.turn is not None}
            if len(said) < len(wave) or must_speech_wait(number, unprinted, pending, self._debate):
                return
            for stream in wave:
                del self._streams_by_turn[stream.cue.index]
            self._print_speeches(said, self._debate)
            self._print_reports()

    def _print_speeches(self, turns: Sequence[tuple[Turn, ThreadIndex]], debate: Debate) -> None:
        if turns:
            styles, citations = theme.participant_styles(debate.participants), index_citations(debate)
            self._open_round(turns[0][0].round, turns[0][0].phase)
            show = partial(turn_panel, styles=styles, citations=citations, show_hidden=self._show_hidden)
            self.print(PanelRow([show(turn, threads=threads) for turn, threads in turns]))

    def _open_round(self, round_number: int, phase: Phase) -> None:
        if self._round != (round_number, phase):
            self._round = round_number, phase
            self.print(*self._round_heading(round_number, phase))

    def _round_heading(self, number: int, phase: Phase) -> tuple[Rule, Text]:
        assert self._debate is not None
        return header.round_rule(number, phase), header.chair_notice(chair.announce_round(self._debate, number, phase))


def _brief_of(judged: Assessment | Failure) -> Brief:
    task = judged.task if isinstance(judged, Failure) else judged.brief
    assert isinstance(task, Brief)
    return task
