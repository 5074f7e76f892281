"""Agreement, calibration and intervals against published and hand-worked values."""

import math
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

import debate_cli
from debate_cli.statistics.agreement import (
    brier_score,
    calibration_bins,
    cohen_kappa,
    debates_to_tell_apart,
    krippendorff_alpha,
    log_score,
    root_mean_square_error,
    spearman_correlation,
)
from debate_cli.statistics.estimate import LEVEL_LABEL, cluster_rows, estimate, mean_or_none, wilson_interval


def _units() -> list[dict[str, float]]:
    """The example of K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): 4 observers, 12 units."""
    table = {
        "A": (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
        "B": (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
        "C": (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
        "D": (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
    }
    units: list[dict[str, float]] = [{} for _ in range(12)]
    for rater, values in table.items():
        for unit, value in zip(units, values, strict=True):
            if value is not None:
                unit[rater] = float(value)
    return units


def test_published_alpha() -> None:
    """Krippendorff's example gives his α: 0.743 for names and 0.849 for scores."""
    assert krippendorff_alpha(_units()) == pytest.approx(0.743, abs=0.0005)
    assert krippendorff_alpha(_units(), "interval") == pytest.approx(0.849, abs=0.0005)


def test_alpha_of_names_needs_two_different_values() -> None:
    """There is no α if all raters only ever give one value."""
    assert krippendorff_alpha([{"a": "Pro", "b": "Pro"}, {"a": "Pro", "b": "Pro"}]) is None


def test_hand_worked_kappa() -> None:
    """κ of a table with observed agreement 0.7 and expected agreement 0.5 is 0.4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)


def test_published_wilson_interval() -> None:
    """The interval of 81 of 263 is that of R. G. Newcombe, Statistics in Medicine 17 (1998), table I."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=0.00005)


def test_interval_of_a_mean_is_close_to_the_t_interval() -> None:
    """The bootstrap interval of a mean of ten values is within 10 % as wide as the t-interval."""
    values = [2.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 11.0, 14.0]
    found = estimate(cluster_rows(values, lambda value: value + values.index(value)), mean_or_none, resamples=4000)
    center = sum(values) / 10
    spread = math.sqrt(sum((value - center) ** 2 for value in values) / 9)
    half = 2.262 * spread / math.sqrt(10)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1)


def test_no_interval_of_a_single_cluster() -> None:
    """An estimate from one cluster has a value and no interval."""
    found = estimate([[1.0, 2.0, 3.0]], mean_or_none)
    assert (found.value, found.low, found.rows, found.clusters) == (2.0, None, 3, 1)


def test_hand_worked_forecasts() -> None:
    """The scores of three forecasts equal the numbers worked out by hand."""
    forecasts = [(0.8, 1.0), (0.6, 0.0), (0.5, 0.5)]
    assert brier_score(forecasts) == pytest.approx((0.04 + 0.36 + 0) / 3)
    assert log_score(forecasts) == pytest.approx(-(math.log(0.8) + math.log(0.4) + math.log(0.5)) / 3)
    assert root_mean_square_error([(1, 3), (5, 5)]) == pytest.approx(math.sqrt(2))
    assert [(found.count, found.happened) for found in calibration_bins(forecasts)] == [(1, 0.5), (1, 0.0), (1, 1.0)]


def test_correlation_of_ranks() -> None:
    """ρ is 1 for rising pairs, and None if one side is constant."""
    assert spearman_correlation([(1, 1), (2, 8), (3, 9)]) == pytest.approx(1)
    assert spearman_correlation([(1, 2), (2, 2), (3, 2)]) is None


def test_debates_needed() -> None:
    """A mean difference of 0.25 with a standard deviation of 0.5 needs 32 debates, as worked out by hand."""
    spread = 0.5 * math.sqrt(3 / 2)
    differences = [0.25 + spread, 0.25 - spread, 0.25, 0.25]
    assert debates_to_tell_apart([[value] for value in differences]) == 32
    assert debates_to_tell_apart([[0.0], [0.0]]) is None


def test_debates_of_one_motion_count_less() -> None:
    """If all debates of a motion have equal results, twice as many debates are needed; one motion shows no spread."""
    spread = 0.5 * math.sqrt(3 / 2)
    motions = [[0.25 + spread] * 2, [0.25 - spread] * 2, [0.25] * 2, [0.25] * 2]
    assert debates_to_tell_apart(motions) == 63
    assert debates_to_tell_apart([[0.5, 0.25, 0.5]]) is None


def test_the_confidence_level_is_written_once() -> None:
    """No report or template writes the confidence level itself, so that its label always is the level of the numbers."""
    package = Path(debate_cli.__file__).parent
    files = {path for kind in ("*.py", "*.j2") for path in package.rglob(kind)} - {
        package / "statistics" / "estimate.py"
    }
    assert [str(path) for path in sorted(files) if LEVEL_LABEL in path.read_text(encoding="utf-8")] == []
