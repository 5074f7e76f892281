"""`debate models`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from debate_cli.cli import options, screen, setup
from debate_cli.domain.config import DebateConfig
from debate_cli.providers.presets import ProviderRow
from debate_cli.providers.table import merged
from debate_cli.storage.environment import environment

app = typer.Typer(add_completion=False)
EMPTY = DebateConfig(topic="none", debaters=())


@app.command()
def models(
    config: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="Add the providers of this configuration.")
    ] = None,
    json_: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """List the providers, what each can do, and whether its key is set."""
    del debug  # acted on where errors are caught
    loaded = setup.load(config) if config is not None else None
    env = environment(loaded.folder if loaded is not None else Path(), os.environ)
    table = merged(loaded.config if loaded is not None else EMPTY)
    found = [_entry(row, env) for row in table.values()]
    if json_:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if screen.interactive(sys.stdout):
        from debate_cli.render.providers_view import providers_view

        screen.console(sys.stdout).print(providers_view(found))
        return
    for entry in found:
        print(
            "\t".join(
                str(entry[name] if entry[name] is not None else "-") for name in ("name", "kind", "key", "base_url")
            )
        )


def _entry(row: ProviderRow, env: dict[str, str]) -> dict[str, Any]:
    key = row.api_key_env
    state = "not needed" if key is None else f"{key} is set" if env.get(key) else f"{key} is not set"
    return {
        "name": row.name,
        "kind": row.kind,
        "key": state,
        "ready": key is None or bool(env.get(key)),
        "base_url": row.base_url,
        "structured": list(row.profile.rungs),
        "sampling": row.profile.sampling,
        "max_concurrency": row.max_concurrency,
        "example": f"{row.name}/{EXAMPLES.get(row.name, 'MODEL')}",
    }


EXAMPLES = {"local": "smollm2", "mock": "any", "ollama": "qwen3:8b", "anthropic": "claude-sonnet-5"}
"""Names to try, where one can be told."""
