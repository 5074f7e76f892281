"""Values that override a configuration file: `--set key.path=value`, `DEBATE_…` variables, Python overrides."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

from pydantic import BaseModel

from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.storage.plain_data import deep_copy, get_child, is_list, is_mapping
from debate_cli.storage.variables import TEXT_VARIABLE_PREFIX, is_variable_name
from debate_cli.storage.yaml_positions import MAX_YAML_DEPTH, YamlPath, escape_unprintable, parse_yaml

SHORTCUT_VARIABLES = {"DEBATE_TOPIC": "topic", "DEBATE_SEED": "seed", "DEBATE_OUT": "output.dir"}
"""Variables with a short name. Other keys are `DEBATE__` (or `DEBATE_`) and the path, with `__` between its parts."""
TRUSTED_HOSTS_VARIABLE = "DEBATE_TRUSTED_HOSTS"
"""Hosts to which files may send requests and keys, separated by commas."""
QUEUE_VARIABLE = "DEBATE_QUEUE"
"""Address of the queue of experiments."""
_OTHER_VARIABLES = frozenset({TRUSTED_HOSTS_VARIABLE, QUEUE_VARIABLE})
"""Variables that are not settings."""
_TEXT_VARIABLES = frozenset({"DEBATE_TOPIC", "DEBATE_OUT"})
"""Variables whose value is never parsed as YAML."""
_PREFIX = "DEBATE_"
_GENERIC_PREFIX = "DEBATE__"
_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class Override:
    """One value that overrides the file."""

    key: str
    """Key path with dots, list indices as numbers: `debaters.0.model`."""
    value: Any
    """A text is parsed as YAML; other values are used unchanged."""
    source: str
    """Name in errors: `--set`, or the variable."""


ConfigChange = tuple[str, Any] | Override
"""A change to a configuration: (key path, value) of a `--set`, or an override with the name of its option."""


def to_overrides(changes: Sequence[ConfigChange]) -> list[Override]:
    """The overrides of the command line, in their order."""
    return [item if isinstance(item, Override) else Override(*item, source="--set") for item in changes]


def overrides_from_env(env: Mapping[str, str]) -> list[Override]:
    """One override for each variable that sets a key, sorted by name.

    `DEBATE_TOPIC`, `DEBATE_SEED`, `DEBATE_OUT`, `DEBATE_VAR_NAME` for `vars.NAME`, and any key as
    `DEBATE__FORMAT__ARGUMENTS` or `DEBATE_FORMAT__ARGUMENTS` (the path becomes lower-case).
    """
    found: list[Override] = []
    for name in sorted(env):
        if name in SHORTCUT_VARIABLES:
            value = json.dumps(env[name], ensure_ascii=False) if name in _TEXT_VARIABLES else env[name]
            found.append(Override(SHORTCUT_VARIABLES[name], value, name))
        elif name.startswith(TEXT_VARIABLE_PREFIX) and is_variable_name(name.removeprefix(TEXT_VARIABLE_PREFIX)):
            found.append(variable_override(name.removeprefix(TEXT_VARIABLE_PREFIX), env[name], name))
        elif _is_setting(name):
            path = name.removeprefix(_GENERIC_PREFIX if name.startswith(_GENERIC_PREFIX) else _PREFIX)
            found.append(Override(path.lower().replace("__", "."), env[name], name))
    return found


def variable_override(name: str, value: str, source: str) -> Override:
    """The override that sets `${NAME}` in texts."""
    return Override(f"vars.{name}", json.dumps(value, ensure_ascii=False), source)


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """A warning for each variable that looks like a setting that does not exist. Values are never shown."""
    known = [*SHORTCUT_VARIABLES, *(f"{_GENERIC_PREFIX}{'__'.join(path).upper()}" for path in _setting_paths())]
    found: list[str] = []
    for name in sorted(env):
        if name.startswith(_PREFIX) and not _is_setting(name) and not _is_known(name):
            close = get_close_matches(name, known, n=1) if len(name) <= _NAME_CHARS else []
            listed = "settings are DEBATE_TOPIC, DEBATE_SEED, DEBATE_OUT, DEBATE__KEY__PATH"
            hint = f"did you mean {close[0]}?" if close else listed
            found.append(f"{escape_unprintable(name)[:_NAME_CHARS]} is not a setting and is ignored; {hint}")
    return found


def apply_overrides(
    data: dict[str, Any], overrides: Sequence[Override]
) -> tuple[dict[str, Any], dict[YamlPath, str], list[str]]:
    """Apply the overrides in order. Returns changed data, the source of each changed path, and the errors."""
    changed = deep_copy(data)
    origins: dict[YamlPath, str] = {}
    problems: list[str] = []
    for override in overrides:
        _rename_alias(changed, override.key)
        try:
            path, value = _resolve_key_path(changed, override.key), _plain_value(override.value)
        except ValueError as error:
            problems.append(f"{override.source}: {escape_unprintable(override.key)}: {error}")
            continue
        created = _set_at_path(changed, path, value)
        origins |= dict.fromkeys([*created, path], override.source)
    return changed, origins, problems


def _is_setting(name: str) -> bool:
    """Whether a variable sets a key path: `DEBATE__…`, or `DEBATE_KEY__…` with a top-level key of the configuration."""
    if name.startswith(_GENERIC_PREFIX):
        return True
    first, separator, _ = name.removeprefix(_PREFIX).lower().partition("__")
    return name.startswith(_PREFIX) and bool(separator) and first in DebateConfig.model_fields


def _is_known(name: str) -> bool:
    return name in SHORTCUT_VARIABLES or name in _OTHER_VARIABLES or name.startswith(TEXT_VARIABLE_PREFIX)


def _setting_paths() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, field in DebateConfig.model_fields.items():
        inner = type(field.default).model_fields if isinstance(field.default, BaseModel) else {}
        found += [(name,), *((name, key) for key in inner)]
    return found


def _rename_alias(data: dict[str, Any], key: str) -> None:
    section, _, rest = key.partition(".")
    name = rest.partition(".")[0]
    parent = data.get(section)
    for other in KEY_ALIASES.get((section, name), ()):
        if is_mapping(parent) and other in parent:
            content = parent.pop(other)
            parent.setdefault(name, content)


def _plain_value(value: Any) -> Any:
    """The value of an override as plain data. Raises ValueError if it is neither YAML text nor plain data."""
    if not isinstance(value, str):
        return _check_value(value, MAX_YAML_DEPTH)
    parsed = parse_yaml(value)
    if parsed.faults:
        raise ValueError(parsed.faults[0].message)
    return parsed.data


def _check_value(value: Any, depth: int) -> Any:
    if depth and (is_list(value) or isinstance(value, tuple)):
        items = cast("list[Any]", value)
        return [_check_value(item, depth - 1) for item in items]
    if depth and is_mapping(value) and set(map(type, value)) <= {str}:
        return {key: _check_value(item, depth - 1) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"must be text, a number, a list or a mapping with text keys, not a `{type(value).__name__}`")


def _resolve_key_path(data: Any, key: str) -> YamlPath:
    """The path of `key` in `data`. Raises ValueError if a part of it is neither a mapping nor a list."""
    parts = key.split(".")
    if not all(parts) or len(parts) > MAX_YAML_DEPTH:
        raise ValueError("not a key path; write it like `format.arguments` or `debaters.0.model`")
    path: list[str | int] = []
    here: Any = data
    for part in parts:
        if is_list(here) or (here is None and part == "0"):
            path.append(_parse_index(part, 0 if here is None else len(here)))
        elif is_mapping(here) or here is None:
            path.append(part)
        else:
            raise ValueError(f"`{part}` cannot follow a single value; remove `.{part}`")
        here = get_child(here, path[-1])
    return tuple(path)


def _parse_index(part: str, size: int) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", part) or int(part) > size:
        raise ValueError(f"`{part}` is not an index of a list of {size}; count from 0")
    return int(part)


def _set_at_path(data: dict[str, Any], path: YamlPath, value: Any) -> list[YamlPath]:
    """Set the value at `path`; return the paths of the mappings and lists that were created."""
    here: Any = data
    created: list[YamlPath] = []
    for length, (part, after) in enumerate(itertools.pairwise(path), start=1):
        if get_child(here, part) is None:
            _set_item(here, part, [] if isinstance(after, int) else {})
            created.append(path[:length])
        here = here[part]
    _set_item(here, path[-1], value)
    return created


def _set_item(here: Any, part: str | int, value: Any) -> None:
    if is_list(here):
        here[int(part) : int(part) + 1] = [value]
    else:
        here[part] = value
