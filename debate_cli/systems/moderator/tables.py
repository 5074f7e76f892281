"""Tables and charts of the moderator: scores, rounds, final evaluation, and the judges' words."""

from collections.abc import Callable, Iterable, Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, line_series, percent_chart
from debate_cli.systems.moderator.score import ClaimedTotal, ModeratorNotes, ModeratorRoundRow, RoundReport
from debate_cli.systems.moderator.settings import (
    CATEGORY_GROUPS,
    FINAL_CATEGORIES,
    FINAL_TOTAL,
    ROUND_CRITERIA,
    ROUND_HEADS,
    ROUND_TOTAL,
)
from debate_cli.systems.tables import (
    DebaterCell,
    Gauge,
    Number,
    Table,
    TableRow,
    column_table,
    drop_empty_columns,
    format_number,
    join_row_groups,
    make_table,
    parse_notes,
)


def tables(verdict: Verdict) -> list[Table]:
    """Return scores, rounds, final evaluation and reports on the rounds. Omits tables without judgments."""
    notes = parse_notes(ModeratorNotes, verdict)
    if notes is None:
        return []
    found = (*_mark_tables(notes), _final_table(notes), *_word_tables(notes))
    return [table for table in found if table.rows]


def _mark_tables(notes: ModeratorNotes) -> Iterator[Table]:
    yield column_table(
        "scores, moderator",
        notes.final,
        {
            "debater": lambda row: DebaterCell(row.participant),
            f"rounds /{ROUND_TOTAL:g}": lambda row: Number(row.round_mean),
            f"final /{FINAL_TOTAL:g}": lambda row: Number(row.total),
            f"score /{notes.highest:g}": lambda row: Number(row.score, strong=True),
            "share": lambda row: "—" if row.share is None else f"{row.share:.0%}",
            "": lambda row: None if row.score is None else Gauge(row.score, notes.highest, row.participant),
        },
        (
            *map(_claimed_total_remark, notes.claimed),
            *(f"{reasoning.assessor}: {reasoning.text}" for reasoning in notes.reasoning),
            *_overview_remarks(notes),
        ),
    )._replace(numeric=frozenset({1, 2, 3, 4}))
    yield make_table(
        "rounds, moderator",
        ("round", "debater", *ROUND_HEADS.values(), f"sum /{ROUND_TOTAL:g}", ""),
        _rows_by_round(
            notes,
            lambda row: (
                DebaterCell(row.participant),
                *(Number(row.marks.get(criterion), 1) for criterion in ROUND_CRITERIA),
                Number(row.sum),
                None if row.sum is None else Gauge(row.sum, ROUND_TOTAL, row.participant),
            ),
        ),
    )


def _rows_by_round(
    notes: ModeratorNotes, cells: Callable[[ModeratorRoundRow], TableRow]
) -> tuple[TableRow | None, ...]:
    """Return the rows, grouped by round: the round's number, then the result of `cells`. Omits rows without cells."""
    return join_row_groups(
        [(str(number), *found) for row in notes.rounds if row.round == number and (found := cells(row))]
        for number in dict.fromkeys(row.round for row in notes.rounds)
    )


def _overview_remarks(notes: ModeratorNotes) -> Iterable[str]:
    for overview in notes.overviews:
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


def _final_table(notes: ModeratorNotes) -> Table:
    judged = [row for row in notes.final if row.categories]
    groups: list[list[TableRow]] = []
    for place, (group, categories) in enumerate(CATEGORY_GROUPS.items() if judged else ()):
        sums = [row.groups[place] if row.groups else None for row in notes.final]
        out_of = sum(FINAL_CATEGORIES[name] for name in categories)
        heading = (group.replace("_", " ").upper(), Number(out_of, 0))
        groups.append([(*heading, *(Number(None if of is None else of.sum, strong=True) for of in sums))])
        for name in categories:
            marks = (Number(row.categories.get(name), 1) for row in notes.final)
            groups[-1].append((name.replace("_", " "), Number(FINAL_CATEGORIES[name], 0), *marks))
    heads = ("category", "out of", *(row.participant for row in notes.final))
    return make_table("final evaluation, moderator", heads, join_row_groups(groups))


def _word_tables(notes: ModeratorNotes) -> Iterator[Table]:
    """Yield tables of the judges' words: reasons for the final evaluation, reports on rounds, reasons for rounds."""
    reasons = join_row_groups(
        [
            (
                group.replace("_", " "),
                DebaterCell(row.participant),
                f"{'—' if found.sum is None else format_number(found.sum, 1)}/{found.out_of:g}",
                _join(found.reasons),
            )
            for row in notes.final
            for found in row.groups
            if found.group == group and found.reasons
        ]
        for group in CATEGORY_GROUPS
    )
    yield Table("reasons for the final evaluation, moderator", ("group", "debater", "marks", "reason"), reasons)
    several = len({report.assessor for report in notes.reports}) > 1
    reports = join_row_groups(
        [(str(report.round), report.assessor if several else None, *parts) for parts in _report_parts(report)]
        for report in notes.reports
    )
    heads = ("round", "judge", "about", "report")
    yield drop_empty_columns(Table("reports on the rounds, moderator", heads, reports))
    rounds = _rows_by_round(
        notes, lambda row: (DebaterCell(row.participant), _round_reasons(row)) if row.reasons else ()
    )
    yield Table("reasons for the rounds, moderator", ("round", "debater", "reasons"), rounds)


def _round_reasons(row: ModeratorRoundRow) -> str:
    return _join(f"{ROUND_HEADS[criterion]}: {_join(reasons)}" for criterion, reasons in row.reasons.items())


def _join(sentences: Iterable[str]) -> str:
    return "; ".join(sentence.rstrip(".") for sentence in sentences)


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


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Return the charts of a verdict; none if its notes are of another version."""
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
    sums: dict[str, dict[int, float]] = {row.participant: {} for row in notes.rounds}
    for row in notes.rounds:
        if row.sum is not None:
            sums[row.participant][row.round] = row.sum
    yield Chart(
        "Marks by round",
        f"The three marks of a round together, out of {ROUND_TOTAL:g}; the mean of the rounds counts a quarter.",
        "line",
        tuple(map(str, rounds)),
        tuple(line_series(name, of, rounds) for name, of in sums.items() if of),
        0,
        ROUND_TOTAL,
        (0.0, 10.0, 20.0, 30.0),
    )
