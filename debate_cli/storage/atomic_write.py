"""Writes a file atomically: into a temporary file beside the target, which then replaces the target."""

import contextlib
import errno
import glob
import os
import secrets
import stat
from collections.abc import Generator
from pathlib import Path

from debate_cli.errors import StorageError
from debate_cli.regular_file import is_special_file, make_private_folder

FILE_MODE = 0o600
"""Mode of new files. Only the user may read them, because a debate may be confidential."""
PUBLIC_FILE_MODE = 0o644
"""Mode of configurations and schemas, which everyone may read."""
_RANDOM_BYTES = 4
"""Number of random bytes in the name of a temporary file."""
_DISK_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextlib.contextmanager
def friendly_os_errors(path: Path, done: str) -> Generator[None]:
    """Turn an OSError in the `with` block into a StorageError, e.g. `a.json: cannot be written`.

    `done`: the failed operation as a participle, e.g. `written`.
    """
    try:
        yield
    except FileExistsError as error:
        raise StorageError(
            f"{path}: exists already; choose another id or folder, or overwrite it with --force"
        ) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        advice = "free some space" if error.errno in _DISK_FULL_ERRNOS else "choose another folder"
        raise StorageError(f"{path}: cannot be {done} ({reason}); {advice}") from error


def make_folder(folder: Path) -> None:
    """Create `folder` and its missing parents. Raises StorageError."""
    with friendly_os_errors(folder, "created"):
        if os.path.lexists(folder) and not folder.is_dir():
            raise StorageError(
                f"{folder}: cannot be created (a file or a broken link with this name exists); choose another folder"
            )
        make_private_folder(folder)


def atomic_write(path: Path, data: bytes, *, overwrite: bool = False, mode: int = FILE_MODE) -> None:
    """Write `data` to `path`. After a crash, the file has either its old content or all of `data`.

    `mode`: permissions of a new file. An existing file keeps its permissions. Raises StorageError if the file cannot be
    written, or if the file exists and `overwrite` is false.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(_RANDOM_BYTES)}.tmp")
    if is_special_file(path):
        raise StorageError(f"{path}: cannot be written (it is a device or a pipe); choose another file")
    with friendly_os_errors(path, "written"):
        try:
            if path.exists():
                mode = stat.S_IMODE(path.stat().st_mode)
            _write_and_sync(temporary, data, mode)
            if overwrite:
                temporary.replace(path)
            else:
                _move_without_overwrite(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # so that the file's name survives a power failure
        finally:
            os.close(folder)


def remove_temporary_files(path: Path) -> None:
    """Remove the temporary files that killed processes left when they wrote `path`. No process may write `path` now."""
    name = f".{glob.escape(path.name)}.{'[0-9a-f]' * 2 * _RANDOM_BYTES}.tmp"
    with contextlib.suppress(OSError):
        for left in path.parent.glob(name):
            left.unlink(missing_ok=True)


def write_all(opened: int, data: bytes) -> None:
    """Write all of `data` to an open file, even if one call of `os.write` takes only a part."""
    left = memoryview(data)
    while left:
        left = left[os.write(opened, left) :]


def _write_and_sync(path: Path, data: bytes, mode: int) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        write_all(opened, data)
        os.fsync(opened)
    finally:
        os.close(opened)


def _move_without_overwrite(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise FileExistsError(path) from None
        temporary.rename(path)
