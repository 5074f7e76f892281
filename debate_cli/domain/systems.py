"""The five judging systems as configuration: their settings, with the defaults of the rules as written.

Settings decide scores, so they are stored with a debate; re-scoring may put others in their place.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from debate_cli.domain.value import Value

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
Unit = Annotated[float, Field(ge=0, le=1)]


class StructuredWeights(Value):
    """Weights of the four criteria; normalised to sum 1 when used."""

    logic: NonNegative = 0.30
    evidence: NonNegative = 0.40
    responsiveness: NonNegative = 0.20
    honesty: NonNegative = 0.10


class Thresholds(Value):
    """Bounds of the margin between first and second, in points of the system's own scale."""

    draw: NonNegative
    """A margin below this is a draw."""
    clear: NonNegative
    """Where a narrow victory becomes a clear one (each scorer says on which side the bound itself falls)."""


class Structured(Value):
    """One judge, whole debate: four criteria per argument, fallacies, trace, insight."""

    kind: Literal["structured"] = "structured"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    judges: int = Field(default=1, ge=1, le=25)
    """How many times the judge is asked independently; marks are averaged."""
    weights: StructuredWeights = StructuredWeights()
    fallacy_penalty: NonNegative = 0.0
    fallacies: tuple[str, ...] = FALLACIES
    thresholds: Thresholds = Thresholds(draw=1, clear=3)

    @field_validator("weights")
    @classmethod
    def _some_weight(cls, weights: StructuredWeights) -> StructuredWeights:
        if weights.logic + weights.evidence + weights.responsiveness + weights.honesty <= 0:
            msg = "at least one weight must be above 0"
            raise ValueError(msg)
        return weights


class Moderator(Value):
    """A neutral chair: marks every round out of 30 and the whole out of 100."""

    kind: Literal["moderator"] = "moderator"
    judge: str | None = None
    judges: int = Field(default=1, ge=1, le=25)
    guidance: bool = False
    """Whether the chair's word on a round goes into the next cues; the next round then waits for it."""
    thresholds: Thresholds = Thresholds(draw=1, clear=5)


class PanelJudge(Value):
    """A member of the panel."""

    id: str = Field(min_length=1)
    persona: str
    """One of the default personas, or any name with a `description`."""
    description: str | None = None
    """The persona in the user's own words."""
    model: str | None = None
    weight: float | None = Field(default=None, gt=0)
    """None means the persona's default weight, or 1 for a persona of the user's."""


class Panel(Value):
    """Several judges who deliberate until they agree enough."""

    kind: Literal["panel"] = "panel"
    judge: str | None = None
    """Model of every judge that names none."""
    judges: tuple[PanelJudge, ...] = ()
    personas: tuple[str, ...] = ()
    """Short form: personas with their default weights, ids the same as the names."""
    dimensions: tuple[str, ...] = Field(default=("logic", "evidence", "rebuttal", "risk"), min_length=1)
    convergence_threshold: Unit = 0.8
    max_rounds: int = Field(default=3, ge=0, le=20)
    """Deliberation rounds after the first vote, at most."""
    min_judges: int = Field(default=2, ge=1)
    timeout_s: float = Field(default=120, gt=0)

    def bench(self) -> tuple[PanelJudge, ...]:
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


class Live(Value):
    """Every turn, every exchange, the whole arc."""

    kind: Literal["live"] = "live"
    judge: str | None = None
    feedback: bool = True
    """Whether pressure reaches the debaters; turns are then asked one after the other."""
    thresholds: Thresholds = Thresholds(draw=2, clear=10)


class VictoryConditions(Value):
    """When a debater surrenders."""

    surrender_threshold: Unit = 0.4
    stance_neutral_threshold: Unit = 0.2
    consecutive_persuasion: int = Field(default=3, ge=1, le=10)


class Factors(Value):
    """Weights of the terms of persuasion with `effects: factors`."""

    persuasion: Unit = 0.3
    strategy_fit: Unit = 0.2
    evidence: Unit = 0.3
    social_influence: Unit = 0.2


class Persuasion(Value):
    """Stance, conviction and surrender."""

    kind: Literal["persuasion"] = "persuasion"
    judge: str | None = None
    effects: Literal["keywords", "factors", "judge"] = "keywords"
    factors: Factors = Factors()
    victory_conditions: VictoryConditions = VictoryConditions()
    clear_margin: NonNegative = 30.0
    """A margin above this is a clear victory."""


System = Annotated[Structured | Moderator | Panel | Live | Persuasion, Field(discriminator="kind")]


class JudgingConfig(Value):
    """Who judges, and how."""

    decides: str | None = None
    """`kind` of the system whose verdict heads the output; None means the first."""
    systems: tuple[System, ...] = (Structured(),)

    @field_validator("systems", mode="before")
    @classmethod
    def _bare_names(cls, systems: object) -> object:
        """Allow `systems: [structured, persuasion]`."""
        if not isinstance(systems, list | tuple):
            return systems
        return [{"kind": item} if isinstance(item, str) else item for item in systems]  # pyright: ignore[reportUnknownVariableType]

    @property
    def deciding(self) -> str:
        """`kind` of the system that decides."""
        return self.decides or self.systems[0].kind
