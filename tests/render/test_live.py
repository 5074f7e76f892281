"""The live view: what is finished is printed once and in order, and the terminal is left as it was."""

from __future__ import annotations

import json

import pytest
from live_support import Stage, cue
from render_support import HOSTILE, START, debate, events, round_assessment, turns
from rich.text import Text

from debate_cli.domain.assessment import Mark
from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    DebateResumed,
    Failure,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.tasks import Subject
from debate_cli.systems.live.findings import Resolution


def test_a_wave_is_printed_once_it_is_whole() -> None:
    """The first speech of a wave waits for the second, then both are printed side by side."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(TurnCompleted(at=START, turn=first))
    assert "PRO-1" not in stage.printed()
    stage.happens(TurnCompleted(at=START, turn=second))
    assert any("PRO-1" in line and "CON-1" in line for line in stage.printed().splitlines())


def test_a_speech_that_fails_is_not_waited_for() -> None:
    """When one side fails, the other side's speech is printed."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(TurnCompleted(at=START, turn=first))
    failure = Failure(task=cue(second), who="Bo", cause="ServerError", message="500", final=False)
    stage.happens(TaskFailed(at=START, failure=failure))
    assert "PRO-1" in stage.printed()
    assert "could not speak" in stage.printed()


def test_a_rounds_marks_are_shown_as_they_come() -> None:
    """The moderator's word on a round is printed with a bar for each debater."""
    stage = Stage()
    stage.happens(AssessmentCompleted(at=START, assessment=round_assessment(1)))
    assert "18/30" in stage.printed()
    assert "Momentum towards Bo" in stage.printed()


def test_a_report_waits_for_the_speech_that_it_is_about() -> None:
    """A judge who is faster than the other side's speech is heard below the speech, not above it."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(TurnCompleted(at=START, turn=first))
    about = Subject(moment="turn", turns=(0,))
    mark = Mark(participant="Ada", criterion="logic", value=31, out_of=40)
    stage.happens(
        AssessmentCompleted(
            at=START,
            assessment=round_assessment(1).model_copy(
                update={"system": "live", "subject": about, "marks": (mark,), "findings": ()}
            ),
        )
    )
    assert "live, turn 1" not in stage.printed()
    stage.happens(TurnCompleted(at=START, turn=second))
    assert stage.printed().index("PRO-1") < stage.printed().index("live, turn 1")


def test_a_report_with_one_number_takes_one_line() -> None:
    """What judges say about each speech does not push the speeches off the screen."""
    stage = Stage()
    about = Subject(moment="turn", turns=(0,))
    mark = Mark(participant="Ada", criterion="logic", value=31, out_of=40)
    update = {"system": "live", "subject": about, "marks": (mark,), "findings": ()}
    stage.happens(AssessmentCompleted(at=START, assessment=round_assessment(1).model_copy(update=update)))
    last = Text.from_ansi(stage.printed()).plain.splitlines()[-1]
    assert last.startswith("§ live, turn 1  ● Ada ━")
    assert last.rstrip().endswith("31/100")


def test_why_story_and_scorecard_differ_is_told() -> None:
    """The judge's explanation, as it comes."""
    stage = Stage()
    finding = Resolution(explanation="One good turn does not carry a debate.")
    update = {"system": "live", "subject": Subject(moment="debate"), "marks": (), "findings": (finding,)}
    stage.happens(AssessmentCompleted(at=START, assessment=round_assessment(1).model_copy(update=update)))
    assert "differ: One good turn does not carry a debate." in stage.printed()


def test_a_failure_stands_below_the_rule_of_its_round() -> None:
    """So that one sees where it happened."""
    stage = Stage()
    stage.watcher.asking(cue(turns()[0]))
    failure = Failure(task=cue(turns()[0]), who="Ada", cause="ServerError", message="500", final=False)
    stage.happens(TaskFailed(at=START, failure=failure))
    assert stage.printed().index("opening") < stage.printed().index("could not speak")


def test_a_resumed_debate_is_shown_from_its_beginning() -> None:
    """On resume the speeches that are there already are printed again."""
    stage = Stage()
    stage.watcher.event(DebateResumed(at=START), debate())
    assert "CON-2" in stage.printed()


@pytest.mark.parametrize("raised", [None, RuntimeError, KeyboardInterrupt])
def test_the_terminal_is_left_as_it_was(raised: type[BaseException] | None) -> None:
    """Whatever ends the run, the cursor is shown again and what was said is printed."""
    stage = Stage()
    try:
        with stage.watcher:
            stage.watcher.asking(cue(turns()[0]))
            stage.watcher.asking(cue(turns()[1]))
            stage.happens(TurnCompleted(at=START, turn=turns()[0]))
            if raised is not None:
                raise raised
    except (RuntimeError, KeyboardInterrupt):
        pass
    assert stage.printed().rfind("\x1b[?25h") > stage.printed().rfind("\x1b[?25l")
    assert "PRO-2" in stage.printed()


def test_stopping_twice_is_harmless() -> None:
    """A signal handler may stop what the context manager stops again."""
    stage = Stage()
    stage.watcher.start()
    stage.watcher.stop()
    stage.watcher.stop()
    assert stage.printed().count("\x1b[?25h") == 1


def test_hostile_text_sends_no_sequence_of_its_own() -> None:
    """Names, claims and streamed words are shown; nothing in them is obeyed."""
    hostile = {"id": HOSTILE, "claim": HOSTILE, "reasoning": HOSTILE, "evidence": HOSTILE}
    stage = Stage()
    first = turns()[0]
    stage.watcher.asking(cue(first))
    stage.watcher.text(cue(first), json.dumps({"arguments": [hostile]}))
    arguments = tuple(item.model_copy(update=hostile) for item in first.arguments or ())
    stage.console.print(stage.watcher.region())
    stage.happens(
        TurnCompleted(at=START, turn=first.model_copy(update={"arguments": arguments, "warnings": (HOSTILE,)}))
    )
    stage.watcher.note(HOSTILE)
    assert "[bold red]markup[/]" in stage.printed()
    assert not any(sign in stage.printed() for sign in ("\x1b]", "\x1b[31m", "\x9b", "\x07", "\u202e", "http://evil"))


def test_the_whole_debate_is_shown() -> None:
    """Nothing of a debate is left out: every argument id, every answer, every close."""
    stage = Stage()
    for event in events()[1:]:
        stage.happens(event)
    for word in ("PRO-1", "PRO-2", "CON-1", "CON-2", "concedes", "strengthened", "60/100", "The debate is complete."):
        assert word in stage.printed()


def test_an_interrupted_debate_says_so() -> None:
    """The reason of the close is said in words."""
    stage = Stage()
    stage.happens(DebateClosed(at=START, reason="interrupted"))
    assert "interrupted" in stage.printed()
