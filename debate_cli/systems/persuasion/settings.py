"""Settings of the persuasion system."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field

from debate_cli.domain.config_model import ConfigModel
from debate_cli.domain.judging_config import JudgeSeat, NonNegative, SystemSettings, UnitInterval

MAX_CONSECUTIVE = 10
"""Bound of `consecutive_persuasion`."""


class VictoryConditions(ConfigModel):
    """Conditions of a surrender."""

    surrender_threshold: UnitInterval = 0.4
    """A debater under recent strong persuasion surrenders if its conviction is below this."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater with little conviction surrenders if its stance is closer to 0 than this."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=MAX_CONSECUTIVE)
    """A debater surrenders if this number of consecutive turns persuaded it (above 0.5)."""


class PersuasionFactors(ConfigModel):
    """Weights of the terms of persuasion with `effects: factors`."""

    persuasion: UnitInterval = 0.3
    """Weight of the persuasive words in the speech."""
    strategy_fit: UnitInterval = 0.2
    """Weight of a strategy that suits the target."""
    evidence: UnitInterval = 0.3
    """Weight of the words of evidence in the speech."""
    social_influence: UnitInterval = 0.2
    """Weight of the influence that the speaker has had so far."""


class PersuasionSettings(SystemSettings):
    """Stance, conviction and surrender."""

    judges_each_turn: ClassVar[bool] = True

    kind: Literal["persuasion"] = "persuasion"
    judge: str | None = None
    """With `effects: judge`: name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    """Source of effects: `keywords` (no model), `factors` (keywords and more, no model) or `judge` (a model)."""
    factors: PersuasionFactors = PersuasionFactors()
    """With `effects: factors`: weight of each term."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""

    def without_surrender(self) -> Self:
        """The settings with the strictest conditions of a surrender."""
        never = {"surrender_threshold": 0.0, "stance_neutral_threshold": 0.0, "consecutive_persuasion": MAX_CONSECUTIVE}
        conditions = self.victory_conditions.model_copy(update=never)
        return self.model_copy(update={"victory_conditions": conditions})

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """One judge with `effects: judge`, else none."""
        return super().seats if self.effects == "judge" else ()

    @property
    def method(self) -> str:
        """The source of effects."""
        return self.effects
