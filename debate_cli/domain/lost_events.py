"""The cost of events that are cut off from a damaged journal. Pure functions."""

from collections.abc import Iterable
from datetime import datetime

from debate_cli.domain.events import (
    INTERRUPTED,
    AssessmentCompleted,
    DebateClosed,
    DebateResumed,
    Event,
    Failure,
    SearchEnded,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Cue, Task

LOST_MESSAGE = "the answer was in the damaged part of the journal; its tokens are still charged"
"""Message of the failure that replaces a lost answer."""


def keep_costs(lost: Iterable[Event]) -> list[Event]:
    """Return events that keep the costs of the `lost` events, but not the speeches and judgements.

    - An answer, or a failure that cost something, becomes a failure with the same usage. Resuming repeats its task.
    - A finished search stays as it is. So does a reservation: the usage to charge if a request gets no answer.
    - The end of a session stays, because it charges the reservations of requests that were never answered.
    """
    kept: list[Event] = []
    for event in lost:
        match event:
            case TaskStarted() if event.reservation is not None:
                kept.append(event)
            case SearchEnded():
                kept.append(event)
            case TurnCompleted(turn=turn):
                cue = Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)
                kept += _charge(event.at, cue, turn.speaker, turn.exchange)
            case AssessmentCompleted(assessment=given):
                kept += _charge(event.at, given.brief, given.assessor, given.exchange)
            case TaskFailed(failure=failed):
                kept += _charge(event.at, failed.task, failed.who, failed.exchange)
            case DebateClosed() | DebateResumed():
                kept.append(DebateResumed(at=event.at))
            case _:
                pass
    return kept


def _charge(at: datetime, task: Task, who: str, call: ModelCall | None) -> list[Event]:
    if call is None or not call.attempts:
        return []
    failure = Failure(task=task, who=who, cause=INTERRUPTED, message=LOST_MESSAGE, final=False, exchange=call)
    return [TaskFailed(at=at, failure=failure)]
