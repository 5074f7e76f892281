"""Tables of the panel (required changes, decision, votes, marks, disagreements, dissent) and its charts."""

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import mean
from debate_cli.systems.charts import PERCENT_TICKS, Chart, ChartPoint, ChartSeries
from debate_cli.systems.panel.agreement import OPTIONS
from debate_cli.systems.panel.score import BallotRow, PanelNotes
from debate_cli.systems.panel.votes import Disagreement
from debate_cli.systems.tables import (
    VOTE_BADGES,
    Cell,
    Gauge,
    Lines,
    Number,
    Table,
    TableRow,
    format_number,
    join_row_groups,
    parse_notes,
)


def tables(verdict: Verdict) -> list[Table]:
    """Required changes and marks of a text first, then options, votes by round, disagreements, conditions, dissent."""
    notes = parse_notes(PanelNotes, verdict)
    if notes is None or not notes.rounds:
        return []
    marks, decision = list(_mark_tables(notes)), [_option_table(notes, verdict), _vote_table(notes)]
    changes = list(_change_tables(notes))
    return [
        *changes,
        *([*marks, *decision] if changes else [*decision, *marks]),
        *_disagreement_tables(notes),
        *([] if changes else _condition_tables(notes)),
        *_dissent_tables(notes.dissent),
    ]


def _change_tables(notes: PanelNotes) -> Iterable[Table]:
    groups: dict[str | None, list[TableRow]] = {}
    for change in notes.required_changes:
        line = None if change.line is None else str(change.line)
        row = (change.dimension or "other", change.text, line, Number(change.weight), ", ".join(change.judges))
        groups.setdefault(change.dimension, []).append(row)
    if groups:
        yield Table(
            title="what must change, panel",
            heads=("dimension", "change", "line", "weight", "asked by"),
            rows=join_row_groups(groups.values()),
            numeric=frozenset({2, 3}),
        )


def _mark_tables(notes: PanelNotes) -> Iterable[Table]:
    """The mark of each judge in each dimension, in the last vote, with mean and range."""
    votes = notes.rounds[-1].votes
    names = tuple(dict.fromkeys(name for vote in votes for name in vote.dimensions))
    if not names:
        return
    given = {name: [vote.dimensions[name] for vote in votes if name in vote.dimensions] for name in names}
    means: TableRow = ("mean", *(Number(mean(marks)) for marks in given.values()))
    ranges: TableRow = ("range", *(Number(max(marks) - min(marks), digits=1) for marks in given.values()))
    yield Table(
        title="marks, panel",
        heads=("judge", *names),
        rows=join_row_groups(
            [
                [(vote.judge, *(Number(vote.dimensions.get(name), digits=1) for name in names)) for vote in votes],
                [means, ranges] if len(votes) > 1 else [],
            ]
        ),
        remarks=("From 1, against, to 3, for; of the last vote.",),
        numeric=frozenset(range(1, len(names) + 1)),
    )


def _disagreement_tables(notes: PanelNotes) -> Iterable[Table]:
    """The disagreements after each vote, the most severe first, with the position of every judge."""
    rows = [
        [
            (f"vote {row.round + 1}", item.type, item.about, Number(item.severity), _format_positions(item))
            for item in row.disagreements
        ]
        for row in notes.rounds
    ]
    if any(rows):
        yield Table(
            title="disagreements, panel",
            heads=("after", "type", "about", "severity", "positions"),
            rows=join_row_groups(rows),
            numeric=frozenset({3}),
        )


def _format_positions(item: Disagreement) -> str:
    shown = (
        f"{judge} {position if isinstance(position, str) else format_number(position, 1)}"
        for judge, position in item.positions.items()
    )
    return ", ".join(shown)


def _option_table(notes: PanelNotes, verdict: Verdict) -> Table:
    first = notes.first_vote.weights if notes.first_vote is not None else {}
    return Table(
        title="scores, panel",
        heads=("option", "first vote", "final vote", ""),
        rows=tuple(
            (
                VOTE_BADGES[option],
                Number(first.get(option)),
                Number(notes.weights.get(option), strong=option == notes.option),
                Gauge(notes.weights.get(option, 0.0), 1.0),
            )
            for option in OPTIONS
        ),
        remarks=() if verdict.victory == "undetermined" else (_agreement_remark(notes),),
        numeric=frozenset({1, 2}),
    )


def _agreement_remark(notes: PanelNotes) -> str:
    if notes.judges == 1:
        return "One judge decides alone, so agreement is 1.0."
    reached = "reached" if notes.converged else "did not reach"
    threshold = f"it {reached} the threshold of {_format_share(notes.convergence_threshold)}"
    if not notes.deliberation_rounds:
        return f"Agreement {_format_share(notes.final_agreement)} in the blind vote; {threshold}."
    rounds = f"{notes.deliberation_rounds} deliberation round{'' if notes.deliberation_rounds == 1 else 's'}"
    agreement = f"{_format_share(notes.initial_agreement)} to {_format_share(notes.final_agreement)}"
    return f"Agreement from {agreement} in {rounds}; {threshold}."


def _format_share(value: float | None) -> str:
    return "—" if value is None else format_number(value)


def _vote_table(notes: PanelNotes) -> Table:
    judges = list(dict.fromkeys(vote.judge for row in notes.rounds for vote in row.votes))
    rounds = [{vote.judge: vote for vote in row.votes} for row in notes.rounds]
    agreement: TableRow = ("agreement", None, *(Number(row.agreement) for row in notes.rounds))
    divided: TableRow = (
        "divided on",
        None,
        *(Lines(tuple(item.about for item in row.disagreements) or ("nothing",)) for row in notes.rounds),
    )
    rows = [
        (judge, _weight_cell(judge, rounds), *(_vote_cell(votes.get(judge)) for votes in rounds)) for judge in judges
    ]
    return Table(
        title="votes, panel",
        heads=("judge", "weight", *(f"vote {row.round + 1}" for row in notes.rounds)),
        rows=join_row_groups([rows, [agreement, divided]]),
        remarks=tuple(_change_remarks(notes)),
        numeric=frozenset({1}),
    )


def _weight_cell(judge: str, rounds: Sequence[dict[str, BallotRow]]) -> Cell:
    return next((Number(votes[judge].weight) for votes in reversed(rounds) if judge in votes), None)


def _vote_cell(vote: BallotRow | None) -> Cell:
    if vote is None:
        return "—"
    changed = ", changed" if vote.changed else ""
    late = ", late" if vote.late else ", kept" if vote.carried else ""
    return Lines((VOTE_BADGES[vote.option], f"{vote.confidence:.2f}{changed}{late}"))


def _change_remarks(notes: PanelNotes) -> Iterable[str]:
    for row in notes.rounds:
        for vote in row.votes:
            if vote.unexplained_change:
                yield f"! {vote.judge} changed its vote in vote {row.round + 1} without naming what changed it."
            elif vote.changed and vote.changed_because:
                yield f"{vote.judge} changed its vote in vote {row.round + 1}: {vote.changed_because}"


def _condition_tables(notes: PanelNotes) -> Iterable[Table]:
    """The conditions of judges who voted CONDITIONAL, if that is the panel's option."""
    votes = notes.rounds[-1].votes if notes.option == "CONDITIONAL" else ()
    asked = {vote.judge: vote.remediation_required for vote in votes if vote.option == "CONDITIONAL"}
    rows = tuple((judge, Lines(conditions)) for judge, conditions in asked.items() if conditions)
    if rows:
        yield Table(title="conditions, panel", heads=("judge", "holds only with"), rows=rows)


def _dissent_tables(votes: Sequence[BallotRow]) -> Iterable[Table]:
    if votes:
        yield Table(
            title="dissent, panel",
            heads=("judge", "vote", "critical findings", "what would fix it", "reasons"),
            rows=tuple(
                (
                    vote.judge,
                    VOTE_BADGES[vote.option],
                    Lines(vote.critical_findings),
                    Lines(vote.remediation_required),
                    vote.rationale,
                )
                for vote in votes
            ),
        )


def charts(verdict: Verdict) -> Iterator[Chart]:
    """The charts of a verdict; none if its notes are of another version.

    If the panel voted only once, there is no chart of agreement.
    """
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
