"""Notices on settings of the systems whose effect a user may not expect."""

from typing import Any

import pytest

from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.structured.settings import StructuredSettings, StructuredWeights


def weighted(**weights: Any) -> StructuredSettings:
    """Settings of structured with these weights."""
    return StructuredSettings(weights=StructuredWeights(**weights))


@pytest.mark.parametrize(
    ("settings", "notices"),
    [
        (weighted(), ()),
        (weighted(logic=0.1, evidence=0.2, responsiveness=0.3, honesty=0.4), ()),
        (
            weighted(logic=2, evidence=1, responsiveness=1, honesty=0),
            (
                (
                    "weights sum to 4 (logic 2, evidence 1, responsiveness 1, honesty 0), "
                    "so they are scaled to logic 0.5, evidence 0.25, responsiveness 0.25, honesty 0"
                ),
            ),
        ),
        (
            weighted(evidence=0.7),
            (
                (
                    "weights sum to 1.3 (logic 0.3 by default, evidence 0.7, responsiveness 0.2 by default, honesty 0.1 by "
                    "default), so they are scaled to logic 0.231, evidence 0.538, responsiveness 0.154, honesty 0.0769"
                ),
            ),
        ),
    ],
    ids=["default", "sum of 1", "sum of 4", "sum with defaults"],
)
def test_settings_with_a_side_effect_are_listed(settings: SystemSettings, notices: tuple[str, ...]) -> None:
    """A notice has the key path of weights that do not sum to 1."""
    config = JudgingConfig(systems=(ModeratorSettings(), settings))
    assert config.notices() == tuple(f"judging.systems.1.{notice}" for notice in notices)
