"""The strategy that an adaptive debater follows next, read off the debate; the rule itself is in `adaptive`."""

from __future__ import annotations

from debate_cli.domain.content import StrategyPick
from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import Persuasion
from debate_cli.scoring.adaptive import pick
from debate_cli.scoring.dynamics import current_states, own_settings


def adaptive_pick(debate: Debate, speaker: str, settings: Persuasion | None = None) -> StrategyPick:
    """What `strategy: adaptive` picks for `speaker`'s next turn, given the turns that `debate` holds.

    A speaker entitled to less than the whole debate passes `debate.before(cue)`. `settings` None means the debate's own
    persuasion system, or its defaults (keyword effects, no model) where there is none.
    """
    return pick(current_states(debate, settings or own_settings(debate) or Persuasion()), speaker)
