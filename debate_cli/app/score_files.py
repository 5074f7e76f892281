"""Work on many files in several processes at once; what comes of it is handed on in the order of the files."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from debate_cli.errors import StorageError

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
MIN_FILES_FOR_PROCESSES = 200
"""Files for which it is worth starting processes."""
FILES_PER_CHUNK = 20
"""Files that a process is given at a time."""
MAX_PROCESSES = 8
"""Processes: more are not fed fast enough by the one that prints."""
MAX_CHUNKS_AHEAD = 3
"""Chunks a process that may be done or waiting before they are wanted: they bound what is held in memory."""


def map_in_processes(work: Callable[[Path], T], paths: Sequence[Path]) -> Iterator[T]:
    """`work` of each path, in the order of `paths`; `work` and its results can be pickled, and it never raises.

    Few files, a single processor, and systems whose processes cannot be copied do without other processes.
    """
    processes = min(_count_processors(), MAX_PROCESSES)
    if len(paths) < MIN_FILES_FOR_PROCESSES or processes == 1 or sys.platform != "linux":
        yield from map(work, paths)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    chunks = (paths[start : start + FILES_PER_CHUNK] for start in range(0, len(paths), FILES_PER_CHUNK))
    with ProcessPoolExecutor(processes, get_context("fork"), initializer=_init_worker) as pool:
        under_way: deque[Future[list[T]]] = deque(
            pool.submit(_map_chunk, work, chunk) for chunk in islice(chunks, MAX_CHUNKS_AHEAD * processes)
        )
        try:
            while under_way:
                done = under_way.popleft().result()
                under_way.extend(pool.submit(_map_chunk, work, chunk) for chunk in islice(chunks, 1))
                yield from done
        except BrokenProcessPool as error:
            raise StorageError(
                "a process that scored files was ended from outside; free some memory, and score again"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _count_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _init_worker() -> None:
    """Leave Ctrl-C to the parent, and end when it ends: one that was killed says good-bye to nobody."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _map_chunk(work: Callable[[Path], T], paths: Sequence[Path]) -> list[T]:
    return [work(path) for path in paths]
