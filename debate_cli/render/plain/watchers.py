"""Watchers for where there is no terminal: plain lines, or nothing. No Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    JudgingOpened,
    TurnCompleted,
)
from debate_cli.domain.tasks import Cue, Task
from debate_cli.observer import is_judging_only
from debate_cli.render import judge_report, sanitize, theme
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.event_order import EventOrder
from debate_cli.render.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.plain import lines


class PlainObserver:
    """Writes each finished thing to `stream` in the order in which it is read, a line at a time, flushed after each event."""

    def __init__(self, stream: TextIO, *, show_hidden: bool = False) -> None:
        self._stream = stream
        self._show_hidden = show_hidden
        self._round = 0, ""
        self._headed = False
        self._order = EventOrder(self._write_event)
        self._troubles = FailureGrouper()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        self._troubles.record_event(event)
        self._order.event(event, debate)
        self._write_failures(self._troubles.pop_ready())

    def asking(self, task: Task) -> None:
        """See `Watcher`: only what is finished is written."""
        self._order.asking(task)
        self._troubles.asking(task)

    def finish(self) -> None:
        """Write what was held back for something that will not come."""
        self._order.flush()
        self._write_failures(self._troubles.rest())

    def _write_event(self, event: Event, debate: Debate) -> None:
        if not self._headed and is_judging_only(event, debate):
            self._write(lines.judging_header_lines(debate))
        self._headed = True
        match event:
            case DebateOpened():
                self._write(lines.header_lines(debate))
            case DebateResumed():
                self._write([*lines.header_lines(debate), f"{theme.describe_resume(debate).capitalize()}."])
            case JudgingOpened():
                self._write(
                    [
                        f"Judging run {sanitize.sanitize_line(event.run)}",
                        *lines.judge_lines(debate, debate.run(event.run)),
                    ]
                )
            case TurnCompleted(turn=turn):
                if self._round != (turn.round, turn.phase):
                    self._round = turn.round, turn.phase
                    self._write(lines.round_lines(turn.round, turn.phase))
                self._write(lines.turn_lines(turn, ThreadIndex(debate.turns), show_hidden=self._show_hidden))
            case AssessmentCompleted():
                self._write(lines.judge_report_lines(judge_report.build_judge_report(event.assessment, debate)))
            case DebateClosed():
                self._write_failures(self._troubles.rest())
                if debate.document_name is None:
                    self._write(["", theme.CLOSE_MESSAGES[event.reason]])
            case _:
                pass

    def _write_failures(self, troubles: Iterable[FailureGroup]) -> None:
        for trouble in troubles:
            self._write(lines.failure_lines(trouble))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`: only what is finished is written."""

    def note(self, note: str) -> None:
        """See `Watcher`."""
        self._write([f"Note: {sanitize.sanitize_line(note)}"])

    def _write(self, written: Iterable[str]) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        for text in written:
            self._stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()


class NullObserver:
    """Sees everything and says nothing."""

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""

    def asking(self, task: Task) -> None:
        """See `Watcher`."""

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""

    def note(self, note: str) -> None:
        """See `Watcher`."""
