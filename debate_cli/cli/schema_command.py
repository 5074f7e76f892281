"""`debate schema`."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from debate_cli.cli import options
from debate_cli.storage.schema import config_schema, transcript_schema

app = typer.Typer(add_completion=False)


class Of(StrEnum):
    """What a schema is printed of."""

    config = "config"
    transcript = "transcript"


@app.command()
def schema(
    of: Annotated[Of, typer.Argument(help="Which of the two.")],
    debug: options.Debug = False,
) -> None:
    """Print the JSON Schema of a configuration or a transcript."""
    del debug  # acted on where errors are caught
    document = config_schema() if of is Of.config else transcript_schema()
    print(json.dumps(document, ensure_ascii=False, indent=2))
