"""Settings of the live system: feedback to debaters, penalties, thresholds of a verdict."""

from typing import Annotated, Literal, Self

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import NonNegative, SystemSettings, Thresholds, default_bounds


class PenaltyPoints(ConfigModel):
    """Points that a turn loses in logic for inconsistency with the speaker's earlier turns."""

    contradiction: NonNegative = 0
    """Points deducted for each contradiction with an earlier turn."""
    dropped_premise: NonNegative = 0
    """Points deducted for each premise of an earlier turn that the speaker no longer supports."""


class LiveSettings(SystemSettings):
    """One judge marks every turn, compares every exchange and reads the whole debate."""

    # No `scoring_fields`: the score decides whether the judge must explain a conflict with its account of the debate.

    kind: Literal["live"] = "live"
    """Selects this judging system."""
    judge: str | None = None
    """The judge's model: a name in `models`, or `provider/model`. None means `models.judge`, else `models.default`."""
    feedback: bool = True
    """Whether pressure in exchanges (two adjacent turns) changes the debaters' personalities. If true, each turn is
    judged before the next debater speaks."""
    thresholds: Annotated[Thresholds, default_bounds(draw=2, clear=10)] = Thresholds(draw=2, clear=10)
    """A margin below `draw` is a draw, a margin of `clear` or more is a clear victory. Scores are 0-100."""

    penalties: PenaltyPoints = PenaltyPoints()
    """Points that a turn loses in logic for each contradiction and for each dropped premise. Both are 0 by default."""
    withdrawals: bool = True
    """If true, a suspect claim or logic gap costs no points once the judge has withdrawn it. If false, it still costs
    points. The judge can withdraw claims and gaps in the final review, at the end of the debate."""

    @property
    def asks_in_turn(self) -> bool:
        """Whether each turn is judged before the next debater speaks: the value of `feedback`."""
        return self.feedback

    def for_added_run(self) -> Self:
        """Return the settings with `feedback` set to False, because feedback cannot change a finished debate."""
        return self.model_copy(update={"feedback": False})
