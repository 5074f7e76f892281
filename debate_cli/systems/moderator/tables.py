"""Tables and charts of a moderator's verdict."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from debate_cli.domain.message_text import spell_number
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.charts import Chart, line_series, percent_chart
from debate_cli.systems.moderator.criteria import FINAL, FINAL_SHARE, ROUND, ROUND_SHARE
from debate_cli.systems.moderator.score import ModeratorNotes, Overview, RoundReport
from debate_cli.systems.tables import (
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


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield tables of scores, rounds, the final evaluation and the judges' words."""
    notes = parse_notes(ModeratorNotes, verdict)
    yield _score_table(notes)
    yield _round_table(notes)
    yield _final_table(notes)
    yield _final_reason_table(notes)
    yield _report_table(notes)
    yield _round_reason_table(notes)


def _score_table(notes: ModeratorNotes) -> Table:
    remarks = [f"score = {ROUND_SHARE:g} × rounds (mean) + {FINAL_SHARE:g} × final, at most {notes.highest:g}."]
    for claim in notes.claimed:
        where = f"round {claim.round}" if claim.round is not None else "the final evaluation"
        remarks.append(
            f"! {claim.assessor} wrote a total of {claim.claimed:g} for {claim.participant} in {where}; "
            f"the marks add up to {claim.computed:g}, and this sum counts."
        )
    remarks += [f"{reasoning.assessor}: {reasoning.text}" for reasoning in notes.reasoning]
    return column_table(
        "moderator: scores",
        notes.final,
        {
            "debater": lambda row: DebaterCell(row.participant),
            f"rounds /{ROUND.total:g}": lambda row: Number(row.round_mean),
            f"final /{FINAL.total:g}": lambda row: Number(row.total),
            f"score /{notes.highest:g}": lambda row: Number(row.score, strong=True),
            "share": lambda row: "—" if row.share is None else f"{row.share:.0%}",
            "": lambda row: None if row.score is None else Gauge(row.score, notes.highest, row.participant),
        },
        remarks,
    )._replace(numeric=frozenset({1, 2, 3, 4}))


def _round_table(notes: ModeratorNotes) -> Table:
    rows = _group_by_round(
        (
            str(row.round),
            DebaterCell(row.participant),
            *(Number(row.marks.get(criterion), 1) for criterion in ROUND.maxima),
            Number(row.sum),
            None if row.sum is None else Gauge(row.sum, ROUND.total, row.participant),
        )
        for row in notes.rounds
    )
    return make_table(
        "moderator: rounds", ("round", "debater", *ROUND.heads.values(), f"sum /{ROUND.total:g}", ""), rows
    )


def _round_reason_table(notes: ModeratorNotes) -> Table:
    rows = _group_by_round(
        (
            str(row.round),
            DebaterCell(row.participant),
            _join(f"{ROUND.heads[criterion]}: {_join(reasons)}" for criterion, reasons in row.reasons.items()),
        )
        for row in notes.rounds
        if row.reasons
    )
    return Table("moderator: reasons for the rounds", ("round", "debater", "reasons"), rows, repeats_reports=True)


def _group_by_round(rows: Iterable[TableRow]) -> tuple[TableRow | None, ...]:
    return join_row_groups(group for _, group in groupby(rows, key=itemgetter(0)))


def _final_table(notes: ModeratorNotes) -> Table:
    has_marks = any(row.categories for row in notes.final)
    groups: list[list[TableRow]] = []
    for place, (group, categories) in enumerate(FINAL.groups.items() if has_marks else ()):
        sums = [row.groups[place] if row.groups else None for row in notes.final]
        heading = (group.replace("_", " ").upper(), Number(FINAL.group_maxima[group], 0))
        groups.append([(*heading, *(Number(None if of is None else of.sum, strong=True) for of in sums))])
        for name in categories:
            marks = (Number(row.categories.get(name), 1) for row in notes.final)
            groups[-1].append((name.replace("_", " "), Number(FINAL.maxima[name], 0), *marks))
    heads = ("category", "out of", *(row.participant for row in notes.final))
    return make_table("moderator: final evaluation", heads, join_row_groups(groups))


def _final_reason_table(notes: ModeratorNotes) -> Table:
    rows = join_row_groups(
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
        for group in FINAL.groups
    )
    heads = ("group", "debater", "marks", "reason")
    return Table("moderator: reasons for the final evaluation", heads, rows, repeats_reports=True)


def _report_table(notes: ModeratorNotes) -> Table:
    reports = [(str(report.round), report.assessor, _report_parts(report)) for report in notes.reports]
    reports += [("the debate", overview.assessor, _overview_parts(overview)) for overview in notes.overviews]
    several = len({assessor for _, assessor, _ in reports}) > 1
    rows = join_row_groups(
        [(place, assessor if several else None, *part) for part in parts] for place, assessor, parts in reports
    )
    return Table("moderator: reports", ("round", "judge", "about", "report"), rows, repeats_reports=True)


def _report_parts(report: RoundReport) -> Iterator[tuple[str, str]]:
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


def _overview_parts(overview: Overview) -> Iterator[tuple[str, str]]:
    if overview.text:
        yield "summary", overview.text
    if overview.consistently_outperformed:
        yield "weaker", f"{' and '.join(overview.consistently_outperformed)} in nearly every round"


def _join(sentences: Iterable[str]) -> str:
    return "; ".join(sentence.rstrip(".") for sentence in sentences)


def charts(verdict: Verdict) -> Iterator[Chart]:
    """Yield charts of the final evaluation and of the rounds."""
    notes = parse_notes(ModeratorNotes, verdict)
    yield percent_chart(
        "Final evaluation by category",
        "Marks as a percentage of the category's maximum; the final evaluation makes up three quarters of the score.",
        FINAL.maxima,
        {row.participant: row.categories for row in notes.final},
    )
    rounds = {row.round: f"round {row.round}" for row in notes.rounds}
    sums: dict[str, dict[int, float]] = {row.participant: {} for row in notes.rounds}
    for row in notes.rounds:
        if row.sum is not None:
            sums[row.participant][row.round] = row.sum
    yield Chart(
        "Marks by round",
        f"Sum of the {spell_number(len(ROUND.criteria))} marks of a round, out of {ROUND.total:g}; the mean of the rounds makes up a quarter of the score.",
        "line",
        tuple(rounds.values()),
        tuple(line_series(name, of, rounds) for name, of in sums.items() if of),
        0,
        ROUND.total,
        (*map(float, range(0, ROUND.total, 10)), float(ROUND.total)),
    )
