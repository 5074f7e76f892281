"""The screen that a started live view leaves: printed lines above, the redrawn region below."""

import errno
import threading
import time
from io import StringIO

import pytest
from live_support import cue, turn_event
from render_support import opening_event, turns
from rich.console import Console
from screen_support import Screen

from debate_cli.domain.debate import initial_debate
from debate_cli.render.live.view import LiveObserver

PROGRESS = "0/11 calls"


def start_view(screen: StringIO) -> LiveObserver:
    """A started view of an opened debate, 100 columns wide."""
    console = Console(file=screen, width=100, height=40, force_terminal=True, legacy_windows=False, _environ={})
    view = LiveObserver(console, expected=11, clock=lambda: 0.0)
    view.start()
    view.event(opening_event(), initial_debate(opening_event()))
    return view


def wait_for(screen: Screen, text: str) -> None:
    """Wait until the screen shows `text`."""
    deadline = time.monotonic() + 10
    while not screen.count(text):
        assert time.monotonic() < deadline, screen.lines()
        time.sleep(0.01)


def test_the_region_is_redrawn_in_place() -> None:
    """Panel, progress line and streamed text are on the screen once."""
    screen = Screen()
    view = start_view(screen)
    view.asking(cue(turns()[0]))
    for word in ("one ", "two ", "three "):
        view.text(cue(turns()[0]), word)
        wait_for(screen, word.strip())
    assert [screen.count(text) for text in ("Ada · for", PROGRESS, "one two three")] == [1, 1, 1]
    assert not screen.cursor_shown
    view.stop()


def test_stopping_erases_the_region_and_keeps_printed_lines() -> None:
    """Completed turns are printed and the cursor is visible."""
    screen = Screen()
    view = start_view(screen)
    for turn in turns()[:2]:
        view.asking(cue(turn))
    wait_for(screen, PROGRESS)
    event = turn_event(turns()[0])
    view.event(event, initial_debate(opening_event()).apply(event))
    view.stop()
    assert (screen.count("PRO-1"), screen.count(PROGRESS), screen.cursor_shown) == (1, 0, True)


class BlockedScreen(Screen):
    """A screen that blocks the first region until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def write(self, text: str, /) -> int:
        """Block on a region."""
        if PROGRESS in text:
            self.reached.set()
            self.open.wait(10)
        return super().write(text)


def test_a_blocked_terminal_does_not_block_the_debate() -> None:
    """Calls return while the terminal blocks; their output follows in order."""
    screen = BlockedScreen()
    view = start_view(screen)
    screen.reached.wait(10)
    for note in ("first note", "second note"):
        view.note(note)
    screen.open.set()
    view.stop()
    assert [line for line in screen.lines() if "note" in line] == ["! first note", "! second note"]


class ClosedScreen(Screen):
    """A screen that fails on the first region."""

    def write(self, text: str, /) -> int:
        """Fail on a region."""
        if PROGRESS in text:
            raise OSError(errno.EIO, "the terminal is gone")
        return super().write(text)


def test_a_closed_terminal_raises_in_the_next_call() -> None:
    """The drawing thread ends silently; the caller of the observer gets the error."""
    view = start_view(ClosedScreen())
    for thread in threading.enumerate():
        if thread.name == "live-view":
            thread.join(10)
    with pytest.raises(OSError, match="gone"):
        view.note("a note")


def test_without_a_terminal_only_permanent_lines_are_printed() -> None:
    """The output has no region and no control sequence."""
    stream = StringIO()
    view = LiveObserver(Console(file=stream, width=100), expected=11)
    view.start()
    view.event(opening_event(), initial_debate(opening_event()))
    view.note("a note")
    view.stop()
    assert "! a note" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


class RecordingScreen(Screen):
    """A screen that keeps each write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []

    def write(self, text: str, /) -> int:
        """Keep the text, and show it."""
        self.writes.append(text)
        return super().write(text)


def test_a_printed_speech_is_never_followed_by_its_own_stream() -> None:
    """The region below a printed speech is drawn anew, so that a high region leaves no empty screen behind."""
    screen = RecordingScreen()
    view = start_view(screen)
    view.asking(cue(turns()[0]))
    view.text(cue(turns()[0]), "half a sentence")
    wait_for(screen, "half a sentence")
    event = turn_event(turns()[0])
    view.event(event, initial_debate(opening_event()).apply(event))
    wait_for(screen, "PRO-1")
    view.stop()
    assert not [text for text in screen.writes if "PRO-1" in text and "half a sentence" in text]
