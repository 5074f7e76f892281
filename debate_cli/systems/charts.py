"""Charts as data. Renderers draw them as SVG.

Strings in a chart are untrusted; renderers escape them.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from debate_cli.systems.tables import format_number


class ChartPoint(NamedTuple):
    """A value, and the text of its tooltip."""

    value: float
    words: str


class ChartSeries(NamedTuple):
    """The values of one debater or one quantity. `points` has a value, or None, for each label of the chart."""

    name: str
    points: tuple[ChartPoint | None, ...]
    participant: str | None = None
    """Name of the debater whose values and colour the series shows; None for other series, e.g. a limit."""
    style: str = ""
    """CSS class of the series, e.g. `limit` or `option-pass`; empty for a series in a debater's colour."""


class Chart(NamedTuple):
    """A chart of one verdict."""

    title: str
    caption: str
    """A sentence on how to read the chart."""
    kind: Literal["line", "bars", "stack"]
    """`line`: values over time. `bars`: bars side by side, in groups. `stack`: each bar consists of
    parts, drawn end to end."""
    labels: tuple[str, ...]
    """Labels of the positions along a line, or of the groups of bars."""
    series: tuple[ChartSeries, ...]
    low: float
    high: float
    """Upper end of the value axis; `low` is the lower end."""
    ticks: tuple[float, ...]
    """Values that get a label on the value axis."""

    @property
    def is_empty(self) -> bool:
        """Whether no series has a value."""
        return all(point is None for series in self.series for point in series.points)


def bar_chart(
    title: str,
    caption: str,
    labels: Mapping[str, str],
    values: Mapping[str, Mapping[str, float]],
    ticks: tuple[float | None, ...],
    unit: str = "",
) -> Chart:
    """Return a chart with a group of bars for each criterion. Each group has a bar for each debater.

    `labels`: maps criteria to labels. `values`: maps each debater to a mapping from criteria to numbers. `ticks`: the
    numbers that label the axis, in ascending order; the last tick is the top of the chart. A tick of None stands for the
    largest number in `values`.
    """
    end = max((value for of in values.values() for value in of.values()), default=0.0)
    series = tuple(
        ChartSeries(
            name,
            tuple(
                ChartPoint(of[item], f"{name}, {label}: {format_number(of[item], 1)}{unit}") if item in of else None
                for item, label in labels.items()
            ),
            participant=name,
        )
        for name, of in values.items()
    )
    marked = tuple(end if tick is None else tick for tick in ticks)
    return Chart(title, caption, "bars", tuple(labels.values()), series, 0, marked[-1], marked)


PERCENT_TICKS = (0.0, 25.0, 50.0, 75.0, 100.0)


def percent_chart(
    title: str, caption: str, maxima: Mapping[str, float], marks: Mapping[str, Mapping[str, float]]
) -> Chart:
    """Return a bar chart of each debater's marks as percentages of the highest possible marks.

    `maxima`: maps criteria to highest marks. `marks`: maps each debater to a mapping from criteria to marks.
    """
    labels = {name: f"{name.replace('_', ' ')} /{most:g}" for name, most in maxima.items()}
    shares = {
        who: {name: 100 * mark / maxima[name] for name, mark in of.items() if name in maxima}
        for who, of in marks.items()
    }
    return bar_chart(title, caption, labels, shares, PERCENT_TICKS, " %")


def line_series(name: str, values: Mapping[int, float], positions: Mapping[int, str], style: str = "") -> ChartSeries:
    """Return the line `name` in a line chart.

    `positions`: maps each x-coordinate of the chart to its label, e.g. `turn 3`. `values`: maps x-coordinates to values.
    `style`: CSS class of the line; empty if `name` is a debater.
    """
    points = tuple(
        ChartPoint(values[number], f"{name}, {words}: {format_number(values[number])}") if number in values else None
        for number, words in positions.items()
    )
    return ChartSeries(name, points, None if style else name, style)
