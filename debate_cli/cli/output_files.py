"""Checks the files that options name for output, before a command asks a model or writes anything."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from debate_cli.errors import UsageError
from debate_cli.regular_file import follow_links, is_special_file
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX
from debate_cli.storage.out_path import OutPath

STDOUT = "-"
"""The path that means stdout."""
PathT = TypeVar("PathT", Path, OutPath)


def file_or_stdout(path: PathT | None) -> PathT | None:
    """Return `path`, or None for `-`: None means that the command writes to stdout."""
    return None if str(path) == STDOUT else path


def refuse_stdout(path: Path | OutPath | None, option: str) -> None:
    """Raise UsageError if `path` is `-`, because `option` must name a folder."""
    if str(path) == STDOUT:
        raise UsageError(
            f"{option} -: this command writes to a folder, not to standard output; give the path of a folder"
        )


def check_output(
    path: Path, option: str, *, force: bool, inputs: Iterable[Path] = (), results: Iterable[Path] = ()
) -> None:
    """Raise UsageError if the command must not write the file `path`, which `option` names.

    - An existing file needs `force`. A folder, a device and a pipe are always refused.
    - A file that the command reads (`inputs`) or writes for another option (`results`) is always refused.
    """
    if str(path) == STDOUT:
        raise UsageError(f"{option} -: this option writes to a file, not to standard output; give the path of a file")
    if path.is_dir():
        raise UsageError(f"{option} {path}: this is a folder; give the path of a file")
    if is_special_file(path):
        raise UsageError(f"{option} {path}: this is a device or a pipe, not a file; give the path of a file")
    if path in _FileSet(results):
        raise UsageError(
            f"{option} {path}: the output would overwrite another output of this command; choose another file"
        )
    refuse_inputs([path], option, inputs)
    if os.path.lexists(path) and not force:
        raise UsageError(f"{option} {path}: exists already; choose another file, or overwrite it with --force")


def refuse_inputs(paths: Iterable[Path], option: str, inputs: Iterable[Path]) -> None:
    """Raise UsageError if an output would overwrite an input.

    `paths`: the files to write, which `option` names. `inputs`: the files that the command reads.
    """
    existing = [path for path in paths if path.exists()]
    if not existing:
        return
    known = _FileSet(inputs)
    for path in existing:
        if path in known:
            raise UsageError(
                f"{option} {path}: the output would overwrite a file that this command reads; choose another file"
            )


def debate_files(path: Path) -> tuple[Path, Path]:
    """Return the two files of a saved debate: transcript and journal. `path`: one of them."""
    return path.with_suffix(TRANSCRIPT_SUFFIX), path.with_suffix(JOURNAL_SUFFIX)


class _FileSet:
    """Set of files. A path is in the set if it leads to one of the files, e.g. through a link."""

    def __init__(self, paths: Iterable[Path]) -> None:
        listed = list(paths)
        self._places = {follow_links(path) for path in listed}
        self._identities = {_file_identity(path) for path in listed} - {None}

    def __contains__(self, path: Path) -> bool:
        return follow_links(path) in self._places or _file_identity(path) in self._identities


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
