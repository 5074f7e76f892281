"""The strategy that an adaptive debater follows next, read off the debate; the rule itself is in `adaptive`."""

from __future__ import annotations

from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.state_machine import configured_persuasion, current_states
from debate_cli.systems.persuasion.strategies import pick_strategy


def pick_adaptive_strategy(debate: Debate, speaker: str, settings: PersuasionSettings | None = None) -> StrategyPick:
    """What `strategy: adaptive` picks for `speaker`'s next turn, given the turns that `debate` holds.

    A speaker entitled to less than the whole debate passes `debate.before(cue)`. `settings` None means the debate's own
    persuasion system, or its defaults (keyword effects, no model) where there is none.
    """
    return pick_strategy(
        current_states(debate, settings or configured_persuasion(debate) or PersuasionSettings()), speaker
    )
