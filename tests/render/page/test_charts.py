"""Charts as SVG: text is escaped, and every shape lies within its chart."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.render.html.charts import DrawnChart, draw_chart
from debate_cli.render.html.templating import build_environment
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries

ATTACK = '"><script>alert(1)</script>&{{ 7*7 }}'
KINDS = ("line", "bars", "stack")


def chart(
    kind: str = "line", words: str = "turn 1: 7", labels: tuple[str, ...] = ("1", "2", "3"), **changes: object
) -> Chart:
    """Two series over three positions, both with gaps."""
    series = (
        ChartSeries("Ada", (ChartPoint(1, words), None, ChartPoint(3, words)), participant="Ada"),
        ChartSeries("limit", (None, ChartPoint(2.5, words), None), style="limit"),
    )
    values = {"low": 0, "high": 4, "ticks": (0.0, 2.0, 4.0), "series": series, **changes}
    return Chart("A chart", "How to read it.", kind, labels, **values)  # pyright: ignore[reportArgumentType]


def svg(drawn: DrawnChart) -> ET.Element:
    """The rendered chart."""
    source = "{% import 'chart.html.j2' as charts %}{{ charts.svg(chart) }}"
    return ET.fromstring(build_environment().from_string(source).render(chart=drawn))


@pytest.mark.parametrize("kind", KINDS)
def test_each_series_has_the_class_of_its_debater_or_its_style(kind: str) -> None:
    """The style sheet colours the groups; the SVG has no style, script or id."""
    root = svg(draw_chart(chart(kind), {"Ada": "hue-3"}))
    assert [group.get("class") for group in root.findall("g")[2:]] == ["series hue-3", "series limit"]
    assert {element.tag for element in root.iter()} <= {"svg", "desc", "g", "path", "text", "title", "circle", "rect"}
    assert not {name for element in root.iter() for name in element.attrib} & {"id", "style", "href"}


def test_a_screen_reader_gets_title_and_description() -> None:
    """The chart is one image with a name and a description."""
    root = svg(draw_chart(chart(), {}))
    assert (root.get("role"), root.get("aria-label"), root.findtext("desc")) == ("img", "A chart", "How to read it.")


@given(st.text(max_size=30), st.sampled_from(KINDS))
def test_untrusted_text_makes_no_element(words: str, kind: str) -> None:
    """The SVG is well-formed and holds the text."""
    root = svg(draw_chart(chart(kind, f"{ATTACK}{words}", (words, ATTACK, "3")), {}))
    assert "script" not in {element.tag for element in root.iter()}
    assert all((title.text or "").startswith(ATTACK) for title in root.iter("title"))


@given(st.lists(st.floats(-50, 150), min_size=1, max_size=60), st.sampled_from(KINDS))
def test_every_shape_lies_within_the_chart(values: list[float], kind: str) -> None:
    """Values beyond the ends of the axis are drawn at the ends."""
    labels = tuple(f"a label of some length {number}" for number in range(len(values)))
    points = tuple(ChartPoint(value, "words") for value in values)
    drawn = draw_chart(chart(kind, labels=labels, series=(ChartSeries("Ada", points),), high=100), {})
    for shape in drawn.series[0].shapes:
        assert 0 <= shape.x <= shape.x + (0 if kind == "line" else shape.width) <= drawn.width
        assert 0 <= shape.y <= drawn.height
        assert shape.width >= 0


def test_stacked_bars_are_adjacent() -> None:
    """The second series begins where the first ends."""
    series = (ChartSeries("a", (ChartPoint(1, ""),)), ChartSeries("b", (ChartPoint(2, ""),)))
    (first, second) = draw_chart(chart("stack", labels=("vote 1",), series=series), {}).series
    assert first.shapes[0].x + first.shapes[0].width == pytest.approx(second.shapes[0].x, abs=0.2)
    assert second.shapes[0].width == pytest.approx(2 * first.shapes[0].width, abs=0.2)


@pytest.mark.parametrize(("positions", "is_wide", "labels"), [(3, False, 3), (14, False, 7), (60, True, 30)])
def test_a_long_line_spans_the_page_and_labels_every_nth_position(positions: int, is_wide: bool, labels: int) -> None:
    """Labels do not overlap."""
    points = tuple(ChartPoint(1, "") for _ in range(positions))
    drawn = draw_chart(
        chart(labels=tuple(f"v{number}" for number in range(positions)), series=(ChartSeries("a", points),)), {}
    )
    assert (drawn.is_wide, len(drawn.labels)) == (is_wide, labels)
