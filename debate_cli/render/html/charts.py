"""Charts of the report as SVG: computes the positions for the template `chart.html.j2`.

A chart is data of `systems.charts`. The style sheet colours it, and the template escapes its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from debate_cli.domain.participant import Participant
from debate_cli.render import sanitize, theme
from debate_cli.statistics.estimate import Estimate
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries
from debate_cli.systems.tables import Interval

PARTICIPANT_CLASS_COUNT = 6
"""Number of colours for debaters. The seventh debater has the first colour again."""
WIDTH, LINE_HEIGHT = 440.0, 220.0
WIDE_WIDTH = 1120.0
"""Units of a line chart that spans the page."""
WIDE_FROM = 15
"""Number of labels from which a line chart spans the page."""
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 40.0, 24.0, 10.0, 28.0
BAR, THIN_BAR = 16.0, 12.0
"""Height of a bar, and of a bar in a chart with more than `MANY_BARS` bars."""
MANY_BARS = 16
CHARACTER = 7.4
"""Approximate width of a character of a label."""
MAX_LABEL = 30
"""Maximum length of a label beside bars."""
VALUE_ROOM = 34.0
"""Units to the right of the longest bar, for its value."""
MAX_AXIS_LABELS = 20
"""Maximum number of labels below a wide line chart; half as many below others. If there are more, some are left out."""


def participant_classes(participants: Sequence[Participant]) -> dict[str, str]:
    """Debater's name -> class of the style sheet."""
    return {person.name: f"hue-{number % PARTICIPANT_CLASS_COUNT}" for number, person in enumerate(participants)}


@dataclass(frozen=True, slots=True)
class ChartLabel:
    """A text and its position."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlottedInterval:
    r"""A number with its interval on an axis. Positions are per cent from the left; None is not drawn.

    Attributes:
        label: Name of the number.
        text: The number in words.
        value: Position of the number.
        low: Position of the lower end.
        high: Position of the upper end.
        number: The number itself, for sorting; 0 if there is none.
    """

    label: str
    text: str
    value: float | None
    low: float | None
    high: float | None
    number: float

    @property
    def width(self) -> float:
        """Length of the interval, wide enough to be seen."""
        return 0.0 if self.low is None or self.high is None else max(0.4, self.high - self.low)


def plot_interval(
    label: str, found: Estimate | Interval, text: str, *, low: float = 0.0, high: float = 1.0
) -> PlottedInterval:
    """Place a number on an axis from `low` to `high`. A number outside is placed at the nearer end."""

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2)

    return PlottedInterval(label, text, place(found.value), place(found.low), place(found.high), found.value or 0.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """A dot (`x`, `y`: centre) or a bar (`x`, `y`: upper left corner)."""

    x: float
    y: float
    width: float
    height: float
    words: str
    """Text to show when a reader points at it."""
    value: str = ""
    """Text beside a bar."""


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """The shapes of one series."""

    name: str
    css_class: str
    """Class of the style sheet, which sets its colour and dashes."""
    path: str
    """Path data of its line; empty if it has no line."""
    shapes: tuple[Shape, ...]
    is_joined: bool


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A chart with the positions of all its elements."""

    title: str
    caption: str
    kind: str
    width: float
    height: float
    is_wide: bool
    grid: str
    """Path data of the lines at the ticks."""
    ticks: tuple[ChartLabel, ...]
    labels: tuple[ChartLabel, ...]
    series: tuple[DrawnSeries, ...]


def draw_chart(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    """Compute the position of everything in `chart`."""
    return _draw_lines(chart, classes) if chart.kind == "line" else _draw_bars(chart, classes)


def _draw_lines(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    is_wide = len(chart.labels) >= WIDE_FROM and not chart.is_small
    width = WIDE_WIDTH if is_wide else WIDTH
    left, right, bottom = MARGIN_LEFT, width - MARGIN_RIGHT, LINE_HEIGHT - MARGIN_BOTTOM
    step = (right - left - 24) / max(1, len(chart.labels) - 1)
    xs = [left + 12 + number * step for number in range(len(chart.labels))]
    if len(xs) == 1:
        xs = [(left + right) / 2]

    def y(value: float) -> float:
        return bottom - _share(value, chart) * (bottom - MARGIN_TOP)

    series: list[DrawnSeries] = []
    for item in chart.series:
        dots = [(x, y(point.value), point) for x, point in zip(xs, item.points, strict=True) if point is not None]
        path = "M" + " L".join(f"{x:.1f} {top:.1f}" for x, top, _ in dots) if item.is_joined and len(dots) > 1 else ""
        size = 3 if item.is_joined else 6
        shapes = tuple(Shape(round(x, 1), round(top, 1), size, size, point.words) for x, top, point in dots)
        series.append(DrawnSeries(item.name, _css_class(item, classes), path, shapes, item.is_joined))
    most = MAX_AXIS_LABELS if is_wide else MAX_AXIS_LABELS // 2
    every = -(-len(chart.labels) // most)
    return DrawnChart(
        title=chart.title,
        caption=chart.caption,
        kind="line",
        width=width,
        height=LINE_HEIGHT,
        is_wide=is_wide,
        grid=" ".join(f"M{left:.1f} {y(tick):.1f} H{right:.1f}" for tick in chart.ticks),
        ticks=tuple(ChartLabel(_number(tick), left - 8, round(y(tick) + 4, 1)) for tick in chart.ticks),
        labels=tuple(
            ChartLabel(label, round(xs[number], 1), LINE_HEIGHT - 8)
            for number, label in enumerate(chart.labels)
            if number % every == 0
        ),
        series=tuple(series),
    )


def _draw_bars(chart: Chart, classes: Mapping[str, str]) -> DrawnChart:
    """Horizontal bars: a row per bar, or one per label if they are stacked."""
    layout = _BarLayout.of(chart)
    labels = [_short_label(label) for label in chart.labels]
    return DrawnChart(
        title=chart.title,
        caption=chart.caption,
        kind=chart.kind,
        width=WIDTH,
        height=layout.bottom + 20,
        is_wide=False,
        grid=" ".join(f"M{layout.x(tick):.1f} {MARGIN_TOP:.1f} V{layout.bottom:.1f}" for tick in chart.ticks),
        ticks=tuple(ChartLabel(_number(tick), round(layout.x(tick), 1), layout.bottom + 15) for tick in chart.ticks),
        labels=tuple(
            ChartLabel(label, layout.left - 8, round(layout.group_top(index) + layout.group_height / 2 + 4, 1))
            for index, label in enumerate(labels)
        ),
        series=tuple(
            DrawnSeries(item.name, _css_class(item, classes), "", tuple(layout.bars(number)), item.is_joined)
            for number, item in enumerate(chart.series)
        ),
    )


@dataclass(frozen=True, slots=True)
class _BarLayout:
    """Positions in a chart of horizontal bars, with a group of bars per label."""

    chart: Chart
    left: float
    """Left end of the axis, to the right of the labels."""
    bar_height: float
    group_height: float

    @classmethod
    def of(cls, chart: Chart) -> _BarLayout:
        rows = len(chart.series) if chart.kind == "bars" else 1
        bar = THIN_BAR if rows * len(chart.labels) > MANY_BARS else BAR
        left = 16 + CHARACTER * max((len(_short_label(label)) for label in chart.labels), default=0)
        return cls(chart, left, bar, rows * bar + bar / 2)

    @property
    def bottom(self) -> float:
        return self.group_top(len(self.chart.labels))

    def group_top(self, index: int) -> float:
        return MARGIN_TOP + index * self.group_height

    def x(self, value: float) -> float:
        right = WIDTH - (VALUE_ROOM if self.chart.kind == "bars" else MARGIN_RIGHT)
        return self.left + _share(value, self.chart) * (right - self.left)

    def bars(self, number: int) -> Iterator[Shape]:
        """The bars of series `number`. In a stack, a bar begins where the bar of the series before ends.

        Bars of negative values extend from 0 to the left.
        """
        is_stack = self.chart.kind == "stack"
        for index, point in enumerate(self.chart.series[number].points):
            if point is None:
                continue
            y = self.group_top(index) + self.bar_height / 4 + (0 if is_stack else number * self.bar_height)
            earlier = [_value(other.points[index]) for other in self.chart.series[:number]] if is_stack else []
            start = sum(before for before in earlier if (before < 0) == (point.value < 0))
            begin, end = sorted((self.x(start), self.x(start + point.value)))
            value = "" if is_stack else _number(point.value)
            yield Shape(round(begin, 1), round(y, 1), round(end - begin, 1), self.bar_height - 1, point.words, value)


def _short_label(label: str) -> str:
    return theme.shorten(sanitize.sanitize_line(label), MAX_LABEL)


def _share(value: float, chart: Chart) -> float:
    """Position of a value on the axis, from 0 to 1; values beyond its ends are at the ends."""
    span = chart.high - chart.low
    return min(1.0, max(0.0, (value - chart.low) / span)) if span > 0 else 0.0


def _value(point: ChartPoint | None) -> float:
    return 0.0 if point is None else point.value


def _css_class(item: ChartSeries, classes: Mapping[str, str]) -> str:
    return item.style if item.participant is None else classes.get(item.participant, "")


def _number(value: float) -> str:
    return f"{round(value, 1):g}" if abs(value) > 1 else f"{round(value, 3):g}"
