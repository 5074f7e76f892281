"""The order in which the speeches and judges' reports of a running debate are shown."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import inf
from typing import Any, TypeVar

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import MOMENTS, Brief, Cue, Task
from debate_cli.domain.turn import Turn

MAX_WAITING_ROUNDS = 2
"""Maximum number of rounds whose finished speeches are withheld until the judges have reported on earlier rounds."""

Speech = TypeVar("Speech", Cue, Turn)


def group_waves(speeches: Iterable[Speech], debate: Debate) -> list[list[Speech]]:
    """Return `speeches` (turns or cues) in groups. Each group contains simultaneous speeches."""
    if debate.is_sequential:
        return [[speech] for speech in speeches]
    return [list(wave) for _, wave in groupby(speeches, key=lambda speech: (speech.round, speech.phase))]


class ReadingOrder:
    """Withholds speeches and reports until everything before them is released.

    - A speech waits for earlier speeches in flight, and for the reports on earlier rounds. Exception: if speeches of
      more than `MAX_WAITING_ROUNDS` rounds are withheld, they do not wait for reports.
    - A report waits for the speeches of its round and of earlier rounds, and for earlier reports of its judging system.
    - All other events are released at once.
    """

    def __init__(self, *, whole_waves: bool = False) -> None:
        """`whole_waves`: whether simultaneous speeches wait for each other, so that they are released together."""
        self._whole_waves = whole_waves
        self._speeches_in_flight: dict[int, Cue] = {}
        self._briefs_in_flight: dict[str, Brief] = {}
        self._withheld: list[Event] = []

    @property
    def briefs_in_flight(self) -> Sequence[Brief]:
        """The tasks on which judges are working."""
        return tuple(self._briefs_in_flight.values())

    def asking(self, task: Task) -> None:
        """Record that `task` was sent to a model."""
        if isinstance(task, Cue):
            self._speeches_in_flight[task.index] = task
        else:
            self._briefs_in_flight[task.key] = task

    def add(self, event: Event, debate: Debate) -> list[Event]:
        """Return the events that can be shown now, in the order of the debate. `debate`: the debate after `event`.

        When a speech fails, the withheld speeches stop waiting for reports.
        """
        match event:
            case TurnCompleted(turn=turn):
                self._speeches_in_flight.pop(turn.index, None)
            case TaskFailed(failure=Failure(task=Cue() as cue)):
                self._speeches_in_flight.pop(cue.index, None)
                return [*self._release(debate, ()), event]
            case DebateClosed():
                return [*self.finish(debate), event]
            case _:
                brief = judged_brief(event)
                if brief is None:
                    return [event]
                self._briefs_in_flight.pop(brief.key, None)
        self._withheld.append(event)
        return self._release(debate, self.briefs_in_flight)

    def finish(self, debate: Debate) -> list[Event]:
        """Return all events that are withheld, and forget what is in flight."""
        self._speeches_in_flight.clear()
        self._briefs_in_flight.clear()
        return self._release(debate, ())

    def _release(self, debate: Debate, awaited: Sequence[Brief]) -> list[Event]:
        events, self._withheld = sorted(self._withheld, key=lambda event: _position(event, debate)), []
        waiting_rounds = {event.turn.round for event in events if isinstance(event, TurnCompleted)}
        released: list[Event] = []
        speech_waits = False
        for event in events:
            brief = judged_brief(event)
            if isinstance(event, TurnCompleted) and not speech_waits:
                waiting_rounds = {number for number in waiting_rounds if number >= event.turn.round}
                speech_waits = self._is_speech_before(event.turn, debate) or (
                    len(waiting_rounds) <= MAX_WAITING_ROUNDS
                    and any(_report_round(of, debate) < event.turn.round for of in awaited)
                )
            waits = speech_waits or (brief is not None and self._is_report_before(brief))
            (self._withheld if waits else released).append(event)
        return released

    def _is_speech_before(self, turn: Turn, debate: Debate) -> bool:
        if self._whole_waves and not debate.is_sequential:
            return any(cue.round <= turn.round for cue in self._speeches_in_flight.values())
        return any(index < turn.index for index in self._speeches_in_flight)

    def _is_report_before(self, brief: Brief) -> bool:
        return any(
            (other.run, other.system) == (brief.run, brief.system) and _report_position(other) < _report_position(brief)
            for other in self._briefs_in_flight.values()
        )


def judged_brief(event: Event) -> Brief | None:
    """Return the task of a judge that `event` ends; None for another event."""
    match event:
        case AssessmentCompleted():
            return event.assessment.brief
        case TaskFailed(failure=Failure(task=Brief() as brief)):
            return brief
        case _:
            return None


def _position(event: Event, debate: Debate) -> tuple[Any, ...]:
    if isinstance(event, TurnCompleted):
        return event.turn.round, 0, event.turn.index
    brief = judged_brief(event)
    assert brief is not None
    return _report_round(brief, debate), 1, *_report_position(brief)


def _report_position(brief: Brief) -> tuple[bool, int, int, int, int]:
    """Return a key that sorts the reports of one system. A report on two turns comes after the reports on each turn."""
    subject = brief.subject
    place = max(subject.turns, default=-1), MOMENTS.index(subject.moment)
    return subject.moment == "debate", subject.round or 0, *place, brief.revision


def _report_round(brief: Brief, debate: Debate) -> float:
    """Return the number of the round after which a report is shown; infinity for a report on the whole debate."""
    subject = brief.subject
    if subject.moment == "debate":
        return inf
    rounds = (turn.round for turn in debate.turns if turn.index in subject.turns)
    return max(rounds, default=0) if subject.round is None else subject.round
