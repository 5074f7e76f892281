"""Renders judge cards as one HTML page: advice, gates, biases, calibration and agreement.

The page has no script and loads nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from debate_cli.audit.comparison import Comparison
from debate_cli.audit.measures import Measure
from debate_cli.audit.report import AuditReport, JudgeAuditReport
from debate_cli.render.html.charts import PlottedInterval, plot_interval
from debate_cli.render.html.templating import build_environment, csp_hash, read_template
from debate_cli.render.judge_card import (
    INTERVALS,
    describe_sample,
    describe_unknown_labels,
    format_estimate,
    judge_agreement_table,
    list_checks,
)

STYLES = ("page.css", "plot.css", "judge_card.css")
TEMPLATES = ("judge_card.html.j2", "cells.html.j2", *STYLES)
LEAST_POINTS = 10.0
"""Minimum distance from 0 to each end of the axis of points. A longer axis makes small biases look small."""


class IntervalPlot(NamedTuple):
    """Measures with the same unit, drawn on one axis."""

    title: str
    ends: tuple[str, str, str]
    """Labels at the left end, the middle and the right end of the axis."""
    zero: float
    """Position of 0, in per cent from the left."""
    rows: tuple[PlottedInterval, ...]
    """One for each measure."""


class CalibrationPoint(NamedTuple):
    """A group of forecasts as a point. Coordinates are per cent of a square, from its lower left corner."""

    left: float
    bottom: float
    size: float
    text: str


def render_judge_cards(report: AuditReport) -> str:
    """Return the page with the card of each judge of an audit."""
    return (
        build_environment(TEMPLATES)
        .get_template("judge_card.html.j2")
        .render(
            report=report,
            plots=_plots,
            rules=_rules,
            calibration=_calibration,
            sample=describe_sample,
            between=None if report.between is None else judge_agreement_table(report.between),
            classes={},
            signs={},
            checks=list_checks,
            intervals=INTERVALS,
            unknown=describe_unknown_labels,
            style_hash=csp_hash("".join(map(read_template, STYLES))),
        )
    )


def _plots(judge: JudgeAuditReport) -> tuple[IntervalPlot, ...]:
    plots: list[IntervalPlot] = []
    points = [measure for measure in judge.measures if measure.unit == "points" and measure.name != "noise_margin"]
    shares = [measure for measure in judge.measures if measure.unit == "share" and measure.name != "padded_wins"]
    if points:
        found = [end for each in points for end in (each.estimate.value, each.estimate.low, each.estimate.high)]
        ends = [abs(end) for end in found if end is not None]
        reach = max(LEAST_POINTS, *ends)
        labels = (f"−{reach:.0f}", "0", f"+{reach:.0f} points")
        plots.append(IntervalPlot("What moves its scores", labels, 50.0, _rows(points, -reach, reach)))
    if shares:
        plots.append(IntervalPlot("How often it goes wrong", ("0 %", "50 %", "100 %"), 0.0, _rows(shares, 0, 1)))
    return tuple(plots)


def _rows(measures: Sequence[Measure], low: float, high: float) -> tuple[PlottedInterval, ...]:
    return tuple(
        plot_interval(
            measure.label, measure.estimate, format_estimate(measure.estimate, measure.unit), low=low, high=high
        )
        for measure in measures
    )


def _rules(comparison: Comparison) -> tuple[PlottedInterval, ...]:
    """Plot the accuracy of the judge and of each baseline rule, e.g. the rule that names the longer side."""
    rules = ((f"rule: {name}", found) for name, found in comparison.baselines.items())
    named = [("this judge", comparison.accuracy), *rules]
    return tuple(plot_interval(name, found, format_estimate(found, "share")) for name, found in named)


def _calibration(comparison: Comparison) -> tuple[CalibrationPoint, ...]:
    most = max((group.count for group in comparison.calibration), default=1)
    return tuple(
        CalibrationPoint(
            round(100 * group.forecast, 1),
            round(100 * group.happened, 1),
            round(6 + 10 * (group.count / most) ** 0.5, 1),
            f"said {100 * group.forecast:.0f} %, happened {100 * group.happened:.0f} %, {group.count} debates",
        )
        for group in comparison.calibration
    )
