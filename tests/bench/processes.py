"""Whole processes, measured from outside: time on the wall, processor time of the process and its children, peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Spent

DEBATE = str(Path(sys.executable).with_name("debate"))
"""The installed command, beside the interpreter that runs the benchmarks."""


def spent(command: Sequence[str | Path], folder: Path | None = None) -> Spent:
    """Run `command` to its end; raises AssertionError with what it printed where it fails."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said.decode(errors="replace")
    return Spent(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
