"""Settings of the persuasion system."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from debate_cli.domain.config_model import ConfigModel
from debate_cli.domain.judging_config import JudgeSeat, NonNegative, SystemSettings, UnitInterval


class VictoryConditions(ConfigModel):
    """When a debater surrenders."""

    surrender_threshold: UnitInterval = 0.4
    """A debater persuaded again and again gives up with a conviction below this."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater without much conviction gives up with a stance closer to 0 than this."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=10)
    """So many turns in a row that persuaded it (above 0.5) make it give up."""


class PersuasionFactors(ConfigModel):
    """Weights of the terms of persuasion with `effects: factors`."""

    persuasion: UnitInterval = 0.3
    """Of the words of persuasion in the speech."""
    strategy_fit: UnitInterval = 0.2
    """Of a strategy that suits the target."""
    evidence: UnitInterval = 0.3
    """Of the words of evidence in the speech."""
    social_influence: UnitInterval = 0.2
    """Of the influence that the speaker has had so far."""


class PersuasionSettings(SystemSettings):
    """Stance, conviction and surrender."""

    judges_each_turn: ClassVar[bool] = True

    kind: Literal["persuasion"] = "persuasion"
    judge: str | None = None
    """With `effects: judge`: name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    """How the effect of a speech is found: `keywords` needs no model, `factors` weighs more in, `judge` asks one."""
    factors: PersuasionFactors = PersuasionFactors()
    """With `effects: factors`: what each term counts."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """A judge only with `effects: judge`."""
        return super().seats if self.effects == "judge" else ()

    @property
    def method(self) -> str:
        """How effects are found."""
        return self.effects
