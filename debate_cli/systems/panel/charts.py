"""Charts of the system `panel`: the weight behind each option, and the agreement, vote by vote."""

from __future__ import annotations

from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import PERCENT_TICKS, Chart, ChartPoint, ChartSeries
from debate_cli.systems.panel.agreement import OPTIONS
from debate_cli.systems.panel.score import PanelNotes
from debate_cli.systems.tables import format_number, parse_notes


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield the charts; none if the notes are of another version. After a single round of votes there is no chart of agreement."""
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return
    labels = tuple(f"vote {row.round + 1}" for row in notes.rounds)
    yield _vote_chart(notes, labels)
    if len(notes.rounds) > 1:
        yield _agreement_chart(notes, labels)


def _vote_chart(notes: PanelNotes, labels: tuple[str, ...]) -> Chart:
    series: list[ChartSeries] = []
    for option in OPTIONS:
        shares = [100 * sum(vote.weight for vote in row.votes if vote.option == option) for row in notes.rounds]
        points = tuple(
            ChartPoint(share, f"{label}: {share:.0f} % {option}") if share else None
            for label, share in zip(labels, shares, strict=True)
        )
        series.append(ChartSeries(option, points, style=f"option-{option.lower()}"))
    return Chart(
        "Votes by deliberation round",
        "Share of the weight behind each option, in percent; vote 1 is blind.",
        "stack",
        labels,
        tuple(series),
        0,
        100,
        PERCENT_TICKS,
    )


def _agreement_chart(notes: PanelNotes, labels: tuple[str, ...]) -> Chart:
    agreement = tuple(
        ChartPoint(row.agreement, f"agreement, {label}: {format_number(row.agreement)}")
        for row, label in zip(notes.rounds, labels, strict=True)
    )
    end = notes.convergence_threshold
    threshold = tuple(ChartPoint(end, f"threshold: {format_number(end)}") for _ in labels)
    return Chart(
        "Agreement by deliberation round",
        "From 0, no agreement, to 1, full agreement; at the threshold the panel stops.",
        "line",
        labels,
        (ChartSeries("agreement", agreement, style="agreement"), ChartSeries("threshold", threshold, style="limit")),
        0,
        1,
        (0.0, 0.25, 0.5, 0.75, 1.0),
    )
