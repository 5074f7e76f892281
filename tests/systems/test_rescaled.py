"""Notices on settings of the systems whose effect a user may not expect."""

import pytest

from debate_cli.domain.judging_config import JudgingConfig, SystemSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.persuasion.settings import PersuasionSettings
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


@pytest.mark.parametrize(
    ("settings", "notice"),
    [
        (
            StructuredSettings(fallacy_penalty=20),
            "fallacy_penalty is above 9, so one fallacy gives an argument the lowest score, 1",
        ),
        (
            PersuasionSettings.model_validate({"keywords": {"attack": []}}),
            "keywords.attack is empty, so the attack of every speech is 0",
        ),
    ],
)
def test_settings_that_flatten_scores_are_listed(settings: SystemSettings, notice: str) -> None:
    """A penalty that exceeds the range of scores, and effects without phrases."""
    assert JudgingConfig(systems=(settings,)).notices() == (f"judging.systems.0.{notice}",)


def test_unused_keywords_are_not_listed() -> None:
    """With `effects: judge` no phrases are looked for."""
    settings = PersuasionSettings.model_validate({"effects": "judge", "keywords": {"attack": []}})
    assert JudgingConfig(systems=(settings,)).notices() == ()
