"""`debate schema`."""

from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.cli import options
from debate_cli.cli.console import print_json
from debate_cli.storage.schema import config_schema, transcript_schema

SchemaKind = Literal["config", "transcript", "experiment"]


class Options(NamedTuple):
    """Print the JSON Schema of a configuration, a transcript or an experiment."""

    of: Annotated[SchemaKind, typer.Argument(help="What the schema describes.")]
    debug: options.DebugOption = False


def run(given: Options) -> None:
    """Print the JSON Schema of a configuration, a transcript or an experiment."""
    if given.of == "experiment":
        from debate_cli.experiments.settings import experiment_schema

        print_json(experiment_schema())
        return
    print_json(config_schema() if given.of == "config" else transcript_schema())
