"""What `debate judge` is asked."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command(epilog=options.EXIT_CODES_WITH_MODELS)
class JudgeOptions(NamedTuple):
    """Judge saved debates (again), without their debaters.

    Assessments are added as a judging run of their own; `debate score --runs all` shows them side by side. No debater's
    model or key is needed. With `--system panel`, PATH may be any text file.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md --system panel --mock
    """

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Transcripts, folders, globs, ids; any text for panel.",
            autocompletion=completion.complete_paths,
        ),
    ]
    config: Annotated[
        str | None,
        typer.Option(metavar="CONFIG", help="Whose judging part to use.", autocompletion=completion.complete_configs),
    ] = None
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Judge by this system (repeatable).", autocompletion=completion.complete_systems
        ),
    ] = None
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="Model of every judge.")] = None
    judges: Annotated[int | None, typer.Option(min=1, max=25, help="Judges of each system.")] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Judging runs, independent of each other.")] = 1
    mock: options.MockOption = False
    replace: Annotated[
        bool, typer.Option("--replace", help="Earlier assessments of these systems no longer count.")
    ] = False
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder for the result; default: in place.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands at --out.")] = False
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Files judged at the same time.")] = 4
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    debug: options.DebugOption = False
