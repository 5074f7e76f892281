"""The rows that are drawn again and again: what stands on the screen is what was drawn last, below what was printed for good."""

from __future__ import annotations

import errno
import threading
from collections.abc import Sequence
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, ConsoleDimensions
from rich.text import Text
from screen_support import Screen

from debate_cli.render.live.column import make_line
from debate_cli.render.live.region import LiveRegion, StyleRenderer, TerminalRow

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
        self.rows: Sequence[TerminalRow] = ()
        self.region = LiveRegion(self.console, lambda _: self.rows)

    def draw(self, words: Sequence[str]) -> None:
        """Draw these rows."""
        self.rows = [TerminalRow(text, len(text)) for text in words]
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
    drawn.region.refresh()
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


class Stuck(Screen):
    """A screen behind a line that takes nothing until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def write(self, text: str, /) -> int:
        """Wait, then obey; the cursor's own sequence is let through."""
        if "row" in text:
            self.reached.set()
            self.open.wait()
        return super().write(text)


def stuck() -> tuple[Stuck, LiveRegion]:
    """A region whose drawing thread is in the midst of a write."""
    screen = Stuck()
    target = Console(file=screen, width=40, height=20, force_terminal=True, legacy_windows=False, _environ={})
    region = LiveRegion(target, lambda _: [TerminalRow("row", 3)])
    region.start()
    screen.reached.wait()
    return screen, region


def printed(region: LiveRegion, *words: str) -> bool:
    """Whether printing them, one after the other, comes back."""
    printing = threading.Thread(target=lambda: [region.above(Text(word)) for word in words], daemon=True)
    printing.start()
    printing.join(5)
    return not printing.is_alive()


def test_who_prints_does_not_wait_for_a_slow_terminal() -> None:
    """While the terminal takes nothing, printing comes back all the same."""
    screen, region = stuck()
    came_back = printed(region, "one")
    screen.open.set()
    region.stop()
    assert came_back


def test_what_a_slow_terminal_did_not_take_yet_is_written_before_it_stops() -> None:
    """All of it, in the order in which it was printed, and the rows go."""
    screen, region = stuck()
    printed(region, "one", "two", "three")
    screen.open.set()
    region.stop()
    assert screen.lines() == ["one", "two", "three"]


class Gone(Screen):
    """A screen that goes away with the first row."""

    def write(self, text: str, /) -> int:
        """Fail on whatever holds a row."""
        if "row" in text:
            raise OSError(errno.EIO, "the terminal is gone")
        return super().write(text)


def test_who_prints_is_told_that_the_terminal_is_gone() -> None:
    """The drawing thread ends quietly; the next print raises."""
    target = Console(file=Gone(), width=40, height=20, force_terminal=True, legacy_windows=False, _environ={})
    rows = iter(range(1000))
    region = LiveRegion(target, lambda _: [TerminalRow(f"row {next(rows)}", 5)])
    region.start()
    for thread in threading.enumerate():
        if thread.name == "region":
            thread.join(5)
    with pytest.raises(OSError, match="gone"):
        region.above(Text("one"))
    region.stop()


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
    region = LiveRegion(target, lambda _: [TerminalRow("row", 3)])
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
    assert StyleRenderer(target).row(make_line(("word", "bold color(30)"))) == TerminalRow(text, 4)
