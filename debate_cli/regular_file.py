"""Reads regular files only, because a FIFO can block forever and a device may have no end.

Also has functions for folders and links.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

_MAX_SHOWN_CHARS = 200


def open_regular_file(path: Path) -> int:
    """Open the regular file at `path` for reading; the caller closes the descriptor.

    Raises IsADirectoryError for a folder, and OSError for any other failure or kind of file.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode):
        return opened
    os.close(opened)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Return the start of the regular file at `path`: at most `max_bytes` + 1 bytes. Raises OSError.

    The extra byte shows the caller that the file is too long.
    """
    with os.fdopen(open_regular_file(path), "rb") as file:
        return file.read(min(os.fstat(file.fileno()).st_size, max_bytes) + 1)


def read_regular_text(path: Path, max_bytes: int, encoding: str = "utf-8") -> str:
    """Return the text of the regular file at `path`.

    Raises OSError, and ValueError if the text is too long or not in `encoding`. The ValueError does not name the file.
    """
    data = read_regular_file(path, max_bytes)
    if len(data) > max_bytes:
        raise ValueError(f"is larger than {max_bytes // 1024} KiB; make it smaller")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError("is not valid UTF-8; save it as UTF-8") from error


def is_special_file(path: Path) -> bool:
    """Return whether `path` is neither a regular file nor a folder, e.g. a FIFO. False if it cannot be examined."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_folder(path: Path) -> bool:
    """Return whether `path` is a folder. False if it cannot be examined."""
    return os.path.isdir(path)  # noqa: PTH112 - never raises


def may_exist(path: Path) -> bool:
    """Return whether `path` exists. True if it cannot be examined: the caller then gets the reason when it opens `path`."""
    try:
        return path.exists()
    except OSError:
        return True


def shorten_path(path: object) -> str:
    """Format a path for a message: on one line, and cut if it is very long. `path`: any text given as a path, or a Path."""
    line = "".join(char if char.isprintable() else " " for char in str(path))
    return line if len(line) <= _MAX_SHOWN_CHARS else f"{line[:_MAX_SHOWN_CHARS]}…"


FOLDER_MODE = 0o700
"""Mode of new folders. Only the user may open them, because a debate may be confidential."""


def make_private_folder(folder: Path) -> None:
    """Create `folder` and its missing parents. Only the user may open the new folders. Raises OSError."""
    for missing in reversed([parent for parent in (folder, *folder.parents) if not parent.exists()]):
        missing.mkdir(mode=FOLDER_MODE, exist_ok=True)


def follow_links(path: Path) -> Path:
    """Return the absolute path with all links resolved. A link that leads to itself is kept."""
    return Path(os.path.realpath(path))


def visible_files(folder: Path) -> list[Path]:
    """Return the files in and below `folder`, sorted, without hidden files and folders."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(found)


def cache_folder(env: Mapping[str, str], name: str) -> Path:
    """Return the cache folder `debate-cli/NAME` under XDG_CACHE_HOME, else under ~/.cache."""
    cache = env.get("XDG_CACHE_HOME")
    root = Path(cache) if cache else Path(env.get("HOME") or "~").expanduser() / ".cache"
    return root / "debate-cli" / name


def is_inside(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether `path`, with links followed, is in one of `folders`. False for a path with a NUL character."""
    if "\0" in str(path):
        return False
    resolved = follow_links(path)
    return any(resolved.is_relative_to(follow_links(folder)) for folder in folders)
