"""The transcript: a closed debate as one JSON document. Reads and writes its file.

Upgrades of older versions are in `storage.serialization`.
"""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NoReturn

import jiter
import pydantic_core
from pydantic import Field, ValidationError
from pydantic_core import to_json

from debate_cli.domain.argument_ids import rename_in_assessments, rename_in_turns
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.domain.debate import Debate, search_rank
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
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun, first_assessments, mark_replaced
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.participant import Participant
from debate_cli.domain.reviewer import Reviewer
from debate_cli.domain.tasks import speech_key
from debate_cli.domain.turn import Turn
from debate_cli.domain.unique_json import DuplicateKeyError, load_unique_json
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import TranscriptError
from debate_cli.plugins import SYSTEMS
from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.config_errors import format_validation_error
from debate_cli.storage.plain_data import is_mapping
from debate_cli.storage.serialization import (
    SCHEMA_VERSION,
    UPGRADE_STEPS,
    Redact,
    UpgradeStep,
    check_version,
    config_to_json,
    dump_json_document,
    providers_to_json,
    upgrade_transcript,
    without_nulls,
)

OPTIONAL_KEYS = frozenset({
    "personality", "stance", "conviction", "strategy", "arguments", "responses", "answers", "closing", "directive",
    "evaded", "item", "reason", "changed_because", "round", "guidance", "exchange", "momentum",
})  # fmt: skip
"""Keys that are omitted if they are null; every other key is always present."""
ABSENT_WHEN_EMPTY = ("origin", "changes", "passages", "searches", "unanswered", "runs")
"""Top-level keys that are omitted if they are null or empty."""
_EVENT_SECTIONS = ("participants", "turns", "assessments", "failures")


class StoredFailure(Failure):
    """A failure, and whether a later resume may ask again."""

    forgiven: bool = False


class StoredRun(FrozenModel):
    """A judging run that was added after the debate."""

    id: str
    started_at: UtcDatetime
    judging: JudgingConfig
    models: dict[str, ModelSpec] = {}
    providers: dict[str, ProviderSpec] = {}
    """Rows of the provider table of this run, in addition to those of the debate."""
    replaces: bool = False
    """Earlier assessments of the same systems no longer count."""
    heard: int | None = Field(default=None, ge=0)
    """Number of turns when the run began; omitted if no turn followed."""
    beside: str | None = Field(default=None, exclude_if=lambda beside: beside is None)
    """Id of the first run if several runs with different models judge side by side; omitted otherwise."""
    reviewer: Reviewer | None = Field(default=None, exclude_if=lambda reviewer: reviewer is None)
    """The person who judged; omitted for models."""


class Transcript(FrozenModel):
    """A debate with the keys of its file, in their order."""

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
    """The configuration in force."""
    config_sha256: str
    """Hash of the first configuration."""
    origin: Origin | None = None
    """The file that the debate was imported from; omitted for other debates."""
    changes: tuple[SettingChange, ...] = ()
    """Settings that were changed when the debate was resumed; omitted if there are none."""
    participants: tuple[Participant, ...]
    passages: tuple[Passage, ...] = ()
    """Passages of sources that debaters were shown; omitted if there are none."""
    searches: tuple[SearchRecord, ...] = ()
    """Web searches and rerankings; omitted if there are none."""
    turns: tuple[Turn, ...]
    assessments: tuple[Assessment, ...]
    failures: tuple[StoredFailure, ...] = ()
    unanswered: tuple[str, ...] = ()
    """Keys of tasks in flight when the run was interrupted; omitted if there are none."""
    runs: tuple[StoredRun, ...] = ()
    """Later judging runs, in order."""
    verdicts: tuple[Verdict, ...] = ()
    usage: TotalUsage = TotalUsage()


def to_transcript(debate: Debate, verdicts: Sequence[Verdict] = ()) -> Transcript:
    """The transcript of `debate` with its verdicts. Requests in flight count as failed ones."""
    debate = debate.charge_reservations()
    given_up = debate.given_up
    return copy_fields(
        debate,
        Transcript,
        topic=debate.topic,
        background=debate.config.background,
        status=debate.status,
        searches=_to_stored_searches(debate),
        failures=tuple(
            copy_fields(item, StoredFailure, forgiven=item.task.key not in given_up) for item in debate.failures
        ),
        runs=tuple(
            copy_fields(run, StoredRun, heard=None if debate.judged_all_turns(run) else run.heard)
            for run in debate.runs[1:]
        ),
        verdicts=tuple(verdicts),
        usage=debate.usage,
    )


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """The transcript as JSON data, with keys in the order of the file."""
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
    """Events that produce the debate of the transcript.

    A transcript stores the times of assessments only; other events get the start time.
    """
    at = transcript.started_at
    events: list[Event] = [copy_fields(transcript, DebateOpened, at=at, kept_verdicts=_kept_verdicts(transcript))]
    if transcript.changes:
        events.append(DebateResumed(at=at, changes=transcript.changes))
    events += _passage_events(transcript, at)
    events += [TurnCompleted(at=at, turn=turn) for turn in transcript.turns]
    events += [copy_fields(run, JudgingOpened, at=run.started_at, run=run.id) for run in transcript.runs]
    events += [
        AssessmentCompleted(at=assessment.at or at, assessment=assessment) for assessment in transcript.assessments
    ]
    events += _failure_events(transcript.failures, at)
    events += [SearchEnded(at=at, search=search) for search in transcript.searches]
    events += [TaskStarted(at=at, key=key) for key in transcript.unanswered]
    if transcript.closed is not None:
        events.append(DebateClosed(at=transcript.finished_at or at, reason=transcript.closed))
    return events


def transcript_to_debate(transcript: Transcript) -> Debate:
    """The debate; equal to `fold(transcript_to_events(transcript))`, but faster."""
    runs = _judging_runs(transcript)
    turns, renamed = rename_in_turns(_first_turns(transcript.turns), transcript.participants)
    assessments = rename_in_assessments(transcript.assessments, turns, renamed)
    return copy_fields(
        transcript,
        Debate,
        finished_at=transcript.finished_at if transcript.closed is not None else None,
        turns=turns,
        shown_passages=dict(_shown_passages(transcript)),
        searches=tuple(sorted(transcript.searches, key=search_rank)),
        assessments=first_assessments(assessments, runs),
        renamed_arguments=renamed,
        failures=tuple(copy_fields(item, Failure) for item in transcript.failures),
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
    """The first contradiction in a transcript, in a few words; None if there is none."""
    names = {item.name for item in transcript.participants}
    if len(names) < len(transcript.participants):
        twice = next(
            name for name, count in Counter(item.name for item in transcript.participants).items() if count > 1
        )
        return f"participants: `{twice}` is listed twice"
    passages = Counter(passage.id for passage in transcript.passages)
    if len(passages) < len(transcript.passages):
        return f"passages: `{passages.most_common(1)[0][0]}` is listed twice"
    indices = set[int]()
    for place, turn in enumerate(transcript.turns):
        if turn.speaker not in names:
            return f"turns.{place}.speaker: `{turn.speaker}` is not a participant"
        if turn.index in indices:
            return f"turns.{place}.index: {turn.index} is listed twice"
        indices.add(turn.index)
    stranger = next(iter(sorted(names ^ {debater.name for debater in transcript.config.debaters})), None)
    if stranger is None or not names:  # a judged text has no participants
        return None
    where, other = ("participants", "config.debaters") if stranger in names else ("config.debaters", "participants")
    return f"{where}: `{stranger}` is missing in {other}"


def _judging_runs(transcript: Transcript) -> tuple[JudgingRun, ...]:
    config = transcript.config
    runs = (JudgingRun(id=FIRST_RUN, judging=config.judging, started_at=transcript.started_at),)
    for stored in transcript.runs:
        kinds = {system.kind for system in stored.judging.systems} if stored.replaces else set[str]()
        heard = len(transcript.turns) if stored.heard is None else stored.heard
        runs = (*mark_replaced(kinds, runs), copy_fields(stored, JudgingRun, heard=heard))
    return runs


def _passage_events(transcript: Transcript, at: datetime) -> Iterator[PassagesShown]:
    """Events for all passages, and for the passages that each speaker and judge was shown."""
    if transcript.passages:
        yield PassagesShown(at=at, passages=transcript.passages)
    for key, shown in _shown_passages(transcript):
        yield PassagesShown(at=at, key=key, shown=shown)


def _shown_passages(transcript: Transcript) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Key of each speech and assessment with passages -> their ids."""
    yield from ((speech_key(turn.index), turn.passages) for turn in transcript.turns if turn.passages)
    yield from ((item.brief.key, item.passages) for item in transcript.assessments if item.passages)


def _to_stored_searches(debate: Debate) -> tuple[SearchRecord, ...]:
    """The searches, without the results that a speech or assessment no longer needs."""
    return tuple(
        item.model_copy(update={"results": ()}) if item.key in debate.answered_keys else item
        for item in debate.searches
    )


def _failure_events(failures: Sequence[StoredFailure], at: datetime) -> list[Event]:
    """The failures in order. If a resume may ask tasks of some of them again, DebateResumed follows the last of these."""
    events: list[Event] = [TaskFailed(at=at, failure=copy_fields(item, Failure)) for item in failures]
    forgiven = [number for number, item in enumerate(failures, start=1) if item.forgiven]
    if forgiven:
        events.insert(forgiven[-1], DebateResumed(at=at))
    return events


def _first_turns(turns: Sequence[Turn]) -> list[Turn]:
    found: dict[int, Turn] = {}
    for turn in turns:
        found.setdefault(turn.index, turn)
    return [found[index] for index in sorted(found)]


MAX_TRANSCRIPT_BYTES = 128 * 1024 * 1024
_CURRENT_VERSION_START = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*%d\s*,' % SCHEMA_VERSION)
"""Start of a transcript of the newest version. Pydantic parses such a file directly."""


class _InvalidNumberError(ValueError):
    """A number of the JSON text is not finite."""


def load_transcript_file(path: Path) -> Transcript:
    """The transcript at `path`, upgraded in memory if it is of an older version.

    Raises TranscriptError with one sentence if the file is not a transcript, cut off, invalid or too new.
    """
    return parse_transcript(_read_bytes(path), str(path))


def parse_transcript(data: bytes, name: str, steps: Sequence[UpgradeStep] = UPGRADE_STEPS) -> Transcript:
    """Parse a transcript. `name`: its name in errors. Raises TranscriptError.

    `steps`: the functions that upgrade older versions to the newest.
    """
    data = data.removeprefix(BOM_UTF8)
    transcript = _parse_current_version(data) if steps is UPGRADE_STEPS and _CURRENT_VERSION_START.match(data) else None
    if transcript is None:
        transcript = _parse_with_upgrades(data, name, steps)
    fault = find_contradiction(transcript)
    if fault is not None:
        raise TranscriptError(f"{name}: {_one_line(fault)}; restore the file")
    return transcript


def _parse_with_upgrades(data: bytes, name: str, steps: Sequence[UpgradeStep]) -> Transcript:
    """Parse step by step, with a precise error for each kind of fault."""
    fields = _parse_json_object(data, name)
    version = check_version(fields.get("schema_version"), name, "transcript", newest=1 + len(steps))
    try:
        newest = {**upgrade_transcript(fields, version, steps), "schema_version": SCHEMA_VERSION}
        return Transcript.model_validate_json(json.dumps(newest))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise TranscriptError(
            f"{name}: {_one_line(where)}: {_one_line(format_validation_error(first))}; restore the file"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TranscriptError(f"{name}: not a transcript of version {version}; restore the file") from error


def write_transcript(path: Path, transcript: Transcript, redact: Redact, *, overwrite: bool = False) -> None:
    """Write `transcript` atomically to `path`. Replaces an existing file only with `overwrite`.

    Raises StorageError; an existing file is then unchanged.
    """
    atomic_write(path, dump_json_document(transcript_to_json(transcript), redact), overwrite=overwrite)


def dump_transcript(transcript: Transcript, redact: Redact) -> str:
    """The text that `write_transcript` writes."""
    return dump_json_document(transcript_to_json(transcript), redact).decode()


def _parse_current_version(data: bytes) -> Transcript | None:
    """The transcript in `data`; None if it is invalid. Then `_parse_with_upgrades` finds the error."""
    try:
        transcript = Transcript.model_validate_json(data)
        jiter.from_json(data, catch_duplicate_keys=True)
    except (ValidationError, ValueError, RecursionError):
        return None
    return None if _may_hold_non_finite([verdict.notes for verdict in transcript.verdicts]) else transcript


def _may_hold_non_finite(notes: Any) -> bool:
    """Whether verdict notes may contain NaN or infinity; all other numbers of a transcript are checked by their models.

    Also true if a text contains one of the words, which only costs a second parse.
    """
    text = to_json(notes, inf_nan_mode="constants")
    return b"NaN" in text or b"Infinity" in text


def _read_bytes(path: Path) -> bytes:
    try:
        data = read_regular_file(path, MAX_TRANSCRIPT_BYTES)
    except IsADirectoryError as error:
        raise TranscriptError(f"{path}: this is a folder; name a transcript") from error
    except FileNotFoundError as error:
        raise TranscriptError(f"{path}: no such file; name a transcript") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise TranscriptError(f"{_one_line(str(path))}: cannot be read ({reason}); name a transcript") from error
    if len(data) > MAX_TRANSCRIPT_BYTES:
        raise TranscriptError(
            f"{path}: larger than {MAX_TRANSCRIPT_BYTES // 1024**2} MiB, so it is not a transcript; name another file"
        )
    return data


def _parse_json_object(data: bytes, name: str) -> dict[str, Any]:
    if not data.strip():
        raise TranscriptError(f"{name}: is empty; restore the file, or name a transcript")
    try:
        fields: Any = load_unique_json(
            data.decode("utf-8"), parse_constant=_reject_constant, parse_float=_parse_finite_float
        )
    except UnicodeDecodeError as error:
        what = "is cut off" if error.reason == "unexpected end of data" else "not valid UTF-8"
        raise TranscriptError(f"{name}: {what}; restore the file") from error
    except RecursionError as error:
        raise TranscriptError(f"{name}: nested too deep for a transcript; name another file") from error
    except json.JSONDecodeError as error:
        what = "is cut off" if _is_cut_off(data) else "is not valid JSON"
        where = f"line {error.lineno}, column {error.colno}"
        raise TranscriptError(f"{name}: {what} ({where}); restore the file, or name a transcript") from error
    except (_InvalidNumberError, DuplicateKeyError) as error:
        raise TranscriptError(f"{name}: {_one_line(str(error))}; restore the file") from error
    except ValueError as error:
        raise TranscriptError(f"{name}: contains a number with too many digits; restore the file") from error
    if not is_mapping(fields):
        raise TranscriptError(f"{name}: is not a transcript of debate-cli; name another file")
    return fields


def _is_cut_off(data: bytes) -> bool:
    """Whether the JSON text ends too early. Pydantic's parser reports that as EOF."""
    try:
        pydantic_core.from_json(data)
    except ValueError as error:
        return str(error).startswith("EOF") and data.lstrip()[:1] == b"{"
    return False


def _reject_constant(word: str) -> NoReturn:
    raise _InvalidNumberError(f"contains {word}, which is not a number in JSON")


def _parse_finite_float(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise _InvalidNumberError("contains a number that is too large")
    return number


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]
