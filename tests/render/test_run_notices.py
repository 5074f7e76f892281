"""Notices of a run: failures, and the order of plain lines."""

import re
from io import StringIO
from typing import cast

import pytest
from live_scoring_support import live_debate, pair, turn_marks
from live_support import cue, failure_event, turn_event
from render_support import (
    HOSTILE,
    START,
    console,
    console_output,
    final_assessment,
    is_printable,
    opening_event,
    plain_output,
    render_text,
    round_assessment,
    turns,
)
from scoring_support import PRO

from debate_cli.domain.debate import initial_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Event
from debate_cli.domain.tasks import Cue, Task
from debate_cli.domain.turn import Turn
from debate_cli.render.content.run_notices import describe_failure
from debate_cli.render.live.header import notice
from debate_cli.render.live.view import LiveObserver
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
    assert describe_failure(failure_event(task).failure, set()) == f"{text}: lab is down (unreachable)"


def test_a_message_is_told_once() -> None:
    """A second failure with the same message refers to the first one."""
    failures = [failure_event(cue(turn), who=turn.speaker) for turn in (FIRST, SECOND)]
    text = plain_output(failures)
    assert (
        "Failed: Ada could not speak: lab is down (unreachable)\nFailed: Bo could not speak: unreachable, see above\n"
        in text
    )


def test_untrusted_names_and_messages_are_sanitized() -> None:
    """They come from configurations and servers."""
    failure = failure_event(CUES[0], HOSTILE, HOSTILE)
    words = describe_failure(failure.failure, set())
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


def test_the_report_on_a_turn_is_before_the_report_on_the_pair_that_ends_with_it() -> None:
    """The pair's report is built on the newest state, so it names the scores of the turn that it changed."""
    turn, exchange = turn_marks(1, (30.0, 10.0, 10.0)), pair(1, logic=PRO)
    before, after = live_debate([(30, 10, 10)], exchange), live_debate([(30, 10, 10), (30, 10, 10)], exchange)
    stream = StringIO()
    observer = PlainObserver(stream)
    for assessment in (turn, exchange):
        observer.asking(assessment.brief)
    observer.event(AssessmentCompleted(at=START, assessment=exchange), before)
    observer.event(AssessmentCompleted(at=START, assessment=turn), after)
    heads = [line.partition(":")[0] for line in stream.getvalue().splitlines() if line.startswith("Judge live,")]
    assert heads == ["Judge live, turn 2", "Judge live, turns 1 and 2"]
    assert "turn 2 logic 30 → 21, lost an exchange (ceiling)" in stream.getvalue()


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


class WatchedRun:
    """The speeches of three rounds, made while the report on round 1 is awaited, on a live view or as plain lines."""

    def __init__(self, *, is_live: bool) -> None:
        self.screen = console(100)
        self.observer = LiveObserver(self.screen) if is_live else PlainObserver(cast("StringIO", self.screen.file))
        self.state = initial_debate(opening_event())
        self.observer.event(opening_event(), self.state)
        self.speak(*turns()[:2])
        self.observer.asking(ROUND)
        self.speak(*turns()[2:])

    def speak(self, *spoken: Turn) -> None:
        """Show turns, one after the other."""
        for turn in spoken:
            self.observer.asking(cue(turn))
            self.apply(turn_event(turn))

    def apply(self, event: Event) -> None:
        """Show an event."""
        self.state = self.state.apply(event)
        self.observer.event(event, self.state)

    def parts(self) -> list[str]:
        """Headings of rounds, and the report or failure of round 1, in the order of the output."""
        lines = console_output(self.screen).lower().splitlines()
        found = (
            "report" if "moderator" in line else re.match(r"(?:== )?(round \d)", line)
            for line in lines
            if "round" in line
        )
        return [part if isinstance(part, str) else part[1] for part in found if part]


@pytest.mark.parametrize(
    "answer",
    [AssessmentCompleted(at=START, assessment=round_assessment(1)), failure_event(ROUND)],
    ids=["report", "failure"],
)
@pytest.mark.parametrize("is_live", [True, False])
def test_a_report_on_a_round_is_shown_before_the_next_round(answer: Event, *, is_live: bool) -> None:
    """Speeches that are finished earlier wait for the report, or for its failure."""
    run = WatchedRun(is_live=is_live)
    assert run.parts() == ["round 1"]
    run.apply(answer)
    assert run.parts() == ["round 1", "report", "round 2", "round 3"]


@pytest.mark.parametrize("is_live", [True, False])
def test_at_most_two_rounds_wait_for_a_report(*, is_live: bool) -> None:
    """A judge that does not answer cannot hide the debate: a third finished round releases the first of them."""
    run = WatchedRun(is_live=is_live)
    run.speak(*(turn.model_copy(update={"round": 4, "index": turn.index + 6}) for turn in (FIRST, SECOND)))
    assert run.parts() == ["round 1", "round 2"]


def test_speeches_that_wait_stay_on_the_screen() -> None:
    """A live view draws the finished speeches of round 2 in its redrawn region until the report arrives."""
    run = WatchedRun(is_live=True)
    assert isinstance(run.observer, LiveObserver)
    text = render_text(run.observer.region())
    assert [f"round {number}  ·" in text for number in (1, 2, 3)] == [False, True, True]
