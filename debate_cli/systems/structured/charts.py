"""Charts of the system `structured`: marks by criterion, and the score of every argument."""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries, bar_chart
from debate_cli.systems.structured.score import MAX_ARGUMENT_MARK, StructuredNotes
from debate_cli.systems.tables import format_number, parse_notes

MAX_ARGUMENT_BARS = 40
"""With more arguments than this, the chart of arguments is left out; the table has them all."""
MARK_TICKS = (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield the charts; none if the notes are of another version."""
    notes = parse_notes(StructuredNotes, verdict)
    if notes is None:
        return
    yield bar_chart(
        "Marks by criterion",
        "Mean over a debater's arguments, 1 to 10; beside each criterion its weight.",
        {item: f"{item} {weight:.0%}" for item, weight in notes.weights.items()},
        notes.means,
        MAX_ARGUMENT_MARK,
        MARK_TICKS,
    )
    if len(notes.arguments) <= MAX_ARGUMENT_BARS:
        yield _argument_chart(notes)


def _argument_chart(notes: StructuredNotes) -> Chart:
    rows = notes.arguments
    scores = ["" if row.score is None else format_number(row.score) for row in rows]
    series = tuple(
        ChartSeries(
            name,
            tuple(
                ChartPoint(row.score, f"{row.id}: {score}")
                if row.score is not None and row.participant == name
                else None
                for row, score in zip(rows, scores, strict=True)
            ),
            participant=name,
        )
        for name in dict.fromkeys(row.participant for row in rows)
    )
    return Chart(
        "Score of each argument",
        "Weighted mean of the criteria less penalties, 1 to 10; beside each argument its score.",
        "stack",
        tuple(f"{row.id} · {score}" if score else row.id for row, score in zip(rows, scores, strict=True)),
        series,
        0,
        MAX_ARGUMENT_MARK,
        MARK_TICKS,
    )
