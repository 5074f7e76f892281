"""A live view that is not drawing by itself, with the debate that it watches."""

from __future__ import annotations

import json
from io import StringIO

from render_support import console, opened
from rich.console import Console

from debate_cli.domain.debate import Debate
from debate_cli.domain.debate import initial_debate as opened_debate
from debate_cli.domain.events import Event
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.render.live.view import LiveObserver


def cue(turn: Turn) -> Cue:
    """The cue that asked for a turn."""
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)


class Stage:
    """A watcher that is not drawing by itself, and the debate it watches."""

    def __init__(self, width: int = 120, planned: int | None = 11) -> None:
        self.console = console(width, colour=True)
        self.now = 0.0
        self.watcher = LiveObserver(self.console, planned, clock=lambda: self.now)
        self.debate: Debate = opened_debate(opened())
        self.watcher.event(opened(), self.debate)

    def happens(self, event: Event) -> None:
        """Apply and show an event."""
        self.debate = self.debate.apply(event)
        self.watcher.event(event, self.debate)

    def region(self) -> list[str]:
        """Lines of what is drawn now, without colours."""
        lines = self.console.render_lines(self.watcher.region(), pad=False)
        return ["".join(segment.text for segment in line) for line in lines]

    def printed(self) -> str:
        """What was printed for good, without colours."""
        return sent(self.console)


def sent(target: Console) -> str:
    """Everything that a console wrote."""
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def stream(stage: Stage, turn: Turn, *, length: int | None = None) -> None:
    """Stream the raw form of a turn."""
    raw = json.dumps(turn.model_dump(mode="json", include={"arguments", "responses"}, exclude_none=True))
    stage.watcher.asking(cue(turn))
    stage.watcher.text(cue(turn), raw[:length])
