"""Options of `debate init`, apart from the command so that help and completion load no engine."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options


class Options(NamedTuple):
    """Write a commented debate.yaml and its schema.

    On a terminal it asks three questions first: the motion, the debaters' model, the judge's. It offers the available models:
    those of Ollama if it is running, those of providers whose key is set, and the embedded one.
    """

    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder (created if missing), or a file NAME.yaml.",
            autocompletion=completion.complete_folders,
        ),
    ] = Path()
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; use the defaults.")] = False
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    debug: options.DebugOption = False
