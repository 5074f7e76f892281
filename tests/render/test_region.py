"""What the started live view leaves on a terminal: printed lines above, the drawn region below, nothing else."""

from __future__ import annotations

import errno
import threading
import time
from io import StringIO

import pytest
from live_support import cue
from render_support import START, opened, turns
from rich.console import Console, ConsoleDimensions
from screen_support import Screen

from debate_cli.domain.debate import initial_debate
from debate_cli.domain.events import TurnCompleted
from debate_cli.render.live.view import LiveObserver


def terminal(screen: StringIO, width: int = 100) -> Console:
    """A console that draws on `screen`."""
    return Console(file=screen, width=width, height=40, force_terminal=True, legacy_windows=False, _environ={})


def opened_view(screen: StringIO, width: int = 100) -> LiveObserver:
    """A started view of a debate that was opened."""
    view = LiveObserver(terminal(screen, width), planned=11)
    view.start()
    view.event(opened(), initial_debate(opened()))
    return view


def wait_for(screen: Screen, words: str) -> None:
    """Wait until the screen shows `words`."""
    deadline = time.monotonic() + 10
    while not any(words in line for line in screen.lines()):
        assert time.monotonic() < deadline, screen.lines()
        time.sleep(0.01)


def test_a_growing_speech_is_drawn_below_the_heading() -> None:
    """The panel and the progress line are redrawn in place: each is on the screen once."""
    screen = Screen()
    view = opened_view(screen)
    first = turns()[0]
    view.asking(cue(first))
    for word in ("one ", "two ", "three "):
        view.text(cue(first), word)
        wait_for(screen, word.strip())
    lines = screen.lines()
    assert [sum(words in line for line in lines) for words in ("Ada · for", "0/11 calls", "one two three")] == [1, 1, 1]
    assert not screen.cursor_shown
    view.stop()


def test_after_the_stop_only_printed_lines_are_left() -> None:
    """The region is erased, finished speeches are printed, the cursor is shown."""
    screen = Screen()
    view = opened_view(screen)
    state = initial_debate(opened())
    for turn in turns()[:2]:
        view.asking(cue(turn))
    wait_for(screen, "0/11 calls")
    event = TurnCompleted(at=START, turn=turns()[0])
    view.event(event, state.apply(event))
    view.stop()
    assert sum("PRO-1" in line for line in screen.lines()) == 1
    assert not any("0/11 calls" in line for line in screen.lines())
    assert screen.cursor_shown


class CountingScreen(Screen):
    """A screen that counts what is written to it."""

    writes = 0

    def write(self, text: str, /) -> int:
        """Count, then obey."""
        self.writes += 1
        return super().write(text)


def test_a_frame_without_changes_is_not_sent() -> None:
    """A still region does not flicker."""
    screen = CountingScreen()
    view = LiveObserver(terminal(screen), planned=11, clock=lambda: 0.0)
    view.start()
    view.event(opened(), initial_debate(opened()))
    wait_for(screen, "0/11 calls")
    before = screen.writes
    time.sleep(0.35)
    assert screen.writes == before
    view.stop()


def test_a_narrower_window_leaves_no_wrapped_lines() -> None:
    """The lines that the terminal has wrapped are erased as well."""
    screen = Screen()
    view = opened_view(screen, 100)
    view.asking(cue(turns()[0]))
    wait_for(screen, "0/11 calls")
    rows = screen.row
    view.console.size = ConsoleDimensions(60, 40)
    wait_for(screen, "─ turn 1 ─╯")
    view.stop()
    assert screen.row <= rows


class StuckScreen(Screen):
    """A screen that accepts no region before it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def write(self, text: str, /) -> int:
        """Wait, then obey."""
        if "0/11 calls" in text:
            self.reached.set()
            self.open.wait(10)
        return super().write(text)


def test_a_slow_terminal_does_not_delay_the_debate() -> None:
    """Calls return while the terminal accepts nothing; what they print appears in order afterwards."""
    screen = StuckScreen()
    view = opened_view(screen)
    screen.reached.wait(10)
    for note in ("first note", "second note"):
        view.note(note)
    screen.open.set()
    view.stop()
    assert [line for line in screen.lines() if "note" in line] == ["! first note", "! second note"]


class ClosedScreen(Screen):
    """A screen that goes away with the first region."""

    def write(self, text: str, /) -> int:
        """Fail on a region."""
        if "0/11 calls" in text:
            raise OSError(errno.EIO, "the terminal is gone")
        return super().write(text)


def test_a_closed_terminal_raises_in_the_next_call() -> None:
    """The drawing thread ends quietly; the observer's caller gets the error."""
    view = opened_view(ClosedScreen())
    for thread in threading.enumerate():
        if thread.name == "live-view":
            thread.join(10)
    with pytest.raises(OSError, match="gone"):
        view.note("a note")


def test_without_a_terminal_only_finished_lines_are_printed() -> None:
    """No region, no control sequence."""
    stream = StringIO()
    view = LiveObserver(Console(file=stream, width=100), planned=11)
    with view:
        view.event(opened(), initial_debate(opened()))
        view.note("a note")
    assert "! a note" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
