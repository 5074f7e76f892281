"""A rubric from a YAML file: settings per judging system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debate_cli.domain.config_checks import KeyPath
from debate_cli.domain.did_you_mean import suggestion
from debate_cli.errors import ConfigError, UsageError
from debate_cli.scoring.rubric import Rubric
from debate_cli.storage.config_errors import keys_at, plainly
from debate_cli.storage.plain import is_mapping
from debate_cli.storage.position import Position
from debate_cli.storage.yaml_source import MAX_BYTES, Parsed, parse


def load_rubric(path: Path) -> Rubric:
    """The rubric at `path`: `structured: {weights: ..., thresholds: ...}` and so on.

    Raises ConfigError naming all that is wrong with the first system at fault; an unknown system and a missing key have no place.
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
    other = next((name for name, change in data.items() if change.get("kind", name) != name), None)
    if other is not None:
        raise ConfigError(
            f"{_place(path, parsed.places.get((other, 'kind')))}: {other}.kind: leave it out, or write {other}"
        )
    rubric = Rubric(data)
    try:
        rubric.check()
    except UsageError as error:
        cause = error.__cause__
        told = _told(cause, parsed, path) if isinstance(cause, ValidationError) else [f"{path}: {error}"]
        raise ConfigError(*told) from error
    return rubric


def _told(error: ValidationError, parsed: Parsed, path: Path) -> list[str]:
    """A line for each fault of a system's settings: where it stands, its key, and what is wrong in plain words."""
    found: list[str] = []
    for item in error.errors(include_url=False):
        key = item["loc"]
        at = parsed.keys.get(key) if item["type"] == "extra_forbidden" else parsed.places.get(key)
        found.append(
            f"{_place(path, at)}: {'.'.join(map(str, key))}: {plainly(item)}{_meant(key, parsed.data, item['type'])}"
        )
    return found


def _place(path: Path, at: Position | None) -> str:
    return f"{path}:{at.line}:{at.column}" if at is not None else str(path)


def _meant(key: KeyPath, data: Any, kind: str) -> str:
    """The key that one which does not exist was probably meant for, as the rest of a sentence."""
    if kind != "extra_forbidden":
        return ""
    system, *within, name = key
    around = {"judging": {"systems": [{**data[system], "kind": system}]}}
    return suggestion(str(name), keys_at(("judging", "systems", 0, *within), around))
