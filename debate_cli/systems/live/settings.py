"""Settings of the live system."""

from typing import Annotated, Literal, Self

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import NonNegative, SystemSettings, Thresholds, default_bounds


class PenaltyPoints(ConfigModel):
    """Points of logic that a turn loses for an inconsistency."""

    contradiction: NonNegative = 0
    """Points for each contradiction to an earlier turn of the same speaker."""
    dropped_premise: NonNegative = 0
    """Points for each premise of an earlier turn that the speaker dropped."""


class LiveSettings(SystemSettings):
    """One judge marks every turn, compares every exchange and reads the whole debate."""

    kind: Literal["live"] = "live"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    feedback: bool = True
    """Whether the pressure that the judge observes changes the debaters' personalities. If so, debaters speak one after
    the other, because each turn waits for the judging of the turn before it."""
    thresholds: Annotated[Thresholds, default_bounds(draw=2, clear=10)] = Thresholds(draw=2, clear=10)
    """A margin below `draw` is a draw, a margin of `clear` or more is a clear victory. The highest score is 100."""

    penalties: PenaltyPoints = PenaltyPoints()
    """Points of logic for contradictions and dropped premises; 0 by default."""
    withdrawals: bool = True
    """Whether a register entry that the final review withdraws costs nothing. With `false`, the entry is shown as
    doubted and still costs points."""

    @property
    def asks_in_turn(self) -> bool:
        """True with feedback, because each turn then waits for the judging of the turn before it."""
        return self.feedback

    def for_added_run(self) -> Self:
        """Return the settings without feedback, because the debate is over."""
        return self.model_copy(update={"feedback": False})
