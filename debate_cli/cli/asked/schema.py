"""What `debate schema` is asked."""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options

app = typer.Typer(add_completion=False)


class Of(StrEnum):
    """What a schema is printed of."""

    config = "config"
    transcript = "transcript"


@app.command()
class Schema(NamedTuple):
    """Print the JSON Schema of a configuration or a transcript."""

    of: Annotated[Of, typer.Argument(help="Which of the two.")]
    debug: options.Debug = False
