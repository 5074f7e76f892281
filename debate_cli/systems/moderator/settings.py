"""Settings of the moderator, and the criteria that forms, scores and tables use.

To add a criterion, also describe it in the prompt, and correct the totals in prompts and docstrings.
"""

from typing import Annotated, Literal, Self

from pydantic import Field

from debate_cli.domain.judging_config import JudgeSeat, SystemSettings, Thresholds, default_bounds, numbered_seats

ROUND_CRITERIA: dict[str, float] = {"argument_quality": 10, "rebuttal_effectiveness": 10, "strategic_positioning": 10}
"""Maps the criteria of a round to their highest marks."""
ROUND_GROUPS: dict[str, tuple[str, ...]] = {name: (name,) for name in ROUND_CRITERIA}
"""Maps groups to criteria of a round. Each group is a single criterion, so the judge gives a reason for each criterion."""
ROUND_TOTAL = sum(ROUND_CRITERIA.values())
ROUND_HEADS: dict[str, str] = {
    "argument_quality": "argument",
    "rebuttal_effectiveness": "rebuttal",
    "strategic_positioning": "strategy",
}
"""Maps the criteria of a round to short names for tables."""
FINAL_CATEGORIES: dict[str, float] = {
    "evidence_based_claims": 10,
    "logical_structure": 10,
    "relevance": 10,
    "comprehensiveness": 10,
    "precision": 10,
    "counter_evidence": 5,
    "framing_control": 10,
    "adaptability": 10,
    "clarity": 5,
    "persuasiveness": 5,
    "tone_management": 5,
    "concession_when_appropriate": 5,
    "accuracy": 5,
}
"""Maps the categories of the final evaluation to their highest marks."""
FINAL_TOTAL = sum(FINAL_CATEGORIES.values())
CATEGORY_GROUPS: dict[str, tuple[str, ...]] = {
    "argument_quality": ("evidence_based_claims", "logical_structure", "relevance"),
    "rebuttal_effectiveness": ("comprehensiveness", "precision", "counter_evidence"),
    "strategic_positioning": ("framing_control", "adaptability"),
    "rhetorical_effectiveness": ("clarity", "persuasiveness", "tone_management"),
    "intellectual_integrity": ("concession_when_appropriate", "accuracy"),
}
"""Maps groups to categories of the final evaluation. The judge gives one reason for each group."""


class ModeratorSettings(SystemSettings):
    """A neutral chair marks every round out of 30 and the whole debate out of 100."""

    kind: Literal["moderator"] = "moderator"
    """Selects this judging system."""
    judge: str | None = None
    """The judges' model: a name in `models`, or `provider/model`. None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """Number of independent judges, whose marks are averaged."""
    guidance: bool = False
    """Whether debaters read the moderator's advice before each new round. If true, a round begins after the moderator
    has judged the round before."""
    thresholds: Annotated[Thresholds, default_bounds(draw=1, clear=5)] = Thresholds(draw=1, clear=5)
    """A margin below `draw` is a draw, a margin of `clear` or more is a clear victory. Scores are 0-82.5."""

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges: as many as the setting `judges` says, all with the model that the setting `judge` names."""
        return numbered_seats(self.judges, self.judge)

    @property
    def steers_debate(self) -> bool:
        """Whether judging influences the debate: the value of `guidance`."""
        return self.guidance

    def with_judge_count(self, count: int) -> Self:
        """Return the settings with `count` judges."""
        return self.model_copy(update={"judges": count})
