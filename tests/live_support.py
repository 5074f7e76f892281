"""A live view whose drawing thread is not started, with the debate that it shows."""

import json

from render_support import START, console, console_output, opening_event
from rich.text import Text

from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.domain.events import AssessmentCompleted, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.render.live.view import LiveObserver


def cue(turn: Turn) -> Cue:
    """The cue that requested a turn."""
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)


def failure_event(task: Task, message: str = "lab is down", who: str = "") -> TaskFailed:
    """The event of a task whose server was unreachable."""
    name = who or (task.assessor if isinstance(task, Brief) else task.speaker)
    failure = Failure(task=task, who=name, cause="UnreachableError", message=message, final=False)
    return TaskFailed(at=START, failure=failure)


def turn_event(turn: Turn) -> TurnCompleted:
    """The event of a finished turn."""
    return TurnCompleted(at=START, turn=turn)


def assessment_event(assessment: object, **changes: object) -> AssessmentCompleted:
    """The event of an assessment, with changed fields."""
    event = AssessmentCompleted.model_validate({"at": START, "assessment": assessment})
    return event.model_copy(update={"assessment": event.assessment.model_copy(update=changes)})


class LiveView:
    """A live observer and its debate: a new one, or one that was `saved` before the observer existed."""

    def __init__(self, width: int = 120, planned: int | None = 11, saved: Debate | None = None) -> None:
        self.console = console(width, colour=True)
        self.now = 0.0
        self.console.get_time = lambda: self.now
        self.observer = LiveObserver(self.console, planned, clock=lambda: self.now)
        self.debate: Debate = saved or initial_debate(opening_event())
        if saved is None:
            self.observer.event(opening_event(), self.debate)

    def request(self, *turns: Turn) -> None:
        """Announce that turns were requested."""
        for turn in turns:
            self.observer.asking(cue(turn))

    def apply(self, *events: Event) -> None:
        """Apply and show events."""
        for event in events:
            self.debate = self.debate.apply(event)
            self.observer.event(event, self.debate)

    def stream(self, turn: Turn, *, length: int | None = None) -> None:
        """Stream the raw JSON of a turn."""
        raw = json.dumps(turn.model_dump(mode="json", include={"arguments", "responses"}, exclude_none=True))
        self.request(turn)
        self.observer.text(cue(turn), raw[:length])

    def region(self) -> list[str]:
        """Lines of the redrawn region, without colours."""
        lines = self.console.render_lines(self.observer.region(), pad=False)
        return ["".join(segment.text for segment in line) for line in lines]

    def printed(self) -> str:
        """The permanent output with its control sequences."""
        return console_output(self.console)

    def printed_text(self) -> str:
        """The permanent output without control sequences."""
        return Text.from_ansi(self.printed()).plain
