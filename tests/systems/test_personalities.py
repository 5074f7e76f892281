"""Personality curves: how the live judge's pressures move a debater's traits."""

from __future__ import annotations

from typing import Any

import pytest
from scoring_support import CON, PRO, TWO, assessment, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.personality import ARCHETYPES, Personality
from debate_cli.systems.live.findings import Pressure
from debate_cli.systems.live.personality_drift import personality_curve
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.structured.settings import StructuredSettings

DEBATERS: tuple[dict[str, Any], ...] = ({**TWO[0], "personality": "strategist", "elasticity": 0.5}, TWO[1])


def pressure_on(turn: int, name: str = PRO, **kinds: float) -> Assessment:
    """A live assessment of a turn with pressure on one debater."""
    none = Pressure(participant=name, cognitive=0, emotional=0, strategic=0, credibility=0)
    finding = none.model_copy(update=kinds)
    return assessment("live", (), finding, moment="turn", turns=(turn,))


def debate_of(*given: Assessment, system: SystemSettings | None = None) -> Debate:
    """A debate of Ada (strategist, elasticity 0.5) and Ben (no personality)."""
    turns = [speech(index, (PRO, CON)[index % 2]) for index in range(4)]
    return build_debate(opening_event(system or LiveSettings(), debaters=DEBATERS), turns, given)


def final_personality(debate: Debate, name: str) -> Personality | None:
    """The last personality of the curve."""
    curve = personality_curve(debate, name)
    return curve[-1].personality if curve else None


def test_a_pressure_moves_its_traits() -> None:
    """Cognitive 0.8 at elasticity 0.5: depth 7 + 0.8*1*0.5*3 = 8.2, abstraction 6 - 0.36 = 5.6, skepticism 6 + 0.6."""
    found = final_personality(debate_of(pressure_on(1, cognitive=0.8)), PRO)
    assert found is not None
    assert (found.analytical_depth, found.abstraction, found.skepticism) == pytest.approx((8.2, 5.6, 6.6))


def test_pressures_accumulate_in_turn_order() -> None:
    """Pressures of 1 raise depth 7 to 8.5 and to 10, the maximum; each turn has one point."""
    curve = personality_curve(
        debate_of(pressure_on(3, cognitive=1), pressure_on(1, cognitive=1), pressure_on(2, cognitive=1)), PRO
    )
    assert [(point.turn, point.personality.analytical_depth) for point in curve] == [
        (None, 7),
        (1, 8.5),
        (2, 10),
        (3, 10),
    ]


@pytest.mark.parametrize(
    "debate",
    [
        debate_of(pressure_on(0, CON, cognitive=1)),
        debate_of(pressure_on(1, cognitive=1), system=LiveSettings(feedback=False)),
        debate_of(pressure_on(1, cognitive=1), system=StructuredSettings()),
        debate_of(pressure_on(1, cognitive=1).model_copy(update={"run": "r2"})),
    ],
    ids=["other debater", "no feedback", "no live judge", "later run"],
)
def test_other_pressures_do_not_move_a_debater(debate: Debate) -> None:
    """Only pressure on the debater itself, by a live judge with feedback, in the first run."""
    assert final_personality(debate, PRO) == ARCHETYPES["strategist"]


def test_without_a_personality_there_is_no_curve() -> None:
    """Nor for an unknown name."""
    debate = debate_of(pressure_on(0, CON, cognitive=1))
    assert (personality_curve(debate, CON), personality_curve(debate, "Zoe")) == ((), ())


def test_each_point_has_its_pressure() -> None:
    """The last point has the pressure on the latest turn, in any order of arrival."""
    curve = personality_curve(debate_of(pressure_on(3, strategic=0.9), pressure_on(1, cognitive=0.8)), PRO)
    assert [point.pressure.strategic for point in curve if point.pressure is not None] == [0, 0.9]
