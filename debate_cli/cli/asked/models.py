"""What `debate models` is asked."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options

app = typer.Typer(add_completion=False)


@app.command()
class ModelsOptions(NamedTuple):
    """List the providers, what each can do, and whether its key is set."""

    config: Annotated[str | None, typer.Option(metavar="CONFIG", help="Add the providers of this configuration.")] = (
        None
    )
    json: options.JsonOption = False
    debug: options.DebugOption = False
