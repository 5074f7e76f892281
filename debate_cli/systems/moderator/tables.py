"""Tables of the moderator (scores, rounds, final evaluation, the judges' words) and its charts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, line_series, percent_chart
from debate_cli.systems.moderator.criteria import (
    CATEGORY_GROUPS,
    FINAL_CATEGORIES,
    FINAL_TOTAL,
    ROUND_CRITERIA,
    ROUND_HEADS,
    ROUND_TOTAL,
)
from debate_cli.systems.moderator.score import (
    ClaimedTotal,
    FinalRow,
    GroupRow,
    ModeratorNotes,
    ModeratorRoundRow,
    Overview,
    RoundReport,
)
from debate_cli.systems.tables import (
    DebaterCell,
    Gauge,
    Number,
    Table,
    TableRow,
    drop_empty_columns,
    format_number,
    join_row_groups,
    parse_notes,
)


def tables(verdict: Verdict) -> list[Table]:
    """Scores, rounds, final evaluation and reports on the rounds; parts without judgments are omitted."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return []
    found = [_score_table(notes)]
    if notes.rounds:
        found.append(_round_table(notes.rounds))
    if any(row.categories for row in notes.final):
        found.append(_final_table(notes.final))
    found += [table for table in (_group_table(notes.final), _report_table(notes), _reason_table(notes)) if table.rows]
    return found


def _score_table(notes: ModeratorNotes) -> Table:
    rows: list[TableRow] = []
    for row in notes.final:
        share = f"{row.share:.0%}" if row.share is not None else "—"
        bar = Gauge(row.score, notes.highest, row.participant) if row.score is not None else None
        rows.append(
            (
                DebaterCell(row.participant),
                Number(row.round_mean),
                Number(row.total),
                Number(row.score, strong=True),
                share,
                bar,
            )
        )
    return Table(
        title="scores, moderator",
        heads=(
            "debater",
            f"rounds /{ROUND_TOTAL:g}",
            f"final /{FINAL_TOTAL:g}",
            f"score /{notes.highest:g}",
            "share",
            "",
        ),
        rows=tuple(rows),
        remarks=(
            *(_claimed_total_remark(claim) for claim in notes.claimed),
            *(f"{reasoning.assessor}: {reasoning.text}" for reasoning in notes.reasoning),
            *(sentence for overview in notes.overviews for sentence in _overview_remarks(overview)),
        ),
        numeric=frozenset({1, 2, 3, 4}),
    )


def _overview_remarks(overview: Overview) -> Iterable[str]:
    if overview.text:
        yield f"Summary, by {overview.assessor}: {overview.text}"
    named = " and ".join(overview.consistently_outperformed) or "no debater"
    yield f"Consistently outperformed, by {overview.assessor}: {named}."


def _claimed_total_remark(claim: ClaimedTotal) -> str:
    where = f"round {claim.round}" if claim.round is not None else "the final evaluation"
    return (
        f"! {claim.assessor} wrote a total of {claim.claimed:g} for {claim.participant} in {where}; "
        f"the sum of its marks is {claim.ours:g}, which counts."
    )


def _round_table(rows: Sequence[ModeratorRoundRow]) -> Table:
    numbers = list(dict.fromkeys(row.round for row in rows))
    return Table(
        title="rounds, moderator",
        heads=("round", "debater", *ROUND_HEADS.values(), f"sum /{ROUND_TOTAL:g}", ""),
        rows=join_row_groups(_round_rows(number, [row for row in rows if row.round == number]) for number in numbers),
        numeric=frozenset(range(2, len(ROUND_HEADS) + 3)),
    )


def _round_rows(number: int, rows: Sequence[ModeratorRoundRow]) -> Iterable[TableRow]:
    for row in rows:
        bar = Gauge(row.sum, ROUND_TOTAL, row.participant) if row.sum is not None else None
        marks = (Number(row.marks.get(criterion), 1) for criterion in ROUND_CRITERIA)
        yield (str(number), DebaterCell(row.participant), *marks, Number(row.sum), bar)


def _final_table(rows: Sequence[FinalRow]) -> Table:
    return Table(
        title="final evaluation, moderator",
        heads=("category", "out of", *(row.participant for row in rows)),
        rows=join_row_groups(_category_rows(group, names, rows) for group, names in CATEGORY_GROUPS.items()),
        numeric=frozenset(range(1, len(rows) + 2)),
    )


def _category_rows(group: str, categories: Sequence[str], rows: Sequence[FinalRow]) -> Iterable[TableRow]:
    sums = [
        sum(row.categories[name] for name in categories) if row.categories.keys() >= set(categories) else None
        for row in rows
    ]
    out_of = sum(FINAL_CATEGORIES[name] for name in categories)
    yield (group.replace("_", " ").upper(), Number(out_of, 0), *(Number(total, strong=True) for total in sums))
    for name in categories:
        marks = (Number(row.categories.get(name), 1) for row in rows)
        yield (name.replace("_", " "), Number(FINAL_CATEGORIES[name], 0), *marks)


def _group_table(rows: Sequence[FinalRow]) -> Table:
    """The judges' reasons for each group of the final evaluation."""
    return Table(
        title="reasons for the final evaluation, moderator",
        heads=("group", "debater", "marks", "reason"),
        rows=join_row_groups(
            [
                (group.replace("_", " "), DebaterCell(row.participant), _format_share(found), _join(found.reasons))
                for row in rows
                for found in row.groups
                if found.group == group and found.reasons
            ]
            for group in CATEGORY_GROUPS
        ),
    )


def _format_share(row: GroupRow) -> str:
    return f"{'—' if row.sum is None else format_number(row.sum, 1)}/{row.out_of:g}"


def _join(sentences: Iterable[str]) -> str:
    return "; ".join(sentence.rstrip(".") for sentence in sentences)


def _report_table(notes: ModeratorNotes) -> Table:
    """The judges' reports on each round, without marks."""
    several = len({report.assessor for report in notes.reports}) > 1
    rows = join_row_groups(
        [(str(report.round), report.assessor if several else None, *parts) for parts in _report_parts(report)]
        for report in notes.reports
    )
    heads = ("round", "judge", "about", "report")
    return drop_empty_columns(Table(title="reports on the rounds, moderator", heads=heads, rows=rows))


def _report_parts(report: RoundReport) -> Iterable[tuple[str, str]]:
    for point in report.points:
        yield f"points, {point.heading}", _join(point.points)
    for clash in report.clashes:
        yield "clash", _join(clash.describe())
    for missed in report.non_engagement:
        yield "no engagement", _join(missed.describe())
    if report.consensus:
        yield "agreed", _join(report.consensus)
    if report.momentum is not None:
        yield "momentum", f"towards {report.momentum.toward or 'no debater'}: {report.momentum.why}"
    if report.guidance:
        yield "guidance", report.guidance


def _reason_table(notes: ModeratorNotes) -> Table:
    numbers = dict.fromkeys(row.round for row in notes.rounds)
    return Table(
        title="reasons for the rounds, moderator",
        heads=("round", "debater", "reasons"),
        rows=join_row_groups(
            [
                (str(row.round), DebaterCell(row.participant), _join(_reasons_by_criterion(row)))
                for row in notes.rounds
                if row.round == number and row.reasons
            ]
            for number in numbers
        ),
    )


def _reasons_by_criterion(row: ModeratorRoundRow) -> Iterable[str]:
    for criterion, reasons in row.reasons.items():
        yield f"{ROUND_HEADS[criterion]}: {_join(reasons)}"


MAX_LONG_LABELS = 6
"""Maximum number of rounds with labels like `round 1`; with more rounds the label is `1`."""


def charts(verdict: Verdict) -> Iterator[Chart]:
    """The charts of a verdict; none if its notes are of another version."""
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
    *heads, last = ROUND_HEADS.values()
    criteria = f"{', '.join(heads)} and {last}".capitalize()
    yield Chart(
        "Marks by round",
        f"{criteria} together, out of {ROUND_TOTAL:g}; the mean of the rounds counts a quarter.",
        "line",
        tuple(rounds.values() if len(rounds) <= MAX_LONG_LABELS else map(str, rounds)),
        tuple(line_series(name, of, rounds) for name, of in sums.items()),
        0,
        ROUND_TOTAL,
        tuple(ROUND_TOTAL * step / len(ROUND_CRITERIA) for step in range(len(ROUND_CRITERIA) + 1)),
    )
