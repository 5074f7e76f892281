"""Options of the commands that run debates."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.cli import completion, options
from debate_cli.errors import ExitCode
from debate_cli.storage.out_path import OutPath


class RunOptions(NamedTuple):
    """Run a debate and save its transcript.

    Without CONFIG, it uses configs/debate.yaml or debate.yaml in the current folder, else the packaged default (a
    debate on the tiny embedded model, whose words carry no meaning). Options override DEBATE_... variables, which
    override the file.

    Examples:

      debate run --mock

      debate run debate.yaml --topic "Rewrite it in Rust?" --set seed=7

      debate run --resume my-debate
    """

    EPILOG = options.EXIT_CODES_WITH_MODELS

    config: options.RunConfigArgument = None
    topic: Annotated[str | None, typer.Option(help="Override the motion.")] = None
    background: Annotated[Path | None, typer.Option(metavar="FILE", help="Text file that replaces the background.")] = (
        None
    )
    evidence: options.EvidenceOption = None
    settings: options.SettingsOption = None
    var: options.VarOption = None
    mock: options.MockOption = False
    seed: Annotated[int | None, typer.Option(help="Seed for the mock, and for providers that support seeds.")] = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the transcript.")] = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the debate: a-z, 0-9 and dashes.")] = None
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="ID|PATH", help="Resume an unfinished debate.", autocompletion=completion.complete_debates
        ),
    ] = None
    up_to_damage: Annotated[
        bool,
        typer.Option(
            "--up-to-damage",
            help="With --resume: cut a damaged journal before its first damaged line; keep a copy of the whole journal.",
        ),
    ] = False
    continue_: Annotated[
        bool,
        typer.Option(
            "--continue", help="With --id: resume the saved debate with this id, or start it if none is saved."
        ),
    ] = False
    close: Annotated[
        bool, typer.Option("--close", help="With --resume: end the debate without further speeches, and judge it.")
    ] = False
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    show_hidden: Annotated[
        bool, typer.Option("--show-hidden", help="Show the hidden instructions that debaters were given.")
    ] = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    plain: options.PlainOption = False
    details: options.DetailsOption = False
    report: options.ReportOption = None
    no_save: options.NoSaveOption = False
    dry_run: options.DryRunOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an existing debate with this id, and an existing report.")
    ] = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None


RUN_PANEL, REPORT_PANEL = "Options of run", "Options of report and merge"


Action = Literal["run", "status", "report", "rate", "merge"]


ReportFormat = Literal["json", "jsonl", "csv", "parquet"]
"""Format of a table with one row per judgement."""


class ExperimentOptions(NamedTuple):
    """Run many debates from one file: players, motions, both side orders, judges.

    Each debate of an experiment is a cell. `run EXP.yaml` runs new cells, and cells that failed. Several processes
    may run the same experiment at once.

    `status` and `report` take the experiment's file or the experiment's folder, which is beside the file. With --queue
    they first copy the workers' results. `report` shows a leaderboard with intervals, how far the judges can be
    trusted, and the cost.

    `merge DIR... -o DIR` joins the folders of runs with --shard. `rate FILE.csv` makes a leaderboard from the results
    of any pairwise comparisons. The file has the columns `left`, `right`, and either `score` (0 to 1) or `margin`. The
    columns `cluster`, `judge` and `side` are optional.

    Examples:

      debate experiment run exp.yaml --mock

      debate experiment run exp.yaml --dry-run

      debate experiment report exp.yaml --html report.html

      debate experiment report exp.yaml --format csv -o results.csv

      debate experiment rate results.csv
    """

    EPILOG = options.format_exit_codes(
        options.CODES_WITH_MODELS, resumable=True, FAILED="failed (also if only some cells failed)"
    )

    action: Annotated[
        Action,
        typer.Argument(
            metavar="ACTION",
            help="Run the experiment, show its state, report its results, rate a CSV file, or join folders.",
        ),
    ]
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="EXP.yaml|DIR|FILE.csv",
            help="run: the experiment's file. status, report: the experiment's file or folder. merge: folders. rate: a CSV file.",
            autocompletion=completion.complete_configs,
        ),
    ]
    out: Annotated[
        OutPath | None,
        typer.Option(
            "--out",
            "-o",
            parser=OutPath.parse,
            metavar="PATH",
            help="run, status: folder of the experiment (default: beside EXP.yaml). merge: the new folder. report: file that --format writes.",
        ),
    ] = None
    mock: Annotated[bool, typer.Option("--mock", help="Rehearse on the mock, in a separate folder.")] = False
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print cells, calls, tokens, cost and time; ask no model.", rich_help_panel=RUN_PANEL
        ),
    ] = False
    limit: Annotated[int | None, typer.Option(min=1, help="Run at most N cells.", rich_help_panel=RUN_PANEL)] = None
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run only the cells that failed.", rich_help_panel=RUN_PANEL)
    ] = False
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Run only one part of the cells: part number I of N parts, e.g. 2/3 on the second of three machines.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = None
    queue: options.QueueOption = None
    enqueue_only: Annotated[
        bool,
        typer.Option(
            "--enqueue-only",
            help="With --queue: put the cells into the queue, and do not wait for workers.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="After the debates, send the judges' requests to the provider in batches: half the price.",
            rich_help_panel=RUN_PANEL,
        ),
    ] = False
    format: Annotated[
        ReportFormat | None, typer.Option(help="Print one row per judgement.", rich_help_panel=REPORT_PANEL)
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(
            parser=options.parse_file,
            metavar="FILE",
            help="Write the report as one HTML page.",
            rich_help_panel=REPORT_PANEL,
        ),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of the report.", rich_help_panel=REPORT_PANEL)
    ] = False
    json: Annotated[
        bool, typer.Option("--json", help="run: an event per line on stdout; other actions: one JSON document.")
    ] = False
    plain: options.PlainOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only the closing lines.")] = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None


class WorkerOptions(NamedTuple):
    """Take debates of experiments from a queue, and run them.

    `debate experiment run EXP.yaml --queue DSN` puts an experiment into a queue, which is a PostgreSQL database.
    Workers on any machines run the experiment's debates, and share the experiment's budget and each key's limits per
    minute. Each worker needs the providers' keys in its environment. If a worker dies, another worker continues the
    debates after their last event. Workers do not trust the experiments: use --trust-host to allow each server that
    an experiment names. Needs the extra `cluster`.

    Examples:

      DEBATE_QUEUE=postgresql://me:secret@db.example/debates debate worker

      debate worker --concurrency 32 --trust-host gpu.example:8000

      debate worker --until-empty
    """

    EPILOG = options.format_exit_codes(
        [ExitCode.DONE, ExitCode.FAILED, ExitCode.WRONG_INPUT, ExitCode.INTERRUPTED],
        DONE="done (--until-empty)",
        FAILED="the queue cannot be reached",
        WRONG_INPUT="wrong input, or (--until-empty) this worker cannot run an experiment of the queue",
    )

    queue: options.QueueOption = None
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Number of debates to run at the same time.")
    ] = None
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when the queue has no debate left for this worker.")
    ] = False
    lease: Annotated[
        float,
        typer.Option(
            min=2,
            metavar="SECONDS",
            help="If this worker gives no sign of life for this many seconds, other workers continue its debates.",
        ),
    ] = 30
    trust_host: options.TrustHostOption = None
    json: Annotated[bool, typer.Option("--json", help="Print an event per line on stdout.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only notes and the closing line.")] = (
        False
    )
