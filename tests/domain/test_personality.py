"""Archetypes, and how pressure moves traits."""

from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.domain.personality import (
    ARCHETYPES,
    PRESSURE_KINDS,
    TRAITS,
    Archetype,
    Personality,
    PressureKind,
    apply_pressures,
    recover,
)

PERSONALITIES = st.builds(Personality, **{trait: st.floats(1, 10) for trait in TRAITS})
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
    """The corners of the table of archetypes have the right numbers."""
    assert getattr(ARCHETYPES[archetype], trait) == value


NO_RESPONSE = 0.5 * 0.25 * 0.5
"""Step of the second part of an event under one full pressure at elasticity 0.5."""


@pytest.mark.parametrize(
    ("kind", "trait", "after"),
    [
        # 7 + 1·1·0.5·3·(3/9), then among the three highest of a profile that is not rigid: 7.5 + 0.0625·(2.5/9)
        ("cognitive", "analytical_depth", 7.5 + NO_RESPONSE * 2.5 / 9),
        # 6 − 0.3·0.5·3·(5/9): headroom downwards is the distance to 1
        ("cognitive", "abstraction", 5.75),
        ("emotional", "assertiveness", 7 - 0.75 * 6 / 9),
        ("strategic", "openness", 5 + 0.45 * 5 / 9),
        # At the end of the scale nothing is left to rise
        ("strategic", "framing", 10),
        ("credibility", "vividness", 6 - 0.75 * 5 / 9),
    ],
)
def test_full_pressure_at_half_elasticity_moves_a_strategist(kind: PressureKind, trait: str, after: float) -> None:
    """A trait moves by pressure x weight x elasticity x 3 x headroom, and the three highest rise."""
    assert getattr(apply_pressures(ARCHETYPES["strategist"], {kind: 1.0}, 0.5), trait) == pytest.approx(after)


def test_a_rigid_personality_loosens() -> None:
    """An engineer has five traits of 8 or more. Strategic pressure 0.8 at elasticity 0.5: each loses 0.5·0.2·0.5 = 0.05.

    Its vividness of 3 is not extreme and stays.
    """
    moved = apply_pressures(ARCHETYPES["engineer"], {"strategic": 0.8}, 0.5)
    assert (moved.analytical_depth, moved.composure, moved.vividness) == pytest.approx((8.95, 7.95, 3))
    assert moved.directness == pytest.approx(9 + 0.8 * 0.5 * 0.5 * 3 / 9 - 0.05)


@pytest.mark.parametrize(("value", "after"), [(8.0, 7.5), (2.0, 2.5), (7.99, 7.99), (2.01, 2.01)])
def test_extreme_traits_go_towards_the_middle(value: float, after: float) -> None:
    """8 and more fall, 2 and less rise, and traits between them stay, if four traits are extreme."""
    traits = dict.fromkeys(TRAITS, 5.5) | dict.fromkeys(["empathy", "openness", "framing", "concision"], 10.0)
    flat = Personality.model_validate({**traits, "skepticism": value})
    pressed = apply_pressures(flat, {"credibility": 1.0, "emotional": 1.0, "strategic": 1.0, "cognitive": 0.0}, 1.0)
    assert pressed.skepticism == pytest.approx(value + (after - value) * 0.75)


CONSTANT: tuple[dict[PressureKind, float], ...] = tuple(
    dict(zip(PRESSURE_KINDS, values, strict=True)) for values in product((0.0, 0.25, 0.5, 1.0), repeat=4) if any(values)
)


@pytest.mark.parametrize("elasticity", [0.1, 0.5, 1.0])
def test_archetypes_still_differ_after_ten_constant_pressures(elasticity: float) -> None:
    """Under any constant pressure every two archetypes differ by 0.1 or more in a trait, and no profile is all tens."""
    for pressures in CONSTANT:
        ends = dict(ARCHETYPES)
        for _ in range(10):
            ends = {name: apply_pressures(end, pressures, elasticity) for name, end in ends.items()}
        for one, other in combinations(ends.values(), 2):
            assert max(abs(getattr(one, trait) - getattr(other, trait)) for trait in TRAITS) >= 0.1, pressures
        assert all(min(dict(end).values()) < 9 for end in ends.values()), pressures


@pytest.mark.parametrize(("recovery", "depth"), [(0, 8.5), (0.1, 8.35), (1, 7)])
def test_recovery_goes_a_share_of_the_way_back(recovery: float, depth: float) -> None:
    """A trait of 8.5 moves by a share towards its start at 7."""
    start = ARCHETYPES["strategist"]
    moved = start.model_copy(update={"analytical_depth": 8.5})
    assert recover(moved, start, recovery).analytical_depth == pytest.approx(depth)


@settings(deadline=None)
@given(PERSONALITIES, PRESSURES, st.floats(0, 1))
def test_traits_are_clamped(personality: Personality, pressures: dict[PressureKind, float], elasticity: float) -> None:
    """A trait stays within 1-10 under any pressure."""
    assert all(1 <= value <= 10 for value in dict(apply_pressures(personality, pressures, elasticity)).values())
