"""Checks the files that options name for output, before a command asks a model or writes anything."""

import os
from collections.abc import Iterable
from pathlib import Path

from debate_cli.errors import UsageError
from debate_cli.regular_file import follow_links
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX

STDOUT = Path("-")
"""The path that means stdout."""


def file_or_stdout(path: Path | None) -> Path | None:
    """Return `path`, or None for `-`: None means that the command writes to stdout."""
    return None if path == STDOUT else path


def refuse_stdout(path: Path | str | None, option: str) -> None:
    """Raise UsageError if `path`, which `option` names for a folder, is `-`."""
    if path is not None and Path(path) == STDOUT:
        raise UsageError(f"{option} -: this command writes a folder, not to standard output; name a folder")


def check_output(
    path: Path, option: str, *, force: bool, inputs: Iterable[Path] = (), results: Iterable[Path] = ()
) -> None:
    """Raise UsageError if the command must not write the file `path`, which `option` names.

    - An existing file needs `force`. A folder is always refused.
    - A file that the command reads (`inputs`) or writes for another option (`results`) is always refused.
    """
    if path.is_dir():
        raise UsageError(f"{option} {path}: this is a folder; name a file")
    if any(_is_same_file(path, other) for other in results):
        raise UsageError(f"{option} {path}: this command writes another result to this file; choose another file")
    refuse_inputs(path, option, inputs)
    if os.path.lexists(path) and not force:
        raise UsageError(f"{option} {path}: exists already; choose another file, or overwrite it with --force")


def refuse_inputs(path: Path, option: str, inputs: Iterable[Path]) -> None:
    """Raise UsageError if `path`, which `option` names for output, is one of the existing files in `inputs`."""
    if path.exists() and any(_is_same_file(path, other) for other in inputs):
        raise UsageError(f"{option} {path}: this command reads this file; choose another file")


def debate_files(path: Path) -> tuple[Path, Path]:
    """Return the two files of a saved debate: transcript and journal. `path`: one of them."""
    return path.with_suffix(TRANSCRIPT_SUFFIX), path.with_suffix(JOURNAL_SUFFIX)


def _is_same_file(path: Path, other: Path) -> bool:
    if follow_links(path) == follow_links(other):
        return True
    return path.exists() and other.exists() and path.samefile(other)
