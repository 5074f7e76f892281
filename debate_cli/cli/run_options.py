"""Options of `debate run`, apart from the command so that help and completion load no engine."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = options.EXIT_CODES_WITH_MODELS


class Options(NamedTuple):
    """Run a debate and save its transcript.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default (a debate on the embedded local
    model). Options override DEBATE_... variables, which override the file.

    Examples:

      debate run --mock

      debate run debate.yaml --topic "Rewrite it in Rust?" --set seed=7

      debate run --resume my-debate
    """

    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG", help="A debate.yaml, or - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    topic: Annotated[str | None, typer.Option(help="Override the motion.")] = None
    background: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Override the background with the text of a file.")
    ] = None
    evidence: options.EvidenceOption = None
    settings: options.SettingsOption = None
    var: options.VarOption = None
    mock: options.MockOption = False
    seed: Annotated[int | None, typer.Option(help="Seed of the mock, and of providers that support one.")] = None
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
            "--up-to-damage", help="With --resume: drop a journal's damaged line and all after it; a copy is kept."
        ),
    ] = False
    continue_: Annotated[
        bool,
        typer.Option(
            "--continue",
            help="With --id: start the debate, resume it if it is unfinished, or do nothing if it is complete.",
        ),
    ] = False
    close: Annotated[bool, typer.Option("--close", help="With --resume: end the debate here and judge it.")] = False
    files: options.FilesOption = None
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="Show hidden directives.")] = False
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing debate of this id, and the report.")] = (
        False
    )
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
