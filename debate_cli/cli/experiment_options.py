"""Options of `debate experiment`, apart from the command so that help and completion load no engine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = (
    "Exit codes: 0 done, 1 failed (or some cells did), 2 wrong input, 3 a provider failed (resumable), "
    "4 budget reached (resumable), 130 interrupted (resumable), 141 output pipe closed (resumable)."
)
RUN_PANEL, REPORT_PANEL = "Options of run", "Options of report and merge"


class Action(StrEnum):
    """What to do with an experiment."""

    run = "run"
    status = "status"
    report = "report"
    rate = "rate"
    merge = "merge"


class ReportFormat(StrEnum):
    """Format of a table with one row per judgement."""

    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


class Options(NamedTuple):
    """Run many debates from one file: players, motions, both side orders, judges.

    `run EXP.yaml` runs what is missing or failed, and nothing else; several processes may run it at once. `status` and
    `report` take the file or the folder of the experiment, which is beside the file. `report` shows a leaderboard with
    intervals, how far the judges can be trusted, and what it cost; `--html` writes it as a page, `--format` prints one
    row per judgement. `merge DIR... -o DIR` joins the folders of shards. `rate FILE.csv` rates any pairwise results:
    columns left, right, score (0 to 1) or margin, and if you like cluster, judge, side.

    Examples:

      debate experiment run exp.yaml --mock

      debate experiment run exp.yaml --dry-run

      debate experiment report exp.yaml --html report.html

      debate experiment report exp.yaml --format csv -o results.csv

      debate experiment rate results.csv
    """

    action: Annotated[
        Action,
        typer.Argument(help="Run it, show its state, report its results, rate results of any origin, or join folders."),
    ]
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="EXP.yaml|DIR|FILE.csv",
            help="The file of the experiment; for status, report and merge also its folder.",
            autocompletion=completion.complete_configs,
        ),
    ]
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help="Folder of the experiment (default: beside EXP.yaml); report: the file."
        ),
    ] = None
    mock: Annotated[
        bool, typer.Option("--mock", help="Rehearse on the mock, in a separate folder (no key, no network).")
    ] = False
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print cells, calls, tokens, cost and time; ask no model, write nothing.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Run at most N cells.", rich_help_panel=RUN_PANEL)
    ] = None
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run only the cells that failed.", rich_help_panel=RUN_PANEL)
    ] = False
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Run only part I of N, to divide the cells among N machines.", rich_help_panel=RUN_PANEL
        ),
    ] = None
    queue: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="DSN",
            envvar="DEBATE_QUEUE",
            show_envvar=False,
            help="Let workers on other machines run it (`debate worker`), through this PostgreSQL database (default: $DEBATE_QUEUE). For status and report: first copy the workers' results.",
        ),
    ] = None
    enqueue_only: Annotated[
        bool,
        typer.Option(
            "--enqueue-only", help="With --queue: return once the cells are in the queue.", rich_help_panel=RUN_PANEL
        ),
    ] = False
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Run the debates, then ask the judges in the vendor's batches: half the price, answers within a day.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    format: Annotated[
        ReportFormat | None, typer.Option(help="Print one row per judgement.", rich_help_panel=REPORT_PANEL)
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report as one HTML page.", rich_help_panel=REPORT_PANEL),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of the report.", rich_help_panel=REPORT_PANEL)
    ] = False
    json: Annotated[
        bool,
        typer.Option("--json", help="run: an event per line on stdout; status, report and rate: one JSON document."),
    ] = False
    plain: options.PlainOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the closing lines only.")] = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
