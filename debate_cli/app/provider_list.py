"""Use case `models`: the providers, their abilities, and whether their keys are set."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.providers.addresses import resolve_base_url
from debate_cli.providers.provider_table import PERSON_KIND, ProviderRow, merge_provider_rows
from debate_cli.providers.search.table import ENGINES_ALONE, SEARCH_ENGINES, find_search_row
from debate_cli.storage.redact import REDACTED

_URL_USER = re.compile(r"^(\w[\w+.-]*://)[^/?#]*@")
_URL_QUERY = re.compile(r"[?#].*$", re.DOTALL)
EXAMPLE_MODELS = {"local": "smollm2", "mock": "any", "ollama": "qwen3:8b", "anthropic": "claude-sonnet-5"}
"""Provider -> names of models to try."""


def list_providers(config: DebateConfig, env: Mapping[str, str], redact: Callable[[str], str]) -> list[dict[str, Any]]:
    """The providers of the table and of `config` as data.

    Each has name, kind, key, address without secrets, modes, web search, example.
    """
    table = merge_provider_rows(config)
    engines = {name: row for name, (row, _) in SEARCH_ENGINES.items() if name not in table}
    return [_provider_entry(row, env, redact) for row in (*table.values(), *engines.values())]


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
        "structured": list(row.profile.modes) if row.name not in ENGINES_ALONE else [],
        "search": _search_entry(row, env),
        "sampling": row.profile.sampling,
        "max_concurrency": row.max_concurrency,
        "example": _format_example(row),
    }


def _format_example(row: ProviderRow) -> str:
    if row.name in ENGINES_ALONE:
        return f"evidence.web.provider: {row.name}"
    return f"{row.name}/{'NAME' if row.kind == PERSON_KIND else EXAMPLE_MODELS.get(row.name, 'MODEL')}"


def _search_entry(row: ProviderRow, env: Mapping[str, str]) -> dict[str, Any] | None:
    """The key of the provider's web search, and whether it is set; None without web search."""
    searching = find_search_row(row)
    if searching is None:
        return None
    key = searching.api_key_env
    return {"api_key_env": key, "ready": key is None or bool(env.get(key))}


def _sanitize_url(address: str | None, redact: Callable[[str], str]) -> str | None:
    if address is None:
        return None
    bare = _URL_USER.sub(rf"\1{REDACTED}@", redact(_URL_QUERY.sub("", address)))
    return bare if bare.isprintable() else ascii(bare)[1:-1]
