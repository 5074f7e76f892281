"""Streamed turns in the live view fit the window and their frame."""

import json

import pytest
from live_support import LiveView, cue, turn_event
from render_support import HOSTILE, turns
from rich.cells import cell_len

from debate_cli.llm.model import RESTART

FIRST, SECOND = turns()[:2]


def streamed(width: int = 120) -> LiveView:
    """A view in which both sides stream."""
    view = LiveView(width)
    view.stream(FIRST)
    view.stream(SECOND)
    return view


def has_columns(view: LiveView) -> bool:
    """Whether the turns of both sides share lines."""
    return any("PRO-1" in line and "CON-1" in line for line in view.region())


def test_streams_are_in_columns_in_a_wide_window_and_stacked_in_a_narrow_one() -> None:
    """A resized window is laid out again."""
    view = streamed(120)
    assert has_columns(view)
    view.console.width = 80
    assert not has_columns(view)
    assert any("◆ Bo" in line for line in view.region())
    assert max(cell_len(line) for line in view.region()) == 80


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("height", [8, 12, 24, 40])
def test_the_region_fits_the_window(width: int, height: int) -> None:
    """A long stream makes the region neither higher nor wider than the window."""
    view = LiveView(width)
    view.console.height = height
    view.stream(FIRST.model_copy(update={"arguments": (FIRST.arguments or ()) * 10}))
    view.stream(SECOND)
    lines = view.region()
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("text", ["日本語のことば。" * 30, "👍🏽é\u0301 " * 60, "x" * 900, HOSTILE * 20])
@pytest.mark.parametrize("width", [40, 120])
def test_no_text_breaks_the_frame(text: str, width: int) -> None:
    """Wide, combining, unbroken and hostile text leaves every line of the frame equally wide."""
    view = LiveView(width)
    view.request(FIRST)
    view.observer.text(cue(FIRST), json.dumps({"arguments": [{"id": text, "claim": text, "reasoning": text}]}))
    lines = view.region()
    frame = lines[next(row for row, line in enumerate(lines) if line.startswith("╭")) : -1]
    assert {cell_len(line) for line in frame} == {width}
    assert all(line.startswith(("╭", "│", "╰")) and line.endswith(("╮", "│", "╯")) for line in frame)


def test_a_stream_is_drawn_like_the_finished_turn() -> None:
    """The last frame of a stream has the lines of the printed turn."""
    finished = LiveView()
    finished.request(FIRST, SECOND)
    finished.apply(turn_event(SECOND), turn_event(FIRST.model_copy(update={"warnings": ()})))
    printed = finished.printed_text().splitlines()
    drawn = [line for line in streamed().region() if line.startswith("│")]
    assert drawn
    assert [line for line in drawn if line not in printed] == []


def test_the_spinner_turns_until_the_speech_begins() -> None:
    """Each refresh shows the frame for its time."""
    view = LiveView()
    view.request(FIRST)
    frames: set[str] = set()
    for view.now in (0.0, 0.1, 0.2):
        frames |= {line[2] for line in view.region() if "thinking" in line}
    assert len(frames) == 3


def test_the_chair_is_whole_in_a_narrow_window() -> None:
    """The announcement takes two lines, for which the speeches have fewer lines."""
    view = LiveView(60)
    view.console.height = 17
    view.stream(FIRST)
    view.stream(SECOND)
    lines = [line.rstrip() for line in view.region()]
    assert lines[1:3] == ["Chair: Round 1 of 3: Ada and Bo speak at the same time.", "Next: cross-examination."]
    assert len(lines) == 16


def test_a_long_stream_shows_its_end() -> None:
    """The beginning is cut."""
    view = LiveView()
    view.console.height = 10
    view.stream(FIRST)
    text = " ".join(view.region())
    assert "componentising" in text
    assert "Independent deployment" not in text


def test_a_retry_discards_the_streamed_text() -> None:
    """RESTART removes the text of the failed attempt."""
    view = LiveView()
    view.stream(FIRST, length=60)
    assert "Independent" in " ".join(view.region())
    view.observer.text(cue(FIRST), RESTART)
    assert "Independent" not in " ".join(view.region())
