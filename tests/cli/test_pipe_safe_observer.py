"""The observer wrapper of a run: it counts repeated notes and survives a closed pipe."""

import errno
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from live_support import LiveView
from render_support import debate, opening_event, turns

from debate_cli.cli.screen import BY_USER, PipeSafeObserver
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateClosed, DebateResumed, Event, TaskStarted, TurnCompleted
from debate_cli.observer import NullObserver

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SPOKEN = TurnCompleted(at=NOON, turn=turns()[0])
CLOSED = DebateClosed(at=NOON, reason="failed")


class Listening(NullObserver):
    """An observer that records its notes."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
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


def test_repeated_notes_are_shown_once() -> None:
    """Notes that differ only in their waiting time are shown once; another attempt is another note."""
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
        "closed",
    ]


def test_a_note_is_shown_again_after_an_event() -> None:
    """A note is shown again after an event, because the state may have changed."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    for _ in range(2):
        wrapper.note("lab is down")
        wrapper.event(CLOSED, debate())
    assert observer.heard == ["lab is down", "closed"] * 2


def test_a_closed_pipe_stops_forwarding() -> None:
    """After the pipe closed, `on_close` is called once, and nothing more is forwarded."""
    left: list[str] = []
    observer = Leaving()
    wrapper = PipeSafeObserver(observer)
    wrapper.on_close = lambda: left.append("left")
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
        raise OSError(self.code, "of the stream")


@pytest.mark.parametrize("code", [errno.EPIPE, errno.EIO, errno.ENXIO])
def test_a_closed_terminal_counts_as_a_closed_pipe(code: int) -> None:
    """A lost terminal, e.g. a closed window under `nohup`, counts as a closed pipe."""
    left: list[str] = []
    wrapper = PipeSafeObserver(Failing(code))
    wrapper.on_close = lambda: left.append("left")
    wrapper.note("once")
    assert (wrapper.is_closed, left) == (True, ["left"])


def test_a_full_stream_is_an_error() -> None:
    """A stream on a full disk raises its error, because it is not a closed pipe."""
    with pytest.raises(OSError, match="of the stream"):
        PipeSafeObserver(Failing(errno.ENOSPC)).note("once")


def test_nothing_is_shown_while_a_person_is_asked() -> None:
    """What happens meanwhile is shown when the last of the people at the terminal has answered."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    with wrapper.hold_output():
        with wrapper.hold_output():
            wrapper.event(SPOKEN, debate())
        wrapper.note("a note")
        assert observer.heard == []
    assert observer.heard == ["turned", "a note"]


def test_a_person_who_leaves_sees_no_speech_of_others() -> None:
    """After Ctrl-C in the form, what was held back is shown without the speeches."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    with suppress(KeyboardInterrupt), wrapper.hold_output():
        wrapper.event(SPOKEN, debate())
        wrapper.note("a note")
        raise KeyboardInterrupt
    assert observer.heard == ["a note"]


def test_a_resumed_debate_hides_what_a_waiting_person_may_not_see() -> None:
    """The other side's opening, which is there already, is shown once the person has sent theirs."""
    observer = Listening()
    wrapper = PipeSafeObserver(observer)
    config = DebateConfig.model_validate(
        {
            "topic": "Microservices?",
            "debaters": [
                {"name": "Ann", "side": "for", "model": "human"},
                {"name": "Con", "side": "against", "model": "mock/c"},
            ],
        }
    )
    opened = opening_event().model_copy(update={"config": config})
    resumed = DebateResumed(at=NOON)
    turn = turns()[1].model_copy(update={"speaker": "Con", "index": 1, "round": 1})
    wrapper.event(resumed, fold([opened, TurnCompleted(at=NOON, turn=turn), resumed]))
    assert observer.heard == ["resumed"]
    with wrapper.hold_output():
        pass
    assert observer.heard == ["resumed", "turned"]


def test_a_live_view_shows_the_notice_of_a_stop_until_the_run_ends() -> None:
    """The notice is printed once, and stays below the progress line."""
    view = LiveView(60)
    observer = PipeSafeObserver(view.observer, screen=view.observer)
    observer.announce_stop(BY_USER, "Stopping. Ctrl-C again stops at once.")
    view.request(turns()[0])
    assert observer.stop_cause == BY_USER
    assert view.printed_text().count("! Stopping. Ctrl-C again stops at once.") == 1
    assert view.region()[-1].strip() == "! Stopping. Ctrl-C again stops at once."
