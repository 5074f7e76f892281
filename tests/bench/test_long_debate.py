"""Own work of long debates with all judging systems: twice as many turns cost about twice as much."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from bench.figures import Figures

TURNS = (100, 200, 400)
ROUNDS = 2
PROGRAM = """
import sys, time
from long_debate_support import TirelessModel, hold_long_debate, long_config
turns = int(sys.argv[1])
hold_long_debate(long_config(10, "recent"), TirelessModel())
started = time.process_time()
debate = hold_long_debate(long_config(turns, "recent"), TirelessModel())
print(time.process_time() - started)
assert (len(debate.turns), debate.failures) == (turns, ())
"""
"""Prints the seconds of CPU time of a debate, after a short one that does the imports."""


def test_own_work_per_turn_stays_constant(figures: Figures) -> None:
    """CPU time of the whole run with `history: recent`, as the ratio to a debate of half the length.

    Each debate has a process of its own, because garbage of the others would be collected in it. Work that grew with the
    square of the length would give 4.
    """
    seconds = {turns: min(_cpu_s(turns) for _ in range(ROUNDS)) for turns in TURNS}
    for shorter, longer in pairwise(TURNS):
        ratio = seconds[longer] / seconds[shorter]
        figures.add(f"own work, {longer} turns to {shorter}", ratio, f"{seconds[longer]:.1f} s of CPU", bound=2.4)


def _cpu_s(turns: int) -> float:
    command = [sys.executable, "-c", PROGRAM, str(turns)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)
