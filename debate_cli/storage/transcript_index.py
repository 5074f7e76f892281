"""What there is to say of each saved debate in one line: read quickly, without making values of the whole transcript.

A transcript of the newest version is looked into as plain JSON. Whatever is not as expected there, and every debate that
has a journal, is opened as by any other command, which also tells what is wrong with it. pydantic is loaded only then.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from debate_cli.errors import DebateError, UsageError
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX, list_debate_files
from debate_cli.storage.lock import lock_holder
from debate_cli.storage.upgrades import SCHEMA_VERSION

if TYPE_CHECKING:
    from debate_cli.domain.debate import Debate

_SPEECH_KEY_PREFIX = "turn/"
"""What the key of a speech begins with; that of a judgment begins with its run and its system."""
FIRST_RUN_ID = "r1"
"""The judging run of the debate itself, which no list of runs holds."""


class _FailedJudgment(NamedTuple):
    """A judgment that was not given."""

    key: str
    """The same for the same judgment."""
    run_and_system: tuple[str, str]
    """Judging run and system."""
    is_final: bool
    is_pending: bool
    """Whether it was not asked again since."""


class _AddedRun(NamedTuple):
    """A judging run after the debate's own."""

    run: str
    replaced_systems: frozenset[str]
    """Systems whose earlier judgments no longer count."""


def count_missing_in_fields(fields: Mapping[str, Any]) -> int:
    """How many are missing of the transcript of these fields; 0 where the debate is incomplete, as then more is missing.

    Raises what looking into something else than a transcript raises.
    """
    if fields["status"] != "complete":
        return 0
    failed = [
        _FailedJudgment(
            json.dumps(task, sort_keys=True),
            (task["run"], task["system"]),
            item["final"],
            not item.get("forgiven", False),
        )
        for item in fields["failures"]
        if "run" in (task := item["task"])
    ]
    added = [
        _AddedRun(run["id"], frozenset(system["kind"] for system in run["judging"]["systems"] if run["replaces"]))
        for run in fields.get("runs", ())
    ]
    return _count_missing(failed, fields.get("unanswered", ()), added)


def count_missing_judgments(debate: Debate) -> int:
    """The same of a debate that was opened."""
    if debate.status != "complete":
        return 0
    keys = [(item.task.key, item.final) for item in debate.failures]
    failed = [
        _FailedJudgment(key, _run_and_system(key), final, key in debate.given_up)
        for key, final in keys
        if not key.startswith(_SPEECH_KEY_PREFIX)
    ]
    added = [
        _AddedRun(run.id, frozenset(system.kind for system in run.judging.systems if run.replaces))
        for run in debate.runs[1:]
    ]
    return _count_missing(failed, debate.unanswered, added)


def _count_missing(failed: Iterable[_FailedJudgment], unanswered: Iterable[str], added: Sequence[_AddedRun]) -> int:
    """Of what failed, what may be asked again; with what was in flight when a judging was stopped. Each once."""
    found = {item.key: item.run_and_system for item in failed if item.is_pending}
    for item in failed:
        if item.is_final:
            found.pop(item.key, None)
    benches = [*found.values(), *(_run_and_system(key) for key in unanswered if not key.startswith(_SPEECH_KEY_PREFIX))]
    order = {FIRST_RUN_ID: 0, **{run.run: number for number, run in enumerate(added, start=1)}}
    return sum(
        not any(system in later.replaced_systems for later in added[order[run] :])
        for run, system in benches
        if run in order
    )


def _run_and_system(key: str) -> tuple[str, str]:
    run, _, rest = key.partition("/")
    return run, rest.partition("/")[0]


_UTC_SUFFIX = "Z"
_PANEL_OPTIONS = ("PASS", "FAIL", "CONDITIONAL")
_TURN_BY_TURN_SYSTEMS = frozenset({"persuasion"})
"""As `domain.debate` has it, which is not loaded here."""
_MAX_QUICK_READ_BYTES = 32 * 1024 * 1024
"""Bytes from which on a file is opened the careful way."""


@dataclass(frozen=True, slots=True)
class StoredConclusion:
    """The stored verdict of one system: that of its newest judging run."""

    system: str
    run: str
    winner: str | None
    victory: str
    margin: float | None
    decides: bool
    option: str | None = None
    """What a panel voted, where no winner tells it: PASS, FAIL, CONDITIONAL."""

    @property
    def outcome(self) -> str:
        """Name of the winner; where nobody won, the panel's vote, else how it ended: draw, undetermined..."""
        return self.winner if self.winner is not None else self.option or self.victory


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One debate of a catalogue. Texts are as stored: whoever shows them cleans them."""

    path: str
    id: str
    started_at: str
    """UTC, ISO 8601."""
    topic: str
    state: str
    """Why it closed (`complete`, `surrender`, `converged`, `budget`, `interrupted`, `failed`); for one that did not:
    `running` where a process is at work on it, else `unfinished`."""
    turns: int
    models: tuple[str, ...]
    """`provider/model` that the debaters spoke with, each once, in their order; of one who did not yet, the configured."""
    conclusions: tuple[StoredConclusion, ...]
    """One a system, the deciding one first; none while only a journal tells of the debate."""
    cost_usd: float | None
    """None where a price is not known."""
    judgments_missing: int = 0
    """Of a debate that came to its end: judgments to be asked for again, at the least. None are while it is judged."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that cannot be used, and the sentence that says why."""

    path: str
    message: str


def list_index_entries(folder: Path) -> Iterator[IndexEntry | UnreadableFile]:
    """The debates in `folder` by name, each as soon as it is read. Raises UsageError where there is no such folder."""
    try:
        files = list_debate_files(folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be listed ({error.strerror}); name a folder of transcripts") from error
    return (load_index_entry(path) for path in files)


def load_index_entry(path: Path) -> IndexEntry | UnreadableFile:
    """What is to be said of one debate."""
    found = (
        read_index_entry(path)
        if path.suffix == TRANSCRIPT_SUFFIX and not path.with_suffix(JOURNAL_SUFFIX).exists()
        else None
    )
    return found or build_index_entry(path)


def read_index_entry(path: Path) -> IndexEntry | None:
    """The card of a transcript, from its plain JSON; None where anything is not as it should be."""
    try:
        if path.stat().st_size > _MAX_QUICK_READ_BYTES:
            return None
        return _entry_from_fields(str(path), json.loads(path.read_bytes(), parse_constant=_reject_constant))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _reject_constant(word: str) -> NoReturn:
    raise ValueError(word)


def _entry_from_fields(path: str, fields: Any) -> IndexEntry | None:
    """Raises what looking into something else than a transcript raises."""
    cost = fields["usage"]["cost_usd"]
    texts = [fields[name] for name in ("id", "started_at", "topic", "closed")]
    models = _models_used(fields)
    turns = len(fields["turns"])
    added = {run["id"]: run.get("heard", turns) >= turns for run in fields.get("runs", ())}
    runs = {FIRST_RUN_ID: True, **added}
    sound = (
        fields["schema_version"] == SCHEMA_VERSION
        and all(isinstance(text, str) for text in (*texts, *models, *runs))
        and isinstance(cost, int | float | None)
        and fields["started_at"].endswith(_UTC_SUFFIX)
    )
    if not sound:
        return None
    debate_id, started_at, topic, closed = texts
    judged = {(item["system"], item["run"]) for item in fields["assessments"]}
    conclusions = _newest_by_system([_parse_conclusion(verdict) for verdict in fields["verdicts"]], runs, judged)
    missing = count_missing_in_fields(fields)
    return IndexEntry(path, debate_id, started_at, topic, closed, turns, tuple(models), conclusions, cost, missing)


def _models_used(fields: Any) -> list[Any]:
    """The model of each debater, or those that spoke in its place, each once."""
    spoken: dict[str, list[Any]] = {}
    for turn in fields["turns"]:
        if turn["exchange"]["attempts"]:
            spoken.setdefault(turn["speaker"], []).append(turn["exchange"]["model"])
    people = fields["participants"]
    return list(dict.fromkeys(model for one in people for model in spoken.get(one["name"], [one["model"]])))


def _parse_conclusion(verdict: Any) -> StoredConclusion:
    system, run, victory = (verdict[name] for name in ("system", "run", "victory"))
    winner, margin = verdict["winner"], verdict["margin"]
    sound = (
        all(isinstance(text, str) for text in (system, run, victory))
        and isinstance(winner, str | None)
        and isinstance(margin, int | float | None)
    )
    if not sound:
        raise TypeError(verdict)
    told = system == "panel" and winner is None and victory != "undetermined"
    option = verdict.get("notes", {}).get("option") if told else None
    return StoredConclusion(
        system, run, winner, victory, margin, bool(verdict["decides"]), option if option in _PANEL_OPTIONS else None
    )


def _newest_by_system(
    conclusions: list[StoredConclusion], runs: Mapping[str, bool], judged: Collection[tuple[str, str]]
) -> tuple[StoredConclusion, ...]:
    """Per system that of its newest run, the deciding one first; a run that came to nothing takes nobody's place.

    `runs` are the judging runs, oldest first, and whether each heard the whole debate, which those of systems that judge turn
    by turn always did; `judged`: (system, run) of the assessments that there are.
    """
    rank = {run: number for number, run in enumerate(runs)}

    def newness(item: StoredConclusion) -> tuple[bool, bool, int]:
        heard_all = item.system in _TURN_BY_TURN_SYSTEMS or runs.get(item.run, True)
        return (item.system, item.run) in judged, heard_all, rank.get(item.run, 0)

    found: dict[str, StoredConclusion] = {}
    for conclusion in conclusions:
        kept = found.get(conclusion.system)
        if kept is None or newness(conclusion) >= newness(kept):
            found[conclusion.system] = conclusion
    return tuple(sorted(found.values(), key=lambda item: not item.decides))


def build_index_entry(path: Path) -> IndexEntry | UnreadableFile:
    """The card of a debate that is opened as any other command opens it."""
    from debate_cli.domain.debate import models_used_by_debaters
    from debate_cli.storage.transcript_store import open_debate

    try:
        stored = open_debate(path)
    except DebateError as error:
        return UnreadableFile(str(path), str(error))
    debate = stored.debate
    judged = {(item.system, item.run) for item in debate.assessments}
    conclusions = [
        StoredConclusion(item.system, item.run, item.winner, item.victory, item.margin, item.decides, item.option)
        for item in stored.verdicts
    ]
    return IndexEntry(
        path=str(stored.path),
        id=debate.id,
        started_at=debate.started_at.isoformat().replace("+00:00", _UTC_SUFFIX),
        topic=debate.topic,
        state=_state(stored.path, debate.closed),
        turns=len(debate.turns),
        models=models_used_by_debaters(debate),
        conclusions=_newest_by_system(
            conclusions, {run.id: debate.judged_all_turns(run) for run in debate.runs}, judged
        ),
        cost_usd=debate.usage.cost_usd,
        judgments_missing=count_missing_judgments(debate) if lock_holder(stored.path) is None else 0,
    )


def _state(path: Path, closed: str | None) -> str:
    if closed is not None:
        return closed
    return "running" if lock_holder(path) is not None else "unfinished"
