"""Charts of the system `moderator`: the final evaluation by category, and the marks of every round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, line_series, percent_chart
from debate_cli.systems.moderator.criteria import FINAL_CATEGORIES
from debate_cli.systems.moderator.score import ModeratorNotes
from debate_cli.systems.tables import parse_notes

MAX_LONG_LABELS = 6
"""Up to this many rounds, a label says `round 1`; with more, `1`."""


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield the charts; none if the notes are of another version."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return
    yield percent_chart(
        "Final evaluation by category",
        "Marks as a percentage of the category's maximum; the final evaluation counts three quarters.",
        FINAL_CATEGORIES,
        {row.participant: row.categories for row in notes.final},
    )
    rounds = {row.round: f"round {row.round}" for row in notes.rounds}
    sums: dict[str, dict[int, float]] = defaultdict(dict)
    for row in notes.rounds:
        if row.sum is not None:
            sums[row.participant][row.round] = row.sum
    yield Chart(
        "Marks by round",
        "Argument, rebuttal and strategy together, out of 30; the mean of the rounds counts a quarter.",
        "line",
        tuple(rounds.values() if len(rounds) <= MAX_LONG_LABELS else map(str, rounds)),
        tuple(line_series(name, of, rounds) for name, of in sums.items()),
        0,
        30,
        (0.0, 10.0, 20.0, 30.0),
    )
