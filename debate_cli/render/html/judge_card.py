"""Renders judge cards as one HTML page: advice, gates, biases, calibration and agreement."""

from collections.abc import Iterator, Sequence

from debate_cli.audit.comparison import Comparison
from debate_cli.audit.measures import Measure
from debate_cli.audit.report import AuditReport, JudgeAuditReport
from debate_cli.render.html.charts import plot_interval
from debate_cli.render.html.templating import render_page
from debate_cli.render.judge_card import (
    BASELINES_EXPLAINED,
    INTERVALS,
    describe_labels,
    describe_measures,
    describe_sample,
    describe_unknown_labels,
    format_estimate,
    judge_agreement_table,
    list_checks,
    rehearsal_line,
)

MIN_AXIS_POINTS = 10.0
"""The axis for biases extends at least this number of points on each side of 0. So small biases look small."""


def render_judge_cards(report: AuditReport) -> str:
    """Return the page with the card of each judge of an audit."""
    return render_page(
        "judge_card.html.j2",
        "page.css",
        "plot.css",
        "judge_card.css",
        title="Judge card",
        report=report,
        plots=_bias_plots,
        accuracies=_accuracies,
        baselines_explained=BASELINES_EXPLAINED,
        calibration=_calibration_dots,
        sample=describe_sample,
        rehearsal=rehearsal_line,
        between=None if report.between is None else judge_agreement_table(report.between),
        classes={},
        signs={},
        checks=list_checks,
        intervals=INTERVALS,
        labels=describe_labels,
        remarks=describe_measures,
        unknown=describe_unknown_labels,
    )


def _bias_plots(judge: JudgeAuditReport) -> Iterator[dict[str, object]]:
    points = [measure for measure in judge.measures if measure.unit == "points" and measure.name != "noise_margin"]
    shares = [measure for measure in judge.measures if measure.unit == "share" and measure.name != "padded_wins"]
    if points:
        found = [end for each in points for end in (each.estimate.value, each.estimate.low, each.estimate.high)]
        reach = max(MIN_AXIS_POINTS, *(abs(end) for end in found if end is not None))
        ends = (f"−{reach:.0f}", "0", f"+{reach:.0f} points")
        yield {"title": "What moves the scores", "ends": ends, "zero": 50.0, "rows": _rows(points, -reach, reach)}
    if shares:
        ends = ("0 %", "50 %", "100 %")
        yield {"title": "How often the judge errs", "ends": ends, "zero": 0.0, "rows": _rows(shares, 0, 1)}


def _rows(measures: Sequence[Measure], low: float, high: float) -> list[dict[str, object]]:
    estimates = [(item.label, item.estimate, item.unit) for item in measures]
    return [
        plot_interval(label, found, format_estimate(found, unit), axis_start=low, axis_end=high)
        for label, found, unit in estimates
    ]


def _accuracies(comparison: Comparison) -> list[dict[str, object]]:
    baselines = ((f"baseline: {name}", found) for name, found in comparison.baselines.items())
    named = [("this judge", comparison.accuracy), *baselines]
    return [plot_interval(name, found, format_estimate(found, "share")) for name, found in named]


def _calibration_dots(comparison: Comparison) -> Iterator[dict[str, object]]:
    most = max((group.count for group in comparison.calibration), default=1)
    for group in comparison.calibration:
        yield {
            "left": round(100 * group.forecast, 1),
            "bottom": round(100 * group.happened, 1),
            "size": round(6 + 10 * (group.count / most) ** 0.5, 1),
            "text": f"forecast {100 * group.forecast:.0f} %, observed {100 * group.happened:.0f} %, {group.count} debates",
        }
