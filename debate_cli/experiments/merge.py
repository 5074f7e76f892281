"""Merges the ledgers and debates of one experiment that ran with `--shard` on several machines."""

import time
from collections.abc import Sequence
from pathlib import Path

from debate_cli.errors import UsageError
from debate_cli.experiments.ledger import DEBATES_FOLDER, REHEARSAL_META, CellRecord, CellState, Ledger
from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write, friendly_os_errors
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX
from debate_cli.storage.journal import MAX_JOURNAL_BYTES

_PRECEDENCE: dict[CellState, int] = {"done": 3, "failed": 2, "running": 1, "open": 0}


def merge_experiments(folders: Sequence[Path], out: Path) -> Ledger:
    """Merge `folders` of one experiment into the folder `out`. Return the open ledger of `out`.

    A finished cell replaces an unfinished cell with the same key.
    Raises UsageError if a run has not ended, or if the folders belong to different experiments.
    """
    sources = [Ledger.open(folder) for folder in folders]
    try:
        _check_sources(sources)
        first = sources[0]
        target = Ledger.create(out, first.name, mock=first.replaces_models)
        if target.plan not in {"", first.plan}:
            target.close()
            raise UsageError(
                f"{out}: holds the results of another version of the experiment file; choose another folder with --out"
            )
        for folder, source in zip(folders, sources, strict=True):
            if folder.resolve() != out.resolve():
                _add(source, folder, target, out)
        target.set_meta("plan", first.plan)
        target.set_meta("notes", first.meta("notes") or "")
        target.set_meta(REHEARSAL_META, first.rehearsal_notice)
    finally:
        for source in sources:
            source.close()
    return target


def _check_sources(sources: Sequence[Ledger]) -> None:
    first = sources[0]
    for other in sources:
        both = f"{other.path} and {first.path}"
        if other.name != first.name:
            raise UsageError(f"{both} belong to different experiments; merge folders of one experiment")
        if other.replaces_models != first.replaces_models:
            raise UsageError(
                f"{both} cannot be merged, because only one of them is from runs with --mock; "
                "merge only folders from runs with --mock, or only folders from runs without --mock"
            )
        if other.plan != first.plan:
            raise UsageError(
                f"{both} come from different versions of the experiment file; run both again with "
                "one version, then merge"
            )
        other.recover(time.time())
        if other.counts()["running"]:
            raise UsageError(f"{other.path}: this experiment is still running; wait until it ends, or stop it")


def _add(source: Ledger, folder: Path, target: Ledger, out: Path) -> None:
    for record in source.records(only_planned=False):
        known = target.find(record.cell.key)
        if known is not None and _rank(known) >= _rank(record):
            continue
        for suffix in (TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX):
            path = folder / DEBATES_FOLDER / f"{record.cell.debate}{suffix}"
            if path.exists():
                with friendly_os_errors(path, "read"):
                    data = read_regular_file(path, MAX_JOURNAL_BYTES)
                atomic_write(out / DEBATES_FOLDER / path.name, data, overwrite=True)
        with target.transaction():
            target.add_settled(record, source.results_of(record.cell.key))


def _rank(record: CellRecord) -> tuple[int, int]:
    return _PRECEDENCE[record.state], record.attempts
