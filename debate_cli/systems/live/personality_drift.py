"""A debater's personality after every judged turn: the fold of the live judge's pressures.

`domain.personality` has the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.personality import PRESSURE_KINDS, Personality, PressureKind, apply_pressures
from debate_cli.domain.tasks import MOMENTS
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.live.findings import Pressure
from debate_cli.systems.live.settings import LiveSettings


@dataclass(frozen=True, slots=True)
class PersonalityPoint:
    """A debater's personality after one judged turn."""

    turn: int | None
    """Index of the judged turn; None for the start."""
    personality: Personality
    pressure: Pressure | None
    """The pressure that moved it; None for the start."""


def personality_curve(debate: Debate, name: str) -> tuple[PersonalityPoint, ...]:
    """The start, then one point for each pressure on the debater, in the order of the judged turns.

    Empty for a debater without a personality, and for an unknown name.
    """
    start = next((item.personality for item in debate.participants if item.name == name), None)
    if start is None:
        return ()
    elasticity = next((item.elasticity for item in debate.config.debaters if item.name == name), 0.0)
    points = [PersonalityPoint(None, start, None)]
    for turn, pressure in _pressures(debate, name):
        pressures: dict[PressureKind, float] = {kind: float(getattr(pressure, kind)) for kind in PRESSURE_KINDS}
        points.append(PersonalityPoint(turn, apply_pressures(points[-1].personality, pressures, elasticity), pressure))
    return tuple(points)


def _pressures(debate: Debate, name: str) -> list[tuple[int, Pressure]]:
    """(judged turn, pressure) on `name` from the debate's own live judge; none without feedback.

    Later judging runs have no effect on the course of the debate.
    """
    if not any(isinstance(system, LiveSettings) and system.feedback for system in debate.config.judging.systems):
        return []
    found = [
        (max(item.subject.turns), MOMENTS.index(item.subject.moment), place, finding)
        for item in ordered_assessments(debate, "live", FIRST_RUN)
        if item.subject.turns
        for place, finding in enumerate(item.findings)
        if isinstance(finding, Pressure) and finding.participant == name
    ]
    return [(turn, pressure) for turn, _, _, pressure in sorted(found, key=lambda entry: entry[:3])]
