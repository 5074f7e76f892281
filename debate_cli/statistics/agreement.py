"""Agreement between judges, or between judges and people."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

Unit = Mapping[str, str | float]
"""What each rater said about one item, by the rater's name. A rater who said nothing is absent."""


def krippendorff_alpha(units: Sequence[Unit], level: Literal["nominal", "interval"] = "nominal") -> float | None:
    """Return Krippendorff's α of all raters: 1 is perfect agreement, 0 what chance gives, below 0 is opposition.

    Computed by the library evalica. Source: K. Krippendorff, Content Analysis (2018), chapter 12.

    Args:
        units: One mapping per item. Items with fewer than two raters do not count.
        level: `nominal` for winners, `interval` for scores.

    Returns:
        None where no item has two raters, or where all values are equal, so that chance agreement is perfect.
    """
    import evalica
    import pandas as pd

    shared = [unit for unit in units if len(unit) > 1]
    codes: dict[Hashable, float] = {}
    if level == "nominal":
        shared_codes = [
            {rater: codes.setdefault(value, float(len(codes))) for rater, value in unit.items()} for unit in shared
        ]
    else:
        shared_codes = [{rater: float(value) for rater, value in unit.items()} for unit in shared]
    if len({value for unit in shared_codes for value in unit.values()}) < 2:  # noqa: PLR2004 - two different values
        return None
    raters = sorted({rater for unit in shared for rater in unit})
    table = pd.DataFrame([[unit.get(rater) for unit in shared_codes] for rater in raters], index=raters, dtype=float)
    return float(evalica.alpha(table, distance=level).alpha)


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's κ of two raters: 1 is perfect agreement, 0 what chance gives.

    κ = (observed − expected) / (1 − expected), where expected comes from how often each rater uses each value. Source:
    J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20 (1960).

    Args:
        pairs: What the first and the second rater said about each item.

    Returns:
        None for no pairs, or where both raters used one and the same value only.
    """
    if not pairs:
        return None
    count = len(pairs)
    observed = equal_share(pairs) or 0.0
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(first[value] * second[value] for value in first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def equal_share(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return the share of items about which two raters said the same, 0 to 1; None for no items."""
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None
