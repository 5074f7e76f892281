"""Failures are grouped by cause and reported in one line each."""

from io import StringIO

import pytest
from live_support import assessment_event, failure_event, turn_event
from render_support import (
    HOSTILE,
    START,
    debate,
    final_assessment,
    is_printable,
    opening_event,
    render_text,
    round_assessment,
    structured_assessment,
    turns,
)

from debate_cli.domain.debate import initial_debate
from debate_cli.domain.events import DebateClosed
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render.content.failure_groups import FailureGroup, FailureGrouper
from debate_cli.render.live.header import failure_notice
from debate_cli.render.replay import ReplayPlan
from debate_cli.render.text.plain import PlainObserver, failure_lines

CUES: list[Task] = [
    Cue(index=number, round=1, phase="opening", speaker=name) for number, name in enumerate(("Ada", "Bo"))
]
ROUNDS: list[Task] = [round_assessment(number).brief for number in (1, 2, 3)]
STRUCTURED = structured_assessment().brief
BOTH_FAILED = "Failed: Ada and Bo could not speak: lab is down (unreachable)"


def requested(*tasks: Task) -> FailureGrouper:
    """A grouper with these tasks in flight."""
    grouper = FailureGrouper()
    for task in tasks:
        grouper.asking(task)
    return grouper


def after_failure(task: Task) -> FailureGrouper:
    """A grouper that has already reported one failure."""
    grouper = requested(task)
    grouper.record_event(failure_event(task))
    assert len(grouper.pop_ready()) == 1
    return grouper


def lines(groups: tuple[FailureGroup, ...]) -> list[str]:
    """The reported lines."""
    return [line for group in groups for line in failure_lines(group)]


def voters(names: str) -> list[Task]:
    """Briefs of a panel whose judges have names of one letter."""
    return [final_assessment().brief.model_copy(update={"system": "panel", "assessor": name}) for name in names]


def speakers(names: str) -> list[Task]:
    """Turns of debaters whose names have one letter."""
    return [Cue(index=index, round=1, phase="speech", speaker=name) for index, name in enumerate(names)]


@pytest.mark.parametrize(
    ("tasks", "text"),
    [
        (CUES[:1], "Ada could not speak"),
        (CUES[::-1], "Ada and Bo could not speak"),
        (ROUNDS[:1], "moderator could not judge round 1"),
        (ROUNDS, "moderator could not judge"),
        (voters("abc"), "panel/a, panel/b and panel/c could not judge"),
        (voters("abcde"), "panel could not judge"),
        (speakers("ABCDE"), "A, B, C and 2 more could not speak"),
    ],
    ids=["debater", "two debaters", "judgement", "judgements", "three judges", "many judges", "many debaters"],
)
def test_a_group_names_the_failed_tasks_in_the_order_of_the_debate(tasks: list[Task], text: str) -> None:
    """Long lists are shortened."""
    grouper = requested(*tasks)
    for task in tasks:
        grouper.record_event(failure_event(task))
    assert lines(grouper.pop_ready()) == [f"Failed: {text}: lab is down (unreachable)"]


def test_a_failure_waits_for_the_tasks_requested_with_it() -> None:
    """It is reported when the other turn is complete; the end of the run releases it as well."""
    for released_at_end in (False, True):
        grouper = requested(*CUES)
        grouper.record_event(failure_event(CUES[0]))
        assert grouper.pop_ready() == ()
        if not released_at_end:
            grouper.record_event(turn_event(turns()[1]))
        ready = grouper.rest() if released_at_end else grouper.pop_ready()
        assert lines(ready) == ["Failed: Ada could not speak: lab is down (unreachable)"]
        assert grouper.rest() == ()


def test_a_failed_turn_waits_neither_for_judges_nor_for_later_tasks() -> None:
    """It is reported at once."""
    grouper = requested(CUES[0], ROUNDS[0])
    grouper.record_event(failure_event(CUES[0]))
    grouper.asking(CUES[1])
    assert len(grouper.pop_ready()) == 1


def test_different_causes_are_different_lines() -> None:
    """Two servers give two lines."""
    grouper = requested(*CUES)
    grouper.record_event(failure_event(CUES[0]))
    grouper.record_event(failure_event(CUES[1], "den is down"))
    assert len(lines(grouper.pop_ready())) == 2


@pytest.mark.parametrize(
    ("first", "later", "reported"),
    [
        (ROUNDS[0], ROUNDS[1:], "moderator could not judge"),
        (ROUNDS[0], [STRUCTURED], "structured could not judge the debate"),
        (ROUNDS[0], [STRUCTURED, ROUNDS[1]], "moderator and structured could not judge"),
        (CUES[0], [CUES[1]], "Bo could not speak"),
    ],
    ids=["same judge", "other judge", "both judges", "other debater"],
)
def test_a_repeated_cause_is_reported_without_its_message(first: Task, later: list[Task], reported: str) -> None:
    """One line names all of them."""
    grouper = after_failure(first)
    for task in later:
        grouper.record_event(failure_event(task))
    assert lines(grouper.rest()) == [f"Failed: {reported}, for the same reason (unreachable)"]


def test_plain_lines_report_failures_before_the_close() -> None:
    """Failures with one cause share a line."""
    stream = StringIO()
    observer, state = PlainObserver(stream), initial_debate(opening_event())
    for task in CUES:
        observer.asking(task)
    for event in (*map(failure_event, [*CUES, *ROUNDS[:2]]), DebateClosed(at=START, reason="failed")):
        observer.event(event, state)
    reported = [line for line in stream.getvalue().splitlines() if line]
    assert [line.partition(":")[0] for line in reported] == ["Failed", "Failed", "Failed", "Chair"]
    assert reported[0] == BOTH_FAILED


def test_a_replay_groups_failures_like_the_run() -> None:
    """Two failures with one cause are one line."""
    state = debate().without_turns()
    for event in (*map(failure_event, CUES[::-1]), DebateClosed(at=START, reason="failed")):
        state = state.apply(event)
    stream = StringIO()
    list(ReplayPlan(state).play(PlainObserver(stream)))
    assert [line for line in stream.getvalue().splitlines() if line.startswith("Failed")] == [BOTH_FAILED]


def test_the_terminal_notice_has_the_same_text() -> None:
    """A sign replaces the word `Failed`."""
    group = FailureGroup(tuple(failure_event(task).failure for task in CUES))
    assert render_text(failure_notice(group)).strip() == BOTH_FAILED.replace("Failed:", "✗")


def test_untrusted_names_and_messages_are_sanitized() -> None:
    """They come from configurations and servers."""
    group = FailureGroup((failure_event(CUES[0], HOSTILE, HOSTILE).failure,))
    assert is_printable(render_text(failure_notice(group), 300) + "".join(failure_lines(group)))


def test_a_completed_task_is_no_failure() -> None:
    """Nothing is reported."""
    grouper = requested(ROUNDS[0])
    grouper.record_event(assessment_event(round_assessment(1)))
    assert grouper.rest() == ()
