"""What `debate score` is asked."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


class ScoreFormat(StrEnum):
    """How the verdicts are printed."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    junit = "junit"
    github = "github"
    html = "html"


@app.command(epilog=options.EXIT_CODES_WITHOUT_MODELS)
class ScoreOptions(NamedTuple):
    """Recompute verdicts from saved debates, without any model.

    The stored assessments count; weights, thresholds and penalties may be others. Of each system the newest judging run
    is scored, and nothing is written without --write or -o.

    Examples:

      debate score transcripts/

      debate score debate.json --weights evidence=0.6,logic=0.4

      debate score 'transcripts/*.json' --check --format csv

      debate score transcripts/ --fail-under 6 --format junit > gates.xml

      debate score transcripts/ --format html -o reports
    """

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Transcripts, folders, globs, ids.", autocompletion=completion.complete_paths
        ),
    ]
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this system (repeatable).", autocompletion=completion.complete_systems),
    ] = None
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="NAME=N,...", help="Weights of the structured criteria.")
    ] = None
    rubric: Annotated[Path | None, typer.Option(help="YAML: weights, thresholds, penalties per system.")] = None
    runs: Annotated[str, typer.Option(metavar="latest|all|ID", help="Which judging runs.")] = "latest"
    format: Annotated[ScoreFormat, typer.Option("--format", help="How to print them.")] = ScoreFormat.table
    json: options.JsonOption = False
    write: Annotated[bool, typer.Option("--write", help="Store the recomputed verdicts.")] = False
    check: Annotated[
        bool,
        typer.Option("--check", help="Stored verdicts equal recomputed ones.", rich_help_panel=options.GATES_PANEL),
    ] = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="html: folder for the index and a page of each debate."),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands in DIR.")] = False
    debug: options.DebugOption = False
