"""Settings of the persuasion system."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import JudgeSeat, NonNegative, SystemSettings, UnitInterval

MAX_CONSECUTIVE = 1000
"""Maximum of `consecutive_persuasion`, more than the rounds of any debate."""


Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Matching = Literal["substring", "words"]


class VictoryConditions(ConfigModel):
    """Conditions of a surrender, checked at the end of each round."""

    surrender_threshold: UnitInterval = 0.4
    """A debater under strong recent persuasion surrenders if its conviction is below this."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater with little conviction surrenders if its stance is closer to 0 than this, unless it started that close."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=MAX_CONSECUTIVE)
    """A debater surrenders if it was persuaded (above 0.5) in this number of consecutive rounds."""


class Keywords(ConfigModel):
    """Phrases that keyword effects look for. Each counts once in a speech; case is ignored."""

    persuasion: tuple[Phrase, ...] = ("however", "consider", "but", "think about", "understand")
    """Persuasive phrases: each adds 0.3 to the persuasion of a speech, up to 1."""
    attack: tuple[Phrase, ...] = ("wrong", "flawed", "incorrect", "mistaken", "fallacious")
    """Attacking phrases: each adds 0.4 to the attack of a speech, up to 1."""
    evidence: tuple[Phrase, ...] = ("research", "data", "study", "evidence", "statistics")
    """Phrases that announce evidence: each adds 0.35 to the evidence of a speech, up to 1."""


class PersuasionFactors(ConfigModel):
    """Weights of the terms that add up to persuasion with `effects: factors`."""

    persuasion: UnitInterval = 0.3
    """Weight of persuasive phrases in the speech."""
    strategy_fit: UnitInterval = 0.2
    """Weight of a strategy that fits the target."""
    evidence: UnitInterval = 0.3
    """Weight of phrases in the speech that announce evidence."""
    social_influence: UnitInterval = 0.2
    """Weight of the speaker's influence so far."""


class PersuasionSettings(SystemSettings):
    """Every speech changes the stance and the conviction of the other debaters, who may surrender."""

    judges_each_turn: ClassVar[bool] = True

    kind: Literal["persuasion"] = "persuasion"
    judge: str | None = None
    """Model of the judge with `effects: judge`, as a name in `models` or `provider/model`; None means `models.judge`,
    else `models.default`."""
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    """Source of effects: `keywords` (no model), `factors` (keywords and more, no model) or `judge` (a model)."""
    factors: PersuasionFactors = PersuasionFactors()
    """Weight of each term with `effects: factors`."""
    keywords: Keywords = Keywords()
    """Phrases for `effects: keywords` and `effects: factors`. Set them for a debate in another language."""
    matching: Matching = "substring"
    """How phrases are found: `substring` (anywhere in the speech, so "but" is found in "button") or `words` (whole
    words)."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    embody: bool = True
    """Whether each debater reads its own state in words before each turn, as a hidden directive."""
    bystander_effect: UnitInterval = 0.0
    """After a surrender, the stance of every other debater on the same side of 0 moves towards 0 by this share."""
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield one problem if all factors have weight 0, because then no speech persuades."""
        if self.effects == "factors" and not any(dict(self.factors).values()):
            yield ("factors",), "at least one factor must be above 0"

    def without_surrender(self) -> Self:
        """Return the settings with conditions that no debater meets."""
        never = {"surrender_threshold": 0.0, "stance_neutral_threshold": 0.0, "consecutive_persuasion": MAX_CONSECUTIVE}
        conditions = self.victory_conditions.model_copy(update=never)
        return self.model_copy(update={"victory_conditions": conditions})

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """One judge with `effects: judge`, else none."""
        return super().seats if self.effects == "judge" else ()

    @property
    def steers_debate(self) -> bool:
        """Always true, because debaters may surrender and read their own state."""
        return True

    @property
    def method(self) -> str:
        """The setting `effects`, which selects the method of judging."""
        return self.effects
