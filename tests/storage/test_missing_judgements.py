"""Judgements that failed or were interrupted and can be asked for again."""

from typing import Any

import pytest
from storage_support import AT, EXCHANGE, assessment, failure, opening_event, turn

from debate_cli.domain.debate import fold
from debate_cli.domain.events import (
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    DebateResumed,
    Event,
    Failure,
    JudgingOpened,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.reviewer import Reviewer
from debate_cli.judging.schedule import owed_briefs
from debate_cli.storage.transcript import to_transcript, transcript_to_debate
from debate_cli.storage.transcript_index import count_missing_judgements

UNREACHED = TaskFailed(at=AT, failure=failure(0, final=False, judge=True))
ABSTAINED = TaskFailed(at=AT, failure=failure(0, final=True, judge=True))
ANOTHER = TaskFailed(at=AT, failure=failure(1, final=False, judge=True))
ANSWERED = AssessmentCompleted(at=AT, assessment=assessment(system="moderator", round_number=1))
ANSWERED_LATER = AssessmentCompleted(
    at=AT, assessment=assessment(system="moderator", round_number=1).model_copy(update={"run": "r2"})
)
AGAIN = DebateResumed(at=AT)


def closed_debate(*after: Event, reason: CloseReason = "complete") -> list[Event]:
    """A debate of six turns, events of its judging, and its close."""
    return [
        opening_event(),
        *(TurnCompleted(at=AT, turn=turn(index)) for index in range(6)),
        *after,
        DebateClosed(at=AT, reason=reason),
    ]


def added(kind: str, *, replaces: bool) -> JudgingOpened:
    """A later judging run of one system."""
    judging = JudgingConfig.model_validate({"systems": [kind]})
    return JudgingOpened(at=AT, run="r2", judging=judging, replaces=replaces)


def later(**changes: Any) -> JudgingOpened:
    """A later run of the moderator."""
    return added("moderator", replaces=False).model_copy(update=changes)


def missing(events: list[Event]) -> int:
    """Return the number of missing judgements, which the debate and its transcript must agree on."""
    debate = fold(events)
    found = count_missing_judgements(debate)
    assert count_missing_judgements(transcript_to_debate(to_transcript(debate))) == found
    return found


@pytest.mark.parametrize(
    ("events", "count"),
    [
        (closed_debate(ANSWERED), 0),
        (closed_debate(UNREACHED), 1),
        (closed_debate(UNREACHED, ANOTHER), 2),
        (closed_debate(ABSTAINED), 0),
        (closed_debate(UNREACHED, AGAIN, UNREACHED), 1),
        (closed_debate(UNREACHED, AGAIN, ANSWERED), 0),
        (closed_debate(UNREACHED, AGAIN, ABSTAINED), 0),
        (closed_debate(UNREACHED, reason="interrupted"), 0),
        (closed_debate(TaskFailed(at=AT, failure=failure(1, final=False))), 0),
        (
            [*closed_debate(), added("panel", replaces=False), TaskStarted(at=AT, key="r2/panel/judge-1/debate/all/0")],
            1,
        ),
        ([*closed_debate(), TaskStarted(at=AT, key="turn/3"), TaskStarted(at=AT, key="odd")], 0),
        ([*closed_debate(UNREACHED), added("moderator", replaces=True)], 0),
        ([*closed_debate(UNREACHED), added("moderator", replaces=False)], 1),
        ([*closed_debate(UNREACHED), added("moderator", replaces=False), ANSWERED_LATER], 0),
        ([*closed_debate(UNREACHED), added("panel", replaces=True)], 1),
        ([*closed_debate(UNREACHED), later(reviewer=Reviewer(name="Ann")), ANSWERED_LATER], 1),
        ([*closed_debate(UNREACHED), later(beside="r1"), ANSWERED_LATER], 1),
        ([*closed_debate(UNREACHED), later(heard=2), ANSWERED_LATER], 1),
    ],
    ids=[
        "answered",
        "not reached",
        "two not reached",
        "abstained",
        "not reached again",
        "answered on resume",
        "abstained on resume",
        "interrupted",
        "a speech",
        "in flight when a judging was stopped",
        "in flight, and no judgement",
        "replaced by a later run",
        "added by a later run",
        "answered in a later run",
        "another system replaced",
        "reviewed by a person",
        "answered in a run that it is compared with",
        "answered in a run on a part of the debate",
    ],
)
def test_judgements_that_can_be_asked_again_are_missing(events: list[Event], count: int) -> None:
    """Final failures, later answers and replaced runs do not count as missing."""
    assert missing(events) == count


def test_missing_judgements_are_owed_after_a_resume() -> None:
    """The schedule owes the same judgements once the debate is resumed."""
    unreached = Failure(
        task=assessment().brief, who="judge", cause="UnreachableError", message="m", final=False, exchange=EXCHANGE
    )
    debate = fold(closed_debate(TaskFailed(at=AT, failure=unreached)))
    assert count_missing_judgements(debate) == 1
    assert unreached.task.key in {brief.key for brief in owed_briefs(debate.apply(AGAIN))}
