"""Settings of the persuasion system."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints

from debate_cli.domain.config_model import ConfigModel
from debate_cli.domain.judging_config import JudgeSeat, NonNegative, SystemSettings, UnitInterval

MAX_CONSECUTIVE = 1000
"""Bound of `consecutive_persuasion`; more rounds than any debate has."""


Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Matching = Literal["substring", "words"]


class VictoryConditions(ConfigModel):
    """Conditions of a surrender, checked when a round is over."""

    surrender_threshold: UnitInterval = 0.4
    """A debater under recent strong persuasion surrenders if its conviction is below this."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater with little conviction surrenders if its stance is closer to 0 than this, unless it began so."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=MAX_CONSECUTIVE)
    """A debater surrenders if a speech persuaded it (above 0.5) in this number of rounds in a row."""


class Keywords(ConfigModel):
    """Phrases that keyword effects look for; each counts once in a speech, in lower and upper case."""

    persuasion: tuple[Phrase, ...] = ("however", "consider", "but", "think about", "understand")
    """Persuasive phrases: each adds 0.3 to the persuasion of a speech, up to 1."""
    attack: tuple[Phrase, ...] = ("wrong", "flawed", "incorrect", "mistaken", "fallacious")
    """Attacking phrases: each adds 0.4 to the attack of a speech, up to 1."""
    evidence: tuple[Phrase, ...] = ("research", "data", "study", "evidence", "statistics")
    """Phrases that announce evidence: each adds 0.35 to the evidence of a speech, up to 1."""


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
    keywords: Keywords = Keywords()
    """With `effects: keywords` or `factors`: the phrases. Set them for a debate in another language."""
    matching: Matching = "substring"
    """How phrases are found: `substring` (anywhere in the speech, "but" in "button" too) or `words` (whole words)."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    embody: bool = True
    """Whether each debater reads its own state in words before each turn, as a hidden directive."""
    bystander_effect: UnitInterval = 0.0
    """When a debater surrenders: share by which the stance of each remaining debater on its side of 0 moves towards 0."""
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Factors that all weigh nothing, so that no speech could persuade."""
        if self.effects == "factors" and not any(dict(self.factors).values()):
            yield ("factors",), "at least one factor must be above 0"

    def notices(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Lists of phrases that are empty although effects depend on them."""
        if self.effects == "judge":
            return
        for name, phrases in self.keywords:
            if not phrases:
                yield ("keywords", name), f"is empty, so the {name} of every speech is 0"

    def without_surrender(self) -> Self:
        """The settings with conditions of a surrender that no debater meets."""
        never = {"surrender_threshold": 0.0, "stance_neutral_threshold": 0.0, "consecutive_persuasion": MAX_CONSECUTIVE}
        conditions = self.victory_conditions.model_copy(update=never)
        return self.model_copy(update={"victory_conditions": conditions})

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """One judge with `effects: judge`, else none."""
        return super().seats if self.effects == "judge" else ()

    @property
    def steers_debate(self) -> bool:
        """True: a debater may surrender, and reads its own state."""
        return True

    @property
    def method(self) -> str:
        """The source of effects."""
        return self.effects
