"""Charts as SVG: their words escaped, their style the page's, their values told to those who point at them."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Literal
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.render.html.charts import Plot, Point, Series, render_chart

Kind = Literal["line", "bars", "stack"]
ATTACK = '"><script>alert(1)</script>&{{ 7*7 }}'


def plot(kind: Kind = "line", words: str = "turn 1: 7", labels: tuple[str, ...] = ("1", "2", "3")) -> Plot:
    """Two series over three places, one of them with a gap."""
    return Plot(
        kind,
        labels,
        (
            Series("Ada", "voice-0", (Point(1, words), None, Point(3, words))),
            Series("Bo", "voice-1 dashed", (None, Point(2.5, words), None)),
        ),
        0,
        4,
        (0.0, 2.0, 4.0),
    )


@pytest.mark.parametrize("kind", ["line", "bars", "stack"])
def test_nothing_is_left_but_shapes_and_words(kind: Kind) -> None:
    """No style, no script, no id, no event, no namespace."""
    root = ET.fromstring(render_chart(plot(kind), "A chart"))
    tags = {element.tag for element in root.iter()}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert tags <= {"svg", "g", "path", "text", "title", "circle", "rect"}
    assert not attributes & {"id", "style", "href"}


@pytest.mark.parametrize("kind", ["line", "bars", "stack"])
def test_each_series_has_its_look(kind: Kind) -> None:
    """The shapes of a series stand in a group of its classes."""
    root = ET.fromstring(render_chart(plot(kind, "Bo: 2.5"), "A chart"))
    groups = [group for group in root.iter("g") if group.get("class") == "series voice-1 dashed"]
    assert [title.text for group in groups for title in group.iter("title")] == ["Bo: 2.5"]


def test_a_screen_reader_hears_the_title() -> None:
    """The whole chart is one picture with a name."""
    root = ET.fromstring(render_chart(plot(), f"{ATTACK}\n"))
    assert (root.get("role"), root.get("aria-label")) == ("img", ATTACK)


@given(st.text(max_size=30))
def test_any_words_can_stand_in_a_chart(words: str) -> None:
    """Whatever is said, the chart is well-formed and the words are text in it."""
    root = ET.fromstring(render_chart(plot("line", f"{ATTACK}{words}", (words, "2", "3")), words))
    assert {"script"}.isdisjoint({element.tag for element in root.iter()})
    assert ATTACK in "".join(title.text or "" for title in root.iter("title"))


def test_values_keep_their_decimals_in_words() -> None:
    """Only places are rounded, not what is written."""
    told = Plot("line", ("1",), (Series("a", "", (Point(0.75, "0.755"),)),), 0, 1, (0.0, 0.25, 0.5))
    root = ET.fromstring(render_chart(told, "t"))
    assert {"0.25", "0.755"} <= {element.text for element in root.iter()}


def test_python_imports_as_before() -> None:
    """The library leaves no import hook of a kind that Python no longer knows, and packages are still found."""
    render_chart(plot(), "t")
    assert all(hasattr(hook, "find_spec") for hook in sys.meta_path)
    assert metadata.version("pygal")


def test_hooks_of_others_stay() -> None:
    """However often a chart is drawn, only the library's own hook is taken away."""

    class PluginImportFixer:
        """A hook of somebody else, who says that it is of the library too."""

        def find_spec(self, *_: object) -> None:
            """Find nothing."""

    PluginImportFixer.__module__ = "pygal"
    other = PluginImportFixer()
    sys.meta_path.append(other)
    try:
        render_chart(plot(), "t")
        assert other in sys.meta_path
    finally:
        sys.meta_path.remove(other)
