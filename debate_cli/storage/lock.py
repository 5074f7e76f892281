"""One process a debate: a lock file beside the journal, held by the operating system for as long as its holder lives.

A lock left behind by a process that died holds nobody up: the system let it go at its death.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Generator
from pathlib import Path

from debate_cli.errors import StorageError
from debate_cli.storage.atomic_write import FILE_MODE, friendly_os_errors, make_folder, remove_temp_files, write_all
from debate_cli.storage.folder import JOURNAL_SUFFIX, TRANSCRIPT_SUFFIX

LOCK_SUFFIX = ".lock"
_PID_BYTES = 20


@contextlib.contextmanager
def lock_debate(path: Path) -> Generator[None]:
    """Hold the debate whose journal or transcript is `path` (`ID.jsonl` and `ID.json` share one lock).

    Raises StorageError naming the pid where another process holds it. What holders that were killed left half written is
    removed.
    """
    place = path.with_suffix(LOCK_SUFFIX)
    make_folder(place.parent)
    opened = _acquire(place)
    for suffix in (TRANSCRIPT_SUFFIX, JOURNAL_SUFFIX):
        remove_temp_files(path.with_suffix(suffix))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        os.close(opened)


def lock_holder(path: Path) -> int | None:
    """Pid of the process that holds the debate of `path`; None where none does. What a dead process left is no lock."""
    try:
        opened = os.open(path.with_suffix(LOCK_SUFFIX), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        told = os.pread(opened, _PID_BYTES, 0).decode(errors="replace").strip()
        return int(told) if told.isdecimal() else 0
    except OSError:
        return None
    finally:
        os.close(opened)
    return None


def _acquire(place: Path) -> int:
    """The open, locked file. Where its name went to another file meanwhile, try that one."""
    while True:
        with friendly_os_errors(place, "locked"):
            opened = os.open(place, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(opened, _PID_BYTES, 0).decode(errors="replace").strip()
            os.close(opened)
            who = f"process {holder}" if holder.isdecimal() else "another process"
            raise StorageError(f"{place}: {who} is at work on this debate; wait for it, or stop it") from error
        except OSError as error:
            os.close(opened)
            raise StorageError(f"{place}: cannot be locked ({error.strerror}); choose another folder") from error
        if _is_same_file(place, opened):
            with friendly_os_errors(place, "locked"):
                os.ftruncate(opened, 0)
                write_all(opened, f"{os.getpid()}\n".encode())
            return opened
        os.close(opened)


def _is_same_file(place: Path, opened: int) -> bool:
    """Whether the name still means the open file: its last holder may have removed it just now."""
    try:
        there = place.stat()
    except OSError:
        return False
    here = os.fstat(opened)
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
