"""Rates players from pairwise results, with a Bradley–Terry model that includes an advantage of the left player.

The left player wins with probability σ(strength(left) − strength(right) + side). σ is the logistic function, and `side`
is the left player's advantage. Sources: R. A. Bradley and M. E. Terry, Rank Analysis of Incomplete Block Designs,
Biometrika 39 (1952). R. R. Davidson and R. J. Beaver, On Extending the Bradley–Terry Model to Incorporate Within-Pair
Order Effects, Biometrics 33 (1977). L. E. Papke and J. M. Wooldridge, Econometric Methods for Fractional Response
Variables, J. Applied Econometrics 11 (1996).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from debate_cli.statistics.estimate import RESAMPLES, Estimate, percentile_interval, resample_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ELO_SCALE = 400 / math.log(10)
ELO_MEAN = 1500
PRIOR_WEIGHT = 1.0
"""Weight of an artificial draw. An artificial draw is a result of 0.5 (a tie) that `rate` adds to the real results.

`rate` adds artificial draws in these cases:

- The results do not connect all players.
- The results alone would make the strength of a player infinite.
- The results alone would make the advantage of the left player infinite.

`Ratings.prior` and `Ratings.side_separable` say which draws were added to the fit of all results.
"""
DIVERGED = 12.0
"""Maximum log odds of a predicted result (odds of 160,000 to 1). A fit with a greater value has diverged."""
INFINITE_ABOVE = DIVERGED / 3
"""Limit in log odds for the values of a fit that has diverged.

- If the highest and the lowest strength differ by more than this limit, a strength counts as infinite.
- If the advantage of the left player, without its sign, is above this limit, the advantage counts as infinite.
"""
TOLERANCE = 1e-9
_LEFT = "the left player (in debates: the player for the motion)"
EQUAL_WITHIN = 1e-6
"""Values that differ by at most this much (in log odds) count as equal."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """One comparison of two players."""

    left: str
    """Player who gets the advantage `Ratings.side`, usually the first speaker."""
    right: str
    score: float
    """Result of the left player: 1 for a win, 0.5 for a draw, 0 for a loss, or any number between 0 and 1."""
    weight: float = 1.0
    """Weight of the comparison, greater than 0."""
    cluster: str = ""
    """Cluster of the comparison in the bootstrap, usually the id of the motion."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of one player."""

    name: str
    strength: Estimate
    """Strength as a natural logarithm of odds. The mean over all players is 0."""
    elo: Estimate
    """Strength on the Elo scale: 1500 + 400 / ln 10 × strength."""
    games: float
    """Sum of the weights of the player's comparisons."""
    share: float
    """Mean score of the player, 0 to 1. Comparisons count by their weight."""
    group: int
    """Index of the player's group, from 0. Two players are in one group if a chain of results connects them."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Strengths of all players, strongest first."""

    ratings: tuple[Rating, ...]
    side: Estimate
    """Advantage of the left player, as a natural logarithm of odds.

    The estimate's `value` is None if the results do not determine the advantage.
    """
    groups: int
    """Number of groups of players. Strengths in different groups cannot be compared: no result connects the groups."""
    separable: bool
    """Whether the results alone would make a player's strength infinite, e.g. because the player won every comparison."""
    prior: float
    """Weight of the artificial draw that was added for each player; 0 if none was added.

    An artificial draw is an added result of 0.5, here against a player of mean strength. The draws are added if
    `separable` or `side_separable` is true, or if `groups` is above 1.
    """
    resamples_with_prior: float
    """Share of the bootstrap's resamples, 0 to 1, whose fit needed more artificial draws than the fit of all results.

    An artificial draw is an added result of 0.5. The fit of a resample needs more artificial draws if a strength or
    `side` would otherwise be infinite.
    """
    results: int
    """Number of rated comparisons."""
    clusters: int
    side_separable: bool = False
    """Whether the results alone would make `side`, the left player's advantage, infinite.

    Example: the left player (`PairResult.left`) won every comparison. If true, an artificial draw keeps `side` finite.
    The draw is a result of 0.5 between two equally strong players, with the weight `prior`.
    """
    has_constant_values: bool = False
    """Whether at least one value has no interval, because the value is the same in all of the bootstrap's resamples.

    The values are the players' strengths and `side`, the left player's advantage. This happens only if the results
    alone would make one of these values infinite, i.e. if `separable` or `side_separable` is true.
    """

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for readers on the limits of these ratings, e.g. that a player won every comparison."""
        if not self.results:
            return ("No two different players met, so there is nothing to rate.",)
        notes = {
            "In each pair of players, the same player was always on the left, so the strengths may include the "
            f"advantage of {_LEFT}.": self.side.value is None,
            f"The players form {self.groups} groups that never met, so strengths of different groups cannot be compared.": (
                self.groups > 1
            ),
            "The results alone would make a player's strength infinite, e.g. because the player won every comparison.": (
                self.separable
            ),
            f"The results alone would make the advantage of {_LEFT} infinite, e.g. because the left player won every "
            f"comparison. This advantage was therefore estimated with {self.prior:g} artificial draw.": self.side_separable,
            f"Each player was given {self.prior:g} artificial draw against a player of mean strength, so that every "
            "strength has a value.": bool(self.prior),
            f"In {100 * self.resamples_with_prior:.0f} % of the bootstrap's resamples, artificial draws were "
            "needed to estimate the strengths, so the intervals of the strongest and the weakest "
            "players are too narrow.": bool(self.resamples_with_prior and not self.prior),
            f"In {100 * self.resamples_with_prior:.0f} % of the bootstrap's resamples, the advantage of the left "
            "player could be estimated only with an artificial draw, so the interval of this advantage is "
            "too narrow.": bool(self.resamples_with_prior and self.prior),
            "Values without an interval are the same in all of the bootstrap's resamples, so it is unknown how "
            "uncertain they are.": self.has_constant_values,
        }
        return tuple(note for note, applies in notes.items() if applies)


def rate(results: Sequence[PairResult], *, resamples: int = RESAMPLES) -> Ratings:
    """Fit the strengths of all players, with intervals by a bootstrap over the clusters.

    `results`: comparisons of two different players. `resamples`: number of bootstrap resamples; 0 gives no intervals.
    """
    if not results:
        return Ratings((), Estimate(None), 0, separable=False, prior=0, resamples_with_prior=0, results=0, clusters=0)
    names = sorted({name for result in results for name in (result.left, result.right)})
    design = _Design(results, names)
    groups = _connected_groups(results, names)
    weights, clusters = design.weights.sum(axis=0), len(design.weights)
    separable, side_separable = design.find_infinite(design.fit(weights), _NO_DRAWS)
    prior = PRIOR_WEIGHT if separable or side_separable or len(set(groups)) > 1 else 0.0
    found, draws = design.fit_finite(weights, _ArtificialDraws(prior, PRIOR_WEIGHT if side_separable else 0.0))
    resampled, refits = _fit_resamples(design, found, draws, resamples)
    constant = _constant_values(resampled) if separable or side_separable else []

    def estimated(position: int, scale: float = 1, offset: float = 0) -> Estimate:
        value = offset + scale * float(found[position])
        if not resampled or position in constant:
            return Estimate(value, rows=len(results), clusters=clusters)
        low, high = percentile_interval([offset + scale * float(values[position]) for values in resampled], clusters)
        return Estimate(value, low, high, len(results), clusters)

    ratings = [
        Rating(name, estimated(at), estimated(at, ELO_SCALE, ELO_MEAN), *_games_and_share(name, results), groups[at])
        for at, name in enumerate(names)
    ]
    return Ratings(
        tuple(sorted(ratings, key=lambda rating: (-(rating.strength.value or 0), rating.name))),
        estimated(len(names)) if design.has_side else Estimate(None, rows=len(results), clusters=clusters),
        len(set(groups)),
        separable,
        draws.players,
        refits / resamples if resamples else 0.0,
        len(results),
        clusters,
        bool(draws.side),
        any(design.has_side or position < len(names) for position in constant),
    )


class _ArtificialDraws(NamedTuple):
    """Results of 0.5 that no comparison had, and that are added so that the fitted values are finite."""

    players: float
    """Weight of the draw (result 0.5) that each player gets against a player of mean strength; 0 without such draws."""
    side: float
    """Weight of a result of 0.5 that is added to keep the advantage of the left player finite; 0 if none is added."""


_NO_DRAWS = _ArtificialDraws(0.0, 0.0)


def _fit_resamples(design: _Design, found: Floats, draws: _ArtificialDraws, resamples: int) -> tuple[list[Floats], int]:
    """Return the fitted values of each resample, and the number of resamples that needed further artificial draws.

    An artificial draw is an added result of 0.5 (a tie).

    - `found`: the values fitted to all results. The fit of each resample starts from these values.
    - `draws`: the artificial draws that the fit to all results needed. The fit of each resample gets the same draws.
      If a fitted value is still infinite, further artificial draws are added.
    """
    fitted: list[Floats] = []
    refits, clusters = 0, len(design.weights)
    for counts in resample_counts(clusters, resamples) if clusters > 1 else ():
        values, needed = design.fit_finite(counts @ design.weights, draws, found)
        refits += needed != draws
        fitted.append(values)
    return fitted, refits


def _constant_values(resampled: Sequence[Floats]) -> list[int]:
    """Return the positions of the values that are equal in all resamples."""
    import numpy as np

    return [int(at) for at in np.flatnonzero(np.ptp(resampled, axis=0) <= EQUAL_WITHIN)] if resampled else []


def _games_and_share(name: str, results: Sequence[PairResult]) -> tuple[float, float]:
    games = points = 0.0
    for result in results:
        if name in {result.left, result.right}:
            games += result.weight
            points += result.weight * (result.score if name == result.left else 1 - result.score)
    return games, points / games


class _Design:
    def __init__(self, results: Sequence[PairResult], names: Sequence[str]) -> None:
        import numpy as np

        clusters = list(dict.fromkeys(result.cluster for result in results))
        kinds = list(dict.fromkeys((result.left, result.right, result.score) for result in results))
        cluster_at, row_at = ({item: number for number, item in enumerate(of)} for of in (clusters, kinds))
        self.players = len(names)
        self.scores = np.array([score for _, _, score in kinds])
        self.matrix = np.zeros((len(kinds), len(names) + 1))  # the last column is the left player's advantage
        for row, (left, right, _) in enumerate(kinds):
            self.matrix[row, names.index(left)] = 1
            self.matrix[row, names.index(right)] = -1
        rank = np.linalg.matrix_rank(self.matrix)
        self.matrix[:, -1] = 1
        self.has_side = bool(np.linalg.matrix_rank(self.matrix) > rank)
        if not self.has_side:
            self.matrix[:, -1] = 0
        self.weights = np.zeros((len(clusters), len(kinds)))
        for result in results:
            row = row_at[result.left, result.right, result.score]
            self.weights[cluster_at[result.cluster], row] += result.weight

    def fit_finite(
        self, weights: Floats, draws: _ArtificialDraws, start: Floats | None = None
    ) -> tuple[Floats, _ArtificialDraws]:
        """Fit with the artificial draws `draws`. While a value is infinite, add artificial draws and fit again.

        Return the fitted values and all artificial draws.
        """
        values = self.fit(weights, draws, start)
        while True:
            separable, side_separable = self.find_infinite(values, draws)
            if not separable and not side_separable:
                return values, draws
            draws = _ArtificialDraws(PRIOR_WEIGHT, PRIOR_WEIGHT if side_separable else draws.side)
            values = self.fit(weights, draws)

    def fit(self, weights: Floats, draws: _ArtificialDraws = _NO_DRAWS, start: Floats | None = None) -> Floats:
        import numpy as np
        from scipy.special import expit

        size = self.players + 1
        prior = np.append(np.full(self.players, draws.players), draws.side)
        centering = np.zeros((size, size))
        centering[: self.players, : self.players] = 1  # fixes the sum of the strengths, which no result determines
        values = np.zeros(size) if start is None else start
        for _ in range(100):
            chance = expit(self.matrix @ values)
            predicted = expit(values)  # results of the artificial draws
            slope = self.matrix.T @ (weights * (self.scores - chance)) + prior * (0.5 - predicted)
            slope[: self.players] -= values[: self.players].sum()
            curve = (self.matrix.T * (weights * chance * (1 - chance))) @ self.matrix + centering
            curve[np.diag_indices(size)] += prior * predicted * (1 - predicted) + TOLERANCE
            step = np.linalg.solve(curve, slope)
            step *= min(1.0, 2 / max(float(np.abs(step).max()), TOLERANCE))  # a long step overshoots
            values = values + step
            if float(np.abs(step).max()) < TOLERANCE or any(self.find_infinite(values, draws)):
                break
        return np.append(values[:-1] - values[:-1].mean(), values[-1])

    def find_infinite(self, values: Floats, draws: _ArtificialDraws) -> tuple[bool, bool]:
        """Return whether a player's strength is infinite, and whether the advantage of the left player is infinite.

        - `values`: the fitted strengths, followed by the fitted advantage of the left player.
        - `draws`: the artificial draws (added results of 0.5) in this fit. If `draws.players` is above 0, all strengths
          are finite. If `draws.side` is above 0 too, the advantage is also finite.

        Source of the criterion: A. Albert and J. A. Anderson, Biometrika 71 (1984).
        """
        side = abs(float(values[-1]))
        if draws.players:
            return False, not draws.side and side > DIVERGED
        if float(abs(self.matrix @ values).max()) <= DIVERGED:
            return False, False
        return float(values[:-1].max() - values[:-1].min()) > INFINITE_ABOVE, side > INFINITE_ABOVE


def _connected_groups(results: Sequence[PairResult], names: Sequence[str]) -> list[int]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = [names.index(result.left) for result in results]
    columns = [names.index(result.right) for result in results]
    graph = coo_array(([1.0] * len(results), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=False)
    return [int(label) for label in labels]
