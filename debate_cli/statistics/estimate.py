"""Computes numbers with intervals, by a bootstrap over clusters.

Rows that depend on each other form a cluster, e.g. all judgements of one motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Row = TypeVar("Row")

LEVEL = 0.95
"""Confidence level of all intervals."""
LEVEL_LABEL = f"{100 * LEVEL:g} %"
"""The confidence level as reports write it: `95 %`."""
RESAMPLES = 1000
MIN_DEFINED_SHARE = 0.9
"""Minimum share of bootstrap resamples with a defined statistic. If the share is smaller, there is no interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its interval at the confidence level LEVEL."""

    value: float | None
    """The statistic of all rows; None if it is undefined, e.g. the correlation of values that are all equal."""
    low: float | None = None
    """Lower end of the interval; None if there is no interval, e.g. for a single cluster."""
    high: float | None = None
    rows: int = 0
    clusters: int = 0
    """Number of clusters of rows, usually motions."""


def cluster_rows(rows: Iterable[Row], cluster_of: Callable[[Row], Hashable]) -> list[list[Row]]:
    """Group rows by cluster. The clusters are in the order of their first rows."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(cluster_of(row), []).append(row)
    return list(groups.values())


def estimate(
    clusters: Sequence[Sequence[Row]],
    statistic: Callable[[Sequence[Row]], float | None],
    *,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Compute `statistic` of all rows, and its interval by a bootstrap over the clusters.

    `statistic`: returns None if the rows do not define a value. `resamples`: number of bootstrap resamples; 0 gives no
    interval. The same rows always give the same interval.
    """
    rows = [row for cluster in clusters for row in cluster]
    value = statistic(rows) if rows else None
    unknown = Estimate(value, rows=len(rows), clusters=len(clusters))
    if value is None or len(clusters) < 2:  # noqa: PLR2004 - one cluster says nothing about the spread of clusters
        return unknown
    values: list[float] = []
    for counts in resample_counts(len(clusters), resamples):
        drawn = [row for cluster, count in zip(clusters, counts, strict=True) for row in list(cluster) * int(count)]
        resampled = statistic(drawn)
        if resampled is not None:
            values.append(resampled)
    if not values or len(values) < MIN_DEFINED_SHARE * resamples:
        return unknown
    low, high = percentile_interval(values, len(clusters))
    return Estimate(value, low, high, len(rows), len(clusters))


def resample_counts(clusters: int, resamples: int) -> NDArray[np.int64]:
    """Return how often each bootstrap resample contains each cluster: one row per resample, one column per cluster.

    A resample is a random selection of `clusters` clusters, with replacement. Every call returns the same counts.
    """
    import numpy as np

    generator = np.random.default_rng(0)
    return generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)


def percentile_interval(values: Sequence[float] | Floats, clusters: int) -> tuple[float, float]:
    """Return the percentile interval of bootstrap values, widened to correct for few clusters.

    `values`: value of the statistic in each resample, at least one value. `clusters`: number of clusters, at least 2.
    Source: T. C. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69 (2015),
    section 5.3.
    """
    import numpy as np
    from scipy import stats

    quantile = float(stats.t.ppf(0.5 + LEVEL / 2, clusters - 1))
    tail = float(stats.norm.cdf(-math.sqrt(clusters / (clusters - 1)) * quantile))
    low, high = np.quantile(np.asarray(values, dtype=float), [tail, 1 - tail])
    return float(low), float(high)


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the Wilson score interval of the share `successes / trials`. `trials` is at least 1.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927).
    """
    from scipy import stats

    z = float(stats.norm.ppf(0.5 + LEVEL / 2))
    share = successes / trials
    center = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, center - half), min(1.0, center + half)


def mean_or_none(values: Sequence[float]) -> float | None:
    """Return the mean of `values`, or None if `values` is empty."""
    return math.fsum(values) / len(values) if values else None
