"""The strategy that an adaptive debater picks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scoring_support import CON, PRO, build_debate, opening_event, speech

from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState
from debate_cli.systems.persuasion.strategies import pick_strategy
from debate_cli.systems.persuasion.strategy_choice import pick_adaptive_strategy


def state(name: str, **fields: Any) -> DebaterState:
    """A debater with stance 0.8 and conviction 0.7 by default."""
    return replace(DebaterState(name, starting_stance=0.8, stance=0.8, conviction=0.7), **fields)


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ({}, {}, "analytical"),
        # Conviction below 0.5 and own evidence high
        ({"evidence_shown": (0.6,)}, {"conviction": 0.49}, "aggressive"),
        ({"evidence_shown": (0.6,)}, {"conviction": 0.5}, "analytical"),
        ({"evidence_shown": (0.59,)}, {"conviction": 0.49}, "analytical"),
        # Only the last three own turns count
        ({"evidence_shown": (0.0, 0.6, 0.6, 0.6)}, {"conviction": 0.49}, "aggressive"),
        # Firm and behind on attack
        ({"conviction": 0.71}, {"attack_dealt": (0.4,)}, "defensive"),
        ({"conviction": 0.7}, {"attack_dealt": (0.4,)}, "analytical"),
        ({"conviction": 0.71, "attack_dealt": (0.4,)}, {"attack_dealt": (0.4,)}, "analytical"),
        ({"conviction": 0.71, "attack_dealt": (0.4, 0.0)}, {"attack_dealt": (0.4,)}, "defensive"),
        # The mean of the last three persuasions received above 0.4
        ({}, {"persuasion": (0.41,)}, "empathetic"),
        ({}, {"persuasion": (0.4,)}, "analytical"),
        ({}, {"persuasion": (0.9, 0.3, 0.3, 0.3)}, "analytical"),
        # The first rule that holds counts
        (
            {"evidence_shown": (0.9,), "conviction": 0.9},
            {"conviction": 0.3, "attack_dealt": (0.4,), "persuasion": (0.9,)},
            "aggressive",
        ),
        ({"conviction": 0.9}, {"attack_dealt": (0.4,), "persuasion": (0.9,)}, "defensive"),
    ],
)
def test_strategy_rules(own: dict[str, Any], other: dict[str, Any], expected: str) -> None:
    """Aggressive, defensive, empathetic, else analytical, each at and beside its bounds."""
    assert pick_strategy({PRO: state(PRO, **own), CON: state(CON, **other)}, PRO).name == expected


def test_a_surrendered_debater_is_not_an_opponent() -> None:
    """Persuasion that it received does not count."""
    states = {PRO: state(PRO), CON: state(CON, persuasion=(0.9,), surrendered=True)}
    assert pick_strategy(states, PRO).name == "analytical"


def test_the_pick_can_be_limited_to_one_opponent() -> None:
    """Against Ben alone, what Cem received does not count."""
    states = {PRO: state(PRO), CON: state(CON), "Cem": state("Cem", persuasion=(0.9,))}
    assert [pick_strategy(states, PRO).name, pick_strategy(states, PRO, (CON,)).name] == ["empathetic", "analytical"]


def test_the_pick_follows_the_turns() -> None:
    """Ben received 0.6 from Ada, so Ada picks empathetic, Ben analytical; an unknown name gets analytical."""
    debate = build_debate(
        opening_event(PersuasionSettings()), [speech(0, PRO, "However, consider it."), speech(1, CON)]
    )
    assert [pick_adaptive_strategy(debate, name).name for name in (PRO, CON, "Zoe")] == [
        "empathetic",
        "analytical",
        "analytical",
    ]
