"""The five judging systems as configuration: their settings, with the defaults of the rules as written.

Settings decide scores, so they are stored with a debate; re-scoring may put others in their place.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field, field_validator

from debate_cli.domain.setting import ConfigModel

FALLACIES = (
    "straw man", "appeal to authority", "slippery slope", "false dilemma", "anecdotal evidence", "circular reasoning",
    "ad hominem",
)  # fmt: skip
PERSONA_WEIGHTS: dict[str, float] = {
    "technical_architect": 0.25,
    "compliance_auditor": 0.25,
    "security_analyst": 0.20,
    "domain_expert": 0.15,
    "qa_evaluator": 0.15,
}
"""The default panel: personas and their weights."""

NonNegative = Annotated[float, Field(ge=0)]
UnitInterval = Annotated[float, Field(ge=0, le=1)]


class StructuredWeights(ConfigModel):
    """Weights of the four criteria; normalised to sum 1 when used."""

    logic: NonNegative = 0.30
    evidence: NonNegative = 0.40
    responsiveness: NonNegative = 0.20
    honesty: NonNegative = 0.10


class Thresholds(ConfigModel):
    """Bounds of the margin between first and second, in the system's own points; one left out is the system's default."""

    draw: NonNegative
    """A margin below this is a draw."""
    clear: NonNegative
    """Where a narrow victory becomes a clear one (each scorer says on which side the bound itself falls)."""


def _default_bounds(**defaults: float) -> BeforeValidator:
    """Bounds that a configuration leaves out are the system's own."""

    def filled(bounds: object) -> object:
        return {**defaults, **cast("dict[str, object]", bounds)} if isinstance(bounds, dict) else bounds

    return BeforeValidator(filled)


class StructuredSettings(ConfigModel):
    """One judge, whole debate: four criteria per argument, fallacies, trace, insight."""

    kind: Literal["structured"] = "structured"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """How many times the judge is asked independently; marks are averaged."""
    weights: StructuredWeights = StructuredWeights()
    """What each criterion counts."""
    fallacy_penalty: NonNegative = 0.0
    """Points off an argument for each fallacy in it; its score stays at 1 or above."""
    fallacies: tuple[str, ...] = FALLACIES
    """The checklist that the judge goes through."""
    thresholds: Annotated[Thresholds, _default_bounds(draw=1, clear=3)] = Thresholds(draw=1, clear=3)
    """Points of 1-10: below `draw` a draw, above `clear` a clear victory."""

    @field_validator("weights")
    @classmethod
    def _require_positive_weight(cls, weights: StructuredWeights) -> StructuredWeights:
        if weights.logic + weights.evidence + weights.responsiveness + weights.honesty <= 0:
            msg = "at least one weight must be above 0"
            raise ValueError(msg)
        return weights


class ModeratorSettings(ConfigModel):
    """A neutral chair: marks every round out of 30 and the whole out of 100."""

    kind: Literal["moderator"] = "moderator"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """How many times the chair is asked independently; marks are averaged."""
    guidance: bool = False
    """Whether the chair's word on a round goes into the next cues; the next round then waits for it."""
    thresholds: Annotated[Thresholds, _default_bounds(draw=1, clear=5)] = Thresholds(draw=1, clear=5)
    """Points of 82.5: below `draw` a draw, from `clear` on a clear victory."""


class PanelJudge(ConfigModel):
    """A member of the panel."""

    id: str = Field(min_length=1)
    """Its name in votes and reports."""
    persona: str
    """One of the default personas, or any name with a `description`."""
    description: str | None = None
    """The persona in the user's own words."""
    model: str | None = None
    """Name in `models`, or `provider/model`; None means the panel's `judge`."""
    weight: float | None = Field(default=None, gt=0)
    """None means the persona's default weight, or 1 for a persona of the user's."""


class PanelSettings(ConfigModel):
    """Several judges who deliberate until they agree enough."""

    kind: Literal["panel"] = "panel"
    judge: str | None = None
    """Model of every judge that names none."""
    judges: tuple[PanelJudge, ...] = ()
    """The members one by one, where a short form does not do."""
    personas: tuple[str, ...] = ()
    """Short form: personas with their default weights, ids the same as the names."""
    dimensions: tuple[str, ...] = Field(default=("logic", "evidence", "rebuttal", "risk"), min_length=1)
    """What each member rates from 1 to 3 beside its vote."""
    convergence_threshold: UnitInterval = 0.8
    """Agreement from which on nothing more is deliberated."""
    max_rounds: int = Field(default=3, ge=0, le=20)
    """Deliberation rounds after the first vote, at most."""
    min_judges: int = Field(default=2, ge=1)
    """Votes that a verdict and a deliberation need."""
    timeout_s: float = Field(default=120, gt=0)
    """Seconds after which a member that is late keeps its last vote."""

    @cached_property
    def members(self) -> tuple[PanelJudge, ...]:
        """The judges with model and weight filled in; the default five where none is named."""
        named = self.judges or tuple(PanelJudge(id=name, persona=name) for name in self.personas or PERSONA_WEIGHTS)
        return tuple(
            judge.model_copy(
                update={
                    "model": judge.model or self.judge,
                    "weight": judge.weight if judge.weight is not None else PERSONA_WEIGHTS.get(judge.persona, 1.0),
                }
            )
            for judge in named
        )


class LiveSettings(ConfigModel):
    """Every turn, every exchange, the whole arc."""

    kind: Literal["live"] = "live"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    feedback: bool = True
    """Whether pressure reaches the debaters; turns are then asked one after the other."""
    thresholds: Annotated[Thresholds, _default_bounds(draw=2, clear=10)] = Thresholds(draw=2, clear=10)
    """Points of 100: below `draw` a draw, from `clear` on a clear victory."""


class VictoryConditions(ConfigModel):
    """When a debater surrenders."""

    surrender_threshold: UnitInterval = 0.4
    """A debater persuaded again and again gives up with a conviction below this."""
    stance_neutral_threshold: UnitInterval = 0.2
    """A debater without much conviction gives up with a stance closer to 0 than this."""
    consecutive_persuasion: int = Field(default=3, ge=1, le=10)
    """So many turns in a row that persuaded it (above 0.5) make it give up."""


class PersuasionFactors(ConfigModel):
    """Weights of the terms of persuasion with `effects: factors`."""

    persuasion: UnitInterval = 0.3
    """Of the words of persuasion in the speech."""
    strategy_fit: UnitInterval = 0.2
    """Of a strategy that suits the target."""
    evidence: UnitInterval = 0.3
    """Of the words of evidence in the speech."""
    social_influence: UnitInterval = 0.2
    """Of the influence that the speaker has had so far."""


class PersuasionSettings(ConfigModel):
    """Stance, conviction and surrender."""

    kind: Literal["persuasion"] = "persuasion"
    judge: str | None = None
    """With `effects: judge`: name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    """How the effect of a speech is found: `keywords` needs no model, `factors` weighs more in, `judge` asks one."""
    factors: PersuasionFactors = PersuasionFactors()
    """With `effects: factors`: what each term counts."""
    victory_conditions: VictoryConditions = VictoryConditions()
    """When a debater surrenders."""
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""


SystemSettings = Annotated[
    StructuredSettings | ModeratorSettings | PanelSettings | LiveSettings | PersuasionSettings,
    Field(discriminator="kind"),
]


class JudgingConfig(ConfigModel):
    """Who judges, and how."""

    decides: str | None = None
    """`kind` of the system whose verdict heads the output; None means the first."""
    systems: tuple[SystemSettings, ...] = (StructuredSettings(),)
    """One or more; a bare name takes the defaults of the system."""

    @field_validator("systems", mode="before")
    @classmethod
    def _expand_bare_names(cls, systems: object) -> object:
        """Allow `systems: [structured, persuasion]`."""
        if not isinstance(systems, list | tuple):
            return systems
        return [{"kind": item} if isinstance(item, str) else item for item in systems]  # pyright: ignore[reportUnknownVariableType]

    @property
    def deciding_kind(self) -> str | None:
        """`kind` of the system that decides; None where nothing judges."""
        return self.decides or next((system.kind for system in self.systems), None)
