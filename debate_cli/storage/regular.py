"""Bytes of regular files alone: a pipe or a device would be waited for, and a socket cannot be read at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def open_regular_file(path: Path) -> int:
    """A descriptor of the regular file at `path`, for reading; it is the caller's to close.

    Raises OSError, with a reason of its own where there is something else at `path` (a folder: IsADirectoryError).
    """
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode):
        return opened
    os.close(opened)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "not a regular file", str(path))
