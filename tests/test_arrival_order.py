"""Answers that arrive together: the order in which they enter the debate, and what survives a full disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from formats_support import NOON, config, new_debate, speech

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Event, Failure, TurnCompleted
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.engine import Actors, DebateRun, StopSignal
from debate_cli.errors import StorageError
from debate_cli.llm.model import OnText
from debate_cli.observer import NullObserver

TWELVE = [{"name": f"D{number}", "side": f"side {number}", "model": "mock/a"} for number in range(12)]
"""A number of simultaneous speeches with which keys sorted as text would be in the wrong order."""


class Instant:
    """Actors whose speakers answer at once and whose judges do not answer."""

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """A speech for the cue."""
        del on_text
        return speech(cue, debate)

    async def assess(self, brief: Brief, debate: Debate) -> Failure:
        """No assessment."""
        del debate
        return Failure(task=brief, who=brief.assessor, cause="abstained", message="No opinion.", final=True)


def run_of(append: Callable[[Event], None], actors: Instant | None = None) -> DebateRun:
    """A run of a debate with twelve speakers."""
    debate, actors = new_debate(config(debaters=TWELVE)), actors or Instant()
    cast = Actors({item.name: actors for item in debate.participants}, actors)
    return DebateRun(debate, cast, append, NullObserver(), clock=lambda: NOON, stop=StopSignal())


def test_what_comes_in_together_is_recorded_in_the_order_of_the_debate() -> None:
    """The tenth speech precedes the eleventh, though not in text order."""
    kept: list[Event] = []
    asyncio.run(run_of(kept.append).run())
    first = [event.turn.index for event in kept if isinstance(event, TurnCompleted)][: len(TWELVE)]
    assert first == list(range(len(TWELVE)))


def test_what_came_in_with_an_answer_that_cannot_be_kept_is_not_lost() -> None:
    """All twelve openings were paid for, so the debate that is printed contains them."""

    def full(event: Event) -> None:
        if isinstance(event, TurnCompleted):
            raise StorageError("the disk is full")

    run = run_of(full)
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

    run = run_of(lambda _: None, Unsaved())
    with pytest.raises(StorageError):
        asyncio.run(run.run())
    assert len(run.debate.turns) == len(TWELVE) - 1
