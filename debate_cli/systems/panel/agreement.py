"""The agreement of a panel, and whether the panel deliberates further. Part of the Python API."""

from __future__ import annotations  # the reference of the Python API shows annotations as they are written

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import get_args

from debate_cli.errors import ConfigError
from debate_cli.systems.aggregation import mean, strip_float_noise
from debate_cli.systems.panel.findings import VoteOption

VOTE_WEIGHT, DIMENSION_WEIGHT = 0.6, 0.4
"""Weights of the two parts of the agreement: on votes and on dimensions."""
DIMENSION_MIN, DIMENSION_MAX = 1.0, 3.0
"""Scale of a dimension."""
DEFAULT_CONVERGENCE_THRESHOLD = 0.8
DEFAULT_DIMENSION_THRESHOLD = 1.5
"""Default threshold: a dimension is disputed if its marks have at least this range."""
MIN_VOTES_TO_COMPARE = 2
OPTIONS: tuple[VoteOption, ...] = get_args(VoteOption)

Votes = Sequence[VoteOption] | Mapping[str, VoteOption]
"""The options that the judges voted for, as a list or by judge."""
DimensionMarks = Mapping[str, Sequence[float] | Mapping[str, float]]
"""Maps dimensions to the marks that judges gave, from 1 to 3, as a list or by judge."""


def agreement(votes: Votes, dimensions: DimensionMarks) -> float:
    """Compute the agreement of a panel, 0-1.

    `votes`: the options PASS, FAIL and CONDITIONAL, as a list or by judge. `dimensions` maps dimensions to the judges'
    marks from 1 to 3, as a list or by judge.

    0.6 x the largest share of votes + 0.4 x the mean over dimensions of max(0, 1 - range/2). With fewer than two votes
    the first part is 1; if no dimension has two marks the second part is 1. Raises ConfigError for an unknown option or
    a mark outside 1-3.
    """
    return compute_agreement(*_checked(votes, dimensions))


def needs_deliberation(
    votes: Votes, dimensions: DimensionMarks, threshold: float = DEFAULT_CONVERGENCE_THRESHOLD
) -> bool:
    """Return whether a panel votes again: its agreement is below `threshold`, and a point is disputed.

    A point is disputed if judges vote differently, or if the marks of a dimension have a range of 1.5 or more. Raises
    ConfigError for an unknown option or a mark outside 1-3.
    """
    options, marks = _checked(votes, dimensions)
    is_disputed = any(spread >= DEFAULT_DIMENSION_THRESHOLD for spread in mark_ranges(marks).values())
    is_divided = len(options) >= MIN_VOTES_TO_COMPARE and (len(set(options)) > 1 or is_disputed)
    return is_divided and compute_agreement(options, marks) < strip_float_noise(threshold)


def compute_agreement(options: Collection[str], marks: Mapping[str, Collection[float]]) -> float:
    """Compute the agreement like `agreement`, but without checking votes and marks."""
    if len(options) < MIN_VOTES_TO_COMPARE:
        return 1.0
    ranges = mark_ranges(marks)
    dimensions = mean(max(0.0, 1 - spread / 2) for spread in ranges.values()) if ranges else 1.0
    return strip_float_noise(VOTE_WEIGHT * largest_share(options) + DIMENSION_WEIGHT * dimensions)


def largest_share(options: Collection[str]) -> float:
    """Return the share of the most frequent option. Needs at least one vote."""
    return max(Counter(options).values()) / len(options)


def mark_ranges(marks: Mapping[str, Collection[float]]) -> dict[str, float]:
    """Return the range of each dimension's marks, for dimensions with at least two marks."""
    return {
        name: strip_float_noise(max(given) - min(given))
        for name, given in marks.items()
        if len(given) >= MIN_VOTES_TO_COMPARE
    }


def _checked(votes: Votes, dimensions: DimensionMarks) -> tuple[list[str], dict[str, list[float]]]:
    options: list[str] = list(votes.values() if isinstance(votes, Mapping) else votes)
    for option in options:
        if option not in OPTIONS:
            raise ConfigError(f"votes: {option!r} is not an option; use {', '.join(OPTIONS)}")
    marks = {name: list(given.values() if isinstance(given, Mapping) else given) for name, given in dimensions.items()}
    for name, given in marks.items():
        for mark in given:
            if not (math.isfinite(mark) and DIMENSION_MIN <= mark <= DIMENSION_MAX):
                raise ConfigError(f"dimensions: {name}: {mark!r} is not a mark; use numbers from 1 to 3")
    return options, marks
