"""Tables and charts of a panel's verdict."""

from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import mean
from debate_cli.systems.charts import PERCENT_TICKS, Chart, ChartPoint, ChartSeries, line_series
from debate_cli.systems.panel.score import BallotRow, PanelNotes
from debate_cli.systems.panel.votes import OPTIONS, Disagreement
from debate_cli.systems.tables import (
    Badge,
    Cell,
    Gauge,
    JoinedCells,
    Lines,
    Number,
    Table,
    TableRow,
    column_table,
    format_number,
    join_row_groups,
    make_table,
    parse_notes,
)

VOTE_BADGES: dict[str, Badge] = {
    "PASS": Badge("✓", "PASS", "good"),
    "FAIL": Badge("✗", "FAIL", "bad"),
    "CONDITIONAL": Badge("≈", "CONDITIONAL", "mixed"),
}


def explain_options(verdict: Verdict) -> str:
    """Return what PASS and FAIL mean for debaters. Empty if the verdict scores no debater, e.g. for a document."""
    meaning = "PASS: the motion is upheld, so the side for it wins. FAIL: it is not, so the side against it wins."
    return meaning if verdict.scores else ""


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield the tables of a panel's verdict; none if no judge voted."""
    notes = parse_notes(PanelNotes, verdict)
    if not notes.rounds:
        return
    marks, decision = _mark_table(notes), [_option_table(notes, verdict), _vote_table(notes)]
    if notes.required_changes:
        yield from (_change_table(notes), marks, *decision, _disagreement_table(notes))
    else:
        yield from (*decision, marks, _disagreement_table(notes), _condition_table(notes))
    yield _dissent_table(notes)
    yield _changed_vote_table(notes)


def _change_table(notes: PanelNotes) -> Table:
    groups: dict[str | None, list[TableRow]] = {}
    for change in notes.required_changes:
        line = None if change.line is None else Number(change.line, 0)
        row = (change.dimension or "other", change.text, line, Number(change.weight), ", ".join(change.judges))
        groups.setdefault(change.dimension, []).append(row)
    heads = ("dimension", "change", "line", "weight", "asked by")
    return make_table("panel: what must change", heads, join_row_groups(groups.values()))


def _mark_table(notes: PanelNotes) -> Table:
    votes = notes.rounds[-1].votes
    names = tuple(dict.fromkeys(name for vote in votes for name in vote.dimensions))
    given = [[vote.dimensions[name] for vote in votes if name in vote.dimensions] for name in names]
    rows: list[TableRow] = [
        (vote.judge, *(Number(vote.dimensions.get(name), 1) for name in names)) for vote in votes if names
    ]
    sums: list[TableRow] = [
        ("mean", *(Number(mean(marks)) for marks in given)),
        ("range", *(Number(max(marks) - min(marks), 1) for marks in given)),
    ]
    grouped = join_row_groups([rows, sums if len(rows) > 1 else []])
    return make_table(
        "panel: marks", ("judge", *names), grouped, ("Marks of the last vote, from 1 (against) to 3 (for).",)
    )


def _disagreement_table(notes: PanelNotes) -> Table:
    rows = join_row_groups(
        [
            (f"vote {row.round + 1}", item.type, item.about, Number(item.severity), _position_cell(item))
            for item in row.disagreements
        ]
        for row in notes.rounds
    )
    return make_table("panel: disagreements", ("after", "type", "about", "severity", "positions"), rows)


def _position_cell(item: Disagreement) -> Cell:
    return JoinedCells(
        tuple(
            f"{judge} {position if isinstance(position, str) else format_number(position, 1)}"
            for judge, position in item.positions.items()
        )
    )


def _option_table(notes: PanelNotes, verdict: Verdict) -> Table:
    first = notes.first_vote.weights if notes.first_vote is not None else {}
    return column_table(
        "panel: scores",
        OPTIONS,
        {
            "option": lambda option: VOTE_BADGES[option],
            "first vote": lambda option: Number(first.get(option)),
            "final vote": lambda option: Number(notes.weights.get(option), strong=option == notes.option),
            "": lambda option: Gauge(notes.weights.get(option, 0.0), 1.0),
        },
        tuple(
            filter(
                None, [explain_options(verdict), "" if verdict.victory == "undetermined" else _agreement_remark(notes)]
            )
        ),
    )


def _agreement_remark(notes: PanelNotes) -> str:
    if notes.judges == 1:
        return "One judge decides alone, so agreement is 1.0."
    initial, final = (
        "—" if value is None else format_number(value) for value in (notes.initial_agreement, notes.final_agreement)
    )
    reached = "reached" if notes.converged else "did not reach"
    threshold = f"it {reached} the threshold of {format_number(notes.convergence_threshold)}"
    count = notes.deliberation_rounds
    if not count:
        return f"Agreement {final} in the first vote; {threshold}."
    return f"Agreement from {initial} to {final} in {count} deliberation round{'' if count == 1 else 's'}; {threshold}."


def _vote_table(notes: PanelNotes) -> Table:
    rounds = [{vote.judge: vote for vote in row.votes} for row in notes.rounds]
    weights = {vote.judge: vote.weight for row in notes.rounds for vote in row.votes}
    rows: list[TableRow] = [
        (judge, Number(weight), *(_vote_cell(votes.get(judge)) for votes in rounds))
        for judge, weight in weights.items()
    ]
    disputed = (JoinedCells(tuple(item.about for item in row.disagreements) or ("nothing",)) for row in notes.rounds)
    sums: list[TableRow] = [
        ("agreement", None, *(Number(row.agreement) for row in notes.rounds)),
        ("divided on", None, *disputed),
    ]
    heads = ("judge", "weight", *(f"vote {row.round + 1}" for row in notes.rounds))
    remarks = tuple(
        f"! {vote.judge} changed to {vote.option} in vote {row.round + 1} without a valid reason."
        for row in notes.rounds
        for vote in row.votes
        if vote.unexplained_change
    )
    return Table("panel: votes", heads, join_row_groups([rows, sums]), remarks, numeric=frozenset({1}))


def _vote_cell(vote: BallotRow | None) -> Cell:
    if vote is None:
        return "—"
    changed = ", changed" if vote.changed else ""
    late = ", late" if vote.late else ", no new vote" if vote.carried else ""
    return JoinedCells((VOTE_BADGES[vote.option], f"{format_number(vote.confidence)}{changed}{late}"))


def _changed_vote_table(notes: PanelNotes) -> Table:
    rows = tuple(
        (vote.judge, f"vote {row.round + 1}", VOTE_BADGES[vote.option], vote.changed_because)
        for row in notes.rounds
        for vote in row.votes
        if vote.changed and vote.changed_because and not vote.unexplained_change
    )
    return Table("panel: reasons for changed votes", ("judge", "in", "to", "reason"), rows, repeats_reports=True)


def _condition_table(notes: PanelNotes) -> Table:
    votes = notes.rounds[-1].votes if notes.option == "CONDITIONAL" else ()
    conditions = [vote for vote in votes if vote.option == "CONDITIONAL" and vote.remediation_required]
    rows = ((vote.judge, Lines(vote.remediation_required)) for vote in conditions)
    return make_table("panel: conditions", ("judge", "conditions"), rows)


def _dissent_table(notes: PanelNotes) -> Table:
    return column_table(
        "panel: dissent",
        notes.dissent,
        {
            "judge": lambda vote: vote.judge,
            "vote": lambda vote: VOTE_BADGES[vote.option],
            "critical findings": lambda vote: Lines(vote.critical_findings),
            "what would fix it": lambda vote: Lines(vote.remediation_required),
            "reasons": lambda vote: vote.rationale,
        },
    )


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield charts of the votes and, after a deliberation, of the agreement; yield nothing if no judge voted."""
    notes = parse_notes(PanelNotes, verdict)
    if not notes.rounds:
        return
    labels = tuple(f"vote {row.round + 1}" for row in notes.rounds)
    series: list[ChartSeries] = []
    for option in OPTIONS:
        shares = [100 * sum(vote.weight for vote in row.votes if vote.option == option) for row in notes.rounds]
        points = tuple(
            ChartPoint(share, f"{label}: {share:.0f} % {option}") if share else None
            for label, share in zip(labels, shares, strict=True)
        )
        series.append(ChartSeries(option, points, style=f"option-{option.lower()}"))
    caption = "Share of the weight behind each option, in percent; in vote 1, no judge sees another judge's vote."
    yield Chart("Votes by deliberation round", caption, "stack", labels, tuple(series), 0, 100, PERCENT_TICKS)
    if len(labels) > 1:
        positions = dict(enumerate(labels))
        lines = {
            "agreement": ("agreement", [row.agreement for row in notes.rounds]),
            "threshold": ("limit", [notes.convergence_threshold] * len(labels)),
        }
        yield Chart(
            "Agreement by deliberation round",
            "How far votes and marks agree, from 0 to 1. At the threshold, the panel stops voting.",
            "line",
            labels,
            tuple(
                line_series(name, dict(enumerate(values)), positions, style) for name, (style, values) in lines.items()
            ),
            0,
            1,
            (0.0, 0.25, 0.5, 0.75, 1.0),
        )
