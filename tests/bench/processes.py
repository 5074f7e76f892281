"""Whole processes, measured from outside: time on the wall, processor time and peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Spent

DEBATE = str(Path(sys.executable).with_name("debate"))
"""The installed command, beside the interpreter that runs the benchmarks."""
_LAUNCHER = """
import json, os, sys, time
started = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
spent = [time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
print(json.dumps([os.waitstatus_to_exitcode(status), spent]))
"""
"""A process counts the memory of the one that started it as its own peak, so a small one stands in between."""


def spent(command: Sequence[str | Path]) -> Spent:
    """Run `command` to its end, its output thrown away; raises AssertionError with its complaints where it fails."""
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    done = subprocess.run(launcher, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    code, (wall_s, cpu_s, peak_mib) = json.loads(done.stdout)
    assert code == 0, done.stderr
    return Spent(wall_s, cpu_s, peak_mib)
