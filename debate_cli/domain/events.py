"""The events of a debate. The journal stores one event per line; `debate.fold` computes a `Debate` from them."""

from operator import not_
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, JudgingConfig, ModelSpec, ProviderSpec
from debate_cli.domain.evidence import Passage, SearchRecord
from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime
from debate_cli.domain.model_call import ModelCall, RawAnswer
from debate_cli.domain.reviewer import Reviewer
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.version import __version__

CloseReason = Literal["complete", "surrender", "converged", "budget", "interrupted", "failed"]
"""Why a debate closed. After `budget`, `interrupted` and `failed`, the debate can be resumed."""


class Generator(FrozenModel):
    """The program that began a debate."""

    name: str
    version: str
    rules: Annotated[int, Field(ge=1, exclude_if=lambda rules: rules == 1)] = 1
    """Not in use: always 1, and omitted in files. `Verdict.rules` is the version of a system's formula."""


GENERATOR = Generator(name="debate-cli", version=__version__)


def _is_none(value: object) -> bool:
    return value is None


class Origin(FrozenModel):
    """The file that a debate was imported from."""

    file: str
    """Name of the file, without its folder."""
    sha256: str
    """SHA-256 of the file's content."""
    format: str
    """Name of the import format, e.g. `csv`."""


class DebateOpened(FrozenModel):
    """The first event of every debate."""

    type: Literal["opened"] = "opened"
    at: UtcDatetime
    id: str
    generator: Generator
    config: DebateConfig
    config_sha256: str
    kept_verdicts: tuple[Verdict, ...] = Field(default=(), exclude_if=not_)
    """Stored verdicts of systems that are not installed; omitted in files if there are none."""
    origin: Origin | None = Field(default=None, exclude_if=_is_none)
    """The file that the debate was imported from; None, and omitted in files, if the debate was not imported."""


class JudgingOpened(FrozenModel):
    """A judging run of `debate judge` or `debate review` begins."""

    type: Literal["judging_opened"] = "judging_opened"
    at: UtcDatetime
    run: str
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    providers: dict[str, ProviderSpec] = {}
    """Providers to add or to change for this run, by name."""
    replaces: bool = False
    """Whether assessments of this run replace earlier assessments by the same systems."""
    heard: int | None = Field(default=None, ge=0)
    """Number of turns that the run judges. None means all turns before this event."""
    beside: str | None = Field(default=None, exclude_if=_is_none)
    """If several runs judge with different models for comparison: id of the first of these runs. None, and omitted in
    files, if this run is the first, or is not compared."""
    reviewer: Reviewer | None = Field(default=None, exclude_if=_is_none)
    """The person who judges (`debate review`); omitted in files if models judge."""


class Reservation(FrozenModel):
    """Usage that is charged to a task if no answer to the task arrives."""

    task: Cue | Brief
    exchange: ModelCall
    """The usage to charge: the usage of the task's finished requests, plus an estimate for a request in progress."""


class TaskStarted(FrozenModel):
    """A task begins, or the next request of a task is about to be sent."""

    type: Literal["asked"] = "asked"
    at: UtcDatetime
    key: str
    reservation: Reservation | None = Field(default=None, exclude_if=_is_none)
    """Usage to charge if the task's next request is interrupted. Replaces the task's earlier reservation. Omitted in
    files if None."""


class PassagesShown(FrozenModel):
    """Passages were found for a speaker or a judge."""

    type: Literal["passages"] = "passages"
    at: UtcDatetime
    key: str | None = None
    """Key of the cue or brief that gets the passages. None if the event was made from a transcript and lists the
    passages of all cues and briefs."""
    shown: tuple[str, ...] = ()
    """Ids of the passages for the cue or brief, the most relevant first."""
    passages: tuple[Passage, ...] = ()
    """The passages that appear for the first time in the debate."""


class SearchEnded(FrozenModel):
    """A search for passages succeeded or failed."""

    type: Literal["searched"] = "searched"
    at: UtcDatetime
    search: SearchRecord


class TurnCompleted(FrozenModel):
    """A debater made a speech."""

    type: Literal["turned"] = "turned"
    at: UtcDatetime
    turn: Turn


class AssessmentCompleted(FrozenModel):
    """A judge gave an assessment."""

    type: Literal["assessed"] = "assessed"
    at: UtcDatetime
    assessment: Assessment


ABSTAINED = "abstained"
"""Cause of a failure: the model answered, but nothing in the answer was usable."""
INTERRUPTED = "interrupted"
"""Cause of a failure: the run ended before the answer came."""


class Failure(FrozenModel):
    """A failed task, which gave no speech or assessment, and the cause."""

    task: Cue | Brief
    who: str
    """Name of the debater, or id of the judge."""
    cause: str
    """`abstained`, `late`, `interrupted`, or the name of the error, e.g. `RateLimitedError`."""
    message: str
    final: bool
    """True: the task is never repeated, e.g. after an abstention. False: resuming the debate repeats the task."""
    exchange: ModelCall | None = None
    """The model call, with the usage of all attempts; None if nothing was sent."""
    raw: RawAnswer | None = Field(default=None, exclude_if=_is_none)
    """Answer of a judge who abstained; omitted in files if there is none."""


class TaskFailed(FrozenModel):
    """A speech or a judgement failed."""

    type: Literal["failed"] = "failed"
    at: UtcDatetime
    failure: Failure


class DebateClosed(FrozenModel):
    """The debate ended, for good or until it is resumed."""

    type: Literal["closed"] = "closed"
    at: UtcDatetime
    reason: CloseReason


class SettingChange(FrozenModel):
    """A setting that was changed when a debate was resumed."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True, validate_by_alias=True)

    at: UtcDatetime
    turn: int = Field(ge=0)
    """Number of speeches that the debate had when the setting was changed."""
    key: str
    """Key path with dots, e.g. `models.default.model`."""
    stored: JsonValue = Field(validation_alias="from", serialization_alias="from")
    """Value before the change; null if the setting was not set."""
    given: JsonValue = Field(validation_alias="to", serialization_alias="to")
    """Value after the change; null if the setting was removed."""


class DebateResumed(FrozenModel):
    """The debate continues after a crash, or after it closed with a reason that permits resuming.

    Failed tasks are repeated if `Failure.final` is false.
    """

    type: Literal["resumed"] = "resumed"
    at: UtcDatetime
    changes: tuple[SettingChange, ...] = Field(default=(), exclude_if=not_)
    """Changed settings; omitted in files if there are none."""
    config: DebateConfig | None = Field(default=None, exclude_if=_is_none)
    """The new configuration; None if the configuration stays the same."""


Event = Annotated[
    DebateOpened
    | JudgingOpened
    | TaskStarted
    | PassagesShown
    | SearchEnded
    | TurnCompleted
    | AssessmentCompleted
    | TaskFailed
    | DebateClosed
    | DebateResumed,
    Field(discriminator="type"),
]
EVENT_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
"""Parses one event: `EVENT_ADAPTER.validate_python(fields)`."""
