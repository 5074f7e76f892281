"""What `debate init` is asked."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command()
class InitOptions(NamedTuple):
    """Write a commented debate.yaml and its schema.

    On a terminal it asks three questions first: the motion, the debaters' model, the judge's. It offers the models that are
    at hand: those of Ollama where it is running, of providers whose key is set, and the embedded one.
    """

    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Where to, made if it is not there; or a file, NAME.yaml.",
            autocompletion=completion.complete_folders,
        ),
    ] = Path()
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing, take the defaults.")] = False
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    debug: options.DebugOption = False
