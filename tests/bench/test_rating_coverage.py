"""Ratings of simulated tournaments with known strengths: how often intervals cover, and how often ranks are right."""

import itertools
import math
from statistics import NormalDist, fmean

import numpy as np
import pytest
from bench.figures import Figures

from debate_cli.statistics.ratings import PairResult, rate

STRENGTHS = {"a": 1.0, "b": 0.5, "c": 0.0, "d": -0.5, "e": -1.0}
SIDE = 0.3
MOTION_SPREAD, DEBATE_SPREAD = 0.6, 0.5
"""Standard deviations of the advantage that a motion, and that a debate, gives one side."""
JUDGES = 2
REPETITIONS = 500
RESAMPLES = 300


@pytest.mark.parametrize("motions", [10, 30])
def test_intervals_cover(figures: Figures, motions: int) -> None:
    """95 % intervals of strengths and of the side's advantage cover the truth in 93 to 97 % of the tournaments."""
    true = _population_values()
    inside = dict.fromkeys(true, 0)
    ordered = compared = 0
    for seed in range(REPETITIONS):
        ratings = rate(_play(motions, np.random.default_rng(seed)), resamples=RESAMPLES)
        found = {rating.name: rating.strength for rating in ratings.ratings} | {"side": ratings.side}
        for name, value in true.items():
            low, high = found[name].low, found[name].high
            assert low is not None
            assert high is not None
            inside[name] += low <= value <= high
        names = [rating.name for rating in ratings.ratings]
        ordered += sum(first < second for first, second in itertools.combinations(names, 2))
        compared += len(names) * (len(names) - 1) // 2
    shares = {name: count / REPETITIONS for name, count in inside.items()}
    basis = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    mean = sum(shares.values()) / len(shares)
    figures.add(f"coverage of 95 % intervals, {motions} motions, at least", mean, basis, bound=0.93, at_least=True)
    figures.add(f"coverage of 95 % intervals, {motions} motions, at most", mean, basis, bound=0.97)
    figures.add(
        f"pairs of players in the true order, {motions} motions",
        ordered / compared,
        f"strengths {', '.join(map(str, STRENGTHS.values()))}",
        bound=0.95,
        at_least=True,
    )


def _play(motions: int, generator: np.random.Generator) -> list[PairResult]:
    """A tournament: every pair in both orders on every motion, with judges who see the same debate."""
    results: list[PairResult] = []
    for motion in range(motions):
        slant = generator.normal(0, MOTION_SPREAD)
        for left, right in itertools.permutations(STRENGTHS, 2):
            chance = _chance(left, right, slant + generator.normal(0, DEBATE_SPREAD))
            wins = generator.random(JUDGES) < chance
            results += [PairResult(left, right, float(won), 1 / JUDGES, str(motion)) for won in wins]
    return results


def _chance(left: str, right: str, slant: float) -> float:
    """Probability that the left player wins."""
    return 1 / (1 + math.exp(STRENGTHS[right] - STRENGTHS[left] - SIDE - slant))


def _population_values() -> dict[str, float]:
    """The strengths and the side's advantage of infinitely many motions, whose slants shrink them."""
    spread = NormalDist(0, math.hypot(MOTION_SPREAD, DEBATE_SPREAD))
    slants = [spread.inv_cdf((number + 0.5) / 1000) for number in range(1000)]
    results = [
        PairResult(left, right, fmean(_chance(left, right, slant) for slant in slants))
        for left, right in itertools.permutations(STRENGTHS, 2)
    ]
    ratings = rate(results, resamples=0)
    found = {rating.name: rating.strength.value for rating in ratings.ratings} | {"side": ratings.side.value}
    return {name: value for name, value in found.items() if value is not None}
