"""Computes every debater's state after each turn, for the persuasion system."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import fold_growing
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.persuasion.effects import turn_effects
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, Effect, apply_effect, end_round, record_speech


@dataclass(frozen=True, slots=True)
class StatePoint:
    """Every debater's state before the first turn or after a turn."""

    turn: Turn | None
    """The turn; None if the states are those before the first turn."""
    states: Mapping[str, DebaterState]
    effects: tuple[Effect, ...] = ()


def compute_state_curve(
    debate: Debate, settings: PersuasionSettings, run: JudgingRun | str = FIRST_RUN, *, due_round: int | None = None
) -> tuple[StatePoint, ...]:
    """Return every debater's state before the first turn and after each turn.

    `run`: the run whose ratings are used; ignored unless the setting is `effects: judge`. `due_round`: number of the round
    of the next turn; None if unknown.
    """
    by_turn = defaultdict[int, tuple[Assessment, ...]](tuple)
    for item in ordered_assessments(debate, "persuasion", run) if settings.effects == "judge" else ():
        if item.subject.moment == "turn" and len(item.subject.turns) == 1:
            by_turn[item.subject.turns[0]] += (item,)
    start = StatePoint(None, {item.name: DebaterState.at_start(item) for item in debate.participants})
    rated = tuple((turn, by_turn[turn.index]) for turn in debate.turns if turn.speaker in start.states)
    if not rated:
        return (start,)
    first, key = rated[0][0], ("persuasion", settings, debate.participants)
    points = fold_growing(first, key, rated, (start,), partial(_add_turn, settings))
    last = rated[-1][0]
    is_over = _is_round_over(debate, last.round, points[-1].states, due_round)
    return (*points[:-1], _end_round(points[-1], settings)) if is_over else points


def _add_turn(
    settings: PersuasionSettings, points: tuple[StatePoint, ...], rated: tuple[Turn, tuple[Assessment, ...]]
) -> tuple[StatePoint, ...]:
    turn, given = rated
    *earlier, last = points
    if last.turn is not None and last.turn.round != turn.round:
        last = _end_round(last, settings)
    effects = turn_effects(turn, last.states, settings, given)
    now = dict(last.states)
    for effect in effects:
        now[effect.target] = apply_effect(now[effect.target], effect)
    strategy = turn.strategy.name if turn.strategy is not None else None
    now[turn.speaker] = record_speech(now[turn.speaker], effects, strategy)
    return (*earlier, last, StatePoint(turn, now, effects))


def _end_round(point: StatePoint, settings: PersuasionSettings) -> StatePoint:
    return replace(point, states=end_round(point.states, settings.victory_conditions, settings.bystander_effect))


def _is_round_over(debate: Debate, number: int, states: Mapping[str, DebaterState], due_round: int | None) -> bool:
    if due_round is not None:
        return number < due_round
    spoke = {turn.speaker for turn in debate.select_turns(round_number=number)}
    return debate.closed is not None or all(state.surrendered or name in spoke for name, state in states.items())
