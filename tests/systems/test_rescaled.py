"""Notices on settings of the systems: weights that do not sum to 1, fallacies without a definition."""

from __future__ import annotations

import pytest

from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.structured.settings import StructuredSettings, StructuredWeights


@pytest.mark.parametrize(
    "weights",
    [
        StructuredWeights(),
        StructuredWeights(logic=1, evidence=0, responsiveness=0, honesty=0),
        StructuredWeights(logic=0.1, evidence=0.2, responsiveness=0.3, honesty=0.4),
    ],
)
def test_weights_that_sum_to_one_give_no_notice(weights: StructuredWeights) -> None:
    """With any rounding; nor do systems without weights."""
    assert JudgingConfig(systems=(ModeratorSettings(), StructuredSettings(weights=weights))).notices() == ()


def test_rescaled_weights_are_listed() -> None:
    """With their key path in the configuration."""
    weights = StructuredWeights(logic=2, evidence=1, responsiveness=1, honesty=0)
    notice = (
        "judging.systems.1.weights sum to 4, so they count as logic 0.5, evidence 0.25, responsiveness 0.25, honesty 0"
    )
    assert JudgingConfig(systems=(ModeratorSettings(), StructuredSettings(weights=weights))).notices() == (notice,)


def test_a_fallacy_without_a_definition_is_listed() -> None:
    """A shipped one has its definition without being given it."""
    settings = StructuredSettings.model_validate({"fallacies": ["straw man", "sunk cost"]})
    notice = "judging.systems.0.fallacies.1 has no definition, so the judge is shown only its name; add a `definition`"
    assert JudgingConfig(systems=(settings,)).notices() == (notice,)
