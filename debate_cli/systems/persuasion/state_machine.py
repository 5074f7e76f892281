"""The state machine of the persuasion system: computes every debater's state after each turn.

`stance` applies one effect to one state; `effects` computes the effects of a turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.judging_run import FIRST_RUN, JudgingRun
from debate_cli.domain.participant import Participant
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import StrategyPick, Turn
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.persuasion.effects import (
    EffectRatings,
    average_ratings,
    factor_effects,
    judge_effects,
    keyword_effects,
)
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import (
    DebaterState,
    Effect,
    apply_effect,
    end_round,
    record_speech,
    starting_state,
)
from debate_cli.systems.persuasion.strategies import pick_strategy


@dataclass(frozen=True, slots=True, eq=False)
class StatePoint:
    """Every debater's state after one turn. Compared by identity, so that it can be a key of memoized results."""

    turn: int | None
    """Index of the turn; None for the start."""
    states: Mapping[str, DebaterState]
    """Name -> state, in the order of the participants."""
    effects: tuple[Effect, ...] = ()
    """Effects of the turn. Debaters who have surrendered and targets that a judge has not rated have none."""


def compute_state_curve(
    debate: Debate, settings: PersuasionSettings, run: JudgingRun | str = FIRST_RUN, *, due_round: int | None = None
) -> tuple[StatePoint, ...]:
    """The curve: the start, then one point per turn, by index. The last point of a round holds its surrenders.

    `run`: the judging run whose ratings count with `effects: judge`. `due_round`: number of the round that is due, so that
    all rounds before it are over and it is not; None if the debate itself shows whether its last round is over.
    """
    given = ordered_assessments(debate, "persuasion", run) if settings.effects == "judge" else ()
    rated = _ratings_by_turn(average_ratings(given))
    points = [_start_point(debate.participants)]
    last: Turn | None = None
    for turn in sorted(debate.turns, key=lambda item: item.index):
        if turn.speaker not in points[0].states:
            continue
        if last is not None and last.round != turn.round:
            points[-1] = _end_round(last, points[-1], settings)
        points.append(_next_point(turn, points[-1], settings, rated.get(turn.index, ())))
        last = turn
    if last is not None and _is_round_over(debate, last.round, points[-1].states, due_round):
        points[-1] = _end_round(last, points[-1], settings)
    return tuple(points)


def _is_round_over(debate: Debate, number: int, states: Mapping[str, DebaterState], due_round: int | None) -> bool:
    """Whether the last round of a debate is over: the debate is closed, or all who have not surrendered spoke in it."""
    if due_round is not None:
        return number < due_round
    spoke = {turn.speaker for turn in debate.select_turns(round_number=number)}
    return debate.closed is not None or all(state.surrendered or name in spoke for name, state in states.items())


class StateChange(NamedTuple):
    """What one speech changed in a debater."""

    effect: Effect
    before: DebaterState
    after: DebaterState


def find_last_change(curve: Sequence[StatePoint], name: str) -> StateChange | None:
    """The last speech in a curve that changed the stance or the conviction of a debater; None if there is none."""
    for before, point in reversed(tuple(pairwise(curve))):
        for effect in point.effects:
            state = before.states[name]
            after = apply_effect(state, effect) if effect.target == name else state
            if (after.stance, after.conviction) != (state.stance, state.conviction):
                return StateChange(effect, state, after)
    return None


def pick_adaptive_strategy(debate: Debate, cue: Cue) -> StrategyPick:
    """The strategy of the speaker of `cue` under `strategy: adaptive`, given the turns in `debate`.

    Without a persuasion system in the debate, its default settings count (keyword effects, no model).
    """
    settings = configured_persuasion(debate) or PersuasionSettings()
    states = compute_state_curve(debate, settings, due_round=cue.round)[-1].states
    return pick_strategy(states, cue.speaker)


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
        effects = factor_effects(turn, targets, before, settings)
    else:
        effects = keyword_effects(turn, targets, settings)
    now = dict(before)
    for effect in effects:
        now[effect.target] = apply_effect(now[effect.target], effect)
    strategy = turn.strategy.name if turn.strategy is not None else None
    now[turn.speaker] = record_speech(now[turn.speaker], effects, strategy)
    return StatePoint(turn.index, now, effects)


@memoize_on_value
def _end_round(turn: Turn, point: StatePoint, settings: PersuasionSettings) -> StatePoint:
    del turn
    return replace(point, states=end_round(point.states, settings.victory_conditions, settings.bystander_effect))
