"""Computes a debater's personality after every assessed exchange from the live judge's pressures, and describes it.

`domain.personality` has the arithmetic.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.personality import (
    PRESSURE_KINDS,
    TRAIT_MAX,
    TRAIT_MIN,
    TRAITS,
    Personality,
    PressureKind,
    apply_pressures,
    recover,
)
from debate_cli.systems.aggregation import get_run_id, iter_findings, ordered_assessments
from debate_cli.systems.base import ReportSection
from debate_cli.systems.live.findings import Pressure
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.tables import Curve, DebaterCell, Number, Table, TableRow

PRESSURE_TARGETS = {
    "cognitive": "the logic of your arguments",
    "emotional": "your temper",
    "strategic": "your control of what the debate is about",
    "credibility": "the credibility of your evidence",
}
"""Maps kinds of pressure to what they weaken, in words for the debater's prompt."""
HARD_PRESSURE, FIRM_PRESSURE = 0.66, 0.33
"""Minimum pressures for the words "hard" and "firmly" in the debater's prompt."""


@dataclass(frozen=True, slots=True)
class PersonalityPoint:
    """A debater's personality at the start, or after one assessed exchange."""

    turn: int | None
    """Index of the later turn of the exchange; None at the start of the debate."""
    personality: Personality
    pressure: Pressure | None
    """The pressure that changed the personality; None at the start or without any pressure."""


class PersonalityStep(FrozenModel):
    """A debater's personality at the start, or after one assessed exchange, as stored in the notes of a verdict."""

    turn: int | None
    """Index of the later turn of the exchange; None at the start of the debate."""
    personality: Personality
    """The personality, with unrounded traits."""


def personality_steps(debate: Debate, run: JudgingRun | str) -> dict[str, tuple[PersonalityStep, ...]]:
    """Map each debater to its personality after each exchange. Empty unless `run` is the debate's own judging run.

    Debaters whose personality did not change are omitted.
    """
    if get_run_id(run) != FIRST_RUN:
        return {}
    curves = {item.name: personality_curve(debate, item.name) for item in debate.participants}
    return {
        name: tuple(PersonalityStep(turn=point.turn, personality=point.personality) for point in curve)
        for name, curve in curves.items()
        if has_moved(curve)
    }


def personality_curve(debate: Debate, name: str) -> tuple[PersonalityPoint, ...]:
    """Return one point for the start, then one for each assessed exchange in which the debater took part.

    After an exchange without pressure the personality recovers. Empty if no debater of this name has a personality.
    """
    start = next((item.personality for item in debate.participants if item.name == name), None)
    if start is None:
        return ()
    config = debate.config.debater(name)
    points = [PersonalityPoint(None, start, None)]
    for turn, pressure in _exchanges(debate, name):
        before = points[-1].personality
        if pressure is None:
            after = recover(before, start, config.recovery)
        else:
            felt: dict[PressureKind, float] = {kind: float(getattr(pressure, kind)) for kind in PRESSURE_KINDS}
            after = apply_pressures(before, felt, config.elasticity)
        points.append(PersonalityPoint(turn, after, pressure))
    return tuple(points)


def has_moved(curve: tuple[PersonalityPoint, ...]) -> bool:
    """Return whether the personality differs from the start at any point of the curve."""
    return any(point.personality != curve[0].personality for point in curve)


def _exchanges(debate: Debate, name: str) -> Iterator[tuple[int, Pressure | None]]:
    """Yield (later turn, pressure on `name` or None) for each exchange that the debate's own live judge assessed.

    Yields nothing if the setting `feedback` is off. Later judging runs do not affect personalities.
    """
    if not any(isinstance(system, LiveSettings) and system.feedback for system in debate.config.judging.systems):
        return
    for item in ordered_assessments(debate, "live", FIRST_RUN):
        turns = [debate.turns_by_index[index] for index in item.subject.turns if index in debate.turns_by_index]
        if item.subject.moment == "pair" and any(turn.speaker == name for turn in turns):
            felt = next((found for _, found in iter_findings([item], Pressure) if found.participant == name), None)
            is_felt = felt is not None and any(getattr(felt, kind) for kind in PRESSURE_KINDS)
            yield max(item.subject.turns), felt if is_felt else None


def describe_pressure(debate: Debate, name: str) -> str:
    """Tell a debater the pressure since its last turn and every changed trait. May be empty."""
    curve = personality_curve(debate, name)
    if not curve:
        return ""
    last = max((turn.index for turn in debate.select_turns(speaker=name)), default=0)
    felt = [point.pressure for point in curve if point.pressure is not None and (point.turn or 0) >= last]
    pressures: dict[PressureKind, float] = {
        kind: max((float(getattr(item, kind)) for item in felt), default=0.0) for kind in PRESSURE_KINDS
    }
    return format_pressure(curve[0].personality, curve[-1].personality, pressures)


def format_pressure(start: Personality, now: Personality, pressures: Mapping[PressureKind, float]) -> str:
    """Describe the `pressures`, then the traits that changed from `start` to `now`, the largest change first.

    Empty without pressures and changed traits. Traits are rounded to one decimal; smaller changes are left out.
    """
    felt: list[str] = []
    for kind, value in pressures.items():
        if value > 0:
            how = "hard" if value >= HARD_PRESSURE else "firmly" if value >= FIRM_PRESSURE else "lightly"
            felt.append(f"{how} on {PRESSURE_TARGETS[kind]}")
    values = {trait: (round(getattr(start, trait), 1), round(getattr(now, trait), 1)) for trait in TRAITS}
    moved = [
        f"{'more' if after > before else 'less'} {trait.replace('_', ' ')} ({before:g} to {after:g})"
        for trait, (before, after) in sorted(values.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
        if after != before
    ]
    pressed = f"In the last exchange you were pressed {', '.join(felt)}." if felt else ""
    return " ".join(filter(None, (pressed, f"Argue with {', '.join(moved)}." if moved else "")))


def build_personality_section(debate: Debate) -> ReportSection | None:
    """Build a table for each debater whose personality changed; None if none changed."""
    curves = {person.name: personality_curve(debate, person.name) for person in debate.participants}
    moved = {name: curve for name, curve in curves.items() if has_moved(curve)}
    if not moved:
        return None
    tables = tuple(_personality_table(name, curve) for name, curve in moved.items())
    return ReportSection("personalities", tables, ())


def _personality_table(name: str, curve: Sequence[PersonalityPoint]) -> Table:
    rows: list[TableRow] = [(DebaterCell(name), None, None, None, None)]
    for trait in TRAITS:
        values = tuple(round(float(getattr(point.personality, trait)), 1) for point in curve)
        moved = values[-1] - values[0]
        sign = f"{'↑' if moved > 0 else '↓'} {moved:+.1f}" if moved else "="
        course = Curve(values, TRAIT_MIN, TRAIT_MAX)
        rows.append((trait.replace("_", " "), Number(values[0], 1), Number(values[-1], 1), sign, course))
    heads = ("trait", "start", "end", "moved", "after each exchange")
    return Table(f"personality, {name}", heads, tuple(rows), numeric=frozenset({1, 2, 3}))
