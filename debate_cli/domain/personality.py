"""Personalities: archetypes, traits, and how pressure changes the traits."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from debate_cli.domain.frozen_model import ConfigModel

Archetype = Literal["engineer", "philosopher", "strategist", "provocateur"]
PressureKind = Literal["cognitive", "emotional", "strategic", "credibility"]
PRESSURE_KINDS: tuple[PressureKind, ...] = get_args(PressureKind)

Trait = float
TRAIT_MIN, TRAIT_MAX = 1.0, 10.0
DRIFT_STEP = 3.0
"""Largest change of a trait by one kind of pressure in one exchange, in points of the scale 1-10."""
RESPONSE_STEP = 0.5
"""Largest change of a trait in the last step of `apply_pressures`, in points of the scale 1-10. In this step, the
personality responds to all pressures together. If the personality is rigid, its extreme traits move towards the middle.
Otherwise its highest traits rise."""
HIGH_TRAIT, LOW_TRAIT = 8.0, 2.0
"""A trait is extreme at HIGH_TRAIT or above, and at LOW_TRAIT or below."""
RIGID_TRAITS = 4
"""Minimum number of extreme traits of a rigid personality."""
SHARPENED_TRAITS = 3
"""Number of traits that rise in the last step of `apply_pressures` if the personality is not rigid. The traits with the
highest values before this step rise."""
TRAIT_MIDDLE = 5.5
"""Value towards which pressure moves the extreme traits of a rigid personality."""


class Personality(ConfigModel):
    """Twelve traits, each 1-10, in three groups of four: cognitive, emotional, rhetorical."""

    analytical_depth: Trait = Field(ge=1, le=10)
    """How thoroughly the debater takes an argument apart."""
    abstraction: Trait = Field(ge=1, le=10)
    """How far the debater argues from principles instead of cases."""
    evidence_reliance: Trait = Field(ge=1, le=10)
    """How much the debater relies on evidence."""
    skepticism: Trait = Field(ge=1, le=10)
    """How much the debater doubts claims."""
    composure: Trait = Field(ge=1, le=10)
    """How calm the debater stays under attack."""
    empathy: Trait = Field(ge=1, le=10)
    """How much the debater acknowledges the other side's concerns."""
    assertiveness: Trait = Field(ge=1, le=10)
    """How firmly the debater presses a point."""
    openness: Trait = Field(ge=1, le=10)
    """How ready the debater is to accept a good point."""
    directness: Trait = Field(ge=1, le=10)
    """How plainly the debater states a point."""
    vividness: Trait = Field(ge=1, le=10)
    """How much the debater uses images and examples."""
    framing: Trait = Field(ge=1, le=10)
    """How much the debater defines what the debate is about."""
    concision: Trait = Field(ge=1, le=10)
    """How briefly the debater speaks."""


def _lowercase(given: object) -> object:
    return given.lower() if isinstance(given, str) else given


ArchetypeOrTraits = Annotated[Archetype | Personality, BeforeValidator(_lowercase)]
"""Name of an archetype (upper and lower case are equal), or twelve traits."""
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
"""Maps each kind of pressure to the weights of the traits that it moves. A trait with a negative weight falls."""


def apply_pressures(
    personality: Personality, pressures: Mapping[PressureKind, float], elasticity: float
) -> Personality:
    """Return the personality after one exchange (two adjacent turns). Pressures and `elasticity` are numbers from 0 to 1.

    First, each pressure moves the traits in PRESSURE_WEIGHTS. Then, if the personality is rigid, its extreme traits
    move towards the middle. Otherwise its highest traits rise.
    """
    traits = {trait: float(getattr(personality, trait)) for trait in TRAITS}
    for kind, pressure in pressures.items():
        for trait, weight in PRESSURE_WEIGHTS[kind].items():
            traits[trait] = _move(traits[trait], pressure * weight * elasticity * DRIFT_STEP)
    step = RESPONSE_STEP * math.fsum(pressures.values()) / len(PRESSURE_KINDS) * elasticity
    extreme = [trait for trait, value in traits.items() if value >= HIGH_TRAIT or value <= LOW_TRAIT]
    if len(extreme) >= RIGID_TRAITS:
        for trait in extreme:
            traits[trait] += step if traits[trait] < TRAIT_MIDDLE else -step
    else:
        for trait in sorted(TRAITS, key=lambda trait: -traits[trait])[:SHARPENED_TRAITS]:
            traits[trait] = _move(traits[trait], step)
    return Personality.model_validate(traits)


def recover(personality: Personality, start: Personality, recovery: float) -> Personality:
    """Return the personality after an exchange without pressure: each trait moves towards its value in `start`.

    `recovery`: how far each trait moves, as a share (0-1) of the distance.
    """
    values = {trait: (float(getattr(personality, trait)), float(getattr(start, trait))) for trait in TRAITS}
    return Personality.model_validate(
        {trait: value + recovery * (origin - value) for trait, (value, origin) in values.items()}
    )


def _move(value: float, step: float) -> float:
    room = TRAIT_MAX - value if step > 0 else value - TRAIT_MIN
    return min(TRAIT_MAX, max(TRAIT_MIN, value + step * room / (TRAIT_MAX - TRAIT_MIN)))


def resolve_personality(personality: Archetype | Personality) -> Personality:
    """Return the personality of an archetype, or the given personality unchanged."""
    return personality if isinstance(personality, Personality) else ARCHETYPES[personality]
