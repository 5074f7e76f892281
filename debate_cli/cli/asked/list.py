"""What `debate list` is asked."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import completion, options

app = typer.Typer(add_completion=False)


@app.command()
class ListOptions(NamedTuple):
    """List the saved debates of a folder: who won, and what it cost.

    On a terminal the newest comes first. Off it, each debate is a line as soon as it is read, by name, its columns parted
    by tabs: id, start (UTC), topic, models, winners, cost in USD, state (with the judgments that are missing, if any are).
    Files that cannot be used are named at the end, with exit code 1.

    Examples:

      debate list

      debate list | cut -f 1,5

      debate list --json | jq '.[] | select(.state != "complete").path'
    """

    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help="Where the debates are; default: where run saves them.",
            autocompletion=completion.complete_folders,
        ),
    ] = None
    json: options.JsonOption = False
    plain: options.PlainOption = False
    debug: options.DebugOption = False
