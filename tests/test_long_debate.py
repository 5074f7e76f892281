"""A long debate with all judging systems: prompts stay bounded."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

import pytest
from long_debate_support import TirelessModel, hold_long_debate, long_config

from debate_cli.errors import ContextOverflowError
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.llm.usage import estimate_input_tokens

TURNS = 80


@pytest.mark.slow
def test_prompts_do_not_grow_after_turn_40() -> None:
    """By default no prompt of debaters, and of judges of turns, pairs and rounds, is longer than the longest up to turn 40.

    The mean of the last quarter exceeds that of the quarter before by at most 5 %, because the ledger is full.
    """
    model = TirelessModel()
    debate = hold_long_debate(long_config(TURNS, "auto"), model)
    sizes: dict[str, list[int]] = defaultdict(list)
    for request in model.requests:
        sizes[request.purpose].append(estimate_input_tokens(request, Profile()))
    repeated = {purpose: found for purpose, found in sizes.items() if len(found) >= TURNS // 2 - 1}
    assert (len(debate.turns), debate.failures) == (TURNS, ())
    assert {"speech", "judge.live.turn", "judge.live.pair", "judge.moderator.round"} <= repeated.keys()
    for purpose, found in repeated.items():
        half, quarter = len(found) // 2, len(found) // 4
        assert max(found[half + 1 :]) <= max(found[: half + 1]), purpose
        assert fmean(found[-quarter:]) <= 1.05 * fmean(found[half + 1 : half + quarter]), purpose


CONTEXT_TOKENS = 8_000


@dataclass
class SmallModel(TirelessModel):
    """Refuses prompts of more than CONTEXT_TOKENS tokens, by our estimate."""

    refused: int = 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The mock's reply, or the refusal."""
        if estimate_input_tokens(request, Profile()) > CONTEXT_TOKENS:
            self.refused += 1
            raise ContextOverflowError("The prompt is too long.")
        return await super().complete(request, on_text)


@pytest.mark.parametrize(("history", "closed"), [("auto", "complete"), ("full", "failed")])
def test_a_refused_prompt_is_shortened_unless_history_is_full(history: str, closed: str) -> None:
    """The context is not known before. With `auto` the model refuses one prompt, and all later ones are short enough."""
    model = SmallModel()
    debate = hold_long_debate(long_config(40, history, [{"kind": "moderator"}]), model)
    assert debate.closed == closed
    if history == "auto":
        calls = [item.exchange for item in (*debate.turns, *debate.assessments)]
        assert (len(debate.turns), debate.failures, model.refused) == (40, (), 1)
        assert sum(call.attempts for call in calls) == len(calls) + 1
