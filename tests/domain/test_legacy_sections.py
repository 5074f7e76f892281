"""Top-level sections that become settings of the persuasion system."""

from typing import Any

import pytest
from config_file_support import HEAD, problems

from debate_cli.domain.config import DebateConfig
from debate_cli.systems.persuasion.settings import PersuasionSettings

BASE: dict[str, Any] = {
    "topic": "A tram?",
    "models": {"default": {"model": "mock/a"}},
    "debaters": [{"name": "P", "side": "for"}, {"name": "C", "side": "against"}],
}
FACTORS = {"base_persuasion": 0.4, "strategy_bonus": 0.1, "evidence_bonus": 0.25, "social_influence": 0.25}


def settings_of(**sections: Any) -> PersuasionSettings:
    """The settings of `persuasion` in a configuration with these sections."""
    config = DebateConfig.model_validate({**BASE, **sections})
    (found,) = [system for system in config.judging.systems if isinstance(system, PersuasionSettings)]
    return found


def test_victory_conditions_select_persuasion() -> None:
    """Without `judging`, the section makes persuasion the only system."""
    found = settings_of(victory_conditions={"surrender_threshold": 0.3})
    assert (found.victory_conditions.surrender_threshold, found.effects) == (0.3, "keywords")


@pytest.mark.parametrize(
    ("system", "effects"),
    [
        ("persuasion", "factors"),
        ({"kind": "persuasion"}, "factors"),
        ({"kind": "persuasion", "effects": "judge"}, "judge"),
    ],
)
def test_factors_select_their_effects(system: Any, effects: str) -> None:
    """The section sets `effects: factors` unless `effects` is given."""
    found = settings_of(judging={"systems": ["structured", system]}, persuasion_factors=FACTORS)
    assert found.effects == effects
    assert list(dict(found.factors).values()) == [0.4, 0.1, 0.25, 0.25]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("judging: {systems: [structured]}\nvictory_conditions: {surrender_threshold: 0.3}", "which is not in `judging.systems`"),
        (
            "judging: {systems: [{kind: persuasion, factors: {evidence: 0.1}}]}\npersuasion_factors: {evidence_bonus: 0.3}",
            "which already has the setting `factors`",
        ),
        ("persuasion_factors: {evidence_bonus: 3}", "persuasion_factors.evidence_bonus: must be at most 1"),
        ("persuasion_factors: {evidence_bonuses: 1}", "persuasion_factors.evidence_bonuses: unknown key"),
        ("victory_conditions: {surrender_threshold: high}", "surrender_threshold: must be a number"),
        ("victory_conditions: 3", "victory_conditions: must be a mapping"),
    ],
)  # fmt: skip
def test_an_error_names_the_place_in_the_section(text: str, error: str) -> None:
    """Line, column and key are those of the section that the user wrote."""
    (line,) = problems(text)
    assert error in line
    assert line.startswith(f"stdin:{(HEAD + text).count(chr(10)) + 1}:")
