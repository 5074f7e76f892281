"""Measures of how well probabilities and scores predict people's decisions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_PROBABILITY = 1e-6
"""Minimum probability, because the log score of an outcome with probability 0 is infinite."""


def brier_score(forecasts: Sequence[tuple[float, float]]) -> float | None:
    """Return the mean squared error of probabilities, 0 (best) to 1; None for no forecasts.

    Source: G. W. Brier, Verification of Forecasts Expressed in Terms of Probability, Monthly Weather Review 78 (1950),
    in its form for two outcomes.

    Args:
        forecasts: Pairs of (probability of an outcome, 1 where it happened and 0 where not, 0.5 for a draw).
    """
    return sum((chance - outcome) ** 2 for chance, outcome in forecasts) / len(forecasts) if forecasts else None


def log_score(forecasts: Sequence[tuple[float, float]]) -> float | None:
    """Return the mean negative logarithm of the probability that was given to what happened; 0 is best.

    Source: I. J. Good, Rational Decisions, Journal of the Royal Statistical Society B 14 (1952).

    Args:
        forecasts: As for `brier_score`.
    """
    if not forecasts:
        return None
    total = 0.0
    for chance, outcome in forecasts:
        bounded = min(max(chance, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
        total -= outcome * math.log(bounded) + (1 - outcome) * math.log(1 - bounded)
    return total / len(forecasts)


def root_mean_square_error(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return √(mean of squared differences), in the unit of the values; None for no pairs."""
    return math.sqrt(sum((one - other) ** 2 for one, other in pairs) / len(pairs)) if pairs else None


def spearman_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Spearman's ρ, −1 to 1; None for fewer than three pairs or where one side is constant.

    Source: C. Spearman, The Proof and Measurement of Association between Two Things (1904). Computed by scipy.
    """
    from scipy import stats

    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    if len(pairs) < 3 or len(set(first)) == 1 or len(set(second)) == 1:  # noqa: PLR2004 - two points always correlate
        return None
    return float(stats.spearmanr(first, second).statistic)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Forecasts of similar probability.

    Attributes:
        forecast: Mean probability of the forecasts, 0 to 1.
        happened: Share in which the outcome happened, 0 to 1.
        count: Number of forecasts.
    """

    forecast: float
    happened: float
    count: int


BINS = 5


def calibration_bins(forecasts: Sequence[tuple[float, float]]) -> tuple[CalibrationBin, ...]:
    """Group forecasts into BINS equal parts of 0 to 1 and compare each with what happened; empty parts are left out."""
    groups: dict[int, list[tuple[float, float]]] = {}
    for chance, outcome in forecasts:
        groups.setdefault(min(int(chance * BINS), BINS - 1), []).append((chance, outcome))
    return tuple(
        CalibrationBin(
            sum(chance for chance, _ in group) / len(group),
            sum(outcome for _, outcome in group) / len(group),
            len(group),
        )
        for _, group in sorted(groups.items())
    )


def debates_to_tell_apart(differences: Sequence[float]) -> int | None:
    """Return how many debates are needed to show that two judges differ, at 5 % and with a power of 0.8.

    n = ((z(0.975) + z(0.8)) · sd / mean)², the sample size of a paired test. Source: J. M. Lachin, Introduction to
    Sample Size Determination and Power Analysis for Clinical Trials, Controlled Clinical Trials 2 (1981).

    Args:
        differences: Per debate that both judged, how much better the first judge did (for accuracy: 1, 0 or −1).

    Returns:
        None for fewer than two debates, or where the mean difference is 0.
    """
    from scipy import stats

    count = len(differences)
    average = sum(differences) / count if count else 0.0
    if count < 2 or not average:  # noqa: PLR2004 - a spread needs two
        return None
    variance = sum((difference - average) ** 2 for difference in differences) / (count - 1)
    quantiles = float(stats.norm.ppf(0.975)) + float(stats.norm.ppf(0.8))
    return max(count if not variance else 2, math.ceil(quantiles**2 * variance / average**2))
