"""Settings of the panel: personas with weights, dimensions, rounds of votes, when the panel agrees."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal, Self

from pydantic import Field

from debate_cli.domain.frozen_model import ConfigModel
from debate_cli.domain.judging_config import (
    JudgeSeat,
    SystemSettings,
    UnitInterval,
    duplicate_indices,
    judge_id_problems,
)
from debate_cli.domain.message_text import format_suggestion

PERSONA_WEIGHTS: dict[str, float] = {
    "technical_architect": 0.25,
    "compliance_auditor": 0.25,
    "security_analyst": 0.20,
    "domain_expert": 0.15,
    "qa_evaluator": 0.15,
}
"""Maps each shipped persona to the weight of its vote."""
TEXT_DIMENSIONS = ("completeness", "feasibility", "evidence", "risk")
MIN_DIMENSION_MARK, MAX_DIMENSION_MARK = 1, 3
DEFAULT_CONVERGENCE_THRESHOLD = 0.8
DEFAULT_DIMENSION_THRESHOLD = 1.5
CLEAR_SHARE = 0.8
"""Minimum share of the voting weight, 0-1, with which an option wins clearly."""


class PanelJudge(ConfigModel):
    """A judge on the panel."""

    id: str = Field(min_length=1)
    """Id of the judge in votes and reports."""
    persona: str
    """Name of a shipped persona. Any name is allowed if `description` is given."""
    description: str | None = Field(default=None, min_length=1)
    """Description of the persona in your own words. The judge reads this text."""
    model: str | None = None
    """The judge's model: a name in `models`, or `provider/model`. None means the panel's setting `judge`."""
    weight: float | None = Field(default=None, gt=0, le=1e6)
    """Weight of the vote. None means the weight of the shipped persona, or 1 for a persona of your own."""


class PanelSettings(SystemSettings):
    """Several judges vote and deliberate until they agree enough."""

    kind: Literal["panel"] = "panel"
    """Selects this judging system."""
    judge: str | None = None
    """Model of the judges that have no `model` of their own: a name in `models`, or `provider/model`. None means
    `models.judge`, else `models.default`."""
    judges: tuple[PanelJudge, ...] = ()
    """The judges of the panel, each with its settings. Default: the five shipped personas."""
    personas: tuple[str, ...] = ()
    """Names of shipped personas, as a short form of `judges`. Each name adds a judge with the default weight."""
    dimensions: tuple[str, ...] = Field(default=("logic", "evidence", "rebuttal", "risk"), min_length=1)
    """Names of the criteria that each judge marks from 1 to 3. For a document, the defaults are completeness,
    feasibility, evidence and risk."""
    dimension_disagreement_threshold: float = Field(default=DEFAULT_DIMENSION_THRESHOLD, gt=0, le=2)
    """A dimension is disputed if its highest and lowest mark (1-3) differ by at least this number."""
    convergence_threshold: UnitInterval = DEFAULT_CONVERGENCE_THRESHOLD
    """The panel stops voting when its agreement, 0-1, is at least this number."""
    max_rounds: int = Field(default=3, ge=0, le=20)
    """Maximum number of rounds of voting after the first vote."""
    min_judges: int = Field(default=2, ge=1)
    """Minimum number of votes for a verdict, and for another round of voting. If the panel has only one judge, one vote is
    enough for a verdict."""
    timeout_s: float = Field(default=120, gt=0)
    """Seconds that a judge has for each vote. After that time, the judge's earlier vote is used again. Without an
    earlier vote, the judge has no vote."""

    @cached_property
    def members(self) -> tuple[PanelJudge, ...]:
        """The judges of the panel, with defaults for model and weight filled in."""
        named = self.judges or tuple(PanelJudge(id=name, persona=name) for name in self.personas or PERSONA_WEIGHTS)
        return tuple(
            judge.model_copy(
                update={
                    "model": judge.model or self.judge,
                    "weight": judge.weight or PERSONA_WEIGHTS.get(judge.persona, 1.0),
                }
            )
            for judge in named
        )

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges with their models and weights."""
        set_in_judges = {
            index for index, judge in enumerate(self.judges) if judge.model is not None or self.judge is None
        }
        return tuple(
            JudgeSeat(
                judge.id,
                judge.model,
                ("judges", index, "model") if index in set_in_judges else ("judge",),
                judge.weight,
            )
            for index, judge in enumerate(self.members)
        )

    @property
    def judge_timeout_s(self) -> float:
        """Seconds that a judge has for each vote."""
        return self.timeout_s

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield errors in personas, judges and dimensions, each with its position in the settings."""
        if self.judges and self.personas:
            yield ("personas",), "`judges` and `personas` are two forms of the same setting; keep one"
        key = "judges" if self.judges else "personas"
        for index, judge in enumerate(self.members):
            if judge.persona not in PERSONA_WEIGHTS and judge.description is None:
                hint = (
                    format_suggestion(judge.persona, PERSONA_WEIGHTS)
                    or "; describe the persona in the judge's `description`"
                )
                yield (key, index), f"there is no shipped persona `{judge.persona}`{hint}"
        yield from judge_id_problems(key, [judge.id for judge in self.members])
        if 1 < len(self.members) < self.min_judges:
            message = f"the panel has {len(self.members)} judges and needs {self.min_judges}; add judges, or lower `min_judges`"
            yield ("min_judges",), message
        for index in duplicate_indices(self.dimensions):
            yield ("dimensions", index), "this dimension is listed twice; keep one"

    def with_models(self, rename: Callable[[str | None], str | None]) -> Self:
        """Return the settings with other models for the judges.

        `rename`: maps each old value of `judge` and of the judges' `model`, also None, to the new value.
        """
        judges = tuple(judge.model_copy(update={"model": rename(judge.model)}) for judge in self.judges)
        return self.model_copy(update={"judge": rename(self.judge), "judges": judges})

    def question_settings(self) -> Self:
        """Return the settings without the weights of the judges, which only `score` uses."""
        judges = tuple(judge.model_copy(update={"weight": None}) for judge in self.judges)
        return self.model_copy(update={"judges": judges})

    def for_reviewer(self, assessor: str) -> Self:
        """Return a copy in which the person `assessor` is the only judge."""
        member = PanelJudge(
            id=assessor, persona="reviewer", description="Judge from your own point of view.", model=assessor, weight=1
        )
        return self.model_copy(update={"judge": None, "judges": (member,), "personas": ()})

    def for_text(self) -> Self:
        """Return the settings for judging a document. If `dimensions` is not set, the default for documents is used."""
        return (
            self if "dimensions" in self.model_fields_set else self.model_copy(update={"dimensions": TEXT_DIMENSIONS})
        )

    def with_judge_count(self, count: int) -> Self:
        """Return the settings with `count` judges. Additional judges repeat personas of the panel under new ids."""
        judges = list(self.members[:count])
        taken = {judge.id.casefold() for judge in judges}
        for place in range(len(judges), count):
            judge = self.members[place % len(self.members)]
            names = (f"{judge.id}-{number}" for number in range(2, count + 2))
            name = next(name for name in names if name.casefold() not in taken)
            taken.add(name.casefold())
            judges.append(judge.model_copy(update={"id": name}))
        return self.model_copy(update={"judges": tuple(judges), "personas": ()})
