"""Computes the position of each element of a chart. The template `chart.html.j2` draws the elements as SVG."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from debate_cli.render import sanitize, theme
from debate_cli.statistics.estimate import Estimate
from debate_cli.systems.charts import Chart, ChartSeries
from debate_cli.systems.tables import Interval

WIDTH, LINE_HEIGHT = 440.0, 220.0
WIDE_WIDTH = 1120.0
"""Width of a line chart that spans the page, in SVG units."""
WIDE_FROM = 15
"""Minimum number of labels of a line chart that spans the page."""
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 40.0, 24.0, 10.0, 28.0
BAR, THIN_BAR, MANY_BARS = 16.0, 12.0, 16
"""Height of a bar, and of a thin bar, in SVG units. A chart with more than MANY_BARS bars has thin bars."""
DOT = 3
CHARACTER = 7.4
"""Approximate width of one character of a label, in SVG units."""
MAX_LABEL = 30
VALUE_ROOM = 34.0
"""Space to the right of a bar for its value, in SVG units."""


def plot_interval(
    label: str, found: Estimate | Interval, text: str, *, axis_start: float = 0.0, axis_end: float = 1.0
) -> dict[str, object]:
    """Return the data to draw a number and its interval: `{label, text, value, low, high, width}`.

    `label` and `text` are copied into the result. `value`, `low` and `high` are positions on the axis, and `width` is
    the width of the interval, all in percent of the axis.
    """

    def place(value: float | None) -> float | None:
        return (
            None
            if value is None
            else round(100 * min(1.0, max(0.0, (value - axis_start) / (axis_end - axis_start))), 2)
        )

    start, end = place(found.low), place(found.high)
    width = 0.0 if start is None or end is None else max(0.4, end - start)
    return {"label": label, "text": text, "value": place(found.value), "low": start, "high": end, "width": width}


ChartLabel = tuple[str, float, float]
"""A text, and the x and y of its position in SVG units."""


class Shape(NamedTuple):
    """A dot with its centre at (`x`, `y`), or a bar with its upper left corner at (`x`, `y`)."""

    x: float
    y: float
    width: float
    height: float
    words: str
    """Text that appears while the pointer is on the shape."""
    value: str = ""
    """Text beside a bar; empty for a dot."""


class DrawnSeries(NamedTuple):
    """One series of a chart: its bars, or its dots and the line through them."""

    series: ChartSeries
    css_class: str
    shapes: tuple[Shape, ...]
    path: str = ""
    """SVG path of the line; empty if the series has no line."""


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart with the positions of all its elements."""

    chart: Chart
    width: float
    height: float
    grid: str
    """SVG path of the grid lines at the ticks."""
    ticks: tuple[ChartLabel, ...]
    labels: tuple[ChartLabel, ...]
    series: tuple[DrawnSeries, ...]
    is_wide: bool = False


def draw_chart(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    """Compute the positions of all elements of `chart`. `classes`: the CSS class of each debater."""
    return _draw_lines(chart, classes) if chart.kind == "line" else _draw_bars(chart, classes)


def _draw_lines(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    is_wide = len(chart.labels) >= WIDE_FROM
    width = WIDE_WIDTH if is_wide else WIDTH
    left, right, bottom = MARGIN_LEFT, width - MARGIN_RIGHT, LINE_HEIGHT - MARGIN_BOTTOM
    step = (right - left - 24) / max(1, len(chart.labels) - 1)
    xs = [left + 12 + number * step for number in range(len(chart.labels))]

    def y(value: float) -> float:
        return bottom - _share(value, chart) * (bottom - MARGIN_TOP)

    series: list[DrawnSeries] = []
    for item in chart.series:
        dots = [
            Shape(round(x, 1), round(y(point.value), 1), DOT, DOT, point.words)
            for x, point in zip(xs, item.points, strict=True)
            if point is not None
        ]
        path = "M" + " L".join(f"{dot.x} {dot.y}" for dot in dots) if len(dots) > 1 else ""
        series.append(DrawnSeries(item, _css_class(item, classes), tuple(dots), path))
    every = ceil(CHARACTER * (1 + max(map(len, chart.labels), default=0)) / step)
    labels = [(label, round(x, 1), LINE_HEIGHT - 8) for label, x in zip(chart.labels, xs, strict=True)]
    return DrawnChart(
        chart,
        width,
        LINE_HEIGHT,
        " ".join(f"M{left:.1f} {y(tick):.1f} H{right:.1f}" for tick in chart.ticks),
        tuple((_format_tick(tick), left - 8, round(y(tick) + 4, 1)) for tick in chart.ticks),
        tuple(labels[::every]),
        tuple(series),
        is_wide,
    )


def _draw_bars(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    is_stack = chart.kind == "stack"
    names = [theme.shorten(sanitize.sanitize_line(label), MAX_LABEL) for label in chart.labels]
    rows = 1 if is_stack else len(chart.series)
    bar = THIN_BAR if rows * len(names) > MANY_BARS else BAR
    group = rows * bar + bar / 2
    tops = [MARGIN_TOP + number * group for number in range(len(names) + 1)]
    left = 16 + CHARACTER * max(map(len, names), default=0)
    right = WIDTH - (MARGIN_RIGHT if is_stack else VALUE_ROOM)

    def x(value: float) -> float:
        return left + _share(value, chart) * (right - left)

    series: list[DrawnSeries] = []
    ends = [0.0] * len(names)
    for number, item in enumerate(chart.series):
        shapes: list[Shape] = []
        for index, point in enumerate(item.points):
            if point is None:
                continue
            start = ends[index] if is_stack else 0.0
            ends[index] = start + point.value
            y = round(tops[index] + bar / 4 + (0 if is_stack else number * bar), 1)
            value = "" if is_stack else _format_tick(point.value)
            shapes.append(
                Shape(round(x(start), 1), y, round(x(ends[index]) - x(start), 1), bar - 1, point.words, value)
            )
        series.append(DrawnSeries(item, _css_class(item, classes), tuple(shapes)))
    return DrawnChart(
        chart,
        WIDTH,
        tops[-1] + 20,
        " ".join(f"M{x(tick):.1f} {MARGIN_TOP:.1f} V{tops[-1]:.1f}" for tick in chart.ticks),
        tuple((_format_tick(tick), round(x(tick), 1), tops[-1] + 15) for tick in chart.ticks),
        tuple((name, left - 8, round(top + group / 2 + 4, 1)) for name, top in zip(names, tops, strict=False)),
        tuple(series),
    )


def _share(value: float, chart: Chart) -> float:
    span = chart.high - chart.low
    return min(1.0, max(0.0, (value - chart.low) / span)) if span > 0 else 0.0


def _css_class(item: ChartSeries, classes: Mapping[str, str]) -> str:
    return item.style if item.participant is None else classes.get(item.participant, "")


def _format_tick(value: float) -> str:
    return f"{round(value, 1):g}" if abs(value) > 1 else f"{round(value, 3):g}"
