"""Computes and describes how exchanges (two adjacent turns) change a debater's personality."""

from collections.abc import Iterator, Mapping, Sequence

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
HARD_PRESSURE = 0.66
"""A debater's prompt says "pressed hard" if the opponent's pressure on the debater is at least this value (from 0 to 1)."""
FIRM_PRESSURE = 0.33
"""A debater's prompt says "pressed firmly" if the opponent's pressure is at least this value, but below HARD_PRESSURE."""


class PersonalityStep(FrozenModel):
    """A debater's personality before the first turn, or after an exchange (two adjacent turns)."""

    turn: int | None
    """Index of the later turn of the exchange; None before the first turn."""
    personality: Personality
    """The debater's personality, with unrounded traits."""


def personality_steps(debate: Debate, run: JudgingRun | str) -> dict[str, tuple[PersonalityStep, ...]]:
    """Return the personality over time for each debater whose personality changed.

    Only the first judging run changes personalities. For any other `run`, the result is empty.
    """
    if get_run_id(run) != FIRST_RUN:
        return {}
    curves = {item.name: personality_curve(debate, item.name) for item in debate.participants}
    return {
        name: curve for name, curve in curves.items() if any(step.personality != curve[0].personality for step in curve)
    }


def personality_curve(debate: Debate, name: str) -> tuple[PersonalityStep, ...]:
    """Return a debater's personality before the first turn, and after each exchange in which the debater took part.

    An exchange is two adjacent turns; exchanges that no judge has assessed are left out. The result is empty if the
    configuration gives the debater no personality.
    """
    start = next((item.personality for item in debate.participants if item.name == name), None)
    if start is None:
        return ()
    config = debate.config.debater(name)
    steps = [PersonalityStep(turn=None, personality=start)]
    for turn, pressure in _exchanges(debate, name):
        before = steps[-1].personality
        if pressure is None:
            after = recover(before, start, config.recovery)
        else:
            after = apply_pressures(before, _strengths([pressure]), config.elasticity)
        steps.append(PersonalityStep(turn=turn, personality=after))
    return tuple(steps)


def _strengths(felt: Sequence[Pressure]) -> dict[PressureKind, float]:
    return {kind: max((float(getattr(item, kind)) for item in felt), default=0.0) for kind in PRESSURE_KINDS}


def _exchanges(debate: Debate, name: str) -> Iterator[tuple[int, Pressure | None]]:
    if not any(isinstance(system, LiveSettings) and system.feedback for system in debate.config.judging.systems):
        return
    for item in ordered_assessments(debate, "live", FIRST_RUN):
        turns = [debate.turns_by_index[index] for index in item.subject.turns if index in debate.turns_by_index]
        if item.subject.moment == "pair" and any(turn.speaker == name for turn in turns):
            felt = next((found for _, found in iter_findings([item], Pressure) if found.participant == name), None)
            is_felt = felt is not None and any(getattr(felt, kind) for kind in PRESSURE_KINDS)
            yield max(item.subject.turns), felt if is_felt else None


def describe_pressure(debate: Debate, name: str) -> str:
    """Return a text for the debater's prompt: which personality traits changed, and how hard the opponents have pressed.

    Only the pressure since the debater's last turn is described. The text is empty if no trait changed and no opponent
    pressed the debater.
    """
    curve = personality_curve(debate, name)
    if not curve:
        return ""
    last = max((turn.index for turn in debate.select_turns(speaker=name)), default=0)
    felt = [pressure for turn, pressure in _exchanges(debate, name) if pressure is not None and turn >= last]
    return format_pressure(curve[0].personality, curve[-1].personality, _strengths(felt))


def format_pressure(start: Personality, now: Personality, pressures: Mapping[PressureKind, float]) -> str:
    """Return a text for a debater's prompt: which traits changed from `start` to `now`, and how hard opponents pressed.

    `pressures`: maps each kind of pressure on the debater, e.g. `cognitive`, to its strength, 0-1. The text is empty if
    all strengths are 0 and no trait changed.
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
    """Return the report's section on changed personalities; None if no personality changed."""
    moved = personality_steps(debate, FIRST_RUN)
    tables = tuple(_personality_table(name, curve) for name, curve in moved.items())
    return ReportSection("personalities", tables, ()) if tables else None


def _personality_table(name: str, curve: Sequence[PersonalityStep]) -> Table:
    rows: list[TableRow] = [(DebaterCell(name), None, None, None, None)]
    for trait in TRAITS:
        values = tuple(round(float(getattr(point.personality, trait)), 1) for point in curve)
        moved = values[-1] - values[0]
        sign = f"{'↑' if moved > 0 else '↓'} {moved:+.1f}" if moved else "="
        course = Curve(values, TRAIT_MIN, TRAIT_MAX)
        rows.append((trait.replace("_", " "), Number(values[0], 1), Number(values[-1], 1), sign, course))
    heads = ("trait", "start", "end", "moved", "after each exchange")
    return Table(f"personality, {name}", heads, tuple(rows), numeric=frozenset({1, 2, 3}))
