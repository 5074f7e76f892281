"""Where two configurations differ, for those who want to go on with a debate under another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.setting_words import format_setting_pair

IGNORED_SECTIONS = frozenset({"limits", "output"})
"""What may differ between the parts of one debate: how much it may use, and where it is saved."""


class Difference(NamedTuple):
    """One setting that differs."""

    key: str
    """Its key path."""
    stored: Any
    given: Any
    """Both as JSON data."""


def format_differences(stored: DebateConfig, given: DebateConfig, seen: Callable[[Any], Any]) -> list[str]:
    """One line per setting that differs: `key.path: stored X, given Y`; limits and output are not looked at.

    `seen` is what may be seen of JSON data: a stored configuration has lost its secrets, so that both are compared
    without them, and none is told.
    """
    return [_format_difference(found) for found in find_differences(stored, given, seen)]


def find_differences(
    stored: DebateConfig, given: DebateConfig, seen: Callable[[Any], Any] = lambda data: data
) -> list[Difference]:
    """The settings that differ; limits and output are not looked at. `seen` as in `differences`."""
    sides = (config.model_dump(mode="json", exclude=set(IGNORED_SECTIONS)) for config in (stored, given))
    return list(_walk("", *map(seen, sides)))


def _format_difference(found: Difference) -> str:
    stored, given = (
        f'"{words}"' if isinstance(value, str) and not words.startswith('"') else words
        for value, words in zip(
            (found.stored, found.given), format_setting_pair(found.stored, found.given), strict=True
        )
    )
    return f"{found.key}: stored {stored}, given {given}"


def _walk(path: str, stored: Any, given: Any) -> Iterator[Difference]:
    for key in dict.fromkeys([*_keys(stored), *_keys(given)]) if _are_comparable(stored, given) else ():
        yield from _walk(f"{path}.{key}" if path else str(key), _get_item(stored, key), _get_item(given, key))
    if not _are_comparable(stored, given) and stored != given:
        yield Difference(path, stored, given)


def _are_comparable(stored: Any, given: Any) -> bool:
    """Whether the two are both mappings, or lists of one length, so that their parts can be compared."""
    if isinstance(stored, dict) or isinstance(given, dict):
        return isinstance(stored, dict) and isinstance(given, dict)
    return isinstance(stored, list) and isinstance(given, list) and len(_keys(stored)) == len(_keys(given))


def _keys(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value)))  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]


def _get_item(value: Any, key: Any) -> Any:
    return value.get(key) if isinstance(value, dict) else value[key]  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
