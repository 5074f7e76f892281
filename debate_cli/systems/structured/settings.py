"""Settings of the structured system."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator

from debate_cli.domain.config_model import ConfigModel
from debate_cli.domain.judging_config import (
    JudgeSeat,
    NonNegative,
    SystemSettings,
    Thresholds,
    default_bounds,
    numbered_seats,
)

FALLACIES = (
    "straw man", "appeal to authority", "slippery slope", "false dilemma", "anecdotal evidence", "circular reasoning",
    "ad hominem",
)  # fmt: skip


class StructuredWeights(ConfigModel):
    """Weights of the four criteria; normalised to sum 1 when used."""

    logic: NonNegative = 0.30
    evidence: NonNegative = 0.40
    responsiveness: NonNegative = 0.20
    honesty: NonNegative = 0.10

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return math.fsum(weight for _, weight in self)

    def normalized(self) -> dict[str, float]:
        """Criterion -> weight, scaled to a sum of 1."""
        return {criterion: weight / self.total for criterion, weight in self}


class StructuredSettings(SystemSettings):
    """One judge, whole debate: four criteria per argument, fallacies, trace, insight."""

    kind: Literal["structured"] = "structured"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """Number of independent judgments; marks are averaged."""
    weights: StructuredWeights = StructuredWeights()
    """Weight of each criterion."""
    fallacy_penalty: NonNegative = 0.0
    """Points deducted from an argument for each fallacy in it; its score stays at 1 or above."""
    fallacies: tuple[str, ...] = FALLACIES
    """Checklist of fallacies."""
    thresholds: Annotated[Thresholds, default_bounds(draw=1, clear=3)] = Thresholds(draw=1, clear=3)
    """Points of 1-10: below `draw` a draw, above `clear` a clear victory."""

    @field_validator("weights")
    @classmethod
    def _require_positive_weight(cls, weights: StructuredWeights) -> StructuredWeights:
        if weights.total <= 0:
            msg = "at least one weight must be above 0"
            raise ValueError(msg)
        return weights

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The configured number of judges, all with one model."""
        return numbered_seats(self.judges, self.judge)

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Thresholds in the wrong order."""
        yield from self.thresholds.problems()

    def notices(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """A notice if the weights do not sum to 1, with the normalized weights."""
        if not math.isclose(self.weights.total, 1, abs_tol=1e-9):
            effective = ", ".join(
                f"{criterion} {weight:.3g}" for criterion, weight in self.weights.normalized().items()
            )
            yield ("weights",), f"sum to {self.weights.total:g}, so they count as {effective}"

    def with_judge_count(self, count: int) -> Self:
        """The settings with `count` judges."""
        return self.model_copy(update={"judges": count})
