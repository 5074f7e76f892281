"""The observer wrapper of a run: it counts repeated notes and survives a closed pipe."""

from __future__ import annotations

import errno
from datetime import UTC, datetime

import pytest
from render_support import debate

from debate_cli.cli.screen import PipeSafeObserver
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, Event, TaskStarted
from debate_cli.observer import NullObserver

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
CLOSED = DebateClosed(at=NOON, reason="failed")


class Listening(NullObserver):
    """An observer that records its notes."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        del debate
        self.heard.append(event.type)

    def note(self, note: str) -> None:
        """See `Observer`."""
        self.heard.append(note)


class Leaving(Listening):
    """An observer whose pipe closes after the first note."""

    def note(self, note: str) -> None:
        """See `Observer`."""
        if self.heard:
            raise BrokenPipeError
        super().note(note)


def test_repeated_notes_are_counted() -> None:
    """Waits may differ, attempts may not; started calls in between do not matter."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    for attempt in (2, 3):
        for wait in (0.7, 0.52, 1):
            wrapper.note(f"lab is down: retrying in {wait} s (attempt {attempt} of 3)")
            wrapper.event(TaskStarted(at=NOON, key="turn/1"), debate())
    wrapper.event(CLOSED, debate())
    assert [heard for heard in observer.heard if heard != "asked"] == [
        "lab is down: retrying in 0.7 s (attempt 2 of 3)",
        "lab is down: retrying in 0.7 s (attempt 3 of 3)",
        "repeated 4 times",
        "closed",
    ]


def test_a_note_is_shown_again_after_an_event() -> None:
    """Nothing is counted."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    for _ in range(2):
        wrapper.note("lab is down")
        wrapper.event(CLOSED, debate())
    assert observer.heard == ["lab is down", "closed"] * 2


def test_a_closed_pipe_stops_forwarding() -> None:
    """`on_close` is called once; the run goes on."""
    left: list[str] = []
    observer = Leaving()
    wrapper = PipeSafeObserver(observer, lambda: left.append("left"))
    for number in range(4):
        wrapper.note(f"note {number}")
    wrapper.event(CLOSED, debate())
    assert (observer.heard, left, wrapper.is_closed) == (["note 0"], ["left"], True)


class Failing(Listening):
    """An observer whose stream fails with `code`."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code

    def note(self, note: str) -> None:
        """See `Observer`."""
        del note
        raise OSError(self.code, "of the stream")


@pytest.mark.parametrize("code", [errno.EPIPE, errno.EIO, errno.ENXIO])
def test_a_closed_terminal_counts_as_a_closed_pipe(code: int) -> None:
    """For example a window that was closed under `nohup`."""
    left: list[str] = []
    wrapper = PipeSafeObserver(Failing(code), lambda: left.append("left"))
    wrapper.note("once")
    assert (wrapper.is_closed, left) == (True, ["left"])


def test_a_full_stream_is_an_error() -> None:
    """It is not a closed pipe."""
    with pytest.raises(OSError, match="of the stream"):
        PipeSafeObserver(Failing(errno.ENOSPC)).note("once")
