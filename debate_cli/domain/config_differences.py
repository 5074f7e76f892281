"""The differences between two configurations, as data and as short lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from debate_cli.domain.config import DebateConfig

MAX_SETTING_CHARS = 56


def format_setting(value: Any) -> str:
    """Format JSON data as plain text on one line. A mapping with a `name` is shown as this name. Long text is cut."""
    text = _plain_text(value)
    return text if len(text) <= MAX_SETTING_CHARS else f"{text[: MAX_SETTING_CHARS - 1].rstrip()}…"


def _plain_text(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case bool():
            return "true" if value else "false"
        case str():
            return _single_line(value) or "empty"
        case Mapping():
            members = cast("Mapping[str, Any]", value)
            if isinstance(members.get("name"), str):
                return _plain_text(members["name"])
            parts = {_single_line(key): _plain_text(part) for key, part in members.items() if part is not None}
            named = parts.values() if len(parts) == 1 else (f"{key} {part}" for key, part in parts.items())
            return ", ".join(named) or "none"
        case Sequence():
            return ", ".join(map(_plain_text, cast("Sequence[Any]", value))) or "none"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def _single_line(text: str) -> str:
    escaped = (sign if sign.isprintable() or sign.isspace() else ascii(sign)[1:-1] for sign in text)
    return " ".join("".join(escaped).split())


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
    return [
        f"{found.key}: stored {_quoted(found.stored)}, given {_quoted(found.given)}"
        for found in find_differences(stored, given, redact)
    ]


def _quoted(value: Any) -> str:
    return f'"{format_setting(value)}"' if isinstance(value, str) else format_setting(value)


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
