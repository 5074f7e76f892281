"""Options of `debate judge`, apart from the command so that help and completion load no engine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = options.EXIT_CODES_WITH_MODELS.replace("130", "6 a batch is in progress, 130")


class Lookup(StrEnum):
    """Where a judge of sources looks up facts without a citation."""

    corpus = "corpus"
    web = "web"
    both = "both"


class Options(NamedTuple):
    """Judge saved debates (again), without their debaters.

    Adds assessments as a separate judging run; `debate score --runs all` shows all runs side by side. No debater's
    model or key is needed. Each --model gets a judging run; if there are several, none of them decides. A panel also
    judges texts: files, the files in and below a folder without transcripts, and `-`. The topic of --config is the
    question asked of a text.

    Examples:

      debate judge my-debate --system panel --model anthropic/claude-sonnet-5

      debate judge transcripts/ --config configs/panel.yaml --repeat 3

      debate judge PLAN.md specs/ --system panel --context brief.md --expect PASS --mock

      debate judge my-debate --system sources --evidence docs/ --model anthropic/claude-sonnet-5

      debate judge my-debate --system sources --lookup web --model anthropic/claude-sonnet-5

      debate judge transcripts/ --system live --model openai/gpt-5 --dry-run

      debate judge transcripts/ --system structured --model openai/gpt-5 --batch

      debate judge --collect transcripts/
    """

    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Transcripts, folders, globs, ids; for panel also text files, folders of them, and `-` (stdin).",
            autocompletion=completion.complete_paths,
        ),
    ] = None
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG", help="Configuration with the judging to use.", autocompletion=completion.complete_configs
        ),
    ] = None
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Judge by this system (repeatable).", autocompletion=completion.complete_systems
        ),
    ] = None
    model: Annotated[
        list[str] | None, typer.Option(metavar="PROVIDER/MODEL", help="Model of every judge (repeatable).")
    ] = None
    judges: Annotated[int | None, typer.Option(min=1, max=25, help="Judges of each system.")] = None
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Independent judging runs of each model.")] = 1
    lookup: Annotated[
        Lookup | None,
        typer.Option(
            help="Where `sources` looks up claims without a citation: in files (--evidence, or of --config), on the web, or both."
        ),
    ] = None
    evidence: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH", help="Folder or file in which `sources` looks up claims without a citation (repeatable)."
        ),
    ] = None
    mock: options.MockOption = False
    batch: options.BatchOption = False
    collect: Annotated[
        bool,
        typer.Option(
            "--collect",
            help="Collect the answers of batches (without PATH: those in the default folder). Waits only with --batch.",
        ),
    ] = False
    resubmit: Annotated[
        bool, typer.Option("--resubmit", help="With --collect: ask again for what the vendor does not have.")
    ] = False
    replace: Annotated[
        bool, typer.Option("--replace", help="Earlier assessments of these systems no longer count.")
    ] = False
    context: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Show this file beside a text; it is not judged (default: --config's background)."
        ),
    ] = None
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder for the result; default: in place.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file at --out.")] = False
    settings: options.SettingsOption = None
    var: options.VarOption = None
    max_cost: options.MaxCostOption = None
    max_tokens: options.MaxTokensOption = None
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    id: Annotated[str | None, typer.Option("--id", help="Id of the debate made from a text.")] = None
    no_save: options.NoSaveOption = False
    report: options.ReportOption = None
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Files judged at the same time.")] = 4
    dry_run: options.DryRunOption = False
    quiet: options.QuietOption = False
    details: options.DetailsOption = False
    json: options.JsonOption = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
