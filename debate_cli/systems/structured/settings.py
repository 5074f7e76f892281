"""Settings of the structured system: criteria with weights, fallacies, judges, thresholds of a verdict."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, cast

from pydantic import BeforeValidator, Field, StringConstraints, field_validator

from debate_cli.domain.frozen_model import ConfigModel, FrozenModel
from debate_cli.domain.judging_config import (
    MAX_JUDGES,
    JudgeSeat,
    NonNegative,
    SystemSettings,
    Thresholds,
    default_bounds,
    duplicate_indices,
    judge_id_problems,
    numbered_seats,
)
from debate_cli.domain.message_text import format_suggestion_or_list

FALLACY_DEFINITIONS: dict[str, str] = {
    "straw man": "answers a position that the other side does not hold, or a weaker form of its position",
    "appeal to authority": "rests on who says it instead of on reasons, or on an authority outside of its own field",
    "slippery slope": "claims that one step leads to an extreme end, without showing each step in between",
    "false dilemma": "treats two options as the only ones although there are others",
    "anecdotal evidence": "concludes something general from single cases",
    "circular reasoning": "supports a claim with the claim itself in other words",
    "ad hominem": "attacks the person instead of the argument",
}
"""The default checklist: maps fallacies to definitions."""
MAX_CRITERIA = 12
MAX_FALLACIES = 40
_CRITERION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
RESERVED_CRITERIA = frozenset({
    "item", "reasoning", "standing", "fallacies", "name", "quote", "arguments", "key_insight", "unresolved_questions",
    "recommendation", "addressed_to_judge", "id", "participant", "penalty", "score", "spread",
})  # fmt: skip
"""Names that no criterion may have, because the judge's form or the verdict has fields with these names."""


class Criterion(ConfigModel):
    """A criterion that the judge marks from 1 to 10 for each argument."""

    name: str
    """Name of the criterion: up to 40 letters, digits, `_` and `-`, beginning with a letter."""
    description: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    """What the judge marks, and what 1 and 10 mean. The judge reads this text."""
    weight: NonNegative = 1.0
    """Weight of the criterion, relative to the other criteria."""

    @field_validator("name")
    @classmethod
    def _require_usable_name(cls, name: str) -> str:
        if not _CRITERION_NAME.fullmatch(name):
            msg = "must consist of at most 40 letters, digits, `_` and `-`, and begin with a letter"
            raise ValueError(msg)
        if name.casefold() in RESERVED_CRITERIA:
            msg = f"`{name}` is a reserved name; choose another name"
            raise ValueError(msg)
        return name


DEFAULT_CRITERIA: dict[str, str] = {
    "logic": "Is the chain of reasoning consistent? 1 = full of gaps, 10 = flawless",
    "evidence": "Is it specific and verifiable? 1 = vague generalities, 10 = every piece can be verified",
    "responsiveness": (
        "Did the speaker answer what cross-examination raised against it? 1 = evaded everything, 10 = answered point by point"
    ),
    "honesty": "Did the speaker concede when due, and exaggerate nothing? 1 = sophistry, 10 = honest and fair",
}
"""Maps the default criteria to descriptions. Their weights are in `StructuredWeights`."""


class StructuredWeights(ConfigModel):
    """Weights of the four default criteria, normalized to a sum of 1.

    A criterion that you do not name keeps its default weight. A criterion with the weight 0 does not change scores.
    """

    logic: NonNegative = 0.30
    """Weight of consistent reasoning."""
    evidence: NonNegative = 0.40
    """Weight of specific, verifiable evidence."""
    responsiveness: NonNegative = 0.20
    """Weight of answers to the objections in cross-examination."""
    honesty: NonNegative = 0.10
    """Weight of honesty: the speaker concedes what cannot be defended, and does not exaggerate."""


class FallacyDefinition(FrozenModel):
    """A fallacy on the judge's checklist."""

    name: str = Field(min_length=1)
    """Name of the fallacy in the judge's form and in reports."""
    definition: str = ""
    """Definition that the judge reads. By default, the shipped definition of the fallacy with this name."""


def _with_definition(value: object) -> object:
    fields = {"name": value} if isinstance(value, str) else value
    if not isinstance(fields, dict) or "definition" in fields:
        return cast("object", fields)
    name = cast("dict[str, object]", fields).get("name")
    return {"definition": FALLACY_DEFINITIONS.get(name, "") if isinstance(name, str) else "", **fields}


FallacyEntry = Annotated[
    FallacyDefinition, BeforeValidator(_with_definition, json_schema_input_type=str | FallacyDefinition)
]


class StructuredJudge(ConfigModel):
    """One judge in the list `judges`."""

    id: str = Field(min_length=1, max_length=80)
    """Id of the judge in reports."""
    model: str | None = None
    """Model of this judge: a name in `models`, or `provider/model`. None means the setting `judge` of the system."""
    weight: float = Field(default=1.0, gt=0, le=1e6)
    """Weight of the judge's marks, fallacies and standings, relative to the other judges."""


def _require_judges(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | list | tuple) or not value:
        msg = f"must be a number from 1 to {MAX_JUDGES}, or a list of judges, each with an `id`"
        raise ValueError(msg)
    return cast("object", value)


class StructuredSettings(SystemSettings):
    """One or several judges read the whole debate. They mark each argument and find fallacies and insights."""

    scoring_fields: ClassVar[tuple[str, ...]] = ("weights", "fallacy_penalty", "thresholds")

    kind: Literal["structured"] = "structured"
    """Selects this judging system."""
    judge: str | None = None
    """Model of the judge: a name in `models`, or `provider/model`. None means `models.judge` or, without `models.judge`,
    `models.default`."""
    judges: Annotated[
        Annotated[int, Field(ge=1, le=MAX_JUDGES)]
        | Annotated[tuple[StructuredJudge, ...], Field(min_length=1, max_length=MAX_JUDGES)],
        BeforeValidator(_require_judges),
    ] = 1
    """Number of independent judges with one model, or a list of judges with `id`, `model` and `weight`. Their marks are
    averaged by weight. If judges give a claim different standings, the standing with the most weight is used."""
    criteria: Annotated[
        tuple[Criterion, ...], Field(min_length=1, max_length=MAX_CRITERIA, exclude_if=lambda criteria: not criteria)
    ] = ()
    """Criteria of your own with weights. They replace the four default criteria (logic, evidence, responsiveness,
    honesty)."""
    weights: StructuredWeights = StructuredWeights()
    """Weight of each default criterion."""
    fallacy_penalty: NonNegative = 0.0
    """Points that an argument loses for each fallacy. The score of an argument stays at 1 or above."""
    fallacies: Annotated[tuple[FallacyEntry, ...], Field(max_length=MAX_FALLACIES)] = tuple(
        FallacyDefinition(name=name, definition=definition) for name, definition in FALLACY_DEFINITIONS.items()
    )
    """The judge's checklist of fallacies. An entry that is only a name gets the shipped definition."""
    thresholds: Annotated[Thresholds, default_bounds(draw=1, clear=3)] = Thresholds(draw=1, clear=3)
    """A margin below `draw` is a draw, a margin above `clear` is a clear victory. Scores are 1-10."""

    @field_validator("weights", "criteria")
    @classmethod
    def _require_positive_weight(
        cls, given: StructuredWeights | tuple[Criterion, ...]
    ) -> StructuredWeights | tuple[Criterion, ...]:
        weights = [item.weight for item in given] if isinstance(given, tuple) else given.model_dump().values()
        if weights and not any(weights):
            msg = "at least one weight must be above 0"
            raise ValueError(msg)
        return given

    @property
    def seats(self) -> tuple[JudgeSeat, ...]:
        """The judges. If `judges` is a number, all judges have the same model."""
        if isinstance(self.judges, int):
            return numbered_seats(self.judges, self.judge)
        return tuple(
            JudgeSeat(
                judge.id,
                judge.model or self.judge,
                ("judges", place, "model") if judge.model or not self.judge else ("judge",),
                judge.weight,
            )
            for place, judge in enumerate(self.judges)
        )

    @property
    def criterion_descriptions(self) -> dict[str, str]:
        """Maps criteria to descriptions."""
        return {item.name: item.description for item in self.criteria} or DEFAULT_CRITERIA

    @property
    def criterion_weights(self) -> dict[str, float]:
        """Maps criteria to weights, as configured."""
        return {item.name: item.weight for item in self.criteria} or self.weights.model_dump()

    def normalized_weights(self) -> dict[str, float]:
        """Map criteria to weights that add up to 1."""
        weights = self.criterion_weights
        total = math.fsum(weights.values())
        return {criterion: weight / total for criterion, weight in weights.items()}

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """Return the settings with these weights of the criteria. Criteria that are not in `weights` get 0.

        Raises ValueError for an unknown criterion.
        """
        for name in weights:
            if name not in self.criterion_weights:
                known = format_suggestion_or_list(name, self.criterion_weights)
                msg = f"there is no criterion {name}{known}"
                raise ValueError(msg)
        changed = {criterion: weights.get(criterion, 0.0) for criterion in self.criterion_weights}
        if self.criteria:
            own = (item.model_copy(update={"weight": changed[item.name]}) for item in self.criteria)
            return self.model_copy(update={"criteria": tuple(own)})
        return self.model_copy(update={"weights": StructuredWeights(**changed)})

    def question_settings(self) -> Self:
        """Return the settings without weights, penalty and thresholds, which only `score` uses."""
        settings = super().question_settings()
        changes: dict[str, object] = {
            "criteria": tuple(item.model_copy(update={"weight": 1.0}) for item in settings.criteria)
        }
        if not isinstance(settings.judges, int):
            changes["judges"] = tuple(judge.model_copy(update={"weight": 1.0}) for judge in settings.judges)
        return settings.model_copy(update=changes)

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield errors in thresholds, weights, names and judges' ids, each with its position in the settings."""
        yield from super().problems()
        for place in duplicate_indices(criterion.name.casefold() for criterion in self.criteria):
            yield ("criteria", place, "name"), "an earlier criterion has this name; keep one"
        if self.criteria and self.weights != StructuredWeights():
            advice = "has no effect together with `criteria`; remove `weights`, and give each of the `criteria` its own `weight`"
            yield ("weights",), advice
        for place in duplicate_indices(fallacy.name.casefold() for fallacy in self.fallacies):
            yield ("fallacies", place, "name"), "an earlier fallacy has this name; keep one"
        if not isinstance(self.judges, int):
            yield from judge_id_problems("judges", [judge.id for judge in self.judges])

    def notices(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield a notice if the weights do not add up to 1. The notice says which weights are defaults."""
        weights = self.criterion_weights
        total = math.fsum(weights.values())
        if not math.isclose(total, 1, abs_tol=1e-9):
            defaults = set(weights) - ({item.name for item in self.criteria} or self.weights.model_fields_set)
            parts = (f"{name} {weight:g}{' by default' * (name in defaults)}" for name, weight in weights.items())
            effective = ", ".join(f"{name} {weight:.3g}" for name, weight in self.normalized_weights().items())
            sentence = f"sum to {total:g} ({', '.join(parts)}), so they are scaled to {effective}"
            yield ("criteria" if self.criteria else "weights",), sentence

    def with_models(self, rename: Callable[[str | None], str | None]) -> Self:
        """Return the settings with other judge models. `rename`: maps each old model to the new model."""
        changed = super().with_models(rename)
        if isinstance(self.judges, int):
            return changed
        judges = tuple(judge.model_copy(update={"model": rename(judge.model)}) for judge in self.judges)
        return changed.model_copy(update={"judges": judges})

    def for_reviewer(self, assessor: str) -> Self:
        """Return the settings with a person as the only judge."""
        return self.model_copy(update={"judges": 1, "judge": assessor})

    def with_judge_count(self, count: int) -> Self:
        """Return the settings with `count` judges.

        If `judges` is a list with enough judges, the first `count` are kept. Otherwise, the setting `judges` becomes the
        number `count`.
        """
        if isinstance(self.judges, int) or count > len(self.judges):
            return self.model_copy(update={"judges": count})
        return self.model_copy(update={"judges": self.judges[:count]})
