"""Work on many files in several processes at once; what comes of it is handed on in the order of the files."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
FEWEST = 200
"""Files for which it is worth starting processes."""
CHUNK = 20
"""Files that a process is given at a time."""
AHEAD = 3
"""Chunks a process that may be done or waiting before they are wanted: they bound what is held in memory."""


def side_by_side(work: Callable[[Path], T], paths: Sequence[Path]) -> Iterator[T]:
    """`work` of each path, in the order of `paths`; `work` and its results can be pickled, and it never raises.

    Few files, a single processor, and systems whose processes cannot be copied do without other processes.
    """
    processes = _processors()
    if len(paths) < FEWEST or processes == 1 or sys.platform != "linux":
        yield from map(work, paths)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    chunks = (paths[start : start + CHUNK] for start in range(0, len(paths), CHUNK))
    with ProcessPoolExecutor(processes, get_context("fork"), initializer=_leave_stopping_to_the_parent) as pool:
        under_way: deque[Future[list[T]]] = deque(
            pool.submit(_each, work, chunk) for chunk in islice(chunks, AHEAD * processes)
        )
        try:
            while under_way:
                done = under_way.popleft().result()
                under_way.extend(pool.submit(_each, work, chunk) for chunk in islice(chunks, 1))
                yield from done
        finally:
            pool.shutdown(cancel_futures=True)


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _leave_stopping_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _each(work: Callable[[Path], T], paths: Sequence[Path]) -> list[T]:
    return [work(path) for path in paths]
