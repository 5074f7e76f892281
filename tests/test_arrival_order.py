"""Answers that arrive together: the order in which they enter the debate, and what survives a full disk."""

import asyncio

import pytest
from formats_support import NOON, config, new_debate, speech

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed, Event, Failure, TurnCompleted
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.engine import Actors, DebateRun, EventLog, NullEventLog, StopSignal
from debate_cli.errors import StorageError
from debate_cli.llm.model import OnText
from debate_cli.observer import NullObserver, Observer

TWELVE = [{"name": f"D{number}", "side": f"side {number}", "model": "mock/a"} for number in range(12)]
"""A number of simultaneous speeches with which keys sorted as text would be in the wrong order."""


class Instant:
    """Actors whose speakers answer at once and whose judges do not answer."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """A speech for the cue."""
        return speech(cue, debate)

    async def assess(self, brief: Brief, debate: Debate) -> Failure:
        """No assessment."""
        return Failure(task=brief, who=brief.assessor, cause="abstained", message="No opinion.", final=True)


class Recording(NullEventLog):
    """A log that lists its events, and how many of them were synced."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.synced = 0

    def append(self, event: Event) -> None:
        """List the event."""
        self.events.append(event)

    async def sync(self) -> None:
        """Take a moment, as a disk does."""
        count = len(self.events)
        await asyncio.sleep(0)
        self.synced = count


def run_of(log: EventLog, actors: Instant | None = None, observer: Observer | None = None) -> DebateRun:
    """A run of a debate with twelve speakers."""
    debate, actors = new_debate(config(debaters=TWELVE)), actors or Instant()
    cast = Actors({item.name: actors for item in debate.participants}, actors)
    return DebateRun(debate, cast, log, observer or NullObserver(), clock=lambda: NOON, stop=StopSignal())


def test_what_comes_in_together_is_recorded_in_the_order_of_the_debate() -> None:
    """The tenth speech precedes the eleventh, though not in text order."""
    kept = Recording()
    asyncio.run(run_of(kept).run())
    first = [event.turn.index for event in kept.events if isinstance(event, TurnCompleted)][: len(TWELVE)]
    assert first == list(range(len(TWELVE)))


def test_an_answer_counts_once_it_is_on_the_disk() -> None:
    """An answer is shown, and leads to further questions, only after it is synced to disk."""
    log = Recording()

    def unsynced_answers() -> list[Event]:
        return [event for event in log.events[log.synced :] if isinstance(event, TurnCompleted)]

    class Checking(NullObserver):
        """Sees no event that is not synced."""

        def event(self, event: Event, debate: Debate) -> None:
            """Check an answer."""
            assert event not in unsynced_answers()

        def asking(self, task: Cue | Brief) -> None:
            """Check what the question builds on."""
            assert not unsynced_answers()

    asyncio.run(run_of(log, observer=Checking()).run())
    assert isinstance(log.events[-1], DebateClosed)
    assert log.synced == len(log.events)


def test_what_came_in_with_an_answer_that_cannot_be_kept_is_not_lost() -> None:
    """All twelve openings were paid for, so the debate that is printed contains them."""

    class Full(NullEventLog):
        """Takes no speech."""

        def append(self, event: Event) -> None:
            """Refuse a speech."""
            if isinstance(event, TurnCompleted):
                raise StorageError("the disk is full")

    run = run_of(Full())
    with pytest.raises(StorageError):
        asyncio.run(run.run())
    assert [turn.index for turn in run.debate.turns] == list(range(len(TWELVE)))


def test_a_journal_that_fails_while_a_request_is_sent_ends_the_run() -> None:
    """The error of the journal is raised; it is not a failure of the speaker. Finished speeches count."""

    class Unsaved(Instant):
        """The first speaker's request cannot be recorded."""

        async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
            """A speech for the cue."""
            if cue.speaker == "D0":
                raise StorageError("the disk is full")
            return await super().speak(cue, debate, on_text)

    run = run_of(NullEventLog(), Unsaved())
    with pytest.raises(StorageError):
        asyncio.run(run.run())
    assert len(run.debate.turns) == len(TWELVE) - 1
