"""Sheets of the structured system: the scores, the fallacies, and the trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.render import look
from debate_cli.render.sheets.sheet import Cell, Gauge, Lines, Number, Row, Sheet, Who, notes_of, parted
from debate_cli.scoring.structured import CRITERIA, HIGHEST, ArgumentRow, StructuredNotes
from debate_cli.scoring.trace import TraceRow

SHORT = {"responsiveness": "response"}
"""Heads that must be narrow."""


def sheets(verdict: Verdict) -> list[Sheet]:
    """The score table, and the fallacies where any were found."""
    notes = notes_of(StructuredNotes, verdict)
    if notes is None:
        return []
    return [_scores(verdict, notes), *_fallacies(notes)]


def trace_sheet(rows: Sequence[TraceRow]) -> Sheet:
    """Who claimed what, who answered it how, and what became of it."""
    return Sheet(
        title="trace",
        heads=("claim", "by", "what is claimed", "answers", "standing", "because"),
        rows=tuple(_trace_row(row) for row in rows),
    )


def _scores(verdict: Verdict, notes: StructuredNotes) -> Sheet:
    heads = [f"{SHORT.get(criterion, criterion)} {notes.weights.get(criterion, 0):.0%}" for criterion in CRITERIA]
    return Sheet(
        title="scores, structured",
        heads=("argument", *heads, "score", ""),
        rows=parted(_side(verdict, notes, who) for who in dict.fromkeys(row.participant for row in notes.arguments)),
        numeric=frozenset(range(1, len(heads) + 2)),
    )


def _side(verdict: Verdict, notes: StructuredNotes, who: str) -> Iterable[Row]:
    """The arguments of one debater, and their means with the score."""
    for row in notes.arguments:
        if row.participant == who:
            yield (row.id, *(Number(value, 1) for value in _marks(row)), _score(row), None)
    means = notes.means.get(who, {})
    score = verdict.scores.get(who)
    bar = Gauge(score, HIGHEST, who) if score is not None else None
    yield (Who(who), *(Number(means.get(item), 1) for item in CRITERIA), Number(score, 2, strong=True), bar)


def _marks(row: ArgumentRow) -> tuple[float | None, ...]:
    return row.logic, row.evidence, row.responsiveness, row.honesty


def _score(row: ArgumentRow) -> Cell:
    if not row.penalty:
        return Number(row.score)
    return f"{'—' if row.score is None else look.number(row.score)} (−{row.penalty:g})"


def _fallacies(notes: StructuredNotes) -> Iterable[Sheet]:
    if notes.fallacies:
        rows = tuple((f"! {row.name}", Who(row.participant), row.item or None, row.quote) for row in notes.fallacies)
        yield Sheet(title="fallacies", heads=("fallacy", "by", "in", "words"), rows=rows)


def _trace_row(row: TraceRow) -> Row:
    answers: list[Cell] = []
    for response in row.responses:
        sign = look.RESPONSES[response.type]
        answers.append(f"{sign.symbol} {response.by} {sign.word}")
        if response.follow_up:
            answers.append(f"asks: {response.follow_up}")
    answers += [f"{reply.by} {'leaves it open' if reply.evaded else 'replies'}" for reply in row.replies]
    standing = look.STANDINGS[row.standing] if row.standing is not None else "not judged"
    return (
        row.id,
        Who(row.participant),
        row.claim,
        Lines(tuple(answers)) if answers else "unanswered",
        standing,
        row.reason,
    )
