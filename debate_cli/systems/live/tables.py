"""Tables of the live system: the scorecard, its turns, and every change to a judge's marks."""

from __future__ import annotations

from collections.abc import Iterable

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.live.score import LiveNotes
from debate_cli.systems.tables import Gauge, Number, Table, TableRow, Who, format_number, parse_notes

LIVE_DIMENSIONS = ("logic", "rhetoric", "tactics")
CALIBRATION_REASONS = {"floor": "won the exchange", "ceiling": "lost the exchange", "draw": "drew the exchange"}


def tables(verdict: Verdict) -> list[Table]:
    """Scorecard, turns, calibrations and penalties."""
    notes = parse_notes(LiveNotes, verdict)
    if notes is None:
        return []
    found = [_scorecard_table(verdict, notes)]
    if notes.turns:
        found.append(_turn_table(notes))
    changes = (*_calibration_rows(notes), *_penalty_rows(notes))
    if changes:
        heads = ("turn", "dimension", "from", "to", "why", "words")
        numeric = frozenset({0, 2, 3})
        found.append(Table("calibrations and penalties, live", heads, changes, numeric=numeric))
    return found


def _scorecard_table(verdict: Verdict, notes: LiveNotes) -> Table:
    ranked = sorted(verdict.scores.items(), key=lambda item: -item[1])
    return Table(
        title="scores, live",
        heads=("debater", "score /100", "", "logic won", "rhetoric won", "tactics won", "frame control", "credibility"),
        rows=tuple(
            (
                Who(name),
                Number(score, strong=True),
                Gauge(score, 100.0, name),
                *(Number(notes.dimension_wins.get(name, {}).get(item, 0), 0) for item in LIVE_DIMENSIONS),
                Number(notes.frame_control.get(name), 1),
                Number(notes.credibility.get(name), 1),
            )
            for name, score in ranked
        ),
        remarks=tuple(_narrative_remarks(notes)),
        numeric=frozenset({1, 3, 4, 5, 6, 7}),
    )


def _narrative_remarks(notes: LiveNotes) -> Iterable[str]:
    """Sentences on the narrative compared with the scorecard, and on the disagreement."""
    story = notes.narrative
    if story is not None:
        agrees = {True: "as the scorecard says", False: "unlike the scorecard", None: "the scorecard is undetermined"}
        yield f"The narrative sees {story.winner or 'no debater'} ahead, {agrees[story.agrees]}: {story.reasoning}"
        if story.pattern != "none":
            yield f"Pattern: {story.pattern.replace('_', ' ')}."
        yield from (f"{arc.participant}: {arc.arc}" for arc in story.arcs)
        if story.resolution:
            yield f"Why they differ: {story.resolution}"
    if notes.convergence is not None:
        convergence = notes.convergence
        outcome = convergence.outcome.replace("_", " ")
        yield f"From first to last: {outcome}. Early: {convergence.early} Late: {convergence.late}"


def _turn_table(notes: LiveNotes) -> Table:
    return Table(
        title="turns, live",
        heads=("turn", "round", "debater", "logic /40", "rhetoric /30", "tactics /30", "composite", ""),
        rows=tuple(
            (
                str(row.turn + 1),
                str(row.round),
                Who(row.speaker),
                Number(row.logic, 1),
                Number(row.rhetoric, 1),
                Number(row.tactics, 1),
                Number(row.composite, strong=True),
                Gauge(row.composite, 100.0, row.speaker) if row.composite is not None else None,
            )
            for row in notes.turns
        ),
        numeric=frozenset({0, 1, 3, 4, 5, 6}),
    )


def _calibration_rows(notes: LiveNotes) -> Iterable[TableRow]:
    for item in notes.calibrations:
        why = f"{CALIBRATION_REASONS[item.rule]} ({item.rule})"
        yield str(item.turn + 1), item.dimension, Number(item.before, 1), Number(item.after, 1), why, None


def _penalty_rows(notes: LiveNotes) -> Iterable[TableRow]:
    for item in notes.penalties:
        why = f"{item.kind.replace('_', ' ')} (−{format_number(item.points).removesuffix('.0')})"
        yield str(item.turn + 1), "logic", None, None, why, item.about
