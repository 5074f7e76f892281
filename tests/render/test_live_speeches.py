"""Speeches as they grow in the live view: whatever is streamed, it fits the window and its frame."""

from __future__ import annotations

import json

import pytest
from live_support import Stage, cue, stream
from render_support import HOSTILE, START, turns
from rich.cells import cell_len
from rich.text import Text

from debate_cli.domain.events import TurnCompleted
from debate_cli.llm.model import RESTART


def test_both_sides_stream_beside_each_other_in_a_wide_window() -> None:
    """In 120 columns the two claims stand in one line."""
    stage = Stage()
    for turn in turns()[:2]:
        stream(stage, turn)
    assert any("PRO-1" in line and "CON-1" in line for line in stage.region())


def test_both_sides_stream_below_each_other_in_a_narrow_window() -> None:
    """In 80 columns each side has the full width."""
    stage = Stage(80)
    for turn in turns()[:2]:
        stream(stage, turn)
    lines = stage.region()
    assert not any("PRO-" in line and "CON-" in line for line in lines)
    assert any("◆ Bo" in line for line in lines)


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("height", [8, 12, 24, 40])
def test_what_grows_fits_the_window(width: int, height: int) -> None:
    """However much is streamed, the region is not higher than the window, and no wider."""
    stage = Stage(width)
    stage.console.height = height
    long = turns()[0].model_copy(update={"arguments": (turns()[0].arguments or ()) * 10})
    stream(stage, long)
    stream(stage, turns()[1])
    lines = stage.region()
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("words", ["日本語のことば。" * 30, "👍🏽é\u0301 " * 60, "x" * 900, HOSTILE * 20])
@pytest.mark.parametrize("width", [40, 120])
def test_no_words_break_the_frame(words: str, width: int) -> None:
    """Wide signs, combined ones, an endless word, control sequences: every line of a frame is as wide as the others."""
    stage = Stage(width)
    first = turns()[0]
    stage.watcher.asking(cue(first))
    stage.watcher.text(cue(first), json.dumps({"arguments": [{"id": words, "claim": words, "reasoning": words}]}))
    frame = stage.region()[1:-1]
    assert {cell_len(line) for line in frame} == {width}
    assert all(line.startswith(("╭", "│", "╰")) and line.endswith(("╮", "│", "╯")) for line in frame)


def test_a_resized_window_is_drawn_anew() -> None:
    """The same speech in the new width, from its pieces."""
    stage = Stage(120)
    for turn in turns()[:2]:
        stream(stage, turn)
    assert any("PRO-1" in line and "CON-1" in line for line in stage.region())
    stage.console.width = 80
    assert not any("PRO-" in line and "CON-" in line for line in stage.region())
    assert max(cell_len(line) for line in stage.region()) == 80


def test_what_grows_is_drawn_as_what_is_finished() -> None:
    """The last frame of a streamed speech has the lines of the finished one."""
    grown, finished = Stage(), Stage()
    for turn in turns()[:2]:
        stream(grown, turn)
        finished.watcher.asking(cue(turn))
    finished.happens(TurnCompleted(at=START, turn=turns()[1]))
    finished.happens(TurnCompleted(at=START, turn=turns()[0].model_copy(update={"warnings": ()})))
    printed = Text.from_ansi(finished.printed()).plain.splitlines()
    drawn = [line for line in grown.region() if line.startswith("│")]
    assert drawn
    assert [line for line in drawn if line not in printed] == []


def test_the_newest_words_are_what_is_shown() -> None:
    """Of a speech that is too long the end is shown."""
    stage = Stage()
    stage.console.height = 10
    stream(stage, turns()[0])
    text = " ".join(stage.region())
    assert "componentising" in text
    assert "Independent deployment" not in text


def test_a_restart_clears_the_speech() -> None:
    """What was streamed before a retry disappears."""
    stage = Stage()
    first = turns()[0]
    stream(stage, first, length=60)
    assert "Independent" in " ".join(stage.region())
    stage.watcher.text(cue(first), RESTART)
    assert "Independent" not in " ".join(stage.region())
