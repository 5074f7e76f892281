"""Tables of the structured system (scores, spread between judges, fallacies, trace) and its charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, ChartPoint, ChartSeries, bar_chart
from debate_cli.systems.debate_tables import SOURCE_BADGES
from debate_cli.systems.source_support import SUPPORT_WORDS
from debate_cli.systems.structured.score import MAX_ARGUMENT_MARK, ArgumentRow, StructuredNotes
from debate_cli.systems.structured.trace import TraceRow, TraceSource
from debate_cli.systems.tables import (
    RESPONSE_BADGES,
    STANDING_BADGES,
    Cell,
    Gauge,
    Lines,
    Number,
    Table,
    TableRow,
    Who,
    format_number,
    join_row_groups,
    parse_notes,
)

SHORT_HEADERS = {"responsiveness": "response"}
"""Short forms of long headers."""


def tables(verdict: Verdict) -> list[Table]:
    """The score table; how far the marks of several judges differ; the fallacies if there are any."""
    notes = parse_notes(StructuredNotes, verdict)
    if notes is None:
        return []
    return [_score_table(verdict, notes), *_spread_tables(notes), *_fallacy_tables(notes)]


def format_trace_table(rows: Sequence[TraceRow]) -> Table:
    """Every claim with its speaker, its sources if any claim has some, the answers to it, and its standing."""
    has_sources = any(row.sources for row in rows)
    heads = ("claim", "by", "what is claimed", *(["sources"] if has_sources else []), "answers", "standing", "because")
    return Table(title="trace", heads=heads, rows=tuple(_trace_row(row, has_sources=has_sources) for row in rows))


def _score_table(verdict: Verdict, notes: StructuredNotes) -> Table:
    heads = [f"{SHORT_HEADERS.get(criterion, criterion)} {weight:.0%}" for criterion, weight in notes.weights.items()]
    return Table(
        title="scores, structured",
        heads=("argument", *heads, "score", ""),
        rows=join_row_groups(
            _participant_rows(verdict, notes, who) for who in dict.fromkeys(row.participant for row in notes.arguments)
        ),
        numeric=frozenset(range(1, len(heads) + 2)),
    )


def _participant_rows(verdict: Verdict, notes: StructuredNotes, who: str) -> Iterable[TableRow]:
    """The arguments of one debater, and their means with the score."""
    for row in notes.arguments:
        if row.participant == who:
            yield (row.id, *(Number(row.marks.get(item), 1) for item in notes.weights), _score_cell(row), None)
    means = notes.means.get(who, {})
    score = verdict.scores.get(who)
    bar = Gauge(score, MAX_ARGUMENT_MARK, who) if score is not None else None
    yield (Who(who), *(Number(means.get(item), 1) for item in notes.weights), Number(score, 2, strong=True), bar)


def _score_cell(row: ArgumentRow) -> Cell:
    if not row.penalty:
        return Number(row.score)
    return f"{'—' if row.score is None else format_number(row.score)} (−{row.penalty:g})"


def _spread_tables(notes: StructuredNotes) -> Iterable[Table]:
    """A table of the differences between judges, if several judged."""
    if not any(row.spread for row in notes.arguments):
        return
    shares = [f"{judge} {share:.0%}" for judge, share in notes.judge_weights.items()]
    judges = ", ".join(shares or notes.judges)
    rows = tuple((row.id, *(Number(row.spread.get(item), 1) for item in notes.weights)) for row in notes.arguments)
    yield Table(
        title="spread between judges",
        heads=("argument", *(SHORT_HEADERS.get(item, item) for item in notes.weights)),
        rows=rows,
        remarks=(f"Highest minus lowest mark of {judges}.",),
        numeric=frozenset(range(1, len(notes.weights) + 1)),
    )


def _fallacy_tables(notes: StructuredNotes) -> Iterable[Table]:
    if notes.fallacies:
        rows = tuple((f"! {row.name}", Who(row.participant), row.item or None, row.quote) for row in notes.fallacies)
        yield Table(title="fallacies", heads=("fallacy", "by", "in", "words"), rows=rows)


def _trace_row(row: TraceRow, *, has_sources: bool) -> TableRow:
    answers: list[Cell] = []
    for response in row.responses:
        sign = RESPONSE_BADGES[response.type]
        answers.append(f"{sign.symbol} {response.by} {sign.word}")
        if response.follow_up:
            answers.append(f"asks: {response.follow_up}")
    answers += [f"{reply.by} {'leaves it open' if reply.evaded else 'replies'}" for reply in row.replies]
    standing = STANDING_BADGES[row.standing] if row.standing is not None else "not judged"
    return (
        row.id,
        Who(row.participant),
        row.claim,
        *([Lines(tuple(map(_format_source, row.sources)))] if has_sources else []),
        Lines(tuple(answers)) if answers else "unanswered",
        standing,
        row.reason,
    )


def _format_source(source: TraceSource) -> str:
    """The id of a source, the check of the quote, and the judge's answer if there is one."""
    badge = SOURCE_BADGES[source.outcome]
    support = f", {SUPPORT_WORDS[source.supports]}" if source.supports is not None else ""
    return f"{badge.symbol} {source.source} {badge.word}{support}"


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
