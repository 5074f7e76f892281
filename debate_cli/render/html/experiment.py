"""Renders the report of an experiment as one HTML page: tables and a list of the debates."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from debate_cli.experiments.analysis import Analysis, SystemAnalysis
from debate_cli.experiments.progress import BASE_JUDGES, Status
from debate_cli.experiments.results import JudgementRow
from debate_cli.render import theme
from debate_cli.render.content.experiment_report import (
    format_share,
    leaderboard_table,
    matrix_rows,
    report_tables,
)
from debate_cli.render.experiment import progress_sentence
from debate_cli.render.html.charts import plot_interval
from debate_cli.render.html.templating import file_href, render_page
from debate_cli.statistics.estimate import Estimate, cluster_rows

MAX_DEBATES = 5000


def render_experiment(
    name: str, analysis: Analysis, status: Status, rows: Sequence[JudgementRow], link: Callable[[str], str]
) -> str:
    """Return the report as an HTML page.

    `link`: returns a link for the path of a transcript. The link leads to the HTML page beside the transcript, else to
    the transcript. It is empty if neither file exists.
    """
    drawn = {f"leaderboard{suffix}" for suffix in ("", *(f", {found.system}" for found in analysis.systems))}
    return render_page(
        "experiment.html.j2",
        "page.css",
        "plot.css",
        "experiment.css",
        script="sorting.js",
        title=name,
        analysis=analysis,
        rehearsal=status.progress.rehearsal_notice,
        summary=progress_sentence(status.progress),
        notes=status.notes,
        leaderboard=partial(leaderboard_table, title="Leaderboard"),
        matrix=matrix_rows,
        heat=_heat_class,
        share=format_share,
        judge_plots=_judge_plots,
        tables=[table for table in report_tables(analysis, status.failures) if table.title not in drawn],
        debates=list(_list_debates(rows, link)),
        classes={},
        signs={},
    )


def _judge_plots(found: SystemAnalysis) -> list[dict[str, object]]:
    return [
        plot_interval(judge.name or BASE_JUDGES, judge.first_share, format_share(judge.first_share))
        for judge in found.judges
    ]


def _heat_class(found: Estimate | None) -> str:
    return "" if found is None or found.value is None else f"heat-{min(4, int(found.value * 5))}"


def _list_debates(rows: Iterable[JudgementRow], link: Callable[[str], str]) -> Iterator[dict[str, object]]:
    for group in cluster_rows(rows, lambda row: row.cell)[:MAX_DEBATES]:
        first = group[0]
        costs = [first.first_cost_usd, first.second_cost_usd, *(row.cost_usd for row in group)]
        known = [cost for cost in costs if cost is not None]
        yield {
            "topic": first.topic,
            "href": file_href(link(first.path)),
            "first": first.first,
            "second": first.second,
            "results": [(row.judge or row.system, row.winner or row.result) for row in group if row.decides],
            "cost": theme.format_cost(sum(known)) if len(known) == len(costs) else "unknown",
        }
