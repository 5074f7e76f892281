"""The state machine of the persuasion system: computes every debater's state after each turn.

`stance` applies one effect to one state; `effects` computes the effects of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.participant import Participant
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


@dataclass(frozen=True, slots=True, eq=False)
class StatePoint:
    """Every debater's state after one turn. Compared by identity, so that it can be a key of memoized results."""

    turn: int | None
    """Index of the turn; None for the start."""
    states: Mapping[str, DebaterState]
    """By name, in the order of the participants."""
    effects: tuple[Effect, ...] = ()
    """Effects of the turn. Debaters who have surrendered and targets that a judge has not rated have none."""
    before: StatePoint | None = field(default=None, repr=False)
    """The point of the turn before; None for the start."""


def compute_state_curve(
    debate: Debate, settings: PersuasionSettings, run: JudgingRun | str = FIRST_RUN
) -> tuple[StatePoint, ...]:
    """The curve: the start, then one point per turn, by index.

    `run`: the judging run whose ratings count with `effects: judge`.
    """
    given = ordered_assessments(debate, "persuasion", run) if settings.effects == "judge" else ()
    rated = _ratings_by_turn(average_ratings(given))
    points = [_start_point(debate.participants)]
    for turn in sorted(debate.turns, key=lambda item: item.index):
        if turn.speaker in points[0].states:
            points.append(_next_point(turn, points[-1], settings, rated.get(turn.index, ())))
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


@lru_cache(maxsize=64)
def _start_point(debaters: tuple[Participant, ...]) -> StatePoint:
    return StatePoint(None, {item.name: starting_state(item) for item in debaters})


TurnRatings = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
"""The judges' ratings of one turn: (target, ((criterion, rating), ...))."""


def _ratings_by_turn(rated: EffectRatings) -> Mapping[int, TurnRatings]:
    found: dict[int, TurnRatings] = {}
    for (index, target), of in rated.items():
        found[index] = (*found.get(index, ()), (target, tuple(of.items())))
    return found


@memoize_on_value
def _next_point(turn: Turn, point: StatePoint, settings: PersuasionSettings, rated: TurnRatings) -> StatePoint:
    """The point after `turn`, which follows `point`.

    Memoized on the turn, so that a debate that grows turn by turn computes each point once.
    """
    before = point.states
    targets = tuple(name for name, state in before.items() if name != turn.speaker and not state.surrendered)
    if settings.effects == "judge":
        effects = judge_effects(turn, targets, {(turn.index, target): dict(of) for target, of in rated})
    elif settings.effects == "factors":
        reach = outgoing_influence(collect_effects(_points_up_to(point))).get(turn.speaker, 0.0)
        effects = factor_effects(turn, targets, before, reach, settings.factors)
    else:
        effects = keyword_effects(turn, targets)
    now = dict(before)
    for effect in effects:
        now[effect.target] = apply_effect(now[effect.target], effect, settings.victory_conditions)
    now[turn.speaker] = record_turn(now[turn.speaker], effects)
    return StatePoint(turn.index, now, effects, point)


def _points_up_to(point: StatePoint) -> list[StatePoint]:
    points = [point]
    while points[-1].before is not None:
        points.append(points[-1].before)
    return points[::-1]
