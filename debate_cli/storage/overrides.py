"""Values that take the place of the file's: `--set key.path=value` and `DEBATE_…` variables. YAML values both."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

from debate_cli.domain.config import KEY_ALIASES, DebateConfig
from debate_cli.storage.plain import deep_copy, get_child, is_list, is_mapping
from debate_cli.storage.yaml_positions import MAX_YAML_DEPTH, YamlPath, parse_yaml

SHORTCUT_VARIABLES = {"DEBATE_TOPIC": "topic", "DEBATE_SEED": "seed", "DEBATE_OUT": "output.dir"}
"""Variables with a name of their own; every other key is `DEBATE__` (or `DEBATE_`) and its path, `__` between the parts."""
_TEXT_VARIABLES = frozenset({"DEBATE_TOPIC", "DEBATE_OUT"})
_PREFIX = "DEBATE_"
_GENERIC_PREFIX = "DEBATE__"
_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class Override:
    """One value from outside the file."""

    key: str
    """Key path with dots, list indices as numbers: `debaters.0.model`."""
    value: str
    """YAML."""
    source: str
    """Where it comes from, as an error names it: `--set`, or the variable."""


def overrides_from_env(env: Mapping[str, str]) -> list[Override]:
    """One override for each variable that sets a key, in the order of their names.

    `DEBATE_TOPIC`, `DEBATE_SEED`, `DEBATE_OUT`, and any key as `DEBATE__FORMAT__ARGUMENTS` or `DEBATE_FORMAT__ARGUMENTS`
    (lower case in the path).
    """
    found: list[Override] = []
    for name in sorted(env):
        if name in SHORTCUT_VARIABLES:
            value = json.dumps(env[name], ensure_ascii=False) if name in _TEXT_VARIABLES else env[name]
            found.append(Override(SHORTCUT_VARIABLES[name], value, name))
        elif _is_setting(name):
            path = name.removeprefix(_GENERIC_PREFIX if name.startswith(_GENERIC_PREFIX) else _PREFIX)
            found.append(Override(path.lower().replace("__", "."), env[name], name))
    return found


def _is_setting(name: str) -> bool:
    """Whether a variable is named after a key path. With one underscore its first part must be a key that there is."""
    if name.startswith(_GENERIC_PREFIX) or not name.startswith(_PREFIX):
        return name.startswith(_GENERIC_PREFIX)
    first, parted, _ = name.removeprefix(_PREFIX).lower().partition("__")
    return bool(parted) and first in DebateConfig.model_fields


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """A sentence on each variable that is named like a setting and is none; what stands behind it is never shown."""
    known = [*SHORTCUT_VARIABLES, *(f"{_GENERIC_PREFIX}{'__'.join(path).upper()}" for path in _setting_paths())]
    found: list[str] = []
    for name in sorted(env):
        if name.startswith(_PREFIX) and not _is_setting(name) and name not in SHORTCUT_VARIABLES:
            close = get_close_matches(name, known, n=1) if len(name) <= _NAME_CHARS else []
            said = (
                f"did you mean {close[0]}?"
                if close
                else "settings are DEBATE_TOPIC, DEBATE_SEED, DEBATE_OUT, DEBATE__KEY__PATH"
            )
            shown = name if name.isprintable() else ascii(name)[1:-1]
            found.append(f"{shown[:_NAME_CHARS]} is no setting and is ignored; {said}")
    return found


def _setting_paths() -> list[tuple[str, ...]]:
    """The key paths of a configuration that have names of their own."""
    found: list[tuple[str, ...]] = []
    for name, field in DebateConfig.model_fields.items():
        within = type(field.default).model_fields if isinstance(field.default, BaseModel) else {}
        found += [(name,), *((name, inner) for inner in within)]
    return found


ConfigChange = tuple[str, str] | Override
"""What the command line changes: (key path, YAML value) of a `--set`, or an override that says which option it is of."""


def to_overrides(options: Sequence[ConfigChange]) -> list[Override]:
    """The overrides of the command line, in their order."""
    return [item if isinstance(item, Override) else Override(*item, source="--set") for item in options]


def apply_overrides(
    data: dict[str, Any], overrides: Sequence[Override]
) -> tuple[dict[str, Any], dict[YamlPath, str], list[str]]:
    """`data` with the overrides applied in order, where each changed path comes from, and what could not be applied."""
    changed = deep_copy(data)
    origins: dict[YamlPath, str] = {}
    problems: list[str] = []
    for override in overrides:
        _use_key_name(changed, override.key)
        try:
            path, value = _resolve_key_path(changed, override.key), _parse_value(override.value)
        except ValueError as error:
            problems.append(f"{override.source}: {override.key}: {error}")
            continue
        made = _set_at_path(changed, path, value)
        origins |= dict.fromkeys([*made, path], override.source)
    return changed, origins, problems


def _use_key_name(data: dict[str, Any], key: str) -> None:
    """Let what `key` sets stand under the name that it has there, where `data` gives it its other one."""
    section, _, rest = key.partition(".")
    name = rest.partition(".")[0]
    other = KEY_ALIASES.get((section, name))
    holder = data.get(section)
    if other is not None and is_mapping(holder) and other in holder:
        content = holder.pop(other)
        holder.setdefault(name, content)


def _parse_value(text: str) -> Any:
    parsed = parse_yaml(text)
    if parsed.faults:
        fault = parsed.faults[0]
        raise ValueError(fault.message)
    return parsed.data


def _resolve_key_path(data: Any, key: str) -> YamlPath:
    """The path that `key` means in `data`; ValueError where it leads through something that has no parts."""
    parts = key.split(".")
    if not all(parts) or len(parts) > MAX_YAML_DEPTH:
        raise ValueError("this is no key path; write it like `format.arguments` or `debaters.0.model`")
    path: list[str | int] = []
    here: Any = data
    for part in parts:
        if is_list(here) or (here is None and part == "0"):
            path.append(_parse_index(part, 0 if here is None else len(here)))
        elif is_mapping(here) or here is None:
            path.append(part)
        else:
            raise ValueError(f"what stands before `{part}` is a single value and has no parts")
        here = get_child(here, path[-1])
    return tuple(path)


def _parse_index(part: str, size: int) -> int:
    """The index that `part` is, at most one behind the end of a list of `size`."""
    if not re.fullmatch(r"[0-9]{1,4}", part) or int(part) > size:
        raise ValueError(f"`{part}` is no place in a list of {size}; count from 0")
    return int(part)


def _set_at_path(data: dict[str, Any], path: YamlPath, value: Any) -> list[YamlPath]:
    """Set the value at `path`, making the mappings and lists on the way that are not there; the paths of those."""
    here: Any = data
    made: list[YamlPath] = []
    for length, (part, after) in enumerate(itertools.pairwise(path), start=1):
        if get_child(here, part) is None:
            _set_item(here, part, [] if isinstance(after, int) else {})
            made.append(path[:length])
        here = here[part]
    _set_item(here, path[-1], value)
    return made


def _set_item(here: Any, part: str | int, value: Any) -> None:
    if is_list(here):
        here[int(part) : int(part) + 1] = [value]
    else:
        here[part] = value
