"""Settings of the persuasion system: keywords, weights of factors, conditions of surrender."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import JudgeSeat, NonNegative, SystemSettings, UnitInterval

MAX_CONSECUTIVE = 1000


Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Matching = Literal["substring", "words"]


class VictoryConditions(ConfigModel):
    """Conditions under which a debater surrenders. They are checked at the end of each round."""

    surrender_threshold: UnitInterval = 0.4
    """A debater surrenders if conviction (0-1) is below this value and recent persuasion is above 0.6. Recent
    persuasion is the mean of the strongest persuasion in each of the last three rounds."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater surrenders if the stance is closer to 0 than this distance (0-1) and conviction is below 0.5.
    Exception: the stance was that close to 0 from the start."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=MAX_CONSECUTIVE)
    """A debater surrenders after this number of consecutive rounds, if each round has a speech that persuaded the
    debater by more than 0.5. Persuasion is a number from 0 to 1."""


class Keywords(ConfigModel):
    """Phrases that determine persuasion, attack and evidence of a speech. A repeated phrase counts once; case is ignored."""

    persuasion: tuple[Phrase, ...] = ("however", "consider", "but", "think about", "understand")
    """Persuasive phrases. Each adds 0.3 to the persuasion of a speech. The maximum is 1."""
    attack: tuple[Phrase, ...] = ("wrong", "flawed", "incorrect", "mistaken", "fallacious")
    """Attacking phrases. Each adds 0.4 to the attack of a speech. The maximum is 1."""
    evidence: tuple[Phrase, ...] = ("research", "data", "study", "evidence", "statistics")
    """Phrases that announce evidence. Each adds 0.35 to the evidence of a speech. The maximum is 1."""


class PersuasionFactors(ConfigModel):
    """Weights of four factors. If `effects` is `factors`, persuasion is the weighted sum of the factors, at most 1."""

    persuasion: UnitInterval = 0.3
    """Weight of the persuasive phrases, e.g. `consider`."""
    strategy_fit: UnitInterval = 0.2
    """Weight of the choice of strategy. The factor is 1 if the speaker uses the strategy that `strategy: adaptive` would
    choose, and 0 otherwise."""
    evidence: UnitInterval = 0.3
    """Weight of the phrases that announce evidence, e.g. `study`."""
    social_influence: UnitInterval = 0.2
    """Weight of the speaker's influence: how much the speaker's earlier turns persuaded the other debaters on average."""


class PersuasionSettings(SystemSettings):
    """Speeches change the stance and the conviction of the other debaters, who may surrender."""

    judges_each_turn: ClassVar[bool] = True
    scoring_fields: ClassVar[tuple[str, ...]] = ("clear_margin",)

    kind: Literal["persuasion"] = "persuasion"
    """Selects this judging system."""
    judge: str | None = None
    """Model that rates speeches if `effects` is `judge`: a name in `models`, or `provider/model`. None means `models.judge`
    or, without `models.judge`, `models.default`."""
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    """How a speech is rated. `keywords`: by phrases. `factors`: by phrases, strategy and earlier persuasion. `judge`:
    by a model."""
    factors: PersuasionFactors = PersuasionFactors()
    """Weights of the factors of persuasion; used only if `effects` is `factors`."""
    keywords: Keywords = Keywords()
    """Phrases for `effects: keywords` and `effects: factors`. Change them for a debate in another language."""
    matching: Matching = "substring"
    """How phrases are found. `substring`: anywhere in a speech, so "but" is found in "button". `words`: only as whole
    words."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    embody: bool = True
    """Whether a debater's prompt describes the debater's own stance and conviction."""
    bystander_effect: UnitInterval = 0.0
    """When a debater surrenders, the stances of the remaining debaters on the same side of 0 (for or against) move
    towards 0. Each of these stances loses this share (0-1) of its distance to 0."""
    clear_margin: NonNegative = 30.0
    """A victory with a margin above this number of points is clear."""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield a problem if `effects` is `factors` and all factors are 0: then no speech could persuade anyone."""
        if self.effects == "factors" and not any(dict(self.factors).values()):
            yield ("factors",), "at least one factor must be above 0"

    def without_surrender(self) -> Self:
        """Return the settings, changed so that no debater surrenders."""
        never = {"surrender_threshold": 0.0, "stance_neutral_threshold": 0.0, "consecutive_persuasion": MAX_CONSECUTIVE}
        conditions = self.victory_conditions.model_copy(update=never)
        return self.model_copy(update={"victory_conditions": conditions})

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """One judge if `effects` is `judge`; otherwise empty."""
        return super().seats if self.effects == "judge" else ()

    @property
    def steers_debate(self) -> bool:
        """Whether judging influences the debate. Always true: debaters may surrender, and they read their own state."""
        return True

    @property
    def method(self) -> str:
        """Name of the scoring method: the value of `effects`."""
        return self.effects
