"""What stands above what is watched: a new debate, one that goes on, one that is judged again, a text."""

from __future__ import annotations

from io import StringIO

import pytest
from live_support import sent
from render_support import START, console, debate, events, opened, structured_assessment
from rich.text import Text

from debate_cli.app.judge_request import JudgingRequest, document_events
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.debate import initial_debate as opened_debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, DebateResumed, Event, JudgingOpened, TaskStarted
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.render import theme
from debate_cli.render.live.view import LiveObserver
from debate_cli.render.participants import REHEARSAL_NOTICE
from debate_cli.render.plain import PlainObserver

AGAIN = JudgingOpened(at=START, run="r2", judging=JudgingConfig.model_validate({"systems": ["structured"]}))
ADDED = AssessmentCompleted(at=START, assessment=structured_assessment().model_copy(update={"run": "r2"}))


def drawn(happened: list[Event], before: Debate, width: int = 100) -> list[str]:
    """The lines that the live view prints of these events, which follow on that state."""
    target = console(width, colour=True)
    watcher = LiveObserver(target, None, clock=lambda: 0.0)
    _watched(watcher, happened, before)
    lines = Text.from_ansi(sent(target)).plain.splitlines()
    return lines[1:] if lines[0] == REHEARSAL_NOTICE else lines


def plain(happened: list[Event], before: Debate) -> list[str]:
    """The same as plain lines."""
    stream = StringIO()
    _watched(PlainObserver(stream), happened, before)
    return stream.getvalue().splitlines()


def _watched(watcher: LiveObserver | PlainObserver, happened: list[Event], before: Debate) -> None:
    for event in happened:
        before = before.apply(event)
        watcher.event(event, before)


def a_text() -> Debate:
    """A text that no judge of the panel has voted on yet."""
    return fold(document_events("PLAN.md", "We rewrite it.", "plan-0001", JudgingRequest(systems=("panel",)), START))


@pytest.mark.parametrize("width", [50, 100])
def test_a_debate_that_goes_on_says_so_in_its_frame(width: int) -> None:
    """With the number of speeches that are there already; a narrow window cuts the format instead."""
    halfway = fold(events()[:4])
    assert drawn([DebateResumed(at=START)], halfway, width)[0].startswith("╭─ debate · resumed after 3 speeches · s")


def test_what_was_said_before_is_told_from_what_is_said_now() -> None:
    """By a rule below the speeches that are printed again, as the frame has scrolled away by then."""
    lines = drawn([DebateResumed(at=START), events()[4]], fold(events()[:4]))
    rule = next(place for place, line in enumerate(lines) if line.startswith("resumed after 3 speeches ─"))
    assert [sum("· turn " in line or "─ turn " in line for line in part) for part in (lines[:rule], lines[rule:])] == [
        3,
        1,
    ]


def test_a_debate_that_stopped_before_anybody_spoke_goes_on_before_the_first_speech() -> None:
    """In both views; there is nothing to part from."""
    unheard = fold(events()[:1])
    assert "resumed before the first speech" in drawn([DebateResumed(at=START)], unheard)[0]
    assert "Resumed before the first speech." in plain([DebateResumed(at=START)], unheard)
    assert sum("resumed" in line for line in drawn([DebateResumed(at=START)], unheard)) == 1


def test_a_new_debate_has_its_format_alone_in_its_frame() -> None:
    """Nothing was there before."""
    target = console(100, colour=True)
    LiveObserver(target, None).event(opened(), opened_debate(opened()))
    assert Text.from_ansi(sent(target)).plain.splitlines()[1].startswith("╭─ debate · structured ─")


def test_a_judging_again_is_headed_by_what_is_judged() -> None:
    """Its motion and its id, once, before the judging run."""
    lines = drawn([AGAIN, AGAIN.model_copy(update={"run": "r3"})], debate())
    assert lines[0].startswith("╭─ debate · judged again ─")
    assert sum("microservices" in line for line in lines) == 2, "motion and id"
    assert [line[:14] for line in lines if line.startswith("judging run")] == ["judging run r2", "judging run r3"]


def test_what_nobody_judged_before_is_not_judged_again() -> None:
    """It was held without judges, or they failed."""
    unjudged = debate().without_turns()
    assert "judged ─" in drawn([AGAIN], unjudged)[0]
    assert plain([AGAIN], unjudged)[0] == "Debate: microservices-0001 (judged)"


def test_a_later_judging_of_a_debate_that_is_replayed_has_no_frame_of_its_own() -> None:
    """Its heading is on the screen already."""
    lines = plain([*events()[1:], AGAIN, ADDED], opened_debate(opened()))
    assert not any("judged again" in line for line in lines)


def test_plain_lines_begin_with_what_is_judged_again() -> None:
    """Id and motion, then the run and its judges."""
    lines = plain([AGAIN, ADDED], debate())
    assert [line.partition(":")[0] for line in lines[:4]] == ["Debate", "Motion", "Judging run r2", "Judge"]
    assert lines[0] == "Debate: microservices-0001 (judged again)"


VOTE = TaskStarted(at=START, key="r1/panel/technical_architect/debate/all/0")


def test_a_text_is_framed_as_a_text_with_its_judges() -> None:
    """It has no format, and nobody debated it."""
    lines = drawn([VOTE], a_text())
    assert lines[0].startswith("╭─ text · judged ─")
    assert any("technical_architect" in line for line in lines)


def test_a_text_is_named_in_plain_lines_and_not_shown() -> None:
    """Its id, its name and its judges."""
    lines = plain([VOTE], a_text())
    assert lines[:2] == ["Text: plan-0001 (judged)", "Name: PLAN.md"]
    assert {line.partition(":")[0] for line in lines[2:]} == {"Judge"}


def test_a_text_has_no_debate_that_is_complete() -> None:
    """It was closed when it was opened, as there is nobody to speak; of a debate it is told how it ended."""
    closed = DebateClosed(at=START, reason="complete")
    assert not any("complete" in line for line in [*drawn([closed], a_text()), *plain([closed], a_text())])
    assert (theme.describe_close(a_text()), theme.describe_close(debate())) == ("", "The debate is complete.")
