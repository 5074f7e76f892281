"""Social influence among debaters: who persuades whom, and a vector that describes each debater's social context.

Pure and deterministic: the random features come from a fixed seed, and nothing is trained.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from debate_cli.systems.aggregation import mean
from debate_cli.systems.persuasion.stance import DebaterState, Effect

CONTEXT_DIMENSIONS = 128
AGGREGATION_ROUNDS = 2
"""How often neighbours are aggregated."""
_SEED = "debate-cli social context 1"

InfluenceGraph = Mapping[tuple[str, str], float]
"""(from, to) -> mean persuasion of the second debater by the first, 0-1. Pairs without any persuasion are omitted."""


def build_influence_graph(effects: Iterable[Effect]) -> InfluenceGraph:
    """Build the directed graph of mean persuasion from the given effects."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for effect in effects:
        found[effect.speaker, effect.target].append(effect.persuasion)
    return {edge: mean(values) for edge, values in found.items()}


def outgoing_influence(effects: Iterable[Effect]) -> dict[str, float]:
    """Name -> mean weight of its outgoing edges; debaters without any are omitted."""
    out: dict[str, list[float]] = defaultdict(list)
    for (speaker, _), weight in build_influence_graph(effects).items():
        out[speaker].append(weight)
    return {name: mean(weights) for name, weights in out.items()}


def social_context_vectors(
    states: Mapping[str, DebaterState], effects: Iterable[Effect]
) -> dict[str, tuple[float, ...]]:
    """Name -> a vector of 128 numbers with Euclidean length 1.

    Initial values are random features of (stance, conviction, mean persuasion received, mean attack received). Twice,
    each vector is then replaced by the mean of itself and the mean of its predecessors in the influence graph; a vector
    without predecessors stays unchanged.
    """
    graph = build_influence_graph(effects)
    reached_by = {name: [source for source, target in graph if target == name and source in states] for name in states}
    vectors = {name: _random_features(state) for name, state in states.items()}
    for _ in range(AGGREGATION_ROUNDS):
        vectors = {
            name: _average_with_neighbours(vectors[name], [vectors[by] for by in reached_by[name]]) for name in states
        }
    return {name: _normalize_vector(vector) for name, vector in vectors.items()}


def cosine_similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine of two vectors of length 1, -1 to 1."""
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, other, strict=True))))


@cache
def _projection() -> tuple[tuple[float, ...], ...]:
    """One row of four weights and a phase for each dimension."""
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


def _normalize_vector(vector: Sequence[float]) -> tuple[float, ...]:
    length = math.sqrt(math.fsum(value * value for value in vector))
    return tuple(value / length for value in vector) if length else tuple(vector)
