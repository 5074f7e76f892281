"""What `debate explain` is asked."""

from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command()
class ExplainOptions(NamedTuple):
    """Explain an error: what it means, and the ways out of it.

    Errors name the page that is about them: "(debate explain missing-key)".
    """

    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help="Name of a page; without one, all are listed.",
            autocompletion=completion.complete_topics,
        ),
    ] = None
    json: options.JsonOption = False
    debug: options.DebugOption = False
