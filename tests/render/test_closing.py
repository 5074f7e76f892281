"""The closing screen of a run: the answer and what a decision needs, on one screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from render_support import HOSTILE, debate, shown, structured_assessment, unscored

from debate_cli.domain.debate import Debate
from debate_cli.render.plain import closing_lines, header_lines
from debate_cli.render.resume_hint import required_change
from debate_cli.render.terminal_summary import closing_screen, details
from debate_cli.systems.scoring import score

REHEARSAL = "REHEARSAL: mock provider, no model was called"


def on_terminal(told: Debate, width: int = 80) -> str:
    """The closing screen as a terminal of that width shows it."""
    return "".join(shown(part, width) for part in closing_screen(told, score(told)))


def on_pipe(told: Debate) -> str:
    """The same as plain lines."""
    return "\n".join(closing_lines(told, score(told)))


def test_it_fits_one_screen() -> None:
    """At most 36 lines of 80 columns, which leaves 4 for the file and the next command."""
    lines = on_terminal(debate()).splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("show", [on_terminal, on_pipe])
def test_it_answers_what_a_decision_needs(show: Callable[[Debate], str]) -> None:
    """Winner and margin with its scale, claims by what they are good for, the other verdict, disagreement, cost."""
    told = " ".join(show(debate()).replace("┃", " ").split())
    for words in (
        "Bo wins narrowly, by 1.1 of 10 points.",
        "CON-1 ",
        "upheld",
        "7.8",
        "refuted",
        "Bo wins clearly, by 15.67 of 82.5 points.",
        "They differ on how far a win of Bo goes",
        "$0.0220",
        REHEARSAL,
    ):
        assert words in told


def test_claims_are_rated_in_one_line_each() -> None:
    """Plain lines read like a test report."""
    assert "Check first: PRO-1  refuted  5.7  Independent deployment" in on_pipe(debate())


def test_the_tables_are_in_the_details_only() -> None:
    """The closing screen has no trace and no score table."""
    full = "".join(shown(part, 100) for part in details(debate(), score(debate())))
    assert ("evidence based claims" in full, "evidence based claims" in on_terminal(debate(), 100)) == (True, False)


@pytest.mark.parametrize("show", [on_terminal, on_pipe])
def test_too_little_judged_is_said(show: Callable[[Debate], str]) -> None:
    """An undetermined verdict says what is missing."""
    told = show(unscored())
    assert "Undetermined" in told
    assert "not assessed" in told


def test_a_debate_of_real_models_is_no_rehearsal() -> None:
    """The notice stands first for the mock only."""
    real = debate(models={"default": {"model": "openai/gpt-5"}, "judge": {"model": "openai/gpt-5"}}).without_turns()
    assert header_lines(debate())[0] == REHEARSAL
    assert header_lines(real)[0] != REHEARSAL


def test_a_long_background_is_shortened() -> None:
    """Three lines and a count."""
    told = header_lines(debate(background="\n".join(f"line {number}" for number in range(900))))
    assert [line for line in told if line.startswith("Background: ")] == [
        "Background: line 0",
        "Background: line 1",
        "Background: line 2",
        "Background: … and 897 more lines",
    ]


def test_untrusted_text_is_sanitized() -> None:
    """A judge's words and a motion cannot write control sequences."""
    hostile = structured_assessment().model_copy(update={"rationale": HOSTILE})
    told = debate(topic=HOSTILE).with_assessments([hostile])
    assert all(sign == "\n" or sign.isprintable() for sign in on_terminal(told) + on_pipe(told))


@pytest.mark.parametrize(("cause", "is_repeated"), [("ContextOverflowError", True), ("ServerError", False)])
def test_a_failure_that_resuming_repeats_says_what_to_change(cause: str, is_repeated: bool) -> None:
    """A context that is too long stays too long; a server recovers."""
    assert bool(required_change(cause)) == is_repeated
