"""`debate models`. Its options are in `models_options`."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from debate_cli.cli import config_options, console
from debate_cli.cli.console import print_json
from debate_cli.cli.models_options import Options
from debate_cli.domain.config import DebateConfig
from debate_cli.providers.addresses import resolve_base_url
from debate_cli.providers.provider_table import ProviderRow, merge_provider_rows
from debate_cli.providers.registry import collect_provider_secrets
from debate_cli.storage.redact import REDACTED, Redactor
from debate_cli.storage.variables import load_environment

EMPTY_CONFIG = DebateConfig(topic="none", debaters=())


def run(given: Options) -> None:
    """List the providers, what each can do, and whether its key is set."""
    loaded = config_options.config_from_argument(given.config) if given.config is not None else None
    env = loaded.env if loaded is not None else load_environment(Path(), os.environ)
    if loaded is None:
        config_options.print_notes(env.notes)
    config_ = loaded.config if loaded is not None else EMPTY_CONFIG
    redact = Redactor((*collect_provider_secrets(config_, env), *(loaded.secrets if loaded is not None else ())))
    found = [_provider_entry(row, env, redact) for row in merge_provider_rows(config_).values()]
    if given.json:
        print_json(found)
        return
    if console.is_interactive(sys.stdout):
        from debate_cli.render.model_tables import provider_table
        from debate_cli.render.terminal import render_table

        console.make_console(sys.stdout).print(render_table(provider_table(found), {}))
        return
    for entry in found:
        print(
            "\t".join(
                str(entry[name] if entry[name] is not None else "-") for name in ("name", "kind", "key", "base_url")
            )
        )


def _provider_entry(row: ProviderRow, env: Mapping[str, str], redact: Callable[[str], str]) -> dict[str, Any]:
    key = row.api_key_env
    state = "not needed" if key is None else f"{key} is set" if env.get(key) else f"{key} is not set"
    return {
        "name": row.name,
        "kind": row.kind,
        "key": state,
        "api_key_env": key,
        "ready": key is None or bool(env.get(key)),
        "base_url": _sanitize_url(resolve_base_url(row, env), redact),
        "structured": list(row.profile.modes),
        "sampling": row.profile.sampling,
        "max_concurrency": row.max_concurrency,
        "example": f"{row.name}/{EXAMPLE_MODELS.get(row.name, 'MODEL')}",
    }


def _sanitize_url(address: str | None, redact: Callable[[str], str]) -> str | None:
    """A URL on one line, without user, password and query."""
    if address is None:
        return None
    bare = _URL_USER.sub(rf"\1{REDACTED}@", redact(_URL_QUERY.sub("", address)))
    return bare if bare.isprintable() else ascii(bare)[1:-1]


_URL_USER = re.compile(r"^(\w[\w+.-]*://)[^/?#]*@")
_URL_QUERY = re.compile(r"[?#].*$", re.DOTALL)
EXAMPLE_MODELS = {"local": "smollm2", "mock": "any", "ollama": "qwen3:8b", "anthropic": "claude-sonnet-5"}
"""Provider -> names of models to try with it."""
