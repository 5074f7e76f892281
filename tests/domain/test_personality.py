"""Archetypes, and how pressure moves traits."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.domain.personality import (
    ARCHETYPES,
    PRESSURE_KINDS,
    PRESSURE_WEIGHTS,
    TRAITS,
    Archetype,
    Personality,
    PressureKind,
    apply_pressures,
    resolve_personality,
)

PERSONALITIES = st.builds(
    Personality, **{trait: st.floats(1, 10).map(lambda value: round(value, 1)) for trait in TRAITS}
)
PRESSURES: Any = st.dictionaries(st.sampled_from(PRESSURE_KINDS), st.floats(0, 1))


@pytest.mark.parametrize(
    ("archetype", "trait", "value"),
    [
        ("engineer", "analytical_depth", 9),
        ("engineer", "vividness", 3),
        ("philosopher", "abstraction", 10),
        ("philosopher", "concision", 4),
        ("strategist", "framing", 10),
        ("strategist", "evidence_reliance", 6),
        ("provocateur", "assertiveness", 10),
        ("provocateur", "evidence_reliance", 3),
    ],
)
def test_archetypes_have_the_numbers_of_the_table(archetype: Archetype, trait: str, value: float) -> None:
    """A sample from the corners of the table."""
    assert getattr(ARCHETYPES[archetype], trait) == value


def test_every_archetype_has_a_personality() -> None:
    """None is missing."""
    assert set(ARCHETYPES) == set(get_args(Archetype))


@pytest.mark.parametrize(
    ("kind", "trait", "after"),
    [
        ("cognitive", "analytical_depth", 8.5),
        ("cognitive", "abstraction", 5.5),
        ("cognitive", "skepticism", 6.8),
        ("emotional", "assertiveness", 6.2),
        ("strategic", "openness", 5.5),
        ("credibility", "evidence_reliance", 7.5),
        ("credibility", "vividness", 5.2),
    ],
)
def test_full_pressure_at_half_elasticity_moves_a_strategist(kind: PressureKind, trait: str, after: float) -> None:
    """A trait moves by pressure x weight x elasticity x 3."""
    moved = getattr(apply_pressures(ARCHETYPES["strategist"], {kind: 1.0}, 0.5), trait)
    assert moved == pytest.approx(after, abs=0.051)


@settings(deadline=None)
@given(PERSONALITIES, PRESSURES, st.floats(0, 1))
def test_traits_are_clamped_and_rounded(
    personality: Personality, pressures: dict[PressureKind, float], elasticity: float
) -> None:
    """To 1-10 and one decimal, for any pressure."""
    for value in dict(apply_pressures(personality, pressures, elasticity)).values():
        assert 1 <= value <= 10
        assert value == round(value, 1)


@settings(deadline=None)
@given(PERSONALITIES, PRESSURES)
def test_without_elasticity_nothing_moves(personality: Personality, pressures: dict[PressureKind, float]) -> None:
    """Elasticity 0 ignores all pressure."""
    assert apply_pressures(personality, pressures, 0) == personality


@settings(deadline=None)
@given(PERSONALITIES, st.sampled_from(PRESSURE_KINDS), st.floats(0, 1))
def test_a_pressure_moves_only_its_own_traits(personality: Personality, kind: PressureKind, pressure: float) -> None:
    """Traits without a weight keep their value."""
    moved = apply_pressures(personality, {kind: pressure}, 1)
    assert {trait for trait in TRAITS if getattr(moved, trait) != getattr(personality, trait)} <= set(
        PRESSURE_WEIGHTS[kind]
    )


def test_an_archetype_resolves_to_its_traits() -> None:
    """A personality resolves to itself."""
    assert resolve_personality("engineer") == ARCHETYPES["engineer"] == resolve_personality(ARCHETYPES["engineer"])
