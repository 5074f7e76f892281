"""Options of `debate audit`, apart from the command so that help and completion load no engine."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = options.EXIT_CODES_WITH_MODELS


class Options(NamedTuple):
    """Measure whether a judge can be trusted.

    The judge judges the same debates several times, and again with one thing changed by code: the order, the names, the
    length of one side, an invented study, and more. The differences are its biases. Nothing is asked twice: the same
    command continues an audit that was stopped. The result is a judge card in the audit's folder.

    Examples:

      debate audit --judge mock/judge

      debate audit --judge openai/gpt-5 --on transcripts/ --labels labels.csv -o audits/gpt-5

      debate audit audits/old/audit.json audits/new/audit.json --diff
    """

    paths: Annotated[list[Path] | None, typer.Argument(metavar="AUDIT", help="Two audit.json files, with --diff.")] = (
        None
    )
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="PROVIDER/MODEL", help="Model of the judge (repeatable). Default: the judge of --config."),
    ] = None
    system: Annotated[
        str, typer.Option(metavar="NAME", help="Judging system.", autocompletion=completion.complete_systems)
    ] = "structured"
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="Configuration with models, providers and settings of the judging system.",
            autocompletion=completion.complete_configs,
        ),
    ] = None
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on", metavar="PATH", help="Saved debates to use (repeatable). Default: eight that ship with the program."
        ),
    ] = None
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV with who won: columns id, winner (or score_NAME per side), rater."),
    ] = None
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the audit.")] = Path("audit")
    variant: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these changes (repeatable). Default: all.")
    ] = None
    repeat: Annotated[
        int, typer.Option(min=1, max=100, help="Judging runs of each unchanged debate, to measure noise.")
    ] = 3
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Bound for a check of the card (repeatable). Exit code 5 if it is not met."
        ),
    ] = None
    diff: Annotated[bool, typer.Option("--diff", help="Compare two audits.")] = False
    mock: options.MockOption = False
    batch: options.BatchOption = False
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Debates judged at the same time.")] = 8
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Budget of the whole audit in US dollars, above 0.")
    ] = None
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="N", help="Budget of the whole audit in tokens.")] = (
        None
    )
    record: options.RecordOption = None
    playback: options.PlaybackOption = None
    dry_run: options.DryRunOption = False
    quiet: options.QuietOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
