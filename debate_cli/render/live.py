"""The live view of a run: what is finished is printed for good, what is under way is drawn below it and redrawn.

Only the current wave is redrawn, at most twelve times a second and cropped to the window; a piece of text costs an
`append`. The drawing thread reads what the event loop wrote; neither waits for the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Assessed, Closed, Event, Failed, JudgingOpened, Opened, Resumed, Turned
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.render import look, news
from debate_cli.render.header import heading, judging_heading, round_rule
from debate_cli.render.notices import closing_line, failure_line, news_line, note_line
from debate_cli.render.progress import Progress
from debate_cli.render.speech import Wave, turn_panel
from debate_cli.render.wave import Stream, growing

REFRESHES_PER_SECOND = 12


class LiveWatcher:
    """A Watcher for a terminal; a context manager that leaves the terminal as it found it.

    `planned` is the least number of calls of the run, or None where it is not known.
    """

    def __init__(
        self,
        console: Console,
        planned: int | None = None,
        *,
        show_hidden: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console = console
        self.show_hidden = show_hidden
        self._debate: Debate | None = None
        self._streams: tuple[Stream, ...] = ()
        self._round = 0, ""
        self._progress = Progress(planned, clock)
        self._live = Live(
            console=console,
            get_renderable=self.region,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )

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
        self._live.start()

    def stop(self) -> None:
        """Print what of the last wave is finished, remove the region, show the cursor. May be called twice."""
        if self._live.is_started:
            try:
                self._finish_wave()
            finally:
                self._live.stop()

    def event(self, event: Event, debate: Debate) -> None:
        """See `Watcher`."""
        self._debate = debate
        match event:
            case Opened():
                self.console.print(heading(debate))
            case Resumed():
                self._resumed(debate)
            case JudgingOpened():
                self.console.print(judging_heading(debate, debate.run(event.run)))
            case Turned():
                self._turned(event)
            case Assessed():
                self.console.print(news_line(news.of_assessment(event.assessment, debate), debate))
            case Failed():
                self.console.print(failure_line(event.failure))
                self._drop(event.failure.task)
            case Closed():
                self._finish_wave()
                self.console.print(closing_line(event.reason))
            case _:
                pass
        self._progress.settled(event, debate)

    def asking(self, task: Task) -> None:
        """See `Watcher`."""
        self._progress.asking(task)
        if isinstance(task, Cue) and all(stream.cue.key != task.key for stream in self._streams):
            self._streams = tuple(sorted((*self._streams, Stream(task)), key=lambda stream: stream.cue.index))

    def text(self, cue: Cue, piece: str) -> None:
        """See `Watcher`."""
        for stream in self._streams:
            if stream.cue.key == cue.key:
                stream.pieces.append(piece)

    def note(self, note: str) -> None:
        """See `Watcher`."""
        self.console.print(note_line(note))

    def region(self) -> RenderableType:
        """What is drawn now: the wave under way and a line on progress."""
        debate, streams = self._debate, self._streams
        status = self._progress.line()
        if debate is None:
            return Text("")
        if not streams:
            return status
        cue = streams[0].cue
        rule: list[RenderableType] = [] if self._round == (cue.round, cue.phase) else [round_rule(cue.round, cue.phase)]
        height = self.console.height - len(rule) - 2
        body = growing(streams, look.voices(debate.participants), self.console.width, height)
        return Group(*rule, *body, status)

    def _resumed(self, debate: Debate) -> None:
        self.console.print(heading(debate))
        for turn in debate.turns:
            self._print_rule(turn.round, turn.phase)
            self.console.print(
                turn_panel(turn, look.voices(debate.participants)[turn.speaker], show_hidden=self.show_hidden)
            )

    def _turned(self, event: Turned) -> None:
        for stream in self._streams:
            if stream.cue.index == event.turn.index:
                stream.turn = event.turn
                break
        else:
            stream = Stream(
                Cue(index=event.turn.index, round=event.turn.round, phase=event.turn.phase, speaker=event.turn.speaker)
            )
            stream.turn = event.turn
            self._streams = (*self._streams, stream)
        if all(stream.turn is not None for stream in self._streams):
            self._finish_wave()

    def _drop(self, task: Task) -> None:
        """A speech that will not come is not waited for."""
        if isinstance(task, Brief):
            return
        self._streams = tuple(stream for stream in self._streams if stream.cue.key != task.key)
        if self._streams and all(stream.turn is not None for stream in self._streams):
            self._finish_wave()

    def _finish_wave(self) -> None:
        """Print the speeches of the wave for good."""
        turns = [stream.turn for stream in self._streams if stream.turn is not None]
        self._streams = ()
        if not turns or self._debate is None:
            return
        signs = look.voices(self._debate.participants)
        self._print_rule(turns[0].round, turns[0].phase)
        self.console.print(
            Wave([turn_panel(turn, signs[turn.speaker], show_hidden=self.show_hidden) for turn in turns])
        )

    def _print_rule(self, round_number: int, phase: str) -> None:
        if self._round != (round_number, phase):
            self._round = round_number, phase
            self.console.print(round_rule(round_number, phase))
