"""A chart as data: its title, how to read it, its axis and its series. Rendering draws it; nothing here knows SVG.

Strings in a chart are untrusted; rendering escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A value and the words that a reader sees when pointing at it."""

    value: float
    words: str


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """Values of one debater or of one quantity, one per label of the chart; None where there is no value."""

    name: str
    points: tuple[ChartPoint | None, ...]
    participant: str | None = None
    """Name of the debater whose colour the series has; None for a series that belongs to nobody."""
    style: str = ""
    """Style of a series without a debater: a class of the page's style sheet, e.g. `limit` or `option-pass`."""
    is_joined: bool = True
    """Whether a line connects the points, across gaps as well; otherwise only markers are drawn."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one verdict."""

    title: str
    caption: str
    """How to read it, in a sentence."""
    kind: Literal["line", "bars", "stack"]
    """`line` over positions in time; `bars` in groups; `stack`: bars end to end."""
    labels: tuple[str, ...]
    """Of the positions of a line, or of the groups of bars."""
    series: tuple[ChartSeries, ...]
    low: float
    high: float
    """Ends of the axis of values."""
    ticks: tuple[float, ...]
    """Values written at the axis."""
    is_small: bool = False
    """Whether the chart stays narrow, however many positions it has."""

    @property
    def is_empty(self) -> bool:
        """Whether no series has a value."""
        return all(point is None for series in self.series for point in series.points)
