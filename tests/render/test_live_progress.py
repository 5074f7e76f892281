"""The last line of the live view: what is settled, what is awaited, what it took and what is left."""

from __future__ import annotations

import pytest
from live_support import Stage
from render_support import START, debate, exchange, round_assessment, turns
from rich.cells import cell_len

from debate_cli.domain.events import DebateResumed, TurnCompleted


def test_many_awaited_judgements_are_counted() -> None:
    """Their names would not fit."""
    stage = Stage()
    for number in (1, 2, 3):
        stage.watcher.asking(round_assessment(number).brief)
    assert "judging 3: moderator, round 1; moderator, round 2" in stage.region()[-1]


def test_the_time_left_is_estimated_from_the_pace_so_far() -> None:
    """Two calls in ten seconds: nine more take forty-five."""
    stage = Stage()
    stage.happens(TurnCompleted(at=START, turn=turns()[0]))
    stage.now = 5.0
    assert "left" not in stage.region()[-1]
    stage.happens(TurnCompleted(at=START, turn=turns()[1]))
    stage.now = 10.0
    assert "2/11 calls · 0:10 · about 0:45 left ·" in stage.region()[-1]


def test_what_was_there_before_a_resume_took_no_time() -> None:
    """The pace is that of this run."""
    stage = Stage(planned=13)
    stage.watcher.event(DebateResumed(at=START), debate())
    stage.now = 60.0
    assert "11/13 calls · 1:00 · 16.7k" in stage.region()[-1]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_the_line_on_progress_is_one_line(width: int) -> None:
    """Cut where it does not fit."""
    stage = Stage(width)
    stage.watcher.asking(round_assessment(1).brief)
    assert cell_len(stage.region()[-1]) <= width


@pytest.mark.parametrize(("width", "drawn"), [(60, False), (80, True)])
def test_a_narrow_line_has_room_for_numbers_rather_than_for_a_bar(width: int, *, drawn: bool) -> None:
    """What is left out last are time, tokens and cost."""
    stage = Stage(width)
    stage.happens(TurnCompleted(at=START, turn=turns()[0]))
    stage.happens(TurnCompleted(at=START, turn=turns()[1]))
    stage.now = 10.0
    assert "2/11 calls · 0:10 · about 0:45 left · 3.2k tokens · $0.0040" in stage.region()[-1]
    assert ("━" in stage.region()[-1]) == drawn


def test_progress_counts_what_is_settled() -> None:
    """Calls done of those planned, tokens and cost."""
    stage = Stage()
    stage.watcher.asking(round_assessment(1).brief)
    stage.happens(TurnCompleted(at=START, turn=turns()[0]))
    assert "1/11 calls · 0:00 · 1.6k tokens · $0.0020 · judging: moderator, round 1" in stage.region()[-1]


def test_an_unknown_price_is_said() -> None:
    """A cost that is not known is not shown as nothing."""
    stage = Stage()
    unpriced = exchange().model_copy(update={"cost_usd": None})
    stage.happens(TurnCompleted(at=START, turn=turns()[0].model_copy(update={"exchange": unpriced})))
    assert "cost unknown" in stage.region()[-1]
