"""The next strategy of an adaptive debater, derived from the debate. The rule is in `strategies`."""

from __future__ import annotations

from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import StrategyPick
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.state_machine import configured_persuasion, current_states
from debate_cli.systems.persuasion.strategies import pick_strategy


def pick_adaptive_strategy(debate: Debate, cue: Cue, settings: PersuasionSettings | None = None) -> StrategyPick:
    """The strategy of the speaker of `cue` under `strategy: adaptive`, given the turns in `debate`.

    A speaker who may know only a part of the debate passes that part. `settings` None means the debate's persuasion
    system, or its defaults (keyword effects, no model) if there is none.
    """
    found = settings or configured_persuasion(debate) or PersuasionSettings()
    return pick_strategy(current_states(debate, found, due_round=cue.round), cue.speaker)
