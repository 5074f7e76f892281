"""What can happen in a debate. The journal on disk holds these, one a line; `debate.fold` makes a `Debate` of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, JudgingConfig, ModelSpec, ProviderSpec
from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn

CloseReason = Literal["complete", "surrender", "converged", "budget", "interrupted", "failed"]
"""The last three leave a debate that can be resumed."""


class Generator(FrozenModel):
    """The program that wrote a transcript."""

    name: str
    version: str


class DebateOpened(FrozenModel):
    """The first event of every debate."""

    type: Literal["opened"] = "opened"
    at: UtcDatetime
    id: str
    generator: Generator
    config: DebateConfig
    config_sha256: str


class JudgingOpened(FrozenModel):
    """A later judging run begins (`debate judge`)."""

    type: Literal["judging_opened"] = "judging_opened"
    at: UtcDatetime
    run: str
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    providers: dict[str, ProviderSpec] = {}
    """What it takes to reach them, besides the debate's own providers; a resumed run asks there, too."""
    replaces: bool = False
    """Earlier assessments of the systems judged here no longer count."""
    heard: int | None = Field(default=None, ge=0)
    """Speeches that there were, where it is not those told before this event."""


class TaskStarted(FrozenModel):
    """A call is about to be made. Without an answer after it, the call was in flight when the process died."""

    type: Literal["asked"] = "asked"
    at: UtcDatetime
    key: str


class TurnCompleted(FrozenModel):
    """A debater spoke."""

    type: Literal["turned"] = "turned"
    at: UtcDatetime
    turn: Turn


class AssessmentCompleted(FrozenModel):
    """A judge gave an assessment."""

    type: Literal["assessed"] = "assessed"
    at: UtcDatetime
    assessment: Assessment


ABSTAINED = "abstained"
"""Cause of a failure where a model answered, and nothing usable was in it."""


class Failure(FrozenModel):
    """A task that was not done. Never a mark and never a speech."""

    task: Cue | Brief
    who: str
    """Name of the debater or id of the judge."""
    cause: str
    """`abstained`, `late`, or the name of the error, e.g. `RateLimitedError`."""
    message: str
    final: bool
    """Whether asking again on resume is pointless: an abstention is final, an unreachable server is not."""
    exchange: ModelCall | None = None
    """What the attempts cost; None where nothing was sent."""


class TaskFailed(FrozenModel):
    """A task was not done."""

    type: Literal["failed"] = "failed"
    at: UtcDatetime
    failure: Failure


class DebateClosed(FrozenModel):
    """The debate ended, for now or for good."""

    type: Literal["closed"] = "closed"
    at: UtcDatetime
    reason: CloseReason


class DebateResumed(FrozenModel):
    """The debate goes on after a crash or a close that can be resumed; failures that are not final are forgiven."""

    type: Literal["resumed"] = "resumed"
    at: UtcDatetime


Event = Annotated[
    DebateOpened
    | JudgingOpened
    | TaskStarted
    | TurnCompleted
    | AssessmentCompleted
    | TaskFailed
    | DebateClosed
    | DebateResumed,
    Field(discriminator="type"),
]
EVENT_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
"""Reads one event: `EVENT.validate_json(line)`."""
