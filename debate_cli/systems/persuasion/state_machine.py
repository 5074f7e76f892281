"""The state machine of the persuasion system: computes every debater's state after each turn.

`stance` applies one effect to one state; `effects` computes the effects of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.persuasion.effects import (
    EffectRatings,
    average_ratings,
    factor_effects,
    judge_effects,
    keyword_effects,
)
from debate_cli.systems.persuasion.influence import outgoing_influence
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, Effect, apply_effect, record_turn, starting_state


@dataclass(frozen=True, slots=True)
class StatePoint:
    """Every debater's state after one turn."""

    turn: int | None
    """Index of the turn; None for the start."""
    states: Mapping[str, DebaterState]
    """By name, in the order of the participants."""
    effects: tuple[Effect, ...] = ()
    """Effects of the turn. Debaters who have surrendered and targets that a judge has not rated have none."""


def compute_state_curve(
    debate: Debate, settings: PersuasionSettings, run: JudgingRun | str = FIRST_RUN
) -> tuple[StatePoint, ...]:
    """The curve: the start, then one point per turn, by index.

    `run`: the judging run whose ratings count with `effects: judge`.
    """
    rated = average_ratings(ordered_assessments(debate, "persuasion", run) if settings.effects == "judge" else ())
    points = [StatePoint(None, {item.name: starting_state(item) for item in debate.participants})]
    for turn in sorted(debate.turns, key=lambda item: item.index):
        if turn.speaker in points[0].states:
            points.append(_next_point(turn, points, settings, rated))
    return tuple(points)


def current_states(
    debate: Debate, settings: PersuasionSettings, run: JudgingRun | str = FIRST_RUN
) -> Mapping[str, DebaterState]:
    """Every debater's state after the last turn."""
    return compute_state_curve(debate, settings, run)[-1].states


def configured_persuasion(debate: Debate) -> PersuasionSettings | None:
    """The persuasion system of the debate's own judging; None if it has none."""
    return next((system for system in debate.config.judging.systems if isinstance(system, PersuasionSettings)), None)


def collect_effects(points: Iterable[StatePoint]) -> tuple[Effect, ...]:
    """All effects of a curve, in order."""
    return tuple(effect for point in points for effect in point.effects)


def _next_point(turn: Turn, points: list[StatePoint], settings: PersuasionSettings, rated: EffectRatings) -> StatePoint:
    """The point after `turn`, computed from all earlier points."""
    before = points[-1].states
    targets = tuple(name for name, state in before.items() if name != turn.speaker and not state.surrendered)
    if settings.effects == "judge":
        effects = judge_effects(turn, targets, rated)
    elif settings.effects == "factors":
        reach = outgoing_influence(collect_effects(points)).get(turn.speaker, 0.0)
        effects = factor_effects(turn, targets, before, reach, settings.factors)
    else:
        effects = keyword_effects(turn, targets)
    now = dict(before)
    for effect in effects:
        now[effect.target] = apply_effect(now[effect.target], effect, settings.victory_conditions)
    now[turn.speaker] = record_turn(now[turn.speaker], effects)
    return StatePoint(turn.index, now, effects)
