"""The progress line of the live view: calls, time, tokens, cost, pending judgements, estimated time left."""

import pytest
from live_support import LiveView, turn_event
from render_support import START, debate, exchange, round_assessment, turns
from rich.cells import cell_len

from debate_cli.domain.events import DebateResumed


def test_pending_judgements_are_listed_and_counted() -> None:
    """A short list has the judging system and the round of each; a long list has each judging system once."""
    view = LiveView()
    view.observer.asking(round_assessment(1).brief)
    view.apply(turn_event(turns()[0]))
    assert "1/11 calls · 0:00 · 1.6k tokens · $0.0020 · judging: moderator, round 1" in view.region()[-1]
    for number in (2, 3):
        view.observer.asking(round_assessment(number).brief)
    assert view.region()[-1].rstrip().endswith("judging 3: moderator")
    view.console.width = 160
    assert view.region()[-1].rstrip().endswith("judging 3: moderator, round 1; moderator, round 2; moderator, round 3")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (29, "2/11 calls · 1:40 · $0.0040"),
        (45, "2/11 calls · 1:40 · 3.2k tokens · $0.0040"),
        (57, "2/11 calls · 1:40 · 7:30 left · 3.2k tokens · $0.0040"),
        (62, "2/11 calls · 1:40 · about 7:30 left · 3.2k tokens · $0.0040"),
        (76, "2/11 calls · 1:40 · about 7:30 left · 3.2k tokens · $0.0040 · judging 1"),
        (96, "━━╾───────────── 2/11 calls · 1:40 · about 7:30 left · 3.2k tokens · $0.0040 · judging 1"),
        (99, "━━╾───────────── 2/11 calls · 1:40 · about 7:30 left · 3.2k tokens · $0.0040 · judging: moderator"),
    ],
)
def test_a_narrow_line_leaves_out_what_matters_least(width: int, line: str) -> None:
    """Calls, time and cost stay whole. No part of the line is cut."""
    view = LiveView(width)
    view.apply(*map(turn_event, turns()[:2]))
    view.observer.asking(round_assessment(1).brief)
    view.now = 100.0
    assert view.region()[-1].rstrip() == line


@pytest.mark.parametrize(("width", "has_bar"), [(62, False), (80, True)])
def test_the_time_left_is_estimated_from_the_pace_so_far(width: int, *, has_bar: bool) -> None:
    """Two calls in 10 s leave 45 s for nine more. A narrow line omits the bar, not the numbers."""
    view = LiveView(width)
    view.apply(turn_event(turns()[0]))
    view.now = 5.0
    assert "left" not in view.region()[-1]
    view.apply(turn_event(turns()[1]))
    view.now = 10.0
    assert "2/11 calls · 0:10 · about 0:45 left · 3.2k tokens · $0.0040" in view.region()[-1]
    assert ("━" in view.region()[-1]) == has_bar


def test_calls_before_a_resume_do_not_count_for_the_pace() -> None:
    """The pace is that of this run."""
    view = LiveView(planned=13)
    view.observer.event(DebateResumed(at=START), debate())
    view.now = 60.0
    assert "11/13 calls · 1:00 · 16.7k" in view.region()[-1]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_the_progress_line_fits_the_window(width: int) -> None:
    """The line is cut to the width, and leaves room for `^C`, which the terminal shows."""
    view = LiveView(width)
    view.observer.asking(round_assessment(1).brief)
    assert cell_len(view.region()[-1]) <= width - len("^C")


def test_an_unknown_cost_is_shown_as_unknown() -> None:
    """It is not shown as $0, not even before the first answer."""
    view = LiveView()
    view.observer.asking(round_assessment(1).brief)
    assert "$" not in view.region()[-1]
    unpriced = exchange().model_copy(update={"cost_usd": None})
    view.apply(turn_event(turns()[0].model_copy(update={"exchange": unpriced})))
    assert "cost unknown" in view.region()[-1]
