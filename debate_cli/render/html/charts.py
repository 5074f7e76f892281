"""Charts as inline SVG, drawn by pygal and left without style, script or id: the page's own style sheet colours them.

Words in a chart come from anywhere; they are text nodes of an element tree and are escaped where it is written.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET

from markupsafe import Markup

from debate_cli.render import sanitize

if TYPE_CHECKING:
    from pygal import Graph

WIDTH, HEIGHT = 440, 220
WIDE_CHART_WIDTH = 1120
"""Units of a chart that spans the page."""
ROW, LOW_ROW = 16, 12
"""Units of height per bar, and of one among many."""
MANY_BARS = 16
MANY_POINTS = 14
"""Positions from which on a line is drawn across the page."""
MAX_AXIS_LABELS = 20
"""Labels below a line; of more, only each so many-th is written."""
LABEL_STEPS = (1, 2, 5, 10, 20, 50, 100)
_DECIMALS = re.compile(r"(\d+\.\d)\d+")
_PLACES = frozenset({"d", "x", "y", "cx", "cy", "width", "height", "transform"})
"""Attributes whose numbers need no more than one decimal."""
_DROPPED = {"defs", "desc", "title"}
_OVERLAY = "tooltip-overlay"
LABEL = 12
"""Size of the words, by which pygal leaves room for them."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value and what it means in words, shown by those who point at it."""

    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Series:
    """Values in one look; None where there is none."""

    name: str
    look: str
    """Classes of the style sheet, e.g. `voice-0 dashed`."""
    points: tuple[Point | None, ...]
    joined: bool = True
    """Whether a line joins the points, over gaps as well."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart as data: `line` over positions in time, `bars` or `stack` (bars end to end) one below the other."""

    kind: Literal["line", "bars", "stack"]
    labels: tuple[str, ...]
    """Of the positions, or of the groups of bars."""
    series: tuple[Series, ...]
    low: float
    high: float
    ticks: tuple[float, ...]
    """Values that are written at the axis."""
    small: bool = False
    """Whether it stays narrow, however many positions it has."""

    @property
    def wide(self) -> bool:
        """Whether it spans the page."""
        return self.kind == "line" and not self.small and len(self.labels) > MANY_POINTS


def render_chart(plot: Plot, title: str) -> Markup:
    """The chart as an SVG element that a screen reader calls by `title`."""
    root = ET.fromstring(_chart(plot).render(is_unicode=True))  # noqa: S314 - pygal's own words, made a line ago
    _strip_element(root)
    for number, series in enumerate(plot.series):
        for group in root.iter("g"):
            if f"serie-{number}" in group.get("class", "").split():
                group.set("class", f"series {series.look}")
    root.attrib.pop("id", None)
    root.set("class", f"chart {plot.kind}{' wide' if plot.wide else ''}")
    root.set("role", "img")
    root.set("aria-label", sanitize.sanitize_line(title))
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - escaped by ElementTree


def sanitize_xml_line(words: str) -> str:
    """`words` on one line, without what XML cannot carry."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in sanitize.sanitize_line(words))


@cache
def _unhook() -> None:
    """Take away the import hook for map plugins that pygal leaves behind, of a kind that Python has given up; once."""
    from pygal import PluginImportFixer

    sys.meta_path[:] = [hook for hook in sys.meta_path if not isinstance(hook, PluginImportFixer)]


def _chart(plot: Plot) -> Graph:
    import pygal
    from pygal.style import Style

    _unhook()
    kinds = {"line": pygal.Line, "bars": pygal.HorizontalBar, "stack": pygal.HorizontalStackedBar}
    style = Style(label_font_size=LABEL, major_label_font_size=LABEL)
    chart = kinds[plot.kind](
        style=style, **_settings(plot), **(_of_line(plot) if plot.kind == "line" else _of_bars(plot))
    )
    onward = 1 if plot.kind == "line" else -1  # groups of bars are drawn from below
    chart.x_labels = [sanitize_xml_line(label) for label in plot.labels[::onward]]
    for series in plot.series:
        values = [
            None if point is None else {"value": point.value, "label": sanitize_xml_line(point.words)}
            for point in series.points[::onward]
        ]
        chart.add("", values, stroke=series.joined, dots_size=3 if series.joined else 6)
    return chart


def _settings(plot: Plot) -> dict[str, object]:
    """What all charts share: no style, no script, no legend."""
    return {
        "js": (), "css": (), "disable_xml_declaration": True, "no_data_text": "", "show_legend": False, "margin": 4,
        "margin_left": 12, "spacing": 6, "range": (plot.low, plot.high), "y_labels": list(plot.ticks), "value_formatter": _format_value,
    }  # fmt: skip


def _of_line(plot: Plot) -> dict[str, object]:
    steps = (*LABEL_STEPS, len(plot.labels))
    most = MAX_AXIS_LABELS if plot.wide else MAX_AXIS_LABELS // 2
    every = next(step for step in steps if len(plot.labels) <= step * most)
    return {
        "width": WIDE_CHART_WIDTH if plot.wide else WIDTH,
        "height": HEIGHT,
        "margin_right": 30,
        "truncate_label": -1,
        "x_labels_major_every": every,
        "show_minor_x_labels": every == 1,
    }


def _of_bars(plot: Plot) -> dict[str, object]:
    bars = len(plot.labels) * (1 if plot.kind == "stack" else len(plot.series))
    row = LOW_ROW if bars > MANY_BARS else ROW
    return {
        "width": WIDTH,
        "height": 36 + bars * row + len(plot.labels) * row // 2,
        "margin_right": 12,
        "rounded_bars": 2,
        "print_values": plot.kind == "bars",
        "print_values_position": "top",
    }


def _format_value(value: float) -> str:
    """A value beside a bar or at an axis; those below 1 are shares and keep their digits."""
    return f"{round(value, 1):g}" if abs(value) > 1 else f"{value:g}"


def _strip_element(element: ET.Element) -> None:
    """Take out everything but shapes and words; what a shape stands for becomes its title."""
    element.tag = element.tag.rpartition("}")[2]
    for name in _PLACES & element.attrib.keys():
        element.set(name, _DECIMALS.sub(r"\1", element.attrib[name]))
    for child in list(element):
        tag = child.tag.rpartition("}")[2]
        classes = set(child.get("class", "").split())
        if tag == "desc" and "label" in classes:
            child.tag, child.attrib = "title", {}
        elif tag in _DROPPED or _OVERLAY in classes or "background" in classes:
            element.remove(child)
        else:
            _strip_element(child)
