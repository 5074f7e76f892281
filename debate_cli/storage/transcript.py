"""The transcript: a closed debate as one JSON document, for people and programs to keep.

How it is read and written as a file lives in `transcript_file`; older versions in `upgrades`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.content import Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import (
    AssessmentCompleted,
    CloseReason,
    DebateClosed,
    DebateOpened,
    DebateResumed,
    Event,
    Failure,
    Generator,
    JudgingOpened,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.exchange import TotalUsage
from debate_cli.domain.instant import UtcDatetime
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun, first_assessments, mark_replaced
from debate_cli.domain.participant import Participant
from debate_cli.domain.systems import JudgingConfig
from debate_cli.domain.value import FrozenModel
from debate_cli.domain.verdict import Verdict
from debate_cli.storage.json_form import config_to_json, providers_to_json, without_nulls

OPTIONAL_KEYS = frozenset({
    "personality", "stance", "conviction", "strategy", "arguments", "responses", "answers", "closing", "directive",
    "evaded", "item", "reason", "changed_because", "round", "guidance", "exchange", "momentum",
})  # fmt: skip
"""Keys that are left out where they hold nothing; every other key is always there."""
ABSENT_WHEN_EMPTY = ("unanswered", "runs")
"""The same of the transcript itself."""
_EVENT_SECTIONS = ("participants", "turns", "assessments", "failures")


class StoredFailure(Failure):
    """A failure, and whether the debate was resumed since and may ask again."""

    forgiven: bool = False


class StoredRun(FrozenModel):
    """A judging run that was added after the debate."""

    id: str
    started_at: UtcDatetime
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    providers: dict[str, ProviderSpec] = {}
    """Rows of the provider table that this run came with, besides the debate's own."""
    replaces: bool = False
    """Earlier assessments of the systems judged here no longer count."""
    heard: int | None = Field(default=None, ge=0)
    """Speeches that there were when it began; left out where none was made after it."""


class Transcript(FrozenModel):
    """A debate in the order and with the names of the stored form."""

    schema_version: Literal[1] = 1
    generator: Generator
    id: str
    topic: str
    background: str | None
    status: Literal["complete", "incomplete"]
    closed: CloseReason | None
    started_at: UtcDatetime
    finished_at: UtcDatetime | None
    config: DebateConfig
    config_sha256: str
    participants: tuple[Participant, ...]
    turns: tuple[Turn, ...]
    assessments: tuple[Assessment, ...]
    failures: tuple[StoredFailure, ...] = ()
    unanswered: tuple[str, ...] = ()
    """Keys of tasks whose answers were given up when the run was interrupted; left out where there are none."""
    runs: tuple[StoredRun, ...] = ()
    """Judging runs after the debate's own, in their order."""
    verdicts: tuple[Verdict, ...] = ()
    usage: TotalUsage = TotalUsage()


def to_transcript(debate: Debate, verdicts: Sequence[Verdict] = ()) -> Transcript:
    """`debate` with what was concluded from it."""
    given_up = debate.given_up
    return Transcript(
        generator=debate.generator,
        id=debate.id,
        topic=debate.topic,
        background=debate.config.background,
        status=debate.status,
        closed=debate.closed,
        started_at=debate.started_at,
        finished_at=debate.finished_at,
        config=debate.config,
        config_sha256=debate.config_sha256,
        participants=debate.participants,
        turns=debate.turns,
        assessments=debate.assessments,
        failures=tuple(
            StoredFailure.model_construct(None, **{**dict(item), "forgiven": item.task.key not in given_up})
            for item in debate.failures
        ),
        unanswered=debate.unanswered,
        runs=tuple(_to_stored_run(run, debate) for run in debate.runs[1:]),
        verdicts=tuple(verdicts),
        usage=debate.usage,
    )


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """The transcript as JSON data, keys in the order of the stored form."""
    data = transcript.model_dump(mode="json")
    data["config"] = config_to_json(transcript.config)
    for part in _EVENT_SECTIONS:
        data[part] = without_nulls(data[part], OPTIONAL_KEYS)
    for failure in data["failures"]:
        if not failure["forgiven"]:
            del failure["forgiven"]
    for run, stored in zip(data["runs"], transcript.runs, strict=True):
        run["providers"] = providers_to_json(stored.providers)
        if stored.heard is None:
            del run["heard"]
    for part in ABSENT_WHEN_EMPTY:
        if not data[part]:
            del data[part]
    return data


def transcript_to_events(transcript: Transcript) -> list[Event]:
    """Events whose fold is the debate of the transcript; when they happened is not kept, and is told as the start."""
    at = transcript.started_at
    opened = DebateOpened(
        at=at,
        id=transcript.id,
        generator=transcript.generator,
        config=transcript.config,
        config_sha256=transcript.config_sha256,
    )
    events: list[Event] = [opened]
    events += [TurnCompleted(at=at, turn=turn) for turn in transcript.turns]
    events += [
        JudgingOpened(
            at=run.started_at,
            run=run.id,
            judging=run.judging,
            models=run.models,
            providers=run.providers,
            replaces=run.replaces,
            heard=run.heard,
        )
        for run in transcript.runs
    ]
    events += [AssessmentCompleted(at=at, assessment=assessment) for assessment in transcript.assessments]
    events += _failure_events(transcript.failures, at)
    events += [TaskStarted(at=at, key=key) for key in transcript.unanswered]
    if transcript.closed is not None:
        events.append(DebateClosed(at=transcript.finished_at or at, reason=transcript.closed))
    return events


def transcript_to_debate(transcript: Transcript) -> Debate:
    """The debate, the same as `fold(events_of(transcript))` and made without walking through the events."""
    runs = _judging_runs(transcript)
    return Debate.model_construct(
        id=transcript.id,
        generator=transcript.generator,
        config=transcript.config,
        config_sha256=transcript.config_sha256,
        participants=transcript.participants,
        started_at=transcript.started_at,
        finished_at=transcript.finished_at if transcript.closed is not None else None,
        closed=transcript.closed,
        turns=tuple(_first_turns(transcript.turns)),
        assessments=first_assessments(transcript.assessments, runs),
        failures=tuple(_to_failure(item) for item in transcript.failures),
        given_up=frozenset(item.task.key for item in transcript.failures if not item.forgiven),
        runs=runs,
        unanswered=transcript.unanswered,
    )


def find_contradiction(transcript: Transcript) -> str | None:
    """What in a transcript cannot be, in a few words; None where everything can."""
    names = {item.name for item in transcript.participants}
    if len(names) < len(transcript.participants):
        twice = next(
            name for name, count in Counter(item.name for item in transcript.participants).items() if count > 1
        )
        return f"participants: `{twice}` is there twice"
    indices = set[int]()
    for place, turn in enumerate(transcript.turns):
        if turn.speaker not in names:
            return f"turns.{place}.speaker: `{turn.speaker}` is no participant"
        if turn.index in indices:
            return f"turns.{place}.index: {turn.index} is there twice"
        indices.add(turn.index)
    return None


def _to_stored_run(run: JudgingRun, debate: Debate) -> StoredRun:
    return StoredRun(
        id=run.id,
        started_at=run.started_at,
        judging=run.judging,
        models=run.models,
        providers=run.providers,
        replaces=run.replaces,
        heard=None if debate.judged_all_turns(run) else run.heard,
    )


def _judging_runs(transcript: Transcript) -> tuple[JudgingRun, ...]:
    """All judging runs, each with the systems that a later one took the place of."""
    config = transcript.config
    runs = (JudgingRun(id=FIRST_RUN, judging=config.judging, started_at=transcript.started_at),)
    for stored in transcript.runs:
        kinds = {system.kind for system in stored.judging.systems} if stored.replaces else set[str]()
        added = JudgingRun(
            id=stored.id,
            judging=stored.judging,
            models=stored.models,
            providers=stored.providers,
            started_at=stored.started_at,
            replaces=stored.replaces,
            heard=len(transcript.turns) if stored.heard is None else stored.heard,
        )
        runs = (*mark_replaced(kinds, runs), added)
    return runs


def _failure_events(failures: Sequence[StoredFailure], at: datetime) -> list[Event]:
    """The failures in their order; the debate was resumed after the last one that is forgiven."""
    events: list[Event] = [TaskFailed(at=at, failure=_to_failure(item)) for item in failures]
    forgiven = [number for number, item in enumerate(failures, start=1) if item.forgiven]
    if forgiven:
        events.insert(forgiven[-1], DebateResumed(at=at))
    return events


def _to_failure(stored: StoredFailure) -> Failure:
    return Failure.model_construct(None, **{name: getattr(stored, name) for name in Failure.model_fields})


def _first_turns(turns: Sequence[Turn]) -> list[Turn]:
    """The first turn of each index, by index."""
    found: dict[int, Turn] = {}
    for turn in turns:
        found.setdefault(turn.index, turn)
    return [found[index] for index in sorted(found)]
