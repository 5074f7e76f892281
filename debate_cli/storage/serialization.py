"""Domain values as JSON data for journals and transcripts."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from debate_cli.domain.config import DebateConfig, ProviderSpec
from debate_cli.storage.plain_data import is_list, is_mapping
from debate_cli.storage.redact import redact_values

Redact = Callable[[str], str]


def config_to_json(config: DebateConfig) -> dict[str, Any]:
    """A configuration with all defaults. Rows of the provider table have only the keys that were written.

    A row overrides the built-in row key by key, so a written null differs from an absent key.
    """
    data = config.model_dump(mode="json")
    data["providers"] = providers_to_json(config.providers)
    return data


def providers_to_json(providers: Mapping[str, ProviderSpec]) -> dict[str, Any]:
    """Rows of the provider table, each with only the keys that were written."""
    return {name: spec.model_dump(mode="json", exclude_unset=True) for name, spec in providers.items()}


def without_nulls(data: Any, names: frozenset[str]) -> Any:
    """Remove the keys in `names` whose value is null from `data`, at any depth."""
    if is_mapping(data):
        return {
            key: without_nulls(value, names) for key, value in data.items() if value is not None or key not in names
        }
    if is_list(data):
        return [without_nulls(item, names) for item in data]
    return data


def dump_json_line(data: dict[str, Any], redact: Redact) -> bytes:
    """Dump `data`, redacted, as one line of JSON with a newline."""
    text = json.dumps(redact_values(data, redact), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


def dump_json_document(data: dict[str, Any], redact: Redact) -> bytes:
    """Dump `data`, redacted, as an indented JSON document in UTF-8 with a newline at its end."""
    text = json.dumps(redact_values(data, redact), ensure_ascii=False, indent=2, allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"
