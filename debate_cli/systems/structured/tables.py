"""Tables and charts of a structured verdict."""

from collections.abc import Iterable, Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries, bar_chart
from debate_cli.systems.structured.score import MAX_ARGUMENT_MARK, StructuredNotes
from debate_cli.systems.tables import (
    Cell,
    DebaterCell,
    Gauge,
    Number,
    Table,
    TableRow,
    column_table,
    format_number,
    join_row_groups,
    make_table,
    parse_notes,
)

SHORT_HEADERS = {"responsiveness": "response"}
MARK_TICKS = (0.0, 2.0, 4.0, 6.0, 8.0, MAX_ARGUMENT_MARK)
MAX_CHART_ARGUMENTS = 40
"""Maximum number of arguments in a chart. If there are more, only the table shows their scores."""


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield the tables of scores, differences between judges, and fallacies."""
    notes = parse_notes(StructuredNotes, verdict)
    names = [SHORT_HEADERS.get(criterion, criterion) for criterion in notes.weights]
    heads = (f"{name} {weight:.0%}" for name, weight in zip(names, notes.weights.values(), strict=True))
    debaters = dict.fromkeys(row.participant for row in notes.arguments)
    rows = join_row_groups(_participant_rows(verdict, notes, name) for name in debaters)
    shares = [f"{judge} (weight {share:.0%})" for judge, share in notes.judge_weights.items()]
    remark = f"Highest minus lowest mark of {', '.join(shares or notes.judges)}."
    marked = notes.arguments if any(row.spread for row in notes.arguments) else ()
    spreads = ((row.id, *(Number(row.spread.get(item), 1) for item in notes.weights)) for row in marked)
    yield make_table("structured: scores", ("argument", *heads, "score", ""), rows)
    yield make_table("spread between judges", ("argument", *names), spreads, (remark,))
    yield column_table(
        "fallacies",
        notes.fallacies,
        {
            "fallacy": lambda row: f"! {row.name}",
            "by": lambda row: DebaterCell(row.participant),
            "in": lambda row: row.item or None,
            "words": lambda row: row.quote,
        },
    )


def _participant_rows(verdict: Verdict, notes: StructuredNotes, who: str) -> Iterable[TableRow]:
    for row in notes.arguments:
        if row.participant == who:
            score: Cell = Number(row.score)
            if row.penalty:
                score = f"{'—' if row.score is None else format_number(row.score)} (−{row.penalty:.3g})"
            yield (row.id, *(Number(row.marks.get(item), 1) for item in notes.weights), score, None)
    means = notes.means.get(who, {})
    total = verdict.scores.get(who)
    bar = Gauge(total, MAX_ARGUMENT_MARK, who) if total is not None else None
    marks = (Number(means.get(item), 1) for item in notes.weights)
    yield (DebaterCell(who), *marks, Number(total, strong=True), bar)


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield charts of the mean marks by criterion and, for up to `MAX_CHART_ARGUMENTS` arguments, of their scores."""
    notes = parse_notes(StructuredNotes, verdict)
    yield bar_chart(
        "Marks by criterion",
        "Mean over a debater's arguments, 1 to 10. The weight is beside the criterion.",
        {item: f"{item} {weight:.0%}" for item, weight in notes.weights.items()},
        notes.means,
        MARK_TICKS,
    )
    rows = notes.arguments if len(notes.arguments) <= MAX_CHART_ARGUMENTS else ()
    scores = {row.id: "—" if row.score is None else format_number(row.score) for row in rows}
    yield Chart(
        "Score of each argument",
        "Weighted mean of the criteria minus the penalty for fallacies, 1 to 10. The score is beside the argument.",
        "stack",
        tuple(f"{item} · {score}" for item, score in scores.items()),
        tuple(
            ChartSeries(
                name,
                tuple(
                    ChartPoint(row.score, f"{name}, {row.id}: {scores[row.id]}")
                    if row.score is not None and row.participant == name
                    else None
                    for row in rows
                ),
                participant=name,
            )
            for name in dict.fromkeys(row.participant for row in rows)
        ),
        0,
        MAX_ARGUMENT_MARK,
        MARK_TICKS,
    )
