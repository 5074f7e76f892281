"""Work on many files in several processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from debate_cli.app.score_files import FILES_PER_CHUNK, MIN_FILES_FOR_PROCESSES, map_in_processes
from debate_cli.errors import StorageError

ABANDONED = """
import os, sys, time
from pathlib import Path
from debate_cli.app.score_files import side_by_side

def slow(path):
    print(os.getpid(), flush=True)
    time.sleep(60)

list(side_by_side(slow, [Path(str(number)) for number in range(200)]))
"""


def number_of(path: Path) -> int:
    """What a path of these tests is called."""
    return int(path.name)


def dies(_: Path) -> int:
    """What a process does that the system ends."""
    os._exit(1)


def paths(count: int) -> list[Path]:
    """So many paths; none is there."""
    return [Path(str(number)) for number in range(count)]


@pytest.mark.parametrize(
    "count",
    [0, 1, MIN_FILES_FOR_PROCESSES - 1, MIN_FILES_FOR_PROCESSES, MIN_FILES_FOR_PROCESSES + 3 * FILES_PER_CHUNK + 1],
)
def test_results_come_in_the_order_of_the_files(count: int) -> None:
    """One for each, however the work was shared out."""
    assert list(map_in_processes(number_of, paths(count))) == list(range(count))


@pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) == 1, reason="no other processes are started here"
)
def test_a_process_that_is_ended_is_told_in_a_sentence() -> None:
    """It is no fault of the program's."""
    with pytest.raises(StorageError, match="ended from outside"):
        list(map_in_processes(dies, paths(MIN_FILES_FOR_PROCESSES)))


@pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) == 1, reason="no other processes are started here"
)
def test_processes_end_with_the_one_that_started_them() -> None:
    """Also where that one is killed and can tell them nothing."""
    with subprocess.Popen([sys.executable, "-c", ABANDONED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 30
    while Path(f"/proc/{worker}").exists() and _state(worker) != "Z" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists() or _state(worker) == "Z"


def _state(pid: int) -> str:
    """A process's state, Z for one that has ended and was not collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
