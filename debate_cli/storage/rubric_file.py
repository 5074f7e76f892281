"""A rubric from a YAML file: settings per judging system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from debate_cli.errors import ConfigError, UsageError
from debate_cli.scoring.rubric import Rubric
from debate_cli.storage.plain import is_mapping
from debate_cli.storage.yaml_source import MAX_BYTES, parse


def load_rubric(path: Path) -> Rubric:
    """The rubric at `path`: `structured: {weights: ..., thresholds: ...}` and so on.

    Raises ConfigError naming the place where it is no YAML mapping of that kind, UsageError where a setting is wrong.
    """
    try:
        text = path.read_bytes()[: MAX_BYTES + 1].decode()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); name a YAML file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not valid UTF-8; save the file as UTF-8") from error
    parsed = parse(text)
    if parsed.faults:
        raise ConfigError(*(f"{path}:{fault.at.line}:{fault.at.column}: {fault.message}" for fault in parsed.faults))
    data: Any = parsed.data
    if not is_mapping(data) or not all(is_mapping(change) for change in data.values()):
        raise ConfigError(f"{path}:1:1: write settings per system, such as `structured: {{weights: {{logic: 0.5}}}}`")
    rubric = Rubric(data)
    try:
        rubric.check()
    except UsageError as error:
        raise ConfigError(f"{path}: {error}") from error
    return rubric
