"""Measures of agreement between raters, and of how well forecasts predict outcomes."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from debate_cli.statistics.estimate import RESAMPLES, Estimate, estimate

RatedItem = Mapping[str, str | float]
"""One item: maps each rater to the value that this rater gave to the item. Raters who gave no value are left out."""
Pairs = Sequence[tuple[float, float]]
"""Pairs of values. A forecast is a pair (probability, outcome). The outcome is 1 if the event happened, 0 if it did not
happen, and 0.5 for a draw."""
MIN_PROBABILITY = 1e-6
"""Lower bound of probabilities in `log_score`, which keeps the score finite. The upper bound is 1 minus this value."""
BINS = 5


def krippendorff_alpha(units: Sequence[RatedItem], level: Literal["nominal", "interval"] = "nominal") -> float | None:
    """Return Krippendorff's α of all raters: 1 is perfect agreement, 0 is agreement by chance.

    None if no item has two raters, or if all values are equal.
    `level`: `nominal` if the values are names, `interval` if the values are numbers.
    Source: K. Krippendorff, Content Analysis (2018), chapter 12.
    """
    import evalica
    import pandas as pd

    shared = [unit for unit in units if len(unit) > 1]
    values = dict.fromkeys(value for unit in shared for value in unit.values())
    if len(values) < 2:  # noqa: PLR2004 - two different values
        return None
    codes = {value: float(value if level == "interval" else number) for number, value in enumerate(values)}
    raters = sorted({rater for unit in shared for rater in unit})
    rows = [[codes[unit[rater]] if rater in unit else None for unit in shared] for rater in raters]
    return float(evalica.alpha(pd.DataFrame(rows, index=raters, dtype=float), distance=level).alpha)


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's κ of two raters: 1 is perfect agreement, 0 is agreement by chance.

    None if there are no pairs, or if all values are equal. Source: J. Cohen, A Coefficient of Agreement for Nominal Scales,
    Educational and Psychological Measurement 20 (1960).
    """
    observed = equal_share(pairs)
    if observed is None:
        return None
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(first[value] * second[value] for value in first) / len(pairs) ** 2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def equal_share(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return the share of pairs with two equal values, 0 to 1; None if there are no pairs."""
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges on the debates that both judged."""

    first: str
    second: str
    kappa: Estimate
    """Cohen's κ of the results: 1 is perfect agreement, 0 is agreement by chance."""
    share: Estimate
    """Share of debates for which both judges have the same result, 0 to 1."""


def compare_pairs(clusters: Sequence[Sequence[RatedItem]], *, resamples: int = RESAMPLES) -> tuple[PairAgreement, ...]:
    """Return the agreement of each pair of judges who both judged at least one debate.

    `clusters`: groups of debates, e.g. all debates on one motion. Each debate maps judges to their results.
    The bootstrap selects whole clusters at random.
    """
    judges = list(dict.fromkeys(judge for cluster in clusters for unit in cluster for judge in unit))
    found: list[PairAgreement] = []
    for first, second in combinations(judges, 2):
        shared = (
            [(unit[first], unit[second]) for unit in cluster if {first, second} <= unit.keys()] for cluster in clusters
        )
        if pairs := [cluster for cluster in shared if cluster]:
            kappa, share = (estimate(pairs, measure, resamples=resamples) for measure in (cohen_kappa, equal_share))
            found.append(PairAgreement(first, second, kappa, share))
    return tuple(found)


def brier_score(forecasts: Pairs) -> float | None:
    """Return the mean squared error of probabilities, 0 (best) to 1; None if there are no forecasts.

    Source: G. W. Brier, Verification of Forecasts Expressed in Terms of Probability, Monthly Weather Review 78 (1950).
    The score defined there is twice as large.
    """
    return sum((chance - outcome) ** 2 for chance, outcome in forecasts) / len(forecasts) if forecasts else None


def log_score(forecasts: Pairs) -> float | None:
    """Return the mean of −ln(probability of the outcome): 0 is best, greater is worse. None if there are no forecasts.

    Source: I. J. Good, Rational Decisions, Journal of the Royal Statistical Society B 14 (1952).
    """
    if not forecasts:
        return None
    total = 0.0
    for chance, outcome in forecasts:
        bounded = min(max(chance, MIN_PROBABILITY), 1 - MIN_PROBABILITY)
        total -= outcome * math.log(bounded) + (1 - outcome) * math.log(1 - bounded)
    return total / len(forecasts)


def root_mean_square_error(pairs: Pairs) -> float | None:
    """Return the root mean square error, in the unit of the values; None if there are no pairs."""
    return math.sqrt(sum((one - other) ** 2 for one, other in pairs) / len(pairs)) if pairs else None


def spearman_correlation(pairs: Pairs) -> float | None:
    """Return Spearman's ρ, −1 to 1. None for fewer than three pairs, or if all first or all second values are equal.

    Source: C. Spearman, The Proof and Measurement of Association between Two Things (1904).
    """
    from scipy import stats

    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    if len(pairs) < 3 or len(set(first)) == 1 or len(set(second)) == 1:  # noqa: PLR2004 - two points always correlate
        return None
    return float(stats.spearmanr(first, second).statistic)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Forecasts with similar probabilities."""

    forecast: float
    """Mean probability of the forecasts, 0 to 1."""
    happened: float
    """Share of the forecast events that happened, 0 to 1. A draw counts as one half."""
    count: int


def calibration_bins(forecasts: Pairs) -> tuple[CalibrationBin, ...]:
    """Group forecasts by probability into BINS equal intervals from 0 to 1. Empty intervals are left out."""
    groups: dict[int, list[tuple[float, float]]] = {}
    for chance, outcome in forecasts:
        groups.setdefault(min(int(chance * BINS), BINS - 1), []).append((chance, outcome))
    found: list[CalibrationBin] = []
    for _, group in sorted(groups.items()):
        forecast, happened = (sum(values) / len(group) for values in zip(*group, strict=True))
        found.append(CalibrationBin(forecast, happened, len(group)))
    return tuple(found)


def debates_to_tell_apart(clusters: Sequence[Sequence[float]]) -> int | None:
    """Return the number of debates needed to show that two judges differ (significance 5 %, power 80 %).

    Return None for fewer than two clusters, or if the mean difference is 0.
    `clusters`: one number per debate, the first judge's result minus the second judge's, in groups of debates, e.g. all
    debates on one motion. No group is empty. The returned number assumes groups of the same size.
    Sources: J. M. Lachin, Introduction to Sample Size Determination and Power Analysis for Clinical Trials, Controlled
    Clinical Trials 2 (1981); the variance of a mean over clusters: W. G. Cochran, Sampling Techniques (1977), section
    9A.
    """
    from scipy import stats

    differences = [value for cluster in clusters for value in cluster]
    count = len(differences)
    if len(clusters) < 2 or not sum(differences):  # noqa: PLR2004 - a spread needs two
        return None
    mean = fmean(differences)
    deviations = [sum(cluster) - len(cluster) * mean for cluster in clusters]
    spread = len(clusters) / (len(clusters) - 1) * sum(each**2 for each in deviations) / count
    quantiles = float(stats.norm.ppf(0.975)) + float(stats.norm.ppf(0.8))
    return max(2 if spread else count, math.ceil(quantiles**2 * spread / mean**2))
