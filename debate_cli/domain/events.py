"""The events of a debate. The journal stores one event per line; `debate.fold` computes a `Debate` from them."""

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

CloseReason = Literal["complete", "surrender", "converged", "budget", "interrupted", "failed"]
"""Why a debate closed. It can be resumed after `budget`, `interrupted` and `failed`."""


class Generator(FrozenModel):
    """The program that wrote a transcript."""

    name: str
    version: str
    rules: Annotated[int, Field(ge=1, exclude_if=lambda rules: rules == 1)] = 1
    """Newest version of the scoring formulas that the program knew; omitted in files if 1."""


def _is_none(value: object) -> bool:
    return value is None


class Origin(FrozenModel):
    """The file that a debate was imported from."""

    file: str
    """Name of the file, without its folder."""
    sha256: str
    """Hash of the file's content."""
    format: str
    """Format in which the file was read."""


class DebateOpened(FrozenModel):
    """The first event of every debate."""

    type: Literal["opened"] = "opened"
    at: UtcDatetime
    id: str
    generator: Generator
    config: DebateConfig
    config_sha256: str
    kept_verdicts: tuple[Verdict, ...] = ()
    """Stored verdicts of systems that are not installed, kept because they cannot be recomputed; omitted in files if
    there are none."""
    origin: Origin | None = Field(default=None, exclude_if=_is_none)
    """Where an imported debate comes from; omitted in files for other debates."""


class JudgingOpened(FrozenModel):
    """A later judging run begins (`debate judge`)."""

    type: Literal["judging_opened"] = "judging_opened"
    at: UtcDatetime
    run: str
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    providers: dict[str, ProviderSpec] = {}
    """Rows of the provider table of this run, in addition to those of the debate."""
    replaces: bool = False
    """Whether earlier assessments by the systems of this run stop counting."""
    heard: int | None = Field(default=None, ge=0)
    """Number of turns when the run began; None means all turns before this event."""
    beside: str | None = Field(default=None, exclude_if=_is_none)
    """Id of the first run if several runs with different models judge side by side; omitted in files otherwise."""
    reviewer: Reviewer | None = Field(default=None, exclude_if=_is_none)
    """The person who judges (`debate review`); omitted in files for models."""


class Reservation(FrozenModel):
    """Usage that counts for a task if its answer never arrives."""

    task: Cue | Brief
    exchange: ModelCall
    """Usage of the requests that ended, plus an estimate of the next one."""


class TaskStarted(FrozenModel):
    """A task begins, or one of its requests is about to be sent. The process died if no answer or failure follows."""

    type: Literal["asked"] = "asked"
    at: UtcDatetime
    key: str
    reservation: Reservation | None = Field(default=None, exclude_if=_is_none)
    """Reservation of a request that is about to be sent, in place of the task's earlier one; omitted in files if not
    set."""


class PassagesShown(FrozenModel):
    """Passages were found for a speaker. Stored before the speaker is asked."""

    type: Literal["passages"] = "passages"
    at: UtcDatetime
    key: str | None = None
    """Key of the cue; None for passages that were not shown to a speaker."""
    shown: tuple[str, ...] = ()
    """Ids of the passages for the speaker, the most relevant first."""
    passages: tuple[Passage, ...] = ()
    """The passages that are new in this debate."""


class SearchEnded(FrozenModel):
    """A search for passages was answered, or failed."""

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
    """A failed task. It never counts as a mark or a speech."""

    task: Cue | Brief
    who: str
    """Name of the debater, or id of the judge."""
    cause: str
    """`abstained`, `late`, `interrupted`, or the name of the error, e.g. `RateLimitedError`."""
    message: str
    final: bool
    """Whether a resume skips the task. An abstention is final; an unreachable server is not."""
    exchange: ModelCall | None = None
    """Usage of the attempts; None if nothing was sent."""
    raw: RawAnswer | None = Field(default=None, exclude_if=_is_none)
    """Answer of a judge who abstained; omitted in files if there is none."""


class TaskFailed(FrozenModel):
    """A task failed."""

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
    """Number of turns before the change."""
    key: str
    """Key path with dots, e.g. `models.default.model`."""
    stored: JsonValue = Field(validation_alias="from", serialization_alias="from")
    """The value before; null if there was none."""
    given: JsonValue = Field(validation_alias="to", serialization_alias="to")
    """The value after the change; null if there is none."""


class DebateResumed(FrozenModel):
    """The debate continues after a crash or a resumable close. Failures that are not final are asked again.

    In a debate that closed for good, only judges are asked again.
    """

    type: Literal["resumed"] = "resumed"
    at: UtcDatetime
    changes: tuple[SettingChange, ...] = ()
    """Settings that differ from now on; omitted in files if there are none."""
    config: DebateConfig | None = None
    """The whole configuration from now on; None if it does not change."""


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
