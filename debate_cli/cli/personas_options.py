"""Options of `debate personas`, apart from the command so that help and completion load no engine."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

EPILOG = options.EXIT_CODES_WITH_MODELS


class Options(NamedTuple):
    """Suggest the judges of a panel: the stakeholders that documents imply.

    Asks one model for 3 to 7 stakeholders: name, role, what they care about, and the passage that implies them, which is
    checked word for word. Writes a configuration with a list of judges, to be edited.

    Examples:

      debate personas PLAN.md specs/ --model anthropic/claude-sonnet-5 -o judges.yaml

      debate judge PLAN.md --config judges.yaml
    """

    paths: Annotated[list[str], typer.Argument(metavar="FILE", help="Text files, folders of them, and `-` (stdin).")]
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="File for the configuration; default: stdout.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file at -o.")] = False
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The model to ask.")] = None
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="Configuration with the model of judges, providers and limits.",
            autocompletion=completion.complete_configs,
        ),
    ] = None
    mock: options.MockOption = False
    json: options.JsonOption = False
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    debug: options.DebugOption = False
