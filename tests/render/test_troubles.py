"""Failures gathered by their cause, and told in one line each."""

from __future__ import annotations

from io import StringIO

import pytest
from render_support import (
    HOSTILE,
    START,
    console,
    debate,
    final_assessment,
    opened,
    round_assessment,
    shown,
    structured_assessment,
    turns,
)
from rich.text import Text

from debate_cli.domain.debate import initial_debate as opened_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Failure, TaskFailed, TurnCompleted
from debate_cli.domain.tasks import Brief, Cue, Task
from debate_cli.render.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.live.header import failure_notice
from debate_cli.render.plain import PlainObserver, failure_lines
from debate_cli.render.replay import ReplayPlan

CUES: list[Task] = [
    Cue(index=number, round=1, phase="opening", speaker=name) for number, name in enumerate(("Ada", "Bo"))
]
ROUNDS: list[Task] = [round_assessment(number).brief for number in (1, 2, 3)]


def cue(name: str) -> Task:
    """A debater's turn."""
    return Cue(index=ord(name), round=1, phase="speech", speaker=name)


def failure(task: Task, message: str = "lab is down", who: str = "") -> Failure:
    """What came of a task."""
    name = who or (task.assessor if isinstance(task, Brief) else task.speaker)
    return Failure(task=task, who=name, cause="UnreachableError", message=message, final=False)


def failed(task: Task, message: str = "lab is down") -> TaskFailed:
    """The same as an event."""
    return TaskFailed(at=START, failure=failure(task, message))


def seen(*asked: Task) -> FailureGrouper:
    """These were asked."""
    troubles = FailureGrouper()
    for task in asked:
        troubles.asking(task)
    return troubles


def lines(troubles: tuple[FailureGroup, ...]) -> list[str]:
    """What is told."""
    return [line for trouble in troubles for line in failure_lines(trouble)]


def voters(*names: str) -> list[Task]:
    """Briefs of a panel."""
    return [final_assessment().brief.model_copy(update={"system": "panel", "assessor": name}) for name in names]


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        (CUES[:1], "Ada could not speak"),
        (CUES[::-1], "Ada and Bo could not speak"),
        (ROUNDS[:1], "moderator could not judge round 1"),
        (ROUNDS, "moderator could not judge"),
        (voters("a", "b", "c"), "panel/a, panel/b and panel/c could not judge"),
        (voters("a", "b", "c", "d", "e"), "panel could not judge"),
        ([cue("A"), cue("B"), cue("C"), cue("D"), cue("E")], "A, B, C and 2 more could not speak"),
    ],
    ids=["one", "both", "one judgement", "several judgements", "three judges", "many judges", "many debaters"],
)
def test_one_line_names_whom_the_cause_hit(tasks: list[Task], told: str) -> None:
    """Each once, in the order of the debate."""
    troubles = seen(*tasks)
    for task in tasks:
        troubles.record_event(failed(task))
    assert lines(troubles.pop_ready()) == [f"Failed: {told}: lab is down (UnreachableError)"]


def test_a_failure_waits_for_those_who_were_asked_with_it() -> None:
    """It is told when the other has spoken."""
    troubles = seen(*CUES)
    troubles.record_event(failed(CUES[0]))
    assert troubles.pop_ready() == ()
    troubles.record_event(TurnCompleted(at=START, turn=turns()[1]))
    assert lines(troubles.pop_ready()) == ["Failed: Ada could not speak: lab is down (UnreachableError)"]


def test_a_speaker_does_not_wait_for_a_judge() -> None:
    """Nor for what is asked later."""
    troubles = seen(CUES[0], ROUNDS[0])
    troubles.record_event(failed(CUES[0]))
    troubles.asking(CUES[1])
    assert len(troubles.pop_ready()) == 1


def test_other_causes_are_lines_of_their_own() -> None:
    """Two servers, two lines."""
    troubles = seen(*CUES)
    troubles.record_event(failed(CUES[0]))
    troubles.record_event(failed(CUES[1], "den is down"))
    assert len(lines(troubles.pop_ready())) == 2


def test_what_fails_for_the_same_reason_later_is_counted() -> None:
    """And told at the end, without the reason."""
    troubles = FailureGrouper()
    told: list[str] = []
    for task in ROUNDS:
        troubles.asking(task)
        troubles.record_event(failed(task))
        told += lines(troubles.pop_ready())
    assert told == ["Failed: moderator could not judge round 1: lab is down (UnreachableError)"]
    assert lines(troubles.rest()) == [
        "Failed: moderator could not judge 2 times more, for the same reason (UnreachableError)"
    ]


def test_one_who_is_hit_later_is_not_told_to_fail_once_more() -> None:
    """A cause told of the moderator says nothing yet of the structured judge."""
    other = structured_assessment().brief
    troubles = seen(ROUNDS[0])
    troubles.record_event(failed(ROUNDS[0]))
    assert len(troubles.pop_ready()) == 1
    troubles.record_event(failed(other))
    assert lines(troubles.rest()) == [
        "Failed: structured could not judge the debate either, for the same reason (UnreachableError)"
    ]


def test_who_failed_before_and_who_did_not_are_told_apart() -> None:
    """Of the same cause, a line each; the next time both are known."""
    other = structured_assessment().brief
    troubles = seen(ROUNDS[0])
    troubles.record_event(failed(ROUNDS[0]))
    assert len(troubles.pop_ready()) == 1
    for task in (other, ROUNDS[1]):
        troubles.record_event(failed(task))
    assert [trouble.names + " " + trouble.what for trouble in troubles.rest()] == [
        "moderator could not judge once more",
        "structured could not judge the debate either",
    ]
    for task in (other, ROUNDS[2]):
        troubles.record_event(failed(task))
        assert [trouble.what for trouble in troubles.rest()] == ["could not judge once more"]


def test_a_debater_who_is_hit_later_could_not_speak_either() -> None:
    """The same of speeches."""
    troubles = seen(CUES[0])
    troubles.record_event(failed(CUES[0]))
    assert len(troubles.pop_ready()) == 1
    troubles.record_event(failed(CUES[1]))
    assert lines(troubles.rest()) == ["Failed: Bo could not speak either, for the same reason (UnreachableError)"]


def test_at_the_end_nothing_is_waited_for() -> None:
    """What was out with it will not come."""
    troubles = seen(*CUES)
    troubles.record_event(failed(CUES[0]))
    assert len(troubles.rest()) == 1
    assert troubles.rest() == ()


def test_plain_lines_tell_it_before_the_close() -> None:
    """One line, though each failed on its own."""
    stream = StringIO()
    watcher, state = PlainObserver(stream), opened_debate(opened())
    for task in CUES:
        watcher.asking(task)
    for event in (*map(failed, CUES), failed(ROUNDS[0]), failed(ROUNDS[1]), DebateClosed(at=START, reason="failed")):
        watcher.event(event, state)
    told = [line for line in stream.getvalue().splitlines() if line]
    assert [line.partition(":")[0] for line in told] == ["Failed", "Failed", "Failed", "The debate stops"]
    assert told[0] == "Failed: Ada and Bo could not speak: lab is down (UnreachableError)"


def test_a_replay_tells_it_as_the_run_did() -> None:
    """A line for the cause, not one for each who was hit."""
    told = (
        debate()
        .without_turns()
        .apply(failed(CUES[1]))
        .apply(failed(CUES[0]))
        .apply(DebateClosed(at=START, reason="failed"))
    )
    stream = StringIO()
    watcher = PlainObserver(stream)
    list(ReplayPlan(told).play(watcher))
    assert [line for line in stream.getvalue().splitlines() if line.startswith("Failed")] == [
        "Failed: Ada and Bo could not speak: lab is down (UnreachableError)"
    ]


def test_the_terminal_says_the_same() -> None:
    """Under a sign of its own."""
    line = Text.from_ansi(shown(failure_notice(FailureGroup(tuple(failure(task) for task in CUES))))).plain
    assert line.strip() == "✗ Ada and Bo could not speak: lab is down (UnreachableError)"


def test_hostile_words_are_not_obeyed() -> None:
    """Names and messages come from configurations and servers."""
    trouble = FailureGroup((failure(CUES[0], HOSTILE, HOSTILE),))
    target = console(300)
    target.print(failure_notice(trouble))
    assert isinstance(target.file, StringIO)
    told = target.file.getvalue() + "".join(failure_lines(trouble))
    assert all(sign == "\n" or sign.isprintable() for sign in told)


def test_an_answer_that_came_is_no_trouble() -> None:
    """Nothing is told."""
    troubles = seen(ROUNDS[0])
    troubles.record_event(AssessmentCompleted(at=START, assessment=round_assessment(1)))
    assert troubles.rest() == ()
