"""Watchers for where there is no terminal: plain lines, or nothing. No Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Assessed, Closed, Event, JudgingOpened, Opened, Resumed, Turned
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render import hostile, look, news
from debate_cli.render.order import ReadingOrder
from debate_cli.render.plain import lines
from debate_cli.render.threads import Threads
from debate_cli.render.troubles import Trouble, Troubles
from debate_cli.render.watcher import judging_alone


class PlainWatcher:
    """Writes each finished thing to `stream` in the order in which it is read, a line at a time, flushed after each event."""

    def __init__(self, stream: TextIO, *, show_hidden: bool = False) -> None:
        self._stream = stream
        self._show_hidden = show_hidden
        self._round = 0, ""
        self._headed = False
        self._order = ReadingOrder(self._tell)
        self._troubles = Troubles()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        self._troubles.happened(event)
        self._order.event(event, debate)
        self._told(self._troubles.due())

    def asking(self, task: Task) -> None:
        """See `Watcher`: only what is finished is written."""
        self._order.asking(task)
        self._troubles.asking(task)

    def finish(self) -> None:
        """Write what was held back for something that will not come."""
        self._order.flush()
        self._told(self._troubles.rest())

    def _tell(self, event: Event, debate: Debate) -> None:
        if not self._headed and judging_alone(event, debate):
            self._write(lines.judged_lines(debate))
        self._headed = True
        match event:
            case Opened():
                self._write(lines.header_lines(debate))
            case Resumed():
                self._write([*lines.header_lines(debate), f"{look.resumed_words(debate).capitalize()}."])
            case JudgingOpened():
                self._write(
                    [f"Judging run {hostile.line(event.run)}", *lines.judge_lines(debate, debate.run(event.run))]
                )
            case Turned(turn=turn):
                if self._round != (turn.round, turn.phase):
                    self._round = turn.round, turn.phase
                    self._write(lines.round_lines(turn.round, turn.phase))
                self._write(lines.turn_lines(turn, Threads(debate.turns), show_hidden=self._show_hidden))
            case Assessed():
                self._write(lines.news_lines(news.of_assessment(event.assessment, debate)))
            case Closed():
                self._told(self._troubles.rest())
                if debate.text is None:
                    self._write(["", look.CLOSES[event.reason]])
            case _:
                pass

    def _told(self, troubles: Iterable[Trouble]) -> None:
        for trouble in troubles:
            self._write(lines.trouble_lines(trouble))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`: only what is finished is written."""

    def note(self, note: str) -> None:
        """See `Watcher`."""
        self._write([f"Note: {hostile.line(note)}"])

    def _write(self, written: Iterable[str]) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        for text in written:
            self._stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()


class QuietWatcher:
    """Sees everything and says nothing."""

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""

    def asking(self, task: Task) -> None:
        """See `Watcher`."""

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""

    def note(self, note: str) -> None:
        """See `Watcher`."""
