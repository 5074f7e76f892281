"""`debate schema`."""

from debate_cli.cli.console import print_json
from debate_cli.cli.setup_options import SchemaOptions
from debate_cli.storage.schema import config_schema, transcript_schema


def run(given: SchemaOptions) -> None:
    """Print the JSON Schema of a configuration, a transcript or an experiment."""
    if given.of == "experiment":
        from debate_cli.experiments.settings import experiment_schema

        print_json(experiment_schema())
        return
    print_json(config_schema() if given.of == "config" else transcript_schema())
