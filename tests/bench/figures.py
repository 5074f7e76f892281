"""Figures of a benchmark run, printed as they are found and as a table at the end. Nothing asserts on them.

A bound is a ratio of two things measured alternately in one run: a slow machine slows both.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

DEBATE = str(Path(sys.executable).with_name("debate"))
"""The installed command, from the environment that runs the benchmarks."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Variables of measured processes. The warm-up writes the bytecode that an installed program has."""
_LAUNCHER = """
import json, os, sys, time
started = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
cpu_s = used.ru_utime + used.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), time.perf_counter() - started, cpu_s, used.ru_maxrss / 1024]))
"""
"""A small process in between, because a child inherits its parent's peak memory."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one process."""

    wall_s: float
    cpu_s: float
    """Time of the processor, which other processes on the machine hardly change."""
    peak_mib: float


def run_measured(command: Sequence[str | Path]) -> Cost:
    """Run `command` to its end and discard its output. Raises AssertionError if it fails."""
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    done = subprocess.run(
        launcher, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    code, *cost = json.loads(done.stdout)
    assert code == 0, done.stderr
    return Cost(*cost)


@dataclass(slots=True)
class Figures:
    """All figures of a run, in the order in which they were found."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])

    def add(self, name: str, value: float, basis: str, *, unit: str = "", bound: float, at_least: bool = False) -> None:
        """Record a figure and print it. `bound` is its upper bound, or its lower one with `at_least`."""
        met = value >= bound if at_least else value <= bound
        sign = "≥" if at_least else "≤"
        self.rows.append((name, f"{value:.3f}{unit}", f"{sign} {bound:g}", "met" if met else "MISSED"))
        print(f"\n{'  '.join(self.rows[-1])}  ({basis})", end=" ", flush=True)

    def add_ratio(
        self, name: str, ours: Callable[[], float], yardstick: Callable[[], float], *, rounds: int, bound: float
    ) -> None:
        """Measure both alternately, after a warm-up of each, and record the ratio of their medians."""
        ours()
        yardstick()
        measured = [(ours(), yardstick()) for _ in range(rounds)]
        mine, other = (median(pair[side] for pair in measured) for side in (0, 1))
        self.add(name, mine / other, f"{mine * 1000:.0f} ms against {other * 1000:.0f} ms", bound=bound)

    def table(self) -> str:
        """All figures as aligned columns."""
        rows = [("figure", "measured", "bound", ""), *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
