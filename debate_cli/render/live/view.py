"""The live view of a run: what is finished is printed for good, what is under way is drawn below it and redrawn.

A piece of text costs an `append`. The drawing thread reads what the event loop wrote, and alone writes to the terminal:
the event loop waits at most while a frame is made, never while it is written, however slow the terminal is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType

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
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.observer import is_judging_only
from debate_cli.render import judge_report, theme
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.event_order import is_partial_judging
from debate_cli.render.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.live.column import truncate_line
from debate_cli.render.live.frame import FrameGroup
from debate_cli.render.live.header import (
    debate_heading,
    judging_run_heading,
    rejudging_heading,
    resume_rule,
    round_line,
    round_rule,
)
from debate_cli.render.live.notices import closing_line, failure_line, judge_report_line, note_line
from debate_cli.render.live.progress import ProgressLine
from debate_cli.render.live.region import LiveRegion, StyleRenderer, TerminalRow
from debate_cli.render.live.speech import turn_frame
from debate_cli.render.live.wave import SpeechStream, StreamingSpeech, streaming_rows
from debate_cli.render.replay import group_waves


class LiveObserver:
    """A Watcher for a terminal; a context manager that leaves the terminal as it found it.

    `planned` is the least number of calls of the run, or None where it is not known; `hint` stands below everything.
    """

    def __init__(
        self,
        console: Console,
        planned: int | None = None,
        *,
        show_hidden: bool = False,
        hint: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console = console
        self.hint = hint
        self.show_hidden = show_hidden
        self._debate: Debate | None = None
        self._wave: tuple[StreamingSpeech, ...] = ()
        self._withheld: tuple[Assessment, ...] = ()
        self._parts: frozenset[str] = frozenset()
        self._troubles = FailureGrouper()
        self._round = 0, ""
        self._progress = ProgressLine(planned, clock)
        self._ink = StyleRenderer(console)
        self._region = LiveRegion(console, self.rows)

    def __enter__(self) -> Self:
        """Start drawing."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing, whatever happened."""
        self.stop()

    def start(self) -> None:
        """Start drawing; the clock starts with it."""
        self._progress.start()
        self._region.start()

    def stop(self) -> None:
        """Print what of the last wave is finished, remove the region, show the cursor. May be called twice."""
        try:
            self._finish()
        finally:
            self._region.stop()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        if self._debate is None and is_judging_only(event, debate):
            self._print(rejudging_heading(debate))
        self._debate = debate
        self._troubles.record_event(event)
        match event:
            case DebateOpened():
                self._print(debate_heading(debate))
            case DebateResumed():
                self._progress.found(debate)
                self._resumed(debate)
            case JudgingOpened():
                self._print(judging_run_heading(debate, debate.run(event.run)))
            case TurnCompleted():
                self._turned(event, debate)
            case AssessmentCompleted():
                self._assessed(event.assessment, debate)
            case TaskFailed():
                self._reported(event.failure.task.key)
            case DebateClosed():
                self._finish()
                self._print(*([closing_line(event.reason)] if debate.document_name is None else []))
            case _:
                pass
        for trouble in self._troubles.pop_ready():
            self._failed(trouble)
        self._progress.record_event(event, debate)

    def asking(self, task: Task) -> None:
        """See `Watcher`."""
        self._progress.asking(task)
        self._troubles.asking(task)
        if is_partial_judging(task):
            self._parts |= {task.key}
        if isinstance(task, Cue) and self._debate is not None and self._stream(task.index) is None:
            self._add(SpeechStream(task, ThreadIndex(self._debate.turns)), self._debate)

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""
        stream = self._stream(cue.index)
        if stream is not None:
            stream.pieces.append(piece)

    def note(self, note: str) -> None:
        """See `Watcher`."""
        self._print(note_line(note))

    def rows(self, tick: int = 0) -> list[TerminalRow]:
        """What is drawn now: the wave under way and a line on progress; lower than the window, and no wider."""
        wave = self._wave
        if self._debate is None:
            return []
        width, height = self.console.width, max(2, self.console.height - 1)
        below = [self._progress.line(width), *([truncate_line([(self.hint, "")], width)] if self.hint else [])]
        status = [self._ink.row(told) for told in below]
        if not wave:
            return status[-height:]
        cue = wave[0].stream.cue
        rule = [] if self._round == (cue.round, cue.phase) else [self._ink.row(round_line(cue.round, cue.phase, width))]
        body = streaming_rows(wave, width, height - len(rule) - len(status), tick)
        return [*rule, *body, *status][-height:]

    def _print(self, *renderables: RenderableType) -> None:
        self._region.above(*renderables)

    def _stream(self, index: int) -> SpeechStream | None:
        return next((growing.stream for growing in self._wave if growing.stream.cue.index == index), None)

    def _add(self, stream: SpeechStream, debate: Debate) -> None:
        added = StreamingSpeech(stream, theme.participant_styles(debate.participants), self._ink)
        self._wave = tuple(sorted((*self._wave, added), key=lambda growing: growing.stream.cue.index))

    def _resumed(self, debate: Debate) -> None:
        threads = ThreadIndex(debate.turns)
        said = [
            part for wave in group_waves(debate) for part in self._speeches([(turn, threads) for turn in wave], debate)
        ]
        self._print(
            debate_heading(debate, theme.describe_resume(debate)), *said, *([resume_rule(debate)] if said else [])
        )

    def _turned(self, event: TurnCompleted, debate: Debate) -> None:
        turn = event.turn
        stream = self._stream(turn.index)
        if stream is None:
            cue = Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
            stream = SpeechStream(cue, ThreadIndex(debate.turns))
            self._add(stream, debate)
        stream.turn = turn
        self._finish_whole_wave()

    def _assessed(self, assessment: Assessment, debate: Debate) -> None:
        """A report waits until what it stands below is printed: the speech it is on, all on parts before one on the whole."""
        subject = assessment.subject
        spoken = any(growing.stream.cue.index in subject.turns for growing in self._wave)
        if spoken or (subject.moment == "debate" and self._parts - {assessment.brief.key}):
            self._withheld = (*self._withheld, assessment)
        else:
            self._print(judge_report_line(judge_report.build_judge_report(assessment, debate), debate))
        self._reported(assessment.brief.key)

    def _reported(self, key: str) -> None:
        """A judge's word is there, or will not come: print what waited for it."""
        if key in self._parts:
            self._parts -= {key}
            self._print_withheld()

    def _print_withheld(self) -> None:
        withheld, self._withheld = self._withheld, ()
        if self._debate is not None:
            for assessment in sorted(withheld, key=lambda item: item.subject.moment == "debate"):
                self._assessed(assessment, self._debate)

    def _failed(self, trouble: FailureGroup) -> None:
        """A speech that will not come is not waited for."""
        cues = [failure.task for failure in trouble.failures if isinstance(failure.task, Cue)]
        keys = {cue.key for cue in cues}
        with self._region.pause_drawing():
            self._wave = tuple(growing for growing in self._wave if growing.stream.cue.key not in keys)
            self._finish_whole_wave()
            for cue in cues:
                if cue.round >= self._round[0]:
                    self._print(*self._opening_rule(cue.round, cue.phase))
            self._print(failure_line(trouble))

    def _finish(self) -> None:
        """Print whatever is there: nothing more will come."""
        self._parts = frozenset()
        for trouble in self._troubles.rest():
            self._failed(trouble)
        self._finish_wave()

    def _finish_whole_wave(self) -> None:
        if self._wave and all(growing.stream.turn is not None for growing in self._wave):
            self._finish_wave()

    def _finish_wave(self) -> None:
        """Print the speeches of the wave for good, and what the judges said about them."""
        with self._region.pause_drawing():
            turns = [(growing.stream.turn, growing.stream.threads) for growing in self._wave]
            self._wave = ()
            if self._debate is not None:
                finished = [(turn, threads) for turn, threads in turns if turn is not None]
                self._print(*self._speeches(finished, self._debate))
            self._print_withheld()

    def _speeches(self, turns: Sequence[tuple[Turn, ThreadIndex]], debate: Debate) -> list[RenderableType]:
        """The speeches of one wave, below the rule of their round where that is not there yet."""
        if not turns:
            return []
        signs = theme.participant_styles(debate.participants)
        frames = [turn_frame(turn, signs, threads, show_hidden=self.show_hidden) for turn, threads in turns]
        return [*self._opening_rule(turns[0][0].round, turns[0][0].phase), FrameGroup(frames)]

    def _opening_rule(self, round_number: int, phase: str) -> list[RenderableType]:
        """The rule of a round, where it is not there yet."""
        if self._round == (round_number, phase):
            return []
        self._round = round_number, phase
        return [round_rule(round_number, phase)]
