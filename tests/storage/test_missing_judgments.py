"""Judgments that a judge who could not be reached still owes: told alike from plain fields and from the debate."""

from __future__ import annotations

import pytest
from hypothesis import given
from storage_support import AT, EXCHANGE, assessment, event_lists, failure, opened, turn

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
from debate_cli.judging.schedule import owed_briefs
from debate_cli.storage.transcript import to_transcript, transcript_to_json
from debate_cli.storage.transcript_index import count_missing_in_fields, count_missing_judgments

UNREACHED = TaskFailed(at=AT, failure=failure(0, final=False, judge=True))
ABSTAINED = TaskFailed(at=AT, failure=failure(0, final=True, judge=True))
ANOTHER = TaskFailed(at=AT, failure=failure(1, final=False, judge=True))
ANSWERED = AssessmentCompleted(at=AT, assessment=assessment(system="moderator", round_number=1))
AGAIN = DebateResumed(at=AT)


def held(*after: Event, reason: CloseReason = "complete") -> list[Event]:
    """A debate of six turns, what became of its judging, and its close."""
    return [
        opened(),
        *(TurnCompleted(at=AT, turn=turn(index)) for index in range(6)),
        *after,
        DebateClosed(at=AT, reason=reason),
    ]


def added(kind: str, *, replaces: bool) -> JudgingOpened:
    """A later judging run of one system."""
    judging = JudgingConfig.model_validate({"systems": [kind]})
    return JudgingOpened(at=AT, run="r2", judging=judging, replaces=replaces)


def missing(events: list[Event]) -> int:
    """How many are missing, by plain fields and by the debate, which agree."""
    debate = fold(events)
    found = count_missing_judgments(debate)
    assert count_missing_in_fields(transcript_to_json(to_transcript(debate))) == found
    return found


@pytest.mark.parametrize(
    ("events", "count"),
    [
        (held(ANSWERED), 0),
        (held(UNREACHED), 1),
        (held(UNREACHED, ANOTHER), 2),
        (held(ABSTAINED), 0),
        (held(UNREACHED, AGAIN, UNREACHED), 1),
        (held(UNREACHED, AGAIN, ANSWERED), 0),
        (held(UNREACHED, AGAIN, ABSTAINED), 0),
        (held(UNREACHED, reason="interrupted"), 0),
        (held(TaskFailed(at=AT, failure=failure(1, final=False))), 0),
        ([*held(), added("panel", replaces=False), TaskStarted(at=AT, key="r2/panel/judge-1/debate/all/0")], 1),
        ([*held(), TaskStarted(at=AT, key="turn/3"), TaskStarted(at=AT, key="odd")], 0),
        ([*held(UNREACHED), added("moderator", replaces=True)], 0),
        ([*held(UNREACHED), added("moderator", replaces=False)], 1),
        ([*held(UNREACHED), added("panel", replaces=True)], 1),
    ],
    ids=[
        "answered",
        "not reached",
        "two not reached",
        "abstained",
        "not reached again",
        "answered on resume",
        "abstained on resume",
        "the debate itself goes on",
        "a speech",
        "in flight when a judging was stopped",
        "in flight, and no judgment",
        "judged in its place",
        "judged beside it",
        "another system judged in its place",
    ],
)
def test_what_may_be_asked_again_is_missing(events: list[Event], count: int) -> None:
    """Of a debate that came to its end; what failed for good, was answered since or no longer counts is not."""
    assert missing(events) == count


def test_what_is_missing_is_owed() -> None:
    """By the schedules, once the debate is resumed."""
    unreached = Failure(
        task=assessment().brief, who="judge", cause="UnreachableError", message="m", final=False, exchange=EXCHANGE
    )
    debate = fold(held(TaskFailed(at=AT, failure=unreached)))
    assert count_missing_judgments(debate) == 1
    assert unreached.task.key in {brief.key for brief in owed_briefs(debate.apply(AGAIN))}


@given(events=event_lists())
def test_fields_and_debate_say_the_same(events: list[Event]) -> None:
    """Whatever happened."""
    missing(events)
