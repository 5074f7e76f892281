"""Computes the effects of a turn on the other debaters, and who persuades whom in a debate."""

import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean, mean_by_key
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, Effect
from debate_cli.systems.persuasion.strategies import pick_strategy

RATED_CRITERIA = ("persuasion", "attack", "evidence")
KEYWORD_POINTS = {"persuasion": 0.3, "attack": 0.4, "evidence": 0.35}
"""Maps a criterion to points. A speech gets these points for each keyword of the criterion in its text, but at most 1
point per criterion."""


def keyword_scores(text: str, settings: PersuasionSettings) -> tuple[float, ...]:
    """Return the persuasion, attack and evidence of `text`, each 0-1. They depend on the keywords that `text` contains."""
    lowered = text.lower()

    def occurs(phrase: str) -> bool:
        if settings.matching == "substring":
            return phrase in lowered
        words = r"\s+".join(map(re.escape, phrase.split()))
        return re.search(rf"(?<!\w){words}(?!\w)", lowered) is not None

    scores: list[float] = []
    for criterion, points in KEYWORD_POINTS.items():
        phrases = {phrase.lower() for phrase in getattr(settings.keywords, criterion)}
        scores.append(min(1.0, points * sum(map(occurs, phrases))))
    return tuple(scores)


def turn_effects(
    turn: Turn, states: Mapping[str, DebaterState], settings: PersuasionSettings, given: Iterable[Assessment]
) -> tuple[Effect, ...]:
    """Return the effects of a turn on the other debaters who have not surrendered.

    `states`: the debaters' states before the turn. `given`: the assessments of the turn, used only with the setting
    `effects: judge`. With this setting, debaters whose persuasion or attack was not rated are left out.
    """
    targets = [name for name, state in states.items() if name != turn.speaker and not state.surrendered]
    if settings.effects == "judge":
        rated = mean_by_key(
            ((mark.participant, mark.criterion), clamp_mark(mark, 0, 1))
            for assessment in given
            for mark in assessment.marks
            if mark.criterion in RATED_CRITERIA and mark.participant in targets
        )
        return tuple(
            Effect(turn, name, rated[name, "persuasion"], rated[name, "attack"], rated.get((name, "evidence"), 0.0))
            for name in targets
            if (name, "persuasion") in rated and (name, "attack") in rated
        )
    scores = keyword_scores(turn.text, settings)
    effects = tuple(Effect(turn, target, *scores) for target in targets)
    if settings.effects == "keywords":
        return effects
    return tuple(replace(effect, persuasion=_weigh_factors(effect, states, settings)) for effect in effects)


def _weigh_factors(effect: Effect, states: Mapping[str, DebaterState], settings: PersuasionSettings) -> float:
    strategy, speaker, factors = effect.turn.strategy, effect.turn.speaker, settings.factors
    fits = strategy is not None and strategy.name == pick_strategy(states, speaker, (effect.target,)).name
    persuasion = (
        factors.persuasion * effect.persuasion
        + factors.strategy_fit * fits
        + factors.evidence * effect.evidence
        + factors.social_influence * states[speaker].influence
    )
    return min(1.0, persuasion)


CONTEXT_DIMENSIONS = 128
AGGREGATION_ROUNDS = 2
"""Number of steps in `social_context_vectors`. Each step replaces a debater's vector with the mean vector of the speakers
who affected the debater."""
_SEED = "debate-cli social context 1"

InfluenceGraph = Mapping[tuple[str, str], float]
"""Maps (speaker, target) to how much the speaker persuaded the target on average, 0-1."""


def build_influence_graph(effects: Iterable[Effect]) -> InfluenceGraph:
    """Return the mean persuasion, 0-1, for each pair of speaker and target in `effects`."""
    return mean_by_key(((effect.turn.speaker, effect.target), effect.persuasion) for effect in effects)


def outgoing_influence(graph: InfluenceGraph) -> dict[str, float]:
    """Map each speaker to how much the speaker persuaded the other debaters on average, 0-1."""
    return mean_by_key((speaker, weight) for (speaker, _), weight in graph.items())


def social_context_vectors(states: Mapping[str, DebaterState], graph: InfluenceGraph) -> dict[str, tuple[float, ...]]:
    """Map each debater to a unit vector of 128 numbers.

    First, each vector is computed from the debater's state: similar states give similar vectors. Then two steps follow.
    Each step replaces a debater's vector with the mean vector of the speakers who affected the debater. If no speaker
    affected the debater, the vector stays. If a debate has only two debaters, who affected each other, the first step
    swaps their vectors, and the second step swaps them back.
    """
    vectors = {name: _random_features(state) for name, state in states.items()}
    for _ in range(AGGREGATION_ROUNDS):
        before = vectors
        vectors = dict(before)
        for name in states:
            reached_by = [before[source] for source, target in graph if target == name and source in states]
            if reached_by:
                vectors[name] = tuple(mean(values) for values in zip(*reached_by, strict=True))
    lengths = {name: math.hypot(*vector) or 1.0 for name, vector in vectors.items()}
    return {name: tuple(value / lengths[name] for value in vector) for name, vector in vectors.items()}


def cosine_similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors of length 1, from -1 to 1."""
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, other, strict=True))))


@cache
def _projection() -> tuple[tuple[float, ...], ...]:
    source = random.Random(_SEED)  # noqa: S311 - fixed features, not a secret
    return tuple(
        (*(source.gauss(0, 1) for _ in range(4)), source.uniform(0, 2 * math.pi)) for _ in range(CONTEXT_DIMENSIONS)
    )


def _random_features(state: DebaterState) -> tuple[float, ...]:
    known = (state.stance, state.conviction, mean(state.persuasion), mean(state.attack), 1.0)
    return tuple(math.cos(math.fsum(a * b for a, b in zip(row, known, strict=True))) for row in _projection())
