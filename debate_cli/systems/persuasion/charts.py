"""Charts of the system `persuasion`: stance and conviction after every turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, line_series
from debate_cli.systems.persuasion.score import CurvePoint, PersuasionNotes
from debate_cli.systems.tables import parse_notes


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield the charts; none if the notes are of another version."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return
    yield _curve_chart(
        "Stance after each turn",
        "From −1, wholly opposed, to 1, wholly supportive.",
        notes.curve,
        [point.stances for point in notes.curve],
        (-1.0, -0.5, 0.0, 0.5, 1.0),
    )
    yield _curve_chart(
        "Conviction after each turn",
        "From 0 to 1: how firmly a debater holds its stance.",
        notes.curve,
        [point.convictions for point in notes.curve],
        (0.0, 0.25, 0.5, 0.75, 1.0),
    )


def _curve_chart(
    title: str,
    caption: str,
    curve: Sequence[CurvePoint],
    values: Sequence[Mapping[str, float]],
    ticks: tuple[float, ...],
) -> Chart:
    labels = tuple("start" if point.turn is None else str(point.turn + 1) for point in curve)
    positions = {
        number: "at the start" if label == "start" else f"after turn {label}" for number, label in enumerate(labels)
    }
    series = tuple(
        line_series(name, {number: of[name] for number, of in enumerate(values) if name in of}, positions)
        for name in dict.fromkeys(name for of in values for name in of)
    )
    return Chart(title, caption, "line", labels, series, ticks[0], ticks[-1], ticks)
