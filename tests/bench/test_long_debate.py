"""Own work of long debates with all judging systems: twice as many turns cost about twice as much."""

import time
from itertools import pairwise

from bench.figures import Figures
from long_debate_support import TirelessModel, hold_long_debate, long_config

TURNS = (100, 200, 400)


def test_own_work_per_turn_stays_constant(figures: Figures) -> None:
    """CPU time of the whole run with `history: recent`, as the ratio to a debate of half the length."""
    seconds: dict[int, float] = {}
    for turns in TURNS:
        started = time.process_time()
        debate = hold_long_debate(long_config(turns, "recent"), TirelessModel())
        seconds[turns] = time.process_time() - started
        assert (len(debate.turns), debate.failures) == (turns, ())
    for shorter, longer in pairwise(TURNS):
        ratio = seconds[longer] / seconds[shorter]
        figures.add(f"own work, {longer} turns to {shorter}", ratio, f"{seconds[longer]:.1f} s of CPU", bound=2.2)
