"""What `debate check` is asked."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command()
class CheckOptions(NamedTuple):
    """Check configurations, and say which keys are missing.

    Without CONFIG: configs/debate.yaml or debate.yaml here, or the packaged default, as for `debate run`. Every fault is named with file, line, column and key. A missing key is a fault too, as the debate could not run.
    Exit code 2 where there is any.
    """

    configs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONFIG", help="Configurations; - for stdin.", autocompletion=completion.complete_configs
        ),
    ] = None
    json: options.JsonOption = False
    debug: options.DebugOption = False
