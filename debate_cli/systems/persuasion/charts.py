"""Charts of the system `persuasion`: parts of the scores, stance and conviction after every turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries, line_series
from debate_cli.systems.persuasion.score import SCORE_PARTS, CurvePoint, PersuasionNotes, max_score
from debate_cli.systems.tables import format_number, parse_notes


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield the charts; none if the notes are of another version."""
    notes = parse_notes(PersuasionNotes, verdict)
    if notes is None:
        return
    yield _score_chart(verdict, notes)
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


def _score_chart(verdict: Verdict, notes: PersuasionNotes) -> Chart:
    """A stacked bar of the parts of each score, the highest first; the penalty is left of 0."""
    ranked = sorted(notes.parts, key=lambda item: -verdict.scores.get(item.name, 0.0))
    series = tuple(
        ChartSeries(
            part,
            tuple(
                ChartPoint(getattr(of, part), f"{of.name}, {part}: {format_number(getattr(of, part))}") for of in ranked
            ),
            style=f"part-{number}",
        )
        for number, part in enumerate(SCORE_PARTS)
    )
    high = max_score(len(ranked))
    low = -50.0 if any(of.penalty for of in ranked) else 0.0
    labels = tuple(f"{of.name} · {format_number(verdict.scores.get(of.name, 0.0))}" for of in ranked)
    return Chart(
        "Parts of each score",
        "Points for the stance kept, for persuading the others and for withstanding attacks; a surrender costs 50.",
        "stack",
        labels,
        series,
        low,
        high,
        (*((low,) if low else ()), 0.0, high / 2, high),
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
