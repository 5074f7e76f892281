"""The index of a folder of saved debates: one entry per debate, for `debate list`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from debate_cli.domain.debate import Debate, models_used_by_debaters, rehearsal_notice
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, UsageError
from debate_cli.judging.schedule import missing_briefs
from debate_cli.storage.folder import list_debate_files
from debate_cli.storage.lock import lock_holder
from debate_cli.storage.transcript_store import StoredDebate, open_debate

if TYPE_CHECKING:
    from debate_cli.app.remedies import Remedy


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One debate in the index. Texts are not sanitized."""

    path: str
    id: str
    started_at: str
    """Start time in UTC, in ISO 8601."""
    topic: str
    state: str
    """Why the debate closed: `complete`, `surrender`, `converged`, `budget`, `interrupted` or `failed`. An open debate
    is `running` while a process works on it, else `unfinished`."""
    turns: int
    models: tuple[str, ...]
    """Models of all debaters, as `provider/model`, without repetitions."""
    conclusions: tuple[Verdict, ...]
    """The verdicts to list, the deciding verdict first; empty if the debate has no transcript.

    - One verdict by models for each judging system: from the newest run that judged all turns. If there is no such run,
      from the newest run.
    - If this run belongs to a comparison of judge models: the verdicts of the other runs of the comparison too.
    - All verdicts by human reviewers.
    """
    cost_usd: float | None
    """Cost in US dollars; None if a price is not known."""
    rehearsal: str = ""
    """Notice that the mock gave all or some answers; empty if it gave none."""
    missing_judgements: int = 0
    """Number of missing judgements; 0 if the debate is in use by a process."""
    resumable_judgements: int = 0
    """Number of missing judgements that are requested again if the debate is resumed."""
    lacks_deciding_judgement: bool = False
    """Whether the deciding verdict of a complete debate is undetermined because a judgement is missing."""
    remedy: Remedy | None = None
    """What continues the debate; None if the debate lacks nothing or is in use by a process."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that cannot be read as a debate, and the reason in one sentence."""

    path: str
    message: str


def list_index_entries(folder: Path) -> Iterator[IndexEntry | UnreadableFile]:
    """Return an iterator over the debates in `folder`, sorted by file name.

    Raises UsageError if the folder cannot be listed.
    """
    try:
        files = list_debate_files(folder)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be listed ({error.strerror}); give the path of a folder with transcripts"
        ) from error
    return (load_index_entry(path) for path in files)


def load_index_entry(path: Path) -> IndexEntry | UnreadableFile:
    """Read the debate at `path`. Returns its index entry, or the reason why it cannot be read."""
    try:
        stored = open_debate(path)
    except DebateError as error:
        return UnreadableFile(str(path), str(error))
    debate = stored.debate
    is_locked = lock_holder(stored.path) is not None
    conclusions = _newest_by_system(stored)
    undecided = {(item.run, item.system) for item in conclusions if item.decides and item.victory == "undetermined"}
    missing = () if is_locked else missing_briefs(debate)
    final = {item.task.key for item in debate.failures if item.final}
    lacking = {(brief.run, brief.system) for brief in missing}
    is_unfinished = debate.status == "incomplete" and not is_locked
    return IndexEntry(
        path=str(stored.path),
        id=debate.id,
        started_at=debate.started_at.isoformat().replace("+00:00", "Z"),
        topic=debate.topic,
        state=debate.closed or ("running" if is_locked else "unfinished"),
        turns=len(debate.turns),
        models=models_used_by_debaters(debate),
        conclusions=conclusions,
        cost_usd=debate.usage.cost_usd,
        rehearsal=rehearsal_notice(debate),
        missing_judgements=len(missing),
        resumable_judgements=sum(brief.key not in final for brief in missing),
        lacks_deciding_judgement=debate.status == "complete" and not undecided.isdisjoint(lacking),
        remedy=_find_remedy(stored.path, debate, missing) if missing or is_unfinished else None,
    )


def _find_remedy(path: Path, debate: Debate, missing: Sequence[Brief]) -> Remedy:
    from debate_cli.app.remedies import EndedCommand, find_remedy

    return find_remedy(debate, missing, EndedCommand.of_saved(path, debate))


def _newest_by_system(stored: StoredDebate) -> tuple[Verdict, ...]:
    debate = stored.debate
    judged = {(item.system, item.run) for item in debate.assessments}

    def precedence(verdict: Verdict) -> tuple[bool, int]:
        runs = [run.id for run in debate.runs_by_precedence(verdict.system)]
        rank = runs.index(verdict.run) if verdict.run in runs else 0
        return (verdict.system, verdict.run) in judged, rank

    by_models = [verdict for verdict in stored.verdicts if verdict.reviewer is None]
    newest = {verdict.system: verdict for verdict in sorted(by_models, key=precedence)}
    compared = {system: {run.id for run in debate.compared_runs(verdict.run)} for system, verdict in newest.items()}
    first_seen = dict.fromkeys(verdict.system for verdict in by_models)
    found = [
        verdict
        for system in first_seen
        for verdict in by_models
        if verdict == newest[system]
        or ((verdict.system, verdict.run) in judged and verdict.system == system and verdict.run in compared[system])
    ]
    found += [verdict for verdict in stored.verdicts if verdict.reviewer is not None]
    without_details = (verdict.model_copy(update={"notes": {"option": verdict.option}}) for verdict in found)
    return tuple(sorted(without_details, key=lambda verdict: not verdict.decides))
