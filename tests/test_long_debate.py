"""A long debate with all judging systems: prompts stay bounded."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import pytest
from long_debate_support import TirelessModel, hold_long_debate, long_config

from debate_cli.llm.profile import Profile
from debate_cli.llm.usage import estimate_input_tokens

TURNS = 100


@pytest.mark.slow
def test_prompts_do_not_grow_after_the_ledger_is_full() -> None:
    """The mean prompt of debaters, and of judges of turns, pairs and rounds, grows by at most 5 % from turn 50 to 100."""
    model = TirelessModel()
    debate = hold_long_debate(long_config(TURNS, "recent"), model)
    sizes: dict[str, list[int]] = defaultdict(list)
    for request in model.requests:
        sizes[request.purpose].append(estimate_input_tokens(request, Profile()))
    repeated = {purpose: found for purpose, found in sizes.items() if len(found) >= TURNS // 2 - 1}
    assert (len(debate.turns), debate.failures) == (TURNS, ())
    assert {"speech", "judge.live.turn", "judge.live.pair", "judge.moderator.round"} <= repeated.keys()
    for purpose, found in repeated.items():
        half, quarter = len(found) // 2, len(found) // 4
        assert fmean(found[-quarter:]) <= 1.05 * fmean(found[half : half + quarter]), purpose
