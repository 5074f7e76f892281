"""Permanent output of the live view: its order, its content, and the state in which it leaves the terminal."""

import pytest
from live_support import LiveView, assessment_event, cue, failure_event, turn_event
from render_support import (
    START,
    debate,
    round_assessment,
    structured_assessment,
    turns,
)

from debate_cli.cli.screen import show_view
from debate_cli.domain.assessment import Mark
from debate_cli.domain.events import DebateClosed, DebateResumed, JudgingOpened
from debate_cli.domain.tasks import Subject
from debate_cli.render import theme
from debate_cli.systems.live.findings import Resolution
from debate_cli.systems.panel.votes import Vote, VoteOption

FIRST, SECOND = turns()[:2]
INTERRUPTED = DebateClosed(at=START, reason="interrupted")
TURN_MARK = assessment_event(
    round_assessment(1), system="live", subject=Subject(moment="turn", turns=(0,)), findings=(),
    marks=(Mark(participant="Ada", criterion="logic", value=31, out_of=40),),
)  # fmt: skip


def requested_first_wave() -> LiveView:
    """A view in which the turns of both sides are in flight."""
    view = LiveView()
    view.request(FIRST, SECOND)
    return view


def test_turns_of_a_wave_are_printed_side_by_side_once_both_are_complete() -> None:
    """The first turn of a wave waits for the second."""
    view = requested_first_wave()
    view.apply(turn_event(FIRST))
    assert "PRO-1" not in view.printed()
    view.apply(turn_event(SECOND))
    assert any("PRO-1" in line and "CON-1" in line for line in view.printed().splitlines())


@pytest.mark.parametrize("failure_is_first", [True, False])
def test_a_failed_turn_releases_the_other_turn_of_its_wave(*, failure_is_first: bool) -> None:
    """The failure and the completed turn are printed below the heading of the round."""
    view = requested_first_wave()
    pair = [failure_event(cue(SECOND)), turn_event(FIRST)]
    view.apply(*(pair if failure_is_first else pair[::-1]))
    printed = view.printed()
    assert 0 < printed.index("opening") < min(printed.index("PRO-1"), printed.index("lab is down"))


def test_a_judge_report_follows_the_turn_that_it_is_about() -> None:
    """A report that arrives before its wave is complete waits."""
    view = requested_first_wave()
    view.apply(turn_event(FIRST), TURN_MARK)
    assert "live, turn 1" not in view.printed()
    view.apply(turn_event(SECOND))
    assert view.printed().index("PRO-1") < view.printed().index("live, turn 1")


def test_a_single_score_is_beside_the_title() -> None:
    """The debater's bar and score; below it what the judge thinks."""
    view = LiveView()
    view.apply(TURN_MARK)
    *_, first, second = view.printed_text().splitlines()
    assert first.startswith("§ live, turn 1  ● Ada ━")
    assert first.rstrip().endswith("31/100")
    assert second.strip() == "· logic 31/40"


@pytest.mark.parametrize(
    ("option", "confidence", "result", "colour"),
    [
        ("PASS", 0.93, "✓ PASS, confidence 0.93", theme.GREEN),
        ("FAIL", 0.9, "✗ FAIL, confidence 0.9", theme.RED),
        ("CONDITIONAL", 0.85, "≈ CONDITIONAL, confidence 0.85", theme.GOLD),
    ],
)
def test_a_vote_has_its_sign_and_colour(option: VoteOption, confidence: float, result: str, colour: str) -> None:
    """It is beside the judge in a wide window, and below each judge in a narrow one, always on one line."""
    vote = Vote(option=option, confidence=confidence, critical_findings=("No owner.",))
    for width, lines in (
        (80, [f"§ panel/qa_evaluator, vote 1  {result}"]),
        (60, ["§ panel/qa_evaluator, vote 1", f"  {result}"]),
    ):
        view = LiveView(width)
        view.apply(
            assessment_event(
                structured_assessment(), system="panel", assessor="qa_evaluator", marks=(), findings=(vote,)
            )
        )
        shown = [line.rstrip() for line in view.printed_text().splitlines()]
        assert shown[-len(lines) - 1 :] == [*lines, "  · Critical: No owner."]
        code = colour.removeprefix("color(").removesuffix(")")
        assert f"\x1b[1;38;5;{code}m{result}" in view.printed()


def test_reports_show_marks_momentum_and_resolution() -> None:
    """The moderator's round has marks and momentum; live explains a narrative that differs from the scorecard."""
    view = LiveView()
    resolution = Resolution(explanation="One good turn does not carry a debate.")
    view.apply(
        assessment_event(round_assessment(1)),
        assessment_event(
            round_assessment(1),
            system="live",
            subject=Subject(moment="debate"),
            revision=1,
            marks=(),
            findings=(resolution,),
        ),
    )
    for text in (
        "18/30",
        "Momentum towards Bo",
        "narrative against scorecard",
        "One good turn does not carry a debate.",
    ):
        assert text in view.printed()


def test_the_close_prints_everything_that_waits() -> None:
    """A speech in flight is dropped, and the report that waited for it is printed."""
    view = LiveView()
    view.request(FIRST)
    view.apply(TURN_MARK)
    assert "live, turn 1" not in view.printed()
    view.apply(INTERRUPTED)
    assert 0 < view.printed_text().index("live, turn 1") < view.printed_text().index("interrupted")


def test_a_resumed_debate_is_shown_from_its_beginning() -> None:
    """Turns that were completed before the resume are printed again."""
    view = LiveView()
    view.observer.event(DebateResumed(at=START), debate())
    assert "CON-2" in view.printed()


def test_a_further_judging_run_counts_its_own_calls() -> None:
    """Calls of the debate and of earlier judging runs are not counted."""
    view = LiveView(planned=None, saved=debate())
    view.apply(JudgingOpened(at=START, run="r2", judging=debate().config.judging))
    assert "0 calls · 0:00 · 0 tokens" in "".join(view.region())
    view.apply(assessment_event(structured_assessment(), run="r2"))
    assert "1 call · 0:00 · 2.1k tokens" in "".join(view.region())
    assert "marked 4 of 4 arguments" in view.printed()


@pytest.mark.parametrize("raised", [None, RuntimeError, KeyboardInterrupt])
def test_leaving_the_context_restores_the_terminal(raised: type[BaseException] | None) -> None:
    """After any end of the run the cursor is visible and completed turns are printed."""
    view = LiveView()
    try:
        with show_view(view.observer):
            view.request(FIRST, SECOND)
            view.apply(turn_event(FIRST))
            if raised is not None:
                raise raised
    except (RuntimeError, KeyboardInterrupt):
        pass
    assert view.printed().rfind("\x1b[?25h") > view.printed().rfind("\x1b[?25l")
    assert "PRO-2" in view.printed()


def test_stopping_twice_has_no_effect() -> None:
    """A signal handler and the context manager may both stop the view."""
    view = LiveView()
    view.observer.start()
    view.observer.stop()
    view.observer.stop()
    assert view.printed().count("\x1b[?25h") == 1
