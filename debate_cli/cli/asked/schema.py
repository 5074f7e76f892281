"""What `debate schema` is asked."""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options

app = typer.Typer(add_completion=False)


class SchemaKind(StrEnum):
    """What a schema is printed of."""

    config = "config"
    transcript = "transcript"


@app.command()
class SchemaOptions(NamedTuple):
    """Print the JSON Schema of a configuration or a transcript."""

    of: Annotated[SchemaKind, typer.Argument(help="Which of the two.")]
    debug: options.DebugOption = False
