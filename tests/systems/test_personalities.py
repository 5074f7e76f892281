"""Personalities as the fold of pressures."""

from __future__ import annotations

from typing import Any

import pytest
from scoring_support import CON, PRO, TWO, assessment, begun, judged, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.personality import ARCHETYPES, Personality
from debate_cli.systems.live.findings import Pressure
from debate_cli.systems.live.personality_drift import personality_curve
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.structured.settings import StructuredSettings

DEBATERS: tuple[dict[str, Any], ...] = ({**TWO[0], "personality": "strategist", "elasticity": 0.5}, TWO[1])


def pressed(turn: int, name: str = PRO, **kinds: float) -> Assessment:
    """The live judge's word on a turn, with pressure on a debater."""
    none = Pressure(participant=name, cognitive=0, emotional=0, strategic=0, credibility=0)
    finding = none.model_copy(update=kinds)
    return assessment("live", (), finding, moment="turn", turns=(turn,))


def debate_of(*given: Assessment, system: SystemSettings | None = None) -> Debate:
    """A debate of a strategist, elasticity 0.5, with somebody without a personality."""
    turns = [speech(index, (PRO, CON)[index % 2]) for index in range(4)]
    return judged(begun(system or LiveSettings(), debaters=DEBATERS), turns, given)


def _after(debate: Debate, name: str) -> Personality | None:
    """The personality after all that was judged."""
    curve = personality_curve(debate, name)
    return curve[-1].personality if curve else None


def test_a_pressure_moves_its_traits() -> None:
    """Cognitive 0.8 at elasticity 0.5: depth 7 + 0.8*1*0.5*3 = 8.2, abstraction 6 - 0.36 = 5.6, skepticism 6 + 0.6."""
    found = _after(debate_of(pressed(1, cognitive=0.8)), PRO)
    assert found is not None
    assert (found.analytical_depth, found.abstraction, found.skepticism) == pytest.approx((8.2, 5.6, 6.6))


def test_pressures_add_up_in_the_order_of_the_turns() -> None:
    """Two pressures of 1 raise depth 7 to 8.5 and then to 10, where it is held; each has its point."""
    curve = personality_curve(debate_of(pressed(3, cognitive=1), pressed(1, cognitive=1), pressed(2, cognitive=1)), PRO)
    assert [(point.turn, point.personality.analytical_depth) for point in curve] == [
        (None, 7),
        (1, 8.5),
        (2, 10),
        (3, 10),
    ]


def test_pressure_on_another_moves_nothing() -> None:
    """Ben's pressure leaves Ada as she was."""
    assert _after(debate_of(pressed(0, CON, cognitive=1)), PRO) == ARCHETYPES["strategist"]


def test_without_a_personality_there_is_none_after() -> None:
    """Ben has no traits to move."""
    assert _after(debate_of(pressed(0, CON, cognitive=1)), CON) is None


@pytest.mark.parametrize(
    "system", [LiveSettings(feedback=False), StructuredSettings()], ids=["feedback off", "no live judge"]
)
def test_without_feedback_nothing_moves(system: SystemSettings) -> None:
    """Pressure reaches debaters only where feedback is on."""
    assert _after(debate_of(pressed(1, cognitive=1), system=system), PRO) == ARCHETYPES["strategist"]


def test_a_later_run_moves_nothing() -> None:
    """What a later judging run says cannot have moved the debate."""
    later = pressed(1, cognitive=1).model_copy(update={"run": "r2"})
    assert _after(debate_of(later), PRO) == ARCHETYPES["strategist"]


def test_the_point_tells_what_moved_it() -> None:
    """Of two pressures the last point has the one on the later turn, whichever came first."""
    curve = personality_curve(debate_of(pressed(3, strategic=0.9), pressed(1, cognitive=0.8)), PRO)
    assert [point.pressure.strategic for point in curve if point.pressure is not None] == [0, 0.9]


def test_a_stranger_has_none() -> None:
    """A name that the debate does not know has no curve."""
    assert personality_curve(debate_of(pressed(1, cognitive=1)), "Zoe") == ()
