"""Builds the short notices of a running debate, judges' reports and failures, and puts its events into order.

The text is not sanitized.
"""

from math import inf
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.reviewer import PROBABILITY
from debate_cli.domain.tasks import MOMENTS, Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.render import theme
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.systems.base import LiveReport, ReportedScore
from debate_cli.systems.registry import get_system

MAX_WAITING_ROUNDS = 2
"""Finished speeches of at most this number of rounds wait for the judges' reports on earlier rounds."""


class JudgeReport(NamedTuple):
    """A judge's opinion in a few lines."""

    title: str
    scores: tuple[ReportedScore, ...] = ()
    words: tuple[str, ...] = ()
    """Sentences about the assessment, shown below the scores."""
    alerts: tuple[str, ...] = ()
    """Warnings about speeches that try to manipulate the judge."""


_END = (inf, inf)


class EventOrder:
    """Puts the events of a run into the order of the debate.

    Speeches of one round wait for each other. Speeches of later rounds wait for the judges' reports on earlier rounds, but
    at most `MAX_WAITING_ROUNDS` rounds wait.
    """

    def __init__(self) -> None:
        self._awaited: dict[str, Task] = {}
        """The tasks on which models work, by their keys."""
        self._held: list[tuple[tuple[float, ...], Event]] = []

    def expect(self, task: Task) -> None:
        """Record that `task` was sent to a model."""
        self._awaited[task.key] = task

    def release(self, event: Event, debate: Debate) -> list[Event]:
        """Return the events to show now, in order. `event` itself may have to wait."""
        task = _task_of(event)
        if task is None:
            return [*(self.release_all() if isinstance(event, DebateClosed) else ()), event]
        self._awaited.pop(task.key, None)
        self._held.append((_reading_position(task, debate), event))
        rounds = {held.turn.round for _, held in self._held if isinstance(held, TurnCompleted)}
        is_blocked = len(rounds) <= MAX_WAITING_ROUNDS
        blocking = [
            (item.round, 0) if isinstance(item, Cue) else _reading_position(item, debate)
            for item in self._awaited.values()
            if is_blocked or isinstance(item, Cue)
        ]
        return self._take_before(min(blocking, default=_END))

    def release_all(self) -> list[Event]:
        """Return the events that wait, in order, and expect no more answers."""
        self._awaited.clear()
        return self._take_before(_END)

    def _take_before(self, end: tuple[float, ...]) -> list[Event]:
        held = sorted(self._held, key=lambda pair: pair[0])
        self._held = [pair for pair in held if pair[0] >= end]
        return [event for position, event in held if position < end]


def _task_of(event: Event) -> Task | None:
    match event:
        case TurnCompleted(turn=turn):
            return cue_of(turn)
        case AssessmentCompleted():
            return event.assessment.brief
        case TaskFailed():
            return event.failure.task
        case _:
            return None


def cue_of(turn: Turn) -> Cue:
    """Return the cue of a finished turn."""
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)


def _reading_position(task: Task, debate: Debate) -> tuple[float, ...]:
    """Return a key that sorts speeches and reports by round. Reports on the whole debate are last."""
    if isinstance(task, Cue):
        return task.round, 0, task.index
    subject = task.subject
    number = subject.round or max((turn.round for turn in debate.turns if turn.index in subject.turns), default=0)
    last_turn = max(subject.turns, default=-1)
    return inf if subject.moment == "debate" else number, 1, last_turn, MOMENTS.index(subject.moment), task.revision


def build_judge_report(assessment: Assessment, debate: Debate) -> JudgeReport:
    """Return the report on one assessment, with the scores of this assessment only."""
    title = theme.format_brief(assessment.brief, label_judging_system(debate, assessment.system, assessment.run))
    marks = assessment.marks
    if marks and not assessment.findings and all(mark.criterion == PROBABILITY for mark in marks):
        report = LiveReport(tuple(ReportedScore(mark.participant or "", mark.value, mark.out_of) for mark in marks))
    else:
        report = get_system(assessment.system).live_report(assessment, debate)
    alerts = tuple(item.describe()[0] for item in assessment.findings if isinstance(item, Manipulation))
    return JudgeReport(title, report.scores, report.sentences, alerts)


def describe_failure(failure: Failure, shown: set[str]) -> str:
    """Return a sentence on a failure. A message in `shown` is not repeated; any other is added to `shown`."""
    if isinstance(failure.task, Cue):
        who, what = failure.who, "could not speak"
    else:
        who, _, about = theme.format_brief(failure.task).partition(", ")
        what = "could not judge" if get_system(failure.task.system).judges_texts else f"could not judge {about}"
    if failure.message in shown:
        return f"{who} {what}: {theme.refer_to_failure(failure.cause)}"
    shown.add(failure.message)
    return f"{who} {what}: {failure.message} ({theme.format_cause(failure.cause)})"
