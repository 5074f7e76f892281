"""Settings of the moderator: judges, guidance between rounds, thresholds of a verdict."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from debate_cli.domain.judging_config import JudgeSeat, SystemSettings, Thresholds, default_bounds, numbered_seats
from debate_cli.systems.moderator.criteria import MAX_SCORE


class ModeratorSettings(SystemSettings):
    """A neutral chair marks every round and the whole debate."""

    scoring_fields: ClassVar[tuple[str, ...]] = ("thresholds",)

    kind: Literal["moderator"] = "moderator"
    """Selects this judging system."""
    judge: str | None = None
    """The judges' model: a name in `models`, or `provider/model`. None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """Number of independent judges, whose marks are averaged."""
    guidance: bool = False
    """Whether debaters read the moderator's advice before each new round. If true, a round begins only after
    the moderator has judged the previous round."""
    thresholds: Annotated[Thresholds, default_bounds(draw=1, clear=5)] = Field(
        default=Thresholds(draw=1, clear=5),
        description="A margin below `draw` is a draw, a margin of `clear` or more is a clear victory. "
        f"Scores are 0-{MAX_SCORE:g}.",
    )

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges. The setting `judges` is their number, the setting `judge` is their model."""
        return numbered_seats(self.judges, self.judge)

    @property
    def steers_debate(self) -> bool:
        """Whether judging influences the debate: the value of `guidance`."""
        return self.guidance

    def with_judge_count(self, count: int) -> Self:
        """Return the settings with `count` judges."""
        return self.model_copy(update={"judges": count})
