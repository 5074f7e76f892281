"""Settings of the live system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from debate_cli.domain.judging_config import SystemSettings, Thresholds, default_bounds


class LiveSettings(SystemSettings):
    """One judge marks every turn, compares every exchange and reads the whole debate."""

    kind: Literal["live"] = "live"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    feedback: bool = True
    """Whether pressure reaches the debaters, who then speak one after the other."""
    thresholds: Annotated[Thresholds, default_bounds(draw=2, clear=10)] = Thresholds(draw=2, clear=10)
    """Points of 100: below `draw` a draw, from `clear` on a clear victory."""

    @property
    def asks_in_turn(self) -> bool:
        """True with feedback: each turn waits for the judging of the one before."""
        return self.feedback

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Thresholds in the wrong order."""
        yield from self.thresholds.problems()

    def for_added_run(self) -> Self:
        """The settings without feedback: the debaters of a saved debate have spoken."""
        return self.model_copy(update={"feedback": False})
