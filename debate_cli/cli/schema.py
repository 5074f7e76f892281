"""`debate schema`."""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from debate_cli.cli import options
from debate_cli.cli.console import print_json
from debate_cli.storage.schema import config_schema, transcript_schema


class SchemaKind(StrEnum):
    """The schema to print."""

    config = "config"
    transcript = "transcript"


class Options(NamedTuple):
    """Print the JSON Schema of a configuration or a transcript."""

    of: Annotated[SchemaKind, typer.Argument(help="What the schema describes.")]
    debug: options.DebugOption = False


def run(given: Options) -> None:
    """Print the JSON Schema of a configuration or a transcript."""
    document = config_schema() if given.of is SchemaKind.config else transcript_schema()
    print_json(document)
