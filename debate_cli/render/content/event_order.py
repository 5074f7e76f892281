"""Puts events into reading order: an early event is held back until the events before it are written.

Judges and debaters answer concurrently, and plain lines cannot be inserted later. So speeches of a round keep their
order; judgments of a round or speech come before the next round, in the order of rounds; judgments of the whole debate
come last.
"""

from collections.abc import Callable

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import MOMENTS, Brief, Cue, Subject, Task, speech_key
from debate_cli.domain.turn import Turn

WriteEvent = Callable[[Event, Debate], None]


class EventOrder:
    """Passes events to `write` in reading order, each with the newest state of the debate."""

    def __init__(self, write: WriteEvent) -> None:
        self._write = write
        self._debate: Debate | None = None
        self._asked: dict[str, Task] = {}
        self._turns: dict[int, TurnCompleted] = {}
        self._reports: list[AssessmentCompleted] = []

    def asking(self, task: Task) -> None:
        """Record that `task` is in flight. Later events wait for its answer."""
        self._asked[task.key] = task

    def event(self, event: Event, debate: Debate) -> None:
        """Write the event or hold it back; then write the events that waited for it."""
        self._debate = debate
        match event:
            case TurnCompleted():
                self._asked.pop(speech_key(event.turn.index), None)
                self._turns[event.turn.index] = event
            case AssessmentCompleted():
                self._asked.pop(event.assessment.brief.key, None)
                self._reports.append(event)
            case TaskFailed():
                self._asked.pop(event.failure.task.key, None)
                self._release(debate)
                self._write(event, debate)
            case DebateClosed():
                self.flush()
                self._write(event, debate)
            case _:
                self._write(event, debate)
        self._release(debate)

    def flush(self) -> None:
        """Write all events that were held back, without waiting for others."""
        self._asked.clear()
        if self._debate is not None:
            self._release(self._debate)

    def _release(self, debate: Debate) -> None:
        while True:
            self._release_reports(debate)
            if not self._turns:
                return
            event = self._turns[min(self._turns)]
            if self._is_too_early(event.turn, debate):
                return
            del self._turns[event.turn.index]
            self._write(event, debate)

    def _release_reports(self, debate: Debate) -> None:
        due = [event for event in self._reports if not self._is_held_back(event.assessment.brief)]
        self._reports = [event for event in self._reports if event not in due]
        for event in sorted(due, key=lambda event: reading_position(event.assessment.brief)):
            self._write(event, debate)

    def _is_held_back(self, brief: Brief) -> bool:
        if any(precedes(task, brief) for task in self._asked.values() if isinstance(task, Brief)):
            return True
        return any(_is_read_after(brief.subject, item.turn) for item in self._turns.values())

    def _is_too_early(self, turn: Turn, debate: Debate) -> bool:
        """Whether a task in flight comes before this speech."""
        start = _wave_start(turn, debate)
        for task in self._asked.values():
            match task:
                case Cue():
                    if task.index < turn.index:
                        return True
                case Brief():
                    if _ends_before(task.subject, start, turn.round):
                        return True
        return False


def reading_position(brief: Brief) -> tuple[bool, int, int, int, int]:
    """Sort key for the reports of one judge.

    Reports on parts of the debate come before those on the whole debate, in the order of the last turn that they are
    about. A report on a turn comes before one on an exchange that ends with it.
    """
    subject = brief.subject
    place = MOMENTS.index(subject.moment)
    return subject.moment == "debate", subject.round or 0, max(subject.turns, default=0), place, brief.revision


def precedes(brief: Brief, other: Brief) -> bool:
    """Whether a report on `brief` is read before one on `other`.

    Reports on parts of the debate come before those on the whole debate, and those on a round before those on later
    rounds. The reports of one judge follow `reading_position`.
    """
    if not is_partial_judging(brief):
        return False
    if other.subject.moment == "debate":
        return True
    if (brief.system, brief.run, brief.assessor) == (other.system, other.run, other.assessor):
        return reading_position(brief) < reading_position(other)
    rounds = brief.subject.round, other.subject.round
    return rounds[0] is not None and rounds[1] is not None and rounds[0] < rounds[1]


def is_partial_judging(task: Task) -> bool:
    """Whether a brief is about less than the whole debate."""
    return isinstance(task, Brief) and task.subject.moment != "debate"


def _is_read_after(subject: Subject, turn: Turn) -> bool:
    if subject.turns:
        return turn.index <= max(subject.turns)
    return subject.round is None or turn.round <= subject.round


def _ends_before(subject: Subject, start: int, round_number: int) -> bool:
    if subject.turns:
        return max(subject.turns) < start
    return subject.round is not None and subject.round < round_number


def _wave_start(turn: Turn, debate: Debate) -> int:
    """Index of the first of the speeches that are made at the same time as `turn`."""
    config = debate.config.format
    if config.kind == "free_flowing" or config.order == "sequential":
        return turn.index
    return min(
        (item.index for item in debate.turns if (item.round, item.phase) == (turn.round, turn.phase)),
        default=turn.index,
    )
