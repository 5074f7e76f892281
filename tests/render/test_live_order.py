"""The live view: what is said of the whole debate comes last, one cause of failures is one line, a judging counts itself."""

from __future__ import annotations

import re

from live_support import Stage, cue, sent
from render_support import START, console, debate, final_assessment, round_assessment, structured_assessment, turns
from rich.console import Console
from rich.text import Text

from debate_cli.domain.events import (
    AssessmentCompleted,
    DebateClosed,
    Failure,
    JudgingOpened,
    TaskFailed,
    TurnCompleted,
)
from debate_cli.domain.tasks import Subject, Task
from debate_cli.render.live.view import LiveObserver

LAST, WHOLE = round_assessment(3), final_assessment()


def at_the_end() -> Stage:
    """The moderator owes its word on the last round and on the whole debate; the latter has come."""
    stage = Stage()
    for assessment in (LAST, WHOLE):
        stage.watcher.asking(assessment.brief)
    stage.happens(AssessmentCompleted(at=START, assessment=WHOLE))
    return stage


def failed(task: Task, who: str) -> TaskFailed:
    """A server that is down, seen by one who was asked."""
    failure = Failure(task=task, who=who, cause="UnreachableError", message="lab is down", final=False)
    return TaskFailed(at=START, failure=failure)


def test_the_last_round_is_reported_on_before_the_whole_debate() -> None:
    """The faster answer waits."""
    stage = at_the_end()
    assert "the debate" not in stage.printed()
    stage.happens(AssessmentCompleted(at=START, assessment=LAST))
    printed = stage.printed()
    assert 0 < printed.index("moderator, round 3") < printed.index("moderator, the debate")


def test_a_report_on_a_part_that_will_not_come_is_not_waited_for() -> None:
    """The one on the whole debate is printed."""
    stage = at_the_end()
    stage.happens(failed(LAST.brief, "judge"))
    assert "moderator, the debate" in stage.printed()


def test_at_the_end_nothing_is_held_back() -> None:
    """Neither a report that waits for another one, nor a failure that waits for what may fail likewise."""
    stage = at_the_end()
    stage.watcher.asking(structured_assessment().brief)
    stage.happens(failed(LAST.brief.model_copy(update={"assessor": "judge-2"}), "judge-2"))
    assert "lab is down" not in stage.printed()
    stage.happens(DebateClosed(at=START, reason="interrupted"))
    assert "moderator, the debate" in stage.printed()
    assert "lab is down" in stage.printed()


def test_of_the_reports_held_back_that_on_the_whole_debate_is_the_last() -> None:
    """Though it came first, and the one on a part waited for its speech."""
    part = round_assessment(2).model_copy(update={"subject": Subject(moment="turn", turns=(0,))})
    stage = Stage()
    stage.watcher.asking(cue(turns()[0]))
    for brief in (LAST.brief, part.brief, WHOLE.brief):
        stage.watcher.asking(brief)
    for assessment in (WHOLE, part):
        stage.happens(AssessmentCompleted(at=START, assessment=assessment))
    assert "moderator, " not in stage.printed()
    stage.happens(DebateClosed(at=START, reason="interrupted"))
    heads = re.findall(r"moderator, (?:turn 1|the debate)", Text.from_ansi(stage.printed()).plain)
    assert heads == ["moderator, turn 1", "moderator, the debate"]


def test_one_cause_that_hits_both_is_one_line() -> None:
    """It names them, once both have failed."""
    stage = Stage()
    for turn in turns()[:2]:
        stage.watcher.asking(cue(turn))
    stage.happens(failed(cue(turns()[1]), "Bo"))
    assert "lab is down" not in stage.printed()
    stage.happens(failed(cue(turns()[0]), "Ada"))
    assert stage.printed().count("lab is down") == 1
    assert "✗ Ada and Bo could not speak: lab is down" in Text.from_ansi(stage.printed()).plain


def test_the_other_sides_speech_is_printed_before_the_failure() -> None:
    """Both were asked; one spoke."""
    stage = Stage()
    for turn in turns()[:2]:
        stage.watcher.asking(cue(turn))
    stage.happens(failed(cue(turns()[1]), "Bo"))
    stage.happens(TurnCompleted(at=START, turn=turns()[0]))
    assert 0 < stage.printed().index("PRO-1") < stage.printed().index("lab is down")


def drawn(view: LiveObserver, target: Console) -> str:
    """The text of the region."""
    return "".join(segment.text for segment in target.render(view.region()))


def test_a_judging_of_an_old_debate_counts_its_own_calls() -> None:
    """Not those of the debate, nor of who judged it before."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=debate().config.judging))
    target = console(120, colour=True)
    watcher = LiveObserver(target, None, clock=lambda: 0.0)
    watcher.event(JudgingOpened(at=START, run="r2", judging=debate().config.judging), told)
    assert drawn(watcher, target).count("0 calls · 0:00 · 0 tokens") == 1
    given = structured_assessment().model_copy(update={"run": "r2"})
    told = told.apply(AssessmentCompleted(at=START, assessment=given))
    watcher.event(AssessmentCompleted(at=START, assessment=given), told)
    assert drawn(watcher, target).count("1 call · 0:00 · 2.1k tokens") == 1
    assert "marked 4 of 4 arguments" in sent(target)
