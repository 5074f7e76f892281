"""Effects of a turn on the other debaters: by keywords, weighted factors or a judge's ratings; and social influence.

Social influence is a graph of who persuades whom, and a vector for each debater's position in it. All results are
deterministic: random features come from a fixed seed, and nothing is trained.
"""

import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.turn import Turn
from debate_cli.systems.aggregation import clamp_mark, mean, mean_by_key
from debate_cli.systems.persuasion.settings import Matching, PersuasionSettings
from debate_cli.systems.persuasion.stance import DebaterState, Effect
from debate_cli.systems.persuasion.strategies import pick_strategy

RATED_CRITERIA = ("persuasion", "attack", "evidence")
KEYWORD_POINTS = {"persuasion": 0.3, "attack": 0.4, "evidence": 0.35}
"""Maps criteria to the points that each occurring phrase adds."""


class KeywordScores(NamedTuple):
    """Scores of the phrases in a text; each value 0-1."""

    persuasion: float
    attack: float
    evidence: float


def keyword_scores(text: str, settings: PersuasionSettings) -> KeywordScores:
    """Return the scores of a text. Each phrase counts once; case is ignored."""
    counts = {
        criterion: _count_phrases(text, tuple(getattr(settings.keywords, criterion)), settings.matching)
        for criterion in KEYWORD_POINTS
    }
    return KeywordScores(**{name: min(1.0, KEYWORD_POINTS[name] * count) for name, count in counts.items()})


@lru_cache(maxsize=4096)
def _count_phrases(text: str, phrases: tuple[str, ...], matching: Matching) -> int:
    lowered = text.lower()
    distinct = dict.fromkeys(phrase.lower() for phrase in phrases)
    if matching == "words":
        words = (r"\s+".join(map(re.escape, phrase.split())) for phrase in distinct)
        return sum(re.search(rf"(?<!\w){pattern}(?!\w)", lowered) is not None for pattern in words)
    return sum(phrase in lowered for phrase in distinct)


def has_keyword(turns: Iterable[Turn], settings: PersuasionSettings) -> bool:
    """Return whether any keyword occurs in the turns."""
    return any(any(keyword_scores(turn.text, settings)) for turn in turns)


def keyword_effects(turn: Turn, targets: Iterable[str], settings: PersuasionSettings) -> tuple[Effect, ...]:
    """Return the effects of a turn, computed from its keywords. The effect on every target is equal."""
    scores = keyword_scores(turn.text, settings)
    return tuple(Effect(turn.index, turn.round, turn.speaker, target, *scores) for target in targets)


def factor_effects(
    turn: Turn, targets: Iterable[str], states: Mapping[str, DebaterState], settings: PersuasionSettings
) -> tuple[Effect, ...]:
    """Return effects with persuasion as a weighted sum of keywords, strategy fit, evidence and influence.

    `states`: the states before the turn. The strategy fits a target if an adaptive debater would choose it against that
    target alone. Influence is the speaker's mean persuasion so far.
    """
    found: list[Effect] = []
    factors, influence = settings.factors, states[turn.speaker].influence
    for effect in keyword_effects(turn, targets, settings):
        fits = (
            turn.strategy is not None
            and turn.strategy.name == pick_strategy(states, turn.speaker, (effect.target,)).name
        )
        persuasion = (
            factors.persuasion * effect.persuasion
            + factors.strategy_fit * fits
            + factors.evidence * effect.evidence
            + factors.social_influence * influence
        )
        found.append(replace(effect, persuasion=min(1.0, persuasion)))
    return tuple(found)


EffectRatings = Mapping[tuple[int, str], Mapping[str, float]]
"""Maps (turn, target) to ratings by criterion, 0-1, averaged over the judges."""


def average_ratings(given: Iterable[Assessment]) -> EffectRatings:
    """Average the judges' ratings of each turn."""
    means = mean_by_key(
        ((assessment.subject.turns[0], mark.participant, mark.criterion), clamp_mark(mark, 0, 1))
        for assessment in given
        if assessment.subject.moment == "turn" and len(assessment.subject.turns) == 1
        for mark in assessment.marks
        if mark.participant is not None and mark.criterion in RATED_CRITERIA
    )
    found: dict[tuple[int, str], dict[str, float]] = {}
    for (turn, participant, criterion), rating in means.items():
        found.setdefault((turn, participant), {})[criterion] = rating
    return found


def judge_effects(turn: Turn, targets: Iterable[str], rated: EffectRatings) -> tuple[Effect, ...]:
    """Return the effect of a turn on each target by the ratings. Omits targets not rated for persuasion and attack."""
    found: list[Effect] = []
    for target in targets:
        of = rated.get((turn.index, target), {})
        if "persuasion" in of and "attack" in of:
            evidence = of.get("evidence", 0.0)
            found.append(Effect(turn.index, turn.round, turn.speaker, target, of["persuasion"], of["attack"], evidence))
    return tuple(found)


CONTEXT_DIMENSIONS = 128
AGGREGATION_ROUNDS = 2
"""Number of times that each vector is averaged with its neighbours in the influence graph."""
_SEED = "debate-cli social context 1"

InfluenceGraph = Mapping[tuple[str, str], float]
"""Maps (from, to) to the mean persuasion of the second debater by the first, 0-1. Omits pairs without an effect."""


def build_influence_graph(effects: Iterable[Effect]) -> InfluenceGraph:
    """Return the graph of who persuades whom, from the given effects."""
    return mean_by_key(((effect.speaker, effect.target), effect.persuasion) for effect in effects)


def outgoing_influence(effects: Iterable[Effect]) -> dict[str, float]:
    """Map each debater to the mean weight of its outgoing edges in the influence graph, if it has any."""
    return mean_by_key((speaker, weight) for (speaker, _), weight in build_influence_graph(effects).items())


def social_context_vectors(
    states: Mapping[str, DebaterState], effects: Iterable[Effect]
) -> dict[str, tuple[float, ...]]:
    """Map each debater to a vector of 128 numbers with Euclidean length 1.

    Initial values are random features of stance, conviction, mean persuasion received and mean attack received. Then,
    twice, each vector becomes the mean of itself and the mean of its predecessors in the influence graph; a vector
    without predecessors stays unchanged.
    """
    graph = build_influence_graph(effects)
    reached_by = {name: [source for source, target in graph if target == name and source in states] for name in states}
    vectors = {name: _random_features(state) for name, state in states.items()}
    for _ in range(AGGREGATION_ROUNDS):
        vectors = {
            name: _average_with_neighbours(vectors[name], [vectors[by] for by in reached_by[name]]) for name in states
        }
    lengths = {name: math.sqrt(math.fsum(value * value for value in vector)) or 1.0 for name, vector in vectors.items()}
    return {name: tuple(value / lengths[name] for value in vector) for name, vector in vectors.items()}


def cosine_similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors of length 1, from -1 to 1."""
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, other, strict=True))))


@cache
def _projection() -> tuple[tuple[float, ...], ...]:
    source = random.Random(_SEED)  # noqa: S311 - fixed features, not a secret
    return tuple(
        (*(source.gauss(0, 1) for _ in range(4)), source.uniform(0, 2 * math.pi)) for _ in range(CONTEXT_DIMENSIONS)
    )


def _random_features(state: DebaterState) -> tuple[float, ...]:
    known = (state.stance, state.conviction, mean(state.persuasion), mean(state.attack))
    return tuple(
        math.cos(math.fsum(weight * value for weight, value in zip(row, (*known, 1.0), strict=True)))
        for row in _projection()
    )


def _average_with_neighbours(own: Sequence[float], others: Sequence[Sequence[float]]) -> tuple[float, ...]:
    if not others:
        return tuple(own)
    return tuple((value + mean(theirs)) / 2 for value, theirs in zip(own, zip(*others, strict=True), strict=True))
