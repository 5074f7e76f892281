"""Options of `debate check`, apart from the command so that help and completion load no engine."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options


class Options(NamedTuple):
    """Check configurations, and name missing keys.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default, as for `debate run`. Every fault is
    named with file, line, column and key. A missing API key is a fault too. Exit code 2 if there is any fault.
    """

    configs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONFIG", help="Configurations; - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    var: options.VarOption = None
    trust_host: options.TrustHostOption = None
    trust_path: options.TrustPathOption = None
    json: options.JsonOption = False
    debug: options.DebugOption = False
