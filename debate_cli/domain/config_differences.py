"""The differences between two configurations, as data and as short lines."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.text_normalization import common_prefix_length

MAX_SETTING_CHARS = 56
LEADING_CONTEXT_CHARS = 16
"""Number of equal characters that are shown before the first difference of two long values."""
NOT_SET = "not set"


def format_setting(value: Any) -> str:
    """Format JSON data as plain text on one line. A mapping with a `name` is shown as this name."""
    match value:
        case None:
            return NOT_SET
        case bool():
            return "true" if value else "false"
        case str():
            return _single_line(value) or "empty"
        case Mapping():
            members = cast("Mapping[str, Any]", value)
            if isinstance(members.get("name"), str):
                return format_setting(members["name"])
            parts = {_single_line(key): format_setting(part) for key, part in members.items() if part is not None}
            named = parts.values() if len(parts) == 1 else (f"{key} {part}" for key, part in parts.items())
            return ", ".join(named) or "none"
        case Sequence():
            return ", ".join(map(format_setting, cast("Sequence[Any]", value))) or "none"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def format_setting_pair(first: Any, second: Any, room: int = MAX_SETTING_CHARS) -> tuple[str, str]:
    """Format two values in at most `room` characters each. Long values are cut; their first difference stays visible.

    If different values would look equal, e.g. the number 1 and the text `1`, both are formatted as JSON.
    """
    one, other = format_setting(first), format_setting(second)
    if one == other and first != second:
        one, other = json.dumps(first), json.dumps(second)
    shared = common_prefix_length(one, other)
    if max(len(one), len(other)) > room and shared > room // 2:
        start = shared - LEADING_CONTEXT_CHARS
        one, other = f"…{one[start:]}", f"…{other[start:]}"
    return _truncate(one, room), _truncate(other, room)


def _single_line(text: str) -> str:
    escaped = (sign if sign.isprintable() or sign.isspace() else ascii(sign)[1:-1] for sign in text)
    return " ".join("".join(escaped).split())


def _truncate(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


IGNORED_SECTIONS = ("limits", "output")
"""Sections of a configuration that do not affect speeches or judgements."""


class Difference(NamedTuple):
    """A setting that differs between two configurations, and the two values as JSON data."""

    key: str
    """Key path with dots."""
    stored: Any
    given: Any


def format_differences(stored: DebateConfig, given: DebateConfig, redact: Callable[[Any], Any]) -> list[str]:
    """Return a line such as `format.rounds: stored 3, given 4` for each difference. Leaves out IGNORED_SECTIONS.

    `redact`: removes secrets before the comparison.
    """
    lines: list[str] = []
    for found in find_differences(stored, given, redact):
        values, words = (found.stored, found.given), format_setting_pair(found.stored, found.given)
        old, new = (
            f'"{text}"' if isinstance(value, str) and not text.startswith('"') else text
            for value, text in zip(values, words, strict=True)
        )
        lines.append(f"{found.key}: stored {old}, given {new}")
    return lines


def find_differences(
    stored: DebateConfig,
    given: DebateConfig,
    redact: Callable[[Any], Any] = lambda data: data,
    *,
    ignored: Iterable[str] = IGNORED_SECTIONS,
) -> list[Difference]:
    """Return the settings that differ, without those in the sections `ignored`.

    `redact`: removes secrets before the comparison.
    """
    sides = (config.model_dump(mode="json", exclude=set(ignored)) for config in (stored, given))
    return list(_walk("", *map(redact, sides)))


def _walk(path: str, stored: Any, given: Any) -> Iterator[Difference]:
    if isinstance(stored, dict) and isinstance(given, dict):
        one, other = cast("dict[str, Any]", stored), cast("dict[str, Any]", given)
        parts = [(key, one.get(key), other.get(key)) for key in {**one, **other}]
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):  # pyright: ignore[reportUnknownArgumentType]
        pairs = zip(cast("list[Any]", stored), cast("list[Any]", given), strict=True)
        parts = [(str(index), *pair) for index, pair in enumerate(pairs)]
    else:
        if stored != given:
            yield Difference(path, stored, given)
        return
    for key, old, new in parts:
        yield from _walk(f"{path}.{key}" if path else key, old, new)
