"""The rows that are drawn again and again: what stands on the screen is what was drawn last, below what was printed for good."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, ConsoleDimensions
from rich.text import Text
from screen_support import Screen

from debate_cli.render.column import line
from debate_cli.render.region import Ink, Region, Row

WORDS = st.text(st.sampled_from("abc "), max_size=12)
FRAMES = st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=8)


class Drawn:
    """A region on a screen in memory, drawn when the test says so."""

    def __init__(self, width: int = 40, height: int = 20) -> None:
        self.screen = Screen()
        self.console = Console(
            file=self.screen, width=width, height=height, force_terminal=True, color_system="256",
            legacy_windows=False, _environ={},
        )  # fmt: skip
        self.rows: Sequence[Row] = ()
        self.region = Region(self.console, lambda _: self.rows)

    def draw(self, words: Sequence[str]) -> None:
        """Draw these rows."""
        self.rows = [Row(text, len(text)) for text in words]
        self.region.refresh()


def stripped(words: Sequence[str]) -> list[str]:
    """Rows as a screen shows them."""
    found = [text.rstrip() for text in words]
    while found and not found[-1]:
        found.pop()
    return found


@given(FRAMES)
def test_the_screen_shows_the_last_frame(frames: list[list[str]]) -> None:
    """Whatever was drawn before, longer or shorter, higher or lower, nothing of it is left."""
    drawn = Drawn()
    for frame in frames:
        drawn.draw(frame)
    assert drawn.screen.lines() == stripped(frames[-1])


def test_only_what_changed_is_sent() -> None:
    """A row that stays as it is costs no words."""
    sent = StringIO()
    drawn = Drawn()
    drawn.draw(["first", "second"])
    drawn.console.file = sent
    drawn.draw(["first", "changed"])
    assert "changed" in sent.getvalue()
    assert "first" not in sent.getvalue()


def test_nothing_is_sent_where_nothing_changed() -> None:
    """A frame that is like the one before is no frame."""
    sent = StringIO()
    drawn = Drawn()
    drawn.draw(["same"])
    drawn.console.file = sent
    drawn.draw(["same"])
    assert sent.getvalue() == ""


def test_what_is_printed_stands_above_the_rows() -> None:
    """In the order in which it was printed."""
    drawn = Drawn()
    drawn.region.start()
    drawn.draw(["row", "status"])
    drawn.region.above(Text("one"))
    drawn.region.above(Text("two"), Text("three"))
    assert drawn.screen.lines() == ["one", "two", "three", "row", "status"]
    drawn.region.stop()


def test_when_it_stops_nothing_is_left_but_what_was_printed() -> None:
    """The rows go, and the cursor is there again."""
    drawn = Drawn()
    drawn.region.start()
    drawn.draw(["row", "status"])
    drawn.region.above(Text("one"))
    assert not drawn.screen.cursor_shown
    drawn.region.stop()
    assert drawn.screen.lines() == ["one"]
    assert drawn.screen.cursor_shown


@pytest.mark.parametrize(("width", "ups"), [(40, 1), (20, 3), (10, 7)])
def test_a_narrower_window_has_wrapped_the_rows(width: int, ups: int) -> None:
    """As many lines are cleared as the old rows take in the new width."""
    drawn = Drawn(40)
    drawn.draw(["a" * 40, "b" * 40])
    sent = StringIO()
    drawn.console.file = sent
    drawn.console.size = ConsoleDimensions(width, 19)
    drawn.draw(["new"])
    assert sent.getvalue().count("\x1b[A\x1b[2K") == ups


def test_where_there_is_no_terminal_nothing_is_drawn() -> None:
    """The rows are left out, what is printed for good is not."""
    target = Console(file=StringIO(), width=40)
    region = Region(target, lambda _: [Row("row", 3)])
    region.start()
    region.above(Text("printed"))
    region.stop()
    assert isinstance(target.file, StringIO)
    assert target.file.getvalue() == "printed\n"


@pytest.mark.parametrize(
    ("environment", "text"),
    [({}, "\x1b[1;38;5;30mword\x1b[0m"), ({"NO_COLOR": "1"}, "\x1b[1mword\x1b[0m")],
    ids=["colours", "no colours"],
)
def test_colours_are_left_out_where_they_are_not_wanted(environment: dict[str, str], text: str) -> None:
    """NO_COLOR keeps what is bold."""
    target = Console(
        file=StringIO(), force_terminal=True, color_system="256", legacy_windows=False, _environ=environment
    )
    assert Ink(target).row(line(("word", "bold color(30)"))) == Row(text, 4)
