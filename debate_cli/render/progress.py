"""The line on how far a run is: calls done of those planned, time, tokens, cost, and who is being waited for."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Assessed, Event, Failed, Turned
from debate_cli.domain.exchange import TotalUsage
from debate_cli.domain.tasks import Brief, Task
from debate_cli.render import hostile, look
from debate_cli.render.bars import Bar


class Progress:
    """Counts what is settled; written by the event loop, read by the drawing thread."""

    def __init__(self, planned: int | None, clock: Callable[[], float]) -> None:
        self._planned = planned
        self._clock = clock
        self._started = clock()
        self._done = 0
        self._usage = TotalUsage(cost_usd=0.0)
        self._judging: tuple[Brief, ...] = ()

    def start(self) -> None:
        """Set the clock to zero."""
        self._started = self._clock()

    def asking(self, task: Task) -> None:
        """A question was sent."""
        if isinstance(task, Brief):
            self._judging = (*self._judging, task)

    def settled(self, event: Event, debate: Debate) -> None:
        """Take note of what `event` settles."""
        self._done = len(debate.turns) + len(debate.assessments) + len(debate.given_up)
        self._usage = debate.usage
        match event:
            case Turned():
                return
            case Assessed():
                key = event.assessment.brief.key
            case Failed():
                key = event.failure.task.key
            case _:
                return
        self._judging = tuple(brief for brief in self._judging if brief.key != key)

    def words(self) -> str:
        """All of it but the bar."""
        usage = self._usage
        total = f"/{max(self._planned, self._done)}" if self._planned else ""
        parts = [
            f"{self._done}{total} calls",
            look.seconds(self._clock() - self._started),
            f"{look.tokens(usage.input_tokens + usage.output_tokens)} tokens",
            look.money(usage.cost_usd),
        ]
        if self._judging:
            parts.append("judging: " + "; ".join(hostile.line(look.brief_words(brief)) for brief in self._judging))
        return " · ".join(parts)

    def line(self) -> RenderableType:
        """The line as it is drawn; never more than one line high."""
        grid = Table.grid(padding=(0, 1, 0, 0))
        words = Text(self.words(), style=look.QUIET, no_wrap=True, overflow="ellipsis")
        if not self._planned:
            grid.add_row(words)
            return grid
        grid.add_column(width=16)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_row(Bar(self._done, max(self._planned, self._done), look.TEAL, 16), words)
        return grid
