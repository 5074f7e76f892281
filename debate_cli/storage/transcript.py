"""The transcript: a closed debate as one JSON document. Reads and writes transcripts."""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import not_
from pathlib import Path
from typing import Any, Literal

import jiter
from pydantic import Field, ValidationError

from debate_cli.domain.argument_ids import rename_in_assessments, rename_in_turns
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate, sort_by_task
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
    Origin,
    PassagesShown,
    SearchEnded,
    SettingChange,
    TaskFailed,
    TaskStarted,
    TurnCompleted,
)
from debate_cli.domain.evidence import Passage, SearchRecord
from debate_cli.domain.frozen_model import FrozenModel, UtcDatetime, copy_fields
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun, first_assessments, mark_replaced
from debate_cli.domain.message_text import printable_line
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.participant import Participant
from debate_cli.domain.tasks import speech_key
from debate_cli.domain.turn import Turn
from debate_cli.domain.verdict import AnyNotes, Verdict
from debate_cli.errors import TranscriptError
from debate_cli.plugins import SYSTEMS
from debate_cli.regular_file import read_regular_file, shorten_path
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.serialization import Redact, config_to_json, dump_json, providers_to_json
from debate_cli.storage.upgrades import check_version, upgrade_transcript

OPTIONAL_KEYS = frozenset({
    "personality", "stance", "conviction", "strategy", "arguments", "responses", "answers", "closing", "directive",
    "evaded", "item", "reason", "changed_because", "round", "guidance", "exchange", "momentum",
})  # fmt: skip
"""Keys that transcripts omit if their value is null. This applies to the sections in _EVENT_SECTIONS, at any depth.
Journals keep these keys."""
_EVENT_SECTIONS = ("participants", "turns", "assessments", "failures")
_MAX_FAULT_CHARS = 200
MAX_TRANSCRIPT_BYTES = 128 * 1024 * 1024


class StoredFailure(Failure):
    """A failure in a transcript, and whether resuming the debate may repeat the failed task."""

    forgiven: bool = Field(default=False, exclude_if=not_)


class Transcript(FrozenModel):
    """A debate as stored in a file. The fields are the keys of the JSON document, in order."""

    schema_version: Literal[2] = 2
    generator: Generator
    id: str
    topic: str
    background: str | None
    status: Literal["complete", "incomplete"]
    closed: CloseReason | None
    started_at: UtcDatetime
    finished_at: UtcDatetime | None
    config: DebateConfig
    """The configuration after all `changes`."""
    config_sha256: str
    """SHA-256 of the configuration with which the debate began."""
    origin: Origin | None = Field(default=None, exclude_if=not_)
    """The file that the debate was imported from; omitted for other debates."""
    changes: tuple[SettingChange, ...] = Field(default=(), exclude_if=not_)
    """Settings that were changed when the debate was resumed; omitted if there are none."""
    participants: tuple[Participant, ...]
    passages: tuple[Passage, ...] = Field(default=(), exclude_if=not_)
    """Passages of sources that were shown to debaters or judges; omitted if there are none."""
    searches: tuple[SearchRecord, ...] = Field(default=(), exclude_if=not_)
    """Web searches and rerankings of passages; omitted if there are none."""
    turns: tuple[Turn, ...]
    assessments: tuple[Assessment, ...]
    failures: tuple[StoredFailure, ...] = ()
    unanswered: tuple[str, ...] = Field(default=(), exclude_if=not_)
    """Keys of tasks that had no answer when the run was interrupted; omitted if there are none."""
    runs: tuple[JudgingRun, ...] = Field(default=(), exclude_if=not_)
    """Judging runs that were added after the debate's own run, oldest first."""
    verdicts: tuple[Verdict, ...] = ()
    usage: TotalUsage = TotalUsage()


def to_transcript(debate: Debate, verdicts: Sequence[Verdict] = ()) -> Transcript:
    """Return the transcript of `debate` with `verdicts`. A request without an answer becomes a failure."""
    debate = debate.charge_reservations()
    return copy_fields(
        debate,
        Transcript,
        topic=debate.topic,
        background=debate.config.background,
        status=debate.status,
        searches=tuple(
            item.model_copy(update={"results": ()}) if item.key in debate.answered_keys else item
            for item in debate.searches
        ),
        failures=tuple(
            copy_fields(item, StoredFailure, forgiven=item.task.key not in debate.given_up) for item in debate.failures
        ),
        runs=tuple(
            run.model_copy(update={"heard": None if debate.judged_all_turns(run) else run.heard, "replaced": ()})
            for run in debate.runs[1:]
        ),
        verdicts=tuple(verdicts),
        usage=debate.usage,
    )


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """Return the transcript as JSON data, with keys in the order of the file."""
    data = transcript.model_dump(mode="json")
    data["config"] = config_to_json(transcript.config)
    for part in _EVENT_SECTIONS:
        data[part] = _without_nulls(data[part])
    for run, stored in zip(data.get("runs", ()), transcript.runs, strict=True):
        run["providers"] = providers_to_json(stored.providers)
    return data


def _without_nulls(data: Any) -> Any:
    """Return `data` without the OPTIONAL_KEYS that are null. Exception: findings of systems from other packages keep nulls."""
    if is_list(data):
        return [_without_nulls(item) for item in data]
    if not is_mapping(data):
        return data
    return {
        key: value if key == "findings" and data["system"] not in SYSTEMS.built_in else _without_nulls(value)
        for key, value in data.items()
        if value is not None or key not in OPTIONAL_KEYS
    }


def transcript_to_events(transcript: Transcript) -> list[Event]:
    """Return events from which `fold` computes the transcript's debate.

    Events whose time is not in the transcript get the start time of the debate.
    """
    at = transcript.started_at
    events: list[Event] = [copy_fields(transcript, DebateOpened, at=at, kept_verdicts=_kept_verdicts(transcript))]
    if transcript.changes:
        events.append(DebateResumed(at=at, changes=transcript.changes))
    if transcript.passages:
        events.append(PassagesShown(at=at, passages=transcript.passages))
    events += [PassagesShown(at=at, key=key, shown=shown) for key, shown in _shown_passages(transcript)]
    events += [TurnCompleted(at=at, turn=turn) for turn in transcript.turns]
    events += [copy_fields(run, JudgingOpened, at=run.started_at, run=run.id) for run in transcript.runs]
    events += [
        AssessmentCompleted(at=assessment.at or at, assessment=assessment) for assessment in transcript.assessments
    ]
    failed = [TaskFailed(at=at, failure=copy_fields(item, Failure)) for item in transcript.failures if item.forgiven]
    if failed:  # these tasks may be asked again
        events += [*failed, DebateResumed(at=at)]
    events += [
        TaskFailed(at=at, failure=copy_fields(item, Failure)) for item in transcript.failures if not item.forgiven
    ]
    events += [SearchEnded(at=at, search=search) for search in transcript.searches]
    events += [TaskStarted(at=at, key=key) for key in transcript.unanswered]
    if transcript.closed is not None:
        events.append(DebateClosed(at=transcript.finished_at or at, reason=transcript.closed))
    return events


def transcript_to_debate(transcript: Transcript) -> Debate:
    """Return the same debate as `fold(transcript_to_events(transcript))`, but faster."""
    runs = _judging_runs(transcript)
    by_index = {turn.index: turn for turn in reversed(transcript.turns)}
    turns, renamed = rename_in_turns([by_index[index] for index in sorted(by_index)], transcript.participants)
    assessments = rename_in_assessments(transcript.assessments, turns, renamed)
    return copy_fields(
        transcript,
        Debate,
        finished_at=transcript.finished_at if transcript.closed is not None else None,
        turns=turns,
        shown_passages=dict(_shown_passages(transcript)),
        searches=sort_by_task(transcript.searches),
        assessments=first_assessments(assessments, runs),
        renamed_arguments=renamed,
        failures=sort_by_task(copy_fields(item, Failure) for item in transcript.failures),
        given_up=frozenset(
            [item.task.key for item in transcript.failures if not item.forgiven]
            + [item.id for item in transcript.searches if item.failure is not None]
        ),
        runs=runs,
        kept_verdicts=_kept_verdicts(transcript),
    )


def _kept_verdicts(transcript: Transcript) -> tuple[Verdict, ...]:
    return tuple(verdict for verdict in transcript.verdicts if not SYSTEMS.has(verdict.system))


def find_contradiction(transcript: Transcript) -> str | None:
    """Return the first contradiction between parts of `transcript`; None if there is none.

    The text is a key path and what is wrong there, e.g. `turns.1.index: 0 is listed twice` if two turns have the index 0.
    """
    names = {item.name for item in transcript.participants}
    if len(names) < len(transcript.participants):
        twice = next(
            name for name, count in Counter(item.name for item in transcript.participants).items() if count > 1
        )
        return f"participants: `{twice}` is listed twice"
    if len({passage.id for passage in transcript.passages}) < len(transcript.passages):
        passages = Counter(passage.id for passage in transcript.passages)
        return f"passages: `{passages.most_common(1)[0][0]}` is listed twice"
    indices: set[int] = set()
    for place, turn in enumerate(transcript.turns):
        if turn.speaker not in names:
            return f"turns.{place}.speaker: `{turn.speaker}` is not a participant"
        if turn.index in indices:
            return f"turns.{place}.index: {turn.index} is listed twice"
        indices.add(turn.index)
    for place, verdict in enumerate(transcript.verdicts):
        if not SYSTEMS.has(verdict.system) and not _is_finite(verdict.notes):  # these notes are stored again
            return f"verdicts.{place}.notes: must contain finite numbers only"
    return _find_config_difference(transcript) if names else None  # a judged text has no participants


def _find_config_difference(transcript: Transcript) -> str | None:
    config = transcript.config
    debaters = {debater.name: debater for debater in config.debaters}
    names = {item.name for item in transcript.participants}
    stranger = next(iter(sorted(names ^ debaters.keys())), None)
    if stranger is not None:
        where, other = ("participants", "config.debaters") if stranger in names else ("config.debaters", "participants")
        return f"{where}: `{stranger}` is not in {other}"
    for place, participant in enumerate(transcript.participants):
        debater = debaters[participant.name]
        spec = config.model_for_debater(debater)
        configured = {"side": debater.side, "prefix": debater.prefix, "model": spec and spec.model}
        for key, value in configured.items():
            if value is not None and getattr(participant, key) != value:
                return f"participants.{place}.{key}: must be `{value}`, as in `config`"
    return None


def _is_finite(notes: AnyNotes) -> bool:
    try:
        json.dumps(notes, allow_nan=False)
    except ValueError:
        return False
    return True


def _judging_runs(transcript: Transcript) -> tuple[JudgingRun, ...]:
    config = transcript.config
    runs = (JudgingRun(id=FIRST_RUN, judging=config.judging, started_at=transcript.started_at),)
    for stored in transcript.runs:
        kinds = {system.kind for system in stored.judging.systems} if stored.replaces else set[str]()
        heard = len(transcript.turns) if stored.heard is None else stored.heard
        runs = (*mark_replaced(kinds, runs), stored.model_copy(update={"heard": heard, "replaced": ()}))
    return runs


def _shown_passages(transcript: Transcript) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from ((speech_key(turn.index), turn.passages) for turn in transcript.turns if turn.passages)
    yield from ((item.brief.key, item.passages) for item in transcript.assessments if item.passages)


def load_transcript_file(path: Path) -> Transcript:
    """Load the transcript at `path`, and upgrade an older version in memory.

    Raises TranscriptError with one sentence if the file cannot be used.
    """
    try:
        data = read_regular_file(path, MAX_TRANSCRIPT_BYTES)
    except IsADirectoryError as error:
        raise TranscriptError(f"{path}: this is a folder; give the path of a transcript") from error
    except FileNotFoundError as error:
        raise TranscriptError(f"{path}: no such file; give the path of a transcript") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise TranscriptError(
            f"{shorten_path(path)}: cannot be read ({reason}); give the path of a transcript"
        ) from error
    if len(data) > MAX_TRANSCRIPT_BYTES:
        raise TranscriptError(
            f"{path}: is too large for a transcript (more than {MAX_TRANSCRIPT_BYTES // 1024**2} MiB); "
            "give the path of a transcript"
        )
    return parse_transcript(data, str(path))


def parse_transcript(data: bytes, name: str) -> Transcript:
    """Parse a transcript. `name`: name of the transcript in errors. Raises TranscriptError with one sentence."""
    fields = _parse_json_object(data.removeprefix(BOM_UTF8), name)
    version = check_version(fields.get("schema_version"), name, "transcript")
    try:
        transcript = Transcript.model_validate(upgrade_transcript(fields, version))
    except ValidationError as error:
        from debate_cli.storage.config_errors import format_validation_error

        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if "[" not in str(part)) or "the document"
        raise TranscriptError(
            f"{name}: {printable_line(where, _MAX_FAULT_CHARS)}: {printable_line(format_validation_error(first), _MAX_FAULT_CHARS)}; restore the file"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TranscriptError(f"{name}: not a valid transcript of version {version}; restore the file") from error
    fault = find_contradiction(transcript)
    if fault is not None:
        raise TranscriptError(f"{name}: {printable_line(fault, _MAX_FAULT_CHARS)}; restore the file")
    return transcript


def _parse_json_object(data: bytes, name: str) -> dict[str, Any]:
    if not data or data.isspace():
        raise TranscriptError(f"{name}: is empty; restore the file, or give the path of a transcript")
    try:
        fields: Any = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        what = "is cut off" if str(error).startswith("EOF") and data.lstrip()[:1] == b"{" else "is not valid JSON"
        raise TranscriptError(
            f"{name}: {what} ({printable_line(str(error), _MAX_FAULT_CHARS)}); "
            "restore the file, or give the path of a transcript"
        ) from error
    if not is_mapping(fields):
        raise TranscriptError(f"{name}: is not a transcript of debate-cli; give the path of a transcript")
    return fields


def write_transcript(path: Path, transcript: Transcript, redact: Redact, *, overwrite: bool = False) -> None:
    """Write `transcript` to `path` atomically.

    Raises StorageError if the file cannot be written, or exists and `overwrite` is false.
    """
    atomic_write(path, dump_json(transcript_to_json(transcript), redact, indent=2), overwrite=overwrite)


def dump_transcript(transcript: Transcript, redact: Redact) -> str:
    """Return the text that `write_transcript` writes."""
    return dump_json(transcript_to_json(transcript), redact, indent=2).decode()
