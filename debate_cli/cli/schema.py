"""`debate schema`."""

from __future__ import annotations

import json

from debate_cli.cli.asked.schema import SchemaKind, SchemaOptions
from debate_cli.storage.schema import config_schema, transcript_schema


def run(asked: SchemaOptions) -> None:
    """Print the JSON Schema of a configuration or a transcript."""
    document = config_schema() if asked.of is SchemaKind.config else transcript_schema()
    print(json.dumps(document, ensure_ascii=False, indent=2))
