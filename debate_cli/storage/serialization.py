"""JSON of journals and transcripts: converts values, and dumps them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from debate_cli.domain.config import DebateConfig, ProviderSpec
from debate_cli.domain.nested_texts import map_texts

Redact = Callable[[str], str]


def config_to_json(config: DebateConfig) -> dict[str, Any]:
    """Return a configuration as JSON data with all defaults.

    Settings of providers have only the keys that the user wrote.
    """
    data = config.model_dump(mode="json")
    data["providers"] = providers_to_json(config.providers)
    return data


def providers_to_json(providers: Mapping[str, ProviderSpec]) -> dict[str, Any]:
    """Return the settings of providers, each with only the keys that the user wrote."""
    return {name: spec.model_dump(mode="json", exclude_unset=True) for name, spec in providers.items()}


def dump_json(data: dict[str, Any], redact: Redact, *, indent: int | None = None) -> bytes:
    """Return `data` as redacted JSON in UTF-8 with a newline at the end. `indent`: None writes one line."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        map_texts(data, redact), ensure_ascii=False, indent=indent, separators=separators, allow_nan=False
    )
    return text.encode("utf-8", "replace") + b"\n"
