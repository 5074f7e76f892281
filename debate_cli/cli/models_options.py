"""Options of `debate models`, apart from the command so that help and completion load no engine."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options


class Options(NamedTuple):
    """List the providers, what each can do, and whether its key is set."""

    config: Annotated[str | None, typer.Option(metavar="CONFIG", help="Add the providers of this configuration.")] = (
        None
    )
    json: options.JsonOption = False
    debug: options.DebugOption = False
