"""Personality curves: how the live judge's pressures move a debater's traits."""

from typing import Any

import pytest
from scoring_support import CON, PRO, THIRD, THREE, TWO, assessment, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.personality import ARCHETYPES, Personality
from debate_cli.systems.live.findings import Pressure
from debate_cli.systems.live.personality_drift import personality_curve, personality_steps
from debate_cli.systems.live.score import LiveNotes, score_run
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.structured.settings import StructuredSettings

DEBATERS: tuple[dict[str, Any], ...] = ({**TWO[0], "personality": "strategist", "elasticity": 0.5}, TWO[1])


def pressure_on(turn: int, name: str = PRO, **kinds: float) -> Assessment:
    """Return a live assessment of the exchange that ends with `turn`, with pressure on one debater."""
    none = Pressure(participant=name, cognitive=0, emotional=0, strategic=0, credibility=0)
    finding = none.model_copy(update=kinds)
    return assessment("live", (), finding, moment="pair", turns=(turn - 1, turn))


def debate_of(*given: Assessment, system: SystemSettings | None = None) -> Debate:
    """Return a debate of Ada, a strategist with elasticity 0.5, and Ben, who has no personality."""
    turns = [speech(index, (PRO, CON)[index % 2]) for index in range(4)]
    return build_debate(opening_event(system or LiveSettings(), debaters=DEBATERS), turns, given)


def final_personality(debate: Debate, name: str) -> Personality | None:
    """Return the last personality of the curve."""
    curve = personality_curve(debate, name)
    return curve[-1].personality if curve else None


def test_a_pressure_moves_its_traits() -> None:
    """Cognitive pressure of 0.8 at elasticity 0.5 lowers abstraction and raises skepticism by the worked numbers."""
    found = final_personality(debate_of(pressure_on(1, cognitive=0.8)), PRO)
    assert found is not None
    assert (found.abstraction, found.skepticism) == pytest.approx((5.8, 6 + 0.6 * 4 / 9))


def test_pressures_accumulate_in_turn_order() -> None:
    """Three pressures raise openness one after the other in the order of turns, without rounding."""
    curve = personality_curve(
        debate_of(pressure_on(3, strategic=1), pressure_on(1, strategic=1), pressure_on(2, strategic=1)), PRO
    )
    expected = [5.0]
    for _ in range(3):
        expected.append(expected[-1] + 0.45 * (10 - expected[-1]) / 9)
    assert [point.turn for point in curve] == [None, 1, 2, 3]
    assert [point.personality.openness for point in curve] == pytest.approx(expected)


def test_an_exchange_without_pressure_is_an_event() -> None:
    """With a recovery of 0.1, an exchange without pressure takes back a tenth of the change."""
    debaters = ({**DEBATERS[0], "recovery": 0.1}, TWO[1], THREE[2])
    turns = [speech(index, (PRO, CON, THIRD)[index % 3]) for index in range(5)]
    given = (pressure_on(1, cognitive=1), pressure_on(2, CON, cognitive=1), pressure_on(3, THIRD, cognitive=1))
    curve = personality_curve(build_debate(opening_event(LiveSettings(), debaters=debaters), turns, given), PRO)
    start, pressed, recovered = (point.personality.abstraction for point in curve)
    assert [point.turn for point in curve] == [None, 1, 3]
    assert recovered == pytest.approx(pressed + 0.1 * (start - pressed))


@pytest.mark.parametrize(
    "debate",
    [
        debate_of(pressure_on(1, CON, cognitive=1)),
        debate_of(pressure_on(1, cognitive=1), system=LiveSettings(feedback=False)),
        debate_of(pressure_on(1, cognitive=1), system=StructuredSettings()),
        debate_of(pressure_on(1, cognitive=1).model_copy(update={"run": "r2"})),
        debate_of(pressure_on(90, cognitive=1)),
    ],
    ids=["other debater", "no feedback", "no live judge", "later run", "turns that do not exist"],
)
def test_other_pressures_do_not_move_a_debater(debate: Debate) -> None:
    """Only pressure on the debater itself, by a live judge with feedback in the first run, moves its personality."""
    assert final_personality(debate, PRO) == ARCHETYPES["strategist"]


def test_the_notes_hold_the_course_of_each_moved_personality() -> None:
    """The notes of the first run have each changed personality at the start and after each exchange."""
    debate = debate_of(pressure_on(1, strategic=1))
    notes = score_run(debate, "r1", LiveSettings()).notes
    assert isinstance(notes, LiveNotes)
    steps = notes.personalities
    assert [(step.turn, step.personality.openness) for step in steps[PRO]] == [(None, 5), (1, pytest.approx(5.25))]
    assert list(steps) == [PRO]
    assert personality_steps(debate, "r2") == {}
