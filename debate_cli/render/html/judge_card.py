"""Renders judge cards as one HTML page: advice, gates, biases, calibration and agreement."""

from collections.abc import Iterator

from debate_cli.audit.comparison import Comparison
from debate_cli.audit.report import AuditReport
from debate_cli.render.html.templating import render_page
from debate_cli.render.judge_card import (
    INTERVALS,
    bias_tables,
    comparison_table,
    describe_sample,
    judge_agreement_table,
    list_checks,
    rehearsal_line,
)


def render_judge_cards(report: AuditReport) -> str:
    """Return the page with the card of each judge of an audit."""
    return render_page(
        "judge_card.html.j2",
        "page.css",
        "plot.css",
        "judge_card.css",
        title="Judge card",
        report=report,
        biases=bias_tables,
        comparison=comparison_table,
        calibration=_calibration_dots,
        sample=describe_sample,
        rehearsal=rehearsal_line,
        between=None if report.between is None else judge_agreement_table(report.between),
        classes={},
        signs={},
        checks=list_checks,
        intervals=INTERVALS,
    )


def _calibration_dots(comparison: Comparison) -> Iterator[dict[str, object]]:
    most = max((group.count for group in comparison.calibration), default=1)
    for group in comparison.calibration:
        yield {
            "left": round(100 * group.forecast, 1),
            "bottom": round(100 * group.happened, 1),
            "size": round(6 + 10 * (group.count / most) ** 0.5, 1),
            "text": f"forecast {100 * group.forecast:.0f} %, observed {100 * group.happened:.0f} %, {group.count} debates",
        }
