"""Formats the judge cards of `debate audit`: the measures of a judge as tables, Markdown and plain sentences."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from debate_cli.audit.comparison import Comparison, JudgeAgreement
from debate_cli.audit.difference import Change
from debate_cli.audit.gates import ALPHA, BASELINE, GATES, AuditGateResult
from debate_cli.audit.measures import BEYOND_LENGTH, Measure
from debate_cli.audit.report import AuditReport, JudgeAuditReport
from debate_cli.audit.variants import VARIANTS
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.model_call import mock_notice
from debate_cli.render.sanitize import sanitize_line
from debate_cli.render.text.markdown import escape_markdown, format_table
from debate_cli.statistics.estimate import LEVEL_LABEL, Estimate
from debate_cli.systems.tables import Badge, Cell, Table, TableRow, column_table

INTERVAL = f"{LEVEL_LABEL} interval"
INTERVALS = f"Brackets contain the range of plausible values ({INTERVAL}). With fewer motions, the range is wider."
POINTS = "The whole scale of scores has 100 points."
GAIN_FROM_ADDED_WORDS = "The gain from the added words is measured with neutral padding of the same number of words."
BASELINES_EXPLAINED = (
    "A baseline is a rule without a model: majority (the most frequent known result), longer side (the side with more "
    "words wins), last speaker (the last speaker wins) and coin (chance)."
)
BOOTSTRAP = (
    "Intervals come from a bootstrap over motions: all debates on a motion, with their changed copies, are drawn "
    "together."
)
_NO_VALUE = "—"
ANSWERS = {"met": Badge("✓", "yes", "good"), "not met": Badge("✗", "no", "bad")}


class Check(NamedTuple):
    """A gate of the audit, worded as a question, with the answer and the measured number."""

    gate: str
    """Name of the gate in the option `--gate`."""
    question: str
    answer: Badge
    found: str
    """The measured number, its interval, and the number of motions. Empty if nothing was measured."""
    required: str
    """The bound of the gate, e.g. `at most 10 %`."""


def list_checks(report: JudgeAuditReport) -> list[Check]:
    """Return one check for each gate of the audit."""
    checks: list[Check] = []
    for result in report.gates:
        gate, found = GATES[result.name], ""
        if result.found.value is not None:
            number = gate.found.format(format_estimate(result.found, gate.unit))
            found = f"{number}, {count_noun(result.found.clusters, 'motion')}"
        checks.append(Check(result.name, gate.question, _answer(result), found, format_bound(result)))
    return checks


def _answer(gate: AuditGateResult) -> Badge:
    if gate.outcome != "not enough data":
        return ANSWERS[gate.outcome]
    if gate.found.value is None:
        lacks_labels = gate.name in {ALPHA, BASELINE} and not gate.found.clusters
        return Badge("–", "not tested: no labels" if lacks_labels else "not tested", "muted")
    needed = f": about {count_noun(gate.more, 'more motion')} needed" if gate.more is not None else ""
    return Badge("?", f"not enough data{needed}", "muted")


def format_bound(result: AuditGateResult) -> str:
    """Return the bound of a gate in words, e.g. `at most 10 %`."""
    gate = GATES[result.name]
    bound = f"{result.bound:g} points" if gate.unit == "points" else _format_value(result.bound, gate.unit)
    if result.name == BASELINE:
        return f"more than {bound}"
    return f"at least {bound}{' of 1' if result.name == ALPHA else ''}" if gate.is_minimum else f"at most {bound}"


def first_screen(report: JudgeAuditReport) -> list[str]:
    """Return the first lines of a judge card: the judge, the advice and its reason, and the size of the test."""
    lines = [
        rehearsal_line(report),
        f"Judge: {report.judge.model}, judging system {report.judge.system}",
        f"{report.advice}. {report.usable_for}",
        report.not_for,
        describe_sample(report),
    ]
    return [sanitize_line(line) for line in lines if line]


def rehearsal_line(report: JudgeAuditReport) -> str:
    """Return the notice that the judge is the mock; empty for any other judge."""
    return mock_notice([report.judge.model])


def card_tables(report: JudgeAuditReport, unknown_labels: int = 0) -> list[Table]:
    """Return the tables of one judge's card: checks, biases, comparison with labels (known winners).

    `unknown_labels`: number of labels that were left out, because they name neither a debater nor a draw.
    """
    checks: list[TableRow] = [
        (f"{check.question} ({check.gate})", check.answer, check.found, check.required) for check in list_checks(report)
    ]
    tables = [Table("checks", ("question", "answer", "found", "required"), tuple(checks), (INTERVALS,))]
    tables += [_bias_table(report.measures)] if report.measures else []
    if report.comparison is not None:
        tables.append(_comparison_table(report.comparison, unknown_labels))
    return tables


def judge_agreement_table(between: JudgeAgreement) -> Table:
    """Return a row per pair of judges: share of debates with the same winner, and Cohen's κ."""
    rows: list[TableRow] = [
        (f"{pair.first} and {pair.second}", format_estimate(pair.share, "share"), format_estimate(pair.kappa, "number"))
        for pair in between.pairs
    ]
    remarks = [f"Krippendorff's α over all judges: {format_estimate(between.alpha, 'number')}."]
    if between.best:
        remarks.append(
            f"The majority of the judges names the known winner in {format_estimate(between.majority, 'share')}; "
            f"gain over the best single judge, {between.best}: {format_estimate(between.gain, 'share')}."
        )
    return Table("agreement between the judges", ("judges", "same winner", "Cohen's κ"), tuple(rows), tuple(remarks))


def describe_unknown_labels(number: int) -> str:
    """Return e.g. `2 labels left out: the winner is neither a debater nor a draw.`."""
    return f"{count_noun(number, 'label')} left out: the winner is neither a debater nor a draw."


def describe_measures(measures: Iterable[Measure]) -> str:
    """Return sentences that explain the units and the intervals of the measures."""
    is_net = any(measure.variant in BEYOND_LENGTH for measure in measures)
    return " ".join([POINTS, *([GAIN_FROM_ADDED_WORDS] if is_net else []), BOOTSTRAP])


def describe_labels(comparison: Comparison) -> str:
    """Return the source of the labels (known winners), and the numbers of debates and motions.

    Example: `by construction, 8 debates on 8 motions.` for the shipped debates, which were written with a known winner.
    """
    debates, motions = count_noun(comparison.debates, "debate"), count_noun(comparison.motions, "motion")
    return f"{comparison.source}, {debates} on {motions}."


def describe_sample(report: JudgeAuditReport) -> str:
    """Return a sentence on the size of the test: numbers of debates, motions and judgements."""
    missing = f"; {count_noun(report.missing, 'judgement')} failed or unfinished" if report.missing else ""
    return (
        f"Tested with {count_noun(report.judgements, 'judgement')} of {count_noun(report.debates, 'debate')} on "
        f"{count_noun(report.motions, 'motion')} and of changed copies of these debates{missing}."
    )


def format_card_markdown(report: AuditReport) -> str:
    """Return the cards of all judges as one Markdown document."""
    lines: list[str] = []
    for judge in report.judges:
        lines += [f"# Judge card: {escape_markdown(judge.judge.model)}, {escape_markdown(judge.judge.system)}", ""]
        lines += [f"**{rehearsal_line(judge)}**", ""] if rehearsal_line(judge) else []
        lines += [f"**{escape_markdown(judge.advice)}.** {escape_markdown(judge.usable_for)}", ""]
        lines += [escape_markdown(judge.not_for), ""] if judge.not_for else []
        lines += [escape_markdown(describe_sample(judge)), ""]
        for table in card_tables(judge, report.unknown_labels):
            lines += format_table(table)
    if report.between is not None:
        lines += format_table(judge_agreement_table(report.between))
    return "\n".join(lines).rstrip() + "\n"


def changes_table(rows: Iterable[Change]) -> Table:
    """Return the table of how each result changed between two audits."""
    cells = tuple(
        (row.label, row.judge, *(_format_result(each, row.unit) for each in (row.before, row.now)), row.change)
        for row in rows
    )
    return Table("changes", ("what was measured", "judge", "before", "now", "change"), cells)


def change_record(row: Change) -> dict[str, str]:
    """Return a change as a JSON object of texts, for programs.

    Numbers have the minus sign of ASCII and no plus sign, shares have one decimal place, and a missing interval is left
    out.
    """
    before, now = (
        _format_plain(each, row.unit) if isinstance(each, Estimate) else each or _NO_VALUE
        for each in (row.before, row.now)
    )
    return {"judge": row.judge, "label": row.label, "before": before, "now": now, "change": row.change}


def format_estimate(found: Estimate, unit: str) -> str:
    """Return a number with its interval: `12 % (4 to 21)` for a share, `+3.1 (−0.4 to 6.6)` for points."""
    if found.value is None:
        return _NO_VALUE
    value = _format_value(found.value, unit)
    if found.low is None or found.high is None:
        return f"{value} (no interval)"
    low, high = (_format_value(end, unit).removesuffix(" %") for end in (found.low, found.high))
    return f"{value} ({low} to {high})"


def _bias_table(measures: Sequence[Measure]) -> Table:
    columns: dict[str, Callable[[Measure], Cell]] = {
        "what was measured": lambda of: of.label,
        f"value ({INTERVAL})": lambda of: format_estimate(of.estimate, of.unit),
        "indicates": lambda of: VARIANTS[of.variant].tested_bias,
        "comparisons": lambda of: f"{of.estimate.rows} on {count_noun(of.estimate.clusters, 'motion')}",
    }
    return column_table("biases", measures, columns, [describe_measures(measures)])


def _comparison_table(comparison: Comparison, unknown_labels: int) -> Table:
    judge: TableRow = ("this judge", format_estimate(comparison.accuracy, "share"))
    baselines: list[TableRow] = [
        (f"baseline: {name}", format_estimate(found, "share")) for name, found in comparison.baselines.items()
    ]
    others: list[TableRow] = [
        ("lead over the best baseline", format_estimate(comparison.lead, "share")),
        ("Cohen's κ with the known winners", format_estimate(comparison.kappa, "number")),
        ("α of the raters without the judge", format_estimate(comparison.alpha_people, "number")),
        ("α of the raters together with the judge", format_estimate(comparison.alpha_with_judge, "number")),
        ("Brier score of the judge's margins", format_estimate(comparison.brier, "number")),
        ("log score of the judge's margins", format_estimate(comparison.log_score, "number")),
        ("error of the judge's scores, in points", format_estimate(comparison.score_error, "number")),
    ]
    remarks = [f"Known winners (labels): {describe_labels(comparison)}", BASELINES_EXPLAINED]
    if unknown_labels:
        remarks.append(describe_unknown_labels(unknown_labels))
    if comparison.needed is not None:
        remarks.append(
            f"About {comparison.needed} debates are needed to show that the judge and the best baseline "
            f"({comparison.best_baseline}) differ."
        )
    return Table(
        "accuracy: how often the known winner is named",
        ("who", f"value ({INTERVAL})"),
        (judge, *baselines, None, *(row for row in others if row[1] != _NO_VALUE)),
        tuple(remarks),
    )


def _format_result(found: Estimate | str, unit: str) -> str:
    return format_estimate(found, unit) if isinstance(found, Estimate) else found or _NO_VALUE


def _format_plain(found: Estimate, unit: str) -> str:
    if found.value is None:
        return _NO_VALUE
    scale, digits, suffix = {"share": (100, 1, " %"), "points": (1, 1, "")}.get(unit, (1, 2, ""))
    value, low, high = (
        None if each is None else f"{scale * each:.{digits}f}" for each in (found.value, found.low, found.high)
    )
    interval = "" if low is None or high is None else f" ({low} to {high})"
    return f"{value}{suffix}{interval}"


def _format_value(value: float, unit: str) -> str:
    if unit == "share":
        text = f"{round(100 * value) + 0:d} %"
    elif unit == "points":
        text = f"{round(value, 1):+.1f}" if round(value, 1) else "0.0"
    else:
        text = f"{round(value, 2) + 0:.2f}"
    return text.replace("-", "−")
