"""Adaptive personalities: four archetypes, twelve traits, four pressures. Pure arithmetic.

The live judge's schedule decides when pressure reaches a debater; `debaters` describes a personality in words.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from debate_cli.domain.config_model import ConfigModel

Archetype = Literal["engineer", "philosopher", "strategist", "provocateur"]
PressureKind = Literal["cognitive", "emotional", "strategic", "credibility"]
PRESSURE_KINDS: tuple[PressureKind, ...] = get_args(PressureKind)

Trait = float
TRAIT_MIN, TRAIT_MAX = 1.0, 10.0
DRIFT_STEP = 3.0
"""Points by which a trait of weight 1 moves under pressure 1 at elasticity 1."""


class Personality(ConfigModel):
    """Twelve traits, each 1-10, in three groups of four: cognitive, emotional, rhetorical."""

    analytical_depth: Trait = Field(ge=1, le=10)
    abstraction: Trait = Field(ge=1, le=10)
    evidence_reliance: Trait = Field(ge=1, le=10)
    skepticism: Trait = Field(ge=1, le=10)
    composure: Trait = Field(ge=1, le=10)
    empathy: Trait = Field(ge=1, le=10)
    assertiveness: Trait = Field(ge=1, le=10)
    openness: Trait = Field(ge=1, le=10)
    directness: Trait = Field(ge=1, le=10)
    vividness: Trait = Field(ge=1, le=10)
    framing: Trait = Field(ge=1, le=10)
    concision: Trait = Field(ge=1, le=10)


TRAITS: tuple[str, ...] = tuple(Personality.model_fields)


def _make_personality(*values: int) -> Personality:
    return Personality.model_validate(dict(zip(TRAITS, values, strict=True)))


ARCHETYPES: dict[Archetype, Personality] = {
    "engineer": _make_personality(9, 3, 9, 7, 8, 4, 6, 5, 9, 3, 4, 8),
    "philosopher": _make_personality(8, 10, 5, 8, 8, 7, 4, 8, 4, 6, 6, 4),
    "strategist": _make_personality(7, 6, 6, 6, 8, 5, 7, 5, 6, 6, 10, 6),
    "provocateur": _make_personality(5, 6, 3, 8, 4, 3, 10, 4, 9, 9, 8, 7),
}

PRESSURE_WEIGHTS: dict[PressureKind, dict[str, float]] = {
    "cognitive": {"analytical_depth": 1.0, "abstraction": -0.3, "skepticism": 0.5},
    "emotional": {"composure": 1.0, "empathy": 0.5, "assertiveness": -0.5},
    "strategic": {"framing": 1.0, "directness": 0.5, "openness": 0.3},
    "credibility": {"evidence_reliance": 1.0, "vividness": -0.5, "concision": 0.3},
}
"""How much each pressure moves each trait."""


def apply_pressures(personality: Personality, pressures: dict[PressureKind, float], elasticity: float) -> Personality:
    """Move the traits by `pressure x weight x elasticity x 3`, clamped to 1-10, to one decimal.

    `pressures` are 0-1 and may omit kinds; `elasticity` is 0-1. A trait moves by the sum of all pressures, and is then
    clamped and rounded once.
    """
    moved = {trait: float(getattr(personality, trait)) for trait in TRAITS}
    for kind, pressure in pressures.items():
        for trait, weight in PRESSURE_WEIGHTS[kind].items():
            moved[trait] += pressure * weight * elasticity * DRIFT_STEP
    return Personality.model_validate(
        {trait: round(min(TRAIT_MAX, max(TRAIT_MIN, value)), 1) for trait, value in moved.items()}
    )


def resolve_personality(personality: Archetype | Personality) -> Personality:
    """The twelve traits of an archetype; a personality is returned as it is."""
    return personality if isinstance(personality, Personality) else ARCHETYPES[personality]
