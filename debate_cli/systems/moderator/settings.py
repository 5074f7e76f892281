"""Settings of the moderator."""

from typing import Annotated, Literal, Self

from pydantic import Field

from debate_cli.domain.judging_config import JudgeSeat, SystemSettings, Thresholds, default_bounds, numbered_seats


class ModeratorSettings(SystemSettings):
    """A neutral chair marks every round out of 30 and the whole debate out of 100."""

    kind: Literal["moderator"] = "moderator"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """Number of independent judgments; marks are averaged."""
    guidance: bool = False
    """Whether the chair's guidance after a round is added to the next cues. If so, the next round waits for it."""
    thresholds: Annotated[Thresholds, default_bounds(draw=1, clear=5)] = Thresholds(draw=1, clear=5)
    """A margin below `draw` is a draw, from `clear` on a clear victory. Scores reach 82.5."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The configured number of chairs, all with one model."""
        return numbered_seats(self.judges, self.judge)

    @property
    def steers_debate(self) -> bool:
        """True with guidance, because cues of debaters contain it."""
        return self.guidance

    def with_judge_count(self, count: int) -> Self:
        """Return the settings with `count` chairs."""
        return self.model_copy(update={"judges": count})
