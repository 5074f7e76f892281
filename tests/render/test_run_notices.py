"""Notices of a run: failures, and the order of plain lines."""

from io import StringIO

import pytest
from live_support import cue, failure_event, turn_event
from render_support import (
    HOSTILE,
    START,
    final_assessment,
    is_printable,
    opening_event,
    plain_output,
    render_text,
    round_assessment,
    turns,
)

from debate_cli.domain.debate import initial_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event
from debate_cli.domain.tasks import Cue, Task
from debate_cli.render.content.run_notices import describe_failure
from debate_cli.render.live.header import notice
from debate_cli.render.text.plain import PlainObserver

CUES: list[Task] = [
    Cue(index=number, round=1, phase="opening", speaker=name) for number, name in enumerate(("Ada", "Bo"))
]
ROUND = round_assessment(1).brief
FIRST, SECOND, *_ = turns()


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (CUES[0], "Ada could not speak"),
        (ROUND, "moderator could not judge round 1"),
        (final_assessment().brief.model_copy(update={"system": "panel", "assessor": "a"}), "panel/a could not judge"),
    ],
    ids=["debater", "judge", "panel"],
)
def test_a_failure_names_who_failed_at_what_and_why(task: Task, text: str) -> None:
    """The sentence ends with the cause in words."""
    assert describe_failure(failure_event(task).failure) == f"{text}: lab is down (unreachable)"


def test_untrusted_names_and_messages_are_sanitized() -> None:
    """They come from configurations and servers."""
    failure = failure_event(CUES[0], HOSTILE, HOSTILE)
    words = describe_failure(failure.failure)
    assert is_printable(render_text(notice("✗", "", words), 300) + plain_output([failure]))


@pytest.mark.parametrize(
    "answer",
    [turn_event(FIRST), failure_event(cue(FIRST)), DebateClosed(at=START, reason="interrupted"), None],
    ids=["speech", "failure", "close", "end"],
)
def test_a_plain_speech_waits_for_the_one_before_it(answer: Event | None) -> None:
    """The speech, its failure, or the end of the run releases the later speech."""
    stream = StringIO()
    observer, state = PlainObserver(stream), initial_debate(opening_event())
    for turn in (FIRST, SECOND):
        observer.asking(cue(turn))
    state = state.apply(turn_event(SECOND))
    observer.event(turn_event(SECOND), state)
    assert "Bo: " not in stream.getvalue()
    if answer is None:
        observer.finish()
    else:
        observer.event(answer, state.apply(answer))
    speakers = [line.partition(":")[0] for line in stream.getvalue().splitlines() if line.startswith(("Ada:", "Bo:"))]
    assert list(dict.fromkeys(speakers)) == (["Ada", "Bo"] if answer == turn_event(FIRST) else ["Bo"])


@pytest.mark.parametrize("order", [(1, 2, 3), (2, 3, 1), (3, 2, 1)])
def test_reports_of_one_system_are_written_in_the_order_of_the_debate(order: tuple[int, ...]) -> None:
    """A report waits for reports on earlier rounds that were asked for. The report on the debate is last."""
    stream, state = StringIO(), initial_debate(opening_event())
    observer = PlainObserver(stream)
    rounds = {number: round_assessment(number) for number in (1, 2, 3)}
    for assessment in (*rounds.values(), final_assessment()):
        observer.asking(assessment.brief)
    for assessment in (final_assessment(), *(rounds[number] for number in order)):
        observer.event(AssessmentCompleted(at=START, assessment=assessment), state)
    heads = [line.partition(":")[0] for line in stream.getvalue().splitlines() if line.startswith("Judge moderator,")]
    assert heads == [f"Judge moderator, {part}" for part in ("round 1", "round 2", "round 3", "the debate")]


def test_a_report_does_not_wait_for_an_earlier_one_that_failed() -> None:
    """The later report is written when the earlier brief has failed."""
    stream, state = StringIO(), initial_debate(opening_event())
    observer = PlainObserver(stream)
    early, late = round_assessment(1), round_assessment(2)
    observer.asking(early.brief)
    observer.event(AssessmentCompleted(at=START, assessment=late), state)
    assert "round 2:" not in stream.getvalue()
    observer.event(failure_event(early.brief), state)
    assert "round 2:" in stream.getvalue()
