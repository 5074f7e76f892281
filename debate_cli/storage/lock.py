"""Locks a debate, so that at most one process works on it.

The operating system releases the lock when the process ends, so a leftover lock file is harmless.
"""

import contextlib
import fcntl
import os
import re
import stat
from collections.abc import Generator
from pathlib import Path

from debate_cli.errors import StorageError
from debate_cli.storage.atomic_write import (
    FILE_MODE,
    friendly_os_errors,
    make_folder,
    remove_temporary_files,
    write_all,
)
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX

LOCK_SUFFIX = ".lock"
_PID_BYTES = 20
_LOCK_CONTENT = re.compile(rb"\d{0,20}\n?")
"""Matches the content of a lock file: the id of the process, or nothing before the id is written."""
_SAFE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags for opening a lock file. In a downloaded folder, a link must be refused and a FIFO must not block."""


@contextlib.contextmanager
def lock_debate(path: Path) -> Generator[None]:
    """Lock the debate whose journal or transcript is `path`.

    If a killed process has left its lock file, its temporary files are removed too.

    Raises StorageError if another process holds the lock. Also raises StorageError if `path` is a link, because the lock
    of the debate is beside the link's target.
    """
    with friendly_os_errors(path, "locked"):
        is_link = path.is_symlink()
    if is_link:
        raise StorageError(f"{path}: is a link, which may lead out of its folder; give the path of the file itself")
    lock_path = path.with_suffix(LOCK_SUFFIX)
    make_folder(lock_path.parent)
    was_left = lock_path.exists()
    opened = _acquire(lock_path)
    try:
        for suffix in (TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX) if was_left else ():
            remove_temporary_files(path.with_suffix(suffix))
        yield
    finally:
        with contextlib.suppress(OSError):
            lock_path.unlink(missing_ok=True)
        os.close(opened)


def remove_stale_lock(path: Path) -> None:
    """Remove the lock file that a killed process left for the debate at `path`. A held lock is kept."""
    if path.with_suffix(LOCK_SUFFIX).exists():
        with contextlib.suppress(StorageError), lock_debate(path):
            pass


def lock_holder(path: Path) -> int | None:
    """Return the id of the process that has locked the debate at `path`.

    Returns 0 if the id is unknown, and None if the debate is not locked.
    """
    try:
        opened = os.open(path.with_suffix(LOCK_SUFFIX), os.O_RDONLY | _SAFE_FLAGS)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_pid(opened)
    except OSError:
        return None
    finally:
        os.close(opened)
    return None


def check_unlocked(path: Path) -> None:
    """Raise StorageError if a process holds the lock of `path`."""
    pid = lock_holder(path)
    if pid is not None:
        raise _locked_error(path.with_suffix(LOCK_SUFFIX), pid)


def _locked_error(lock_path: Path, pid: int) -> StorageError:
    who = f"process {pid}" if pid else "another process"
    return StorageError(f"{lock_path}: {who} is working on this debate; wait for it, or stop it")


def _acquire(lock_path: Path) -> int:
    while True:
        with friendly_os_errors(lock_path, "locked"):
            opened = os.open(lock_path, os.O_RDWR | os.O_CREAT | _SAFE_FLAGS, FILE_MODE)
            with contextlib.ExitStack() as on_failure:
                on_failure.callback(os.close, opened)
                found = os.fstat(opened)
                if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                    raise StorageError(f"{lock_path}: is not a lock file; remove it")
                if _LOCK_CONTENT.fullmatch(os.pread(opened, _PID_BYTES + 2, 0)) is None:
                    raise StorageError(
                        f"{lock_path}: is not a lock file of debate-cli; move it away, or choose another id"
                    )
                try:
                    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise _locked_error(lock_path, _read_pid(opened)) from error
                if _is_same_file(lock_path, found):
                    os.ftruncate(opened, 0)
                    write_all(opened, f"{os.getpid()}\n".encode())
                    on_failure.pop_all()
                    return opened


def _read_pid(opened: int) -> int:
    pid = os.pread(opened, _PID_BYTES, 0).decode(errors="replace").strip()
    return int(pid) if pid.isdecimal() else 0


def _is_same_file(lock_path: Path, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(lock_path.stat(follow_symlinks=False), status)
    except OSError:
        return False
