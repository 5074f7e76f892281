"""Where two configurations differ, for those who want to go on with a debate under another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from debate_cli.domain.config import DebateConfig

FREE = frozenset({"limits", "output"})
"""What may differ between the parts of one debate: how much it may use, and where it is saved."""


def differences(stored: DebateConfig, given: DebateConfig) -> list[str]:
    """One line per setting that differs: `key.path: stored X, given Y`; limits and output are not looked at."""
    return list(_walk("", stored.model_dump(mode="json", exclude=set(FREE)), given.model_dump(mode="json", exclude=set(FREE))))


def _walk(path: str, stored: Any, given: Any) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(given, dict):
        known: dict[str, Any] = stored
        new: dict[str, Any] = given
        for key in dict.fromkeys([*known, *new]):
            yield from _walk(f"{path}.{key}" if path else key, known.get(key), new.get(key))
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):  # pyright: ignore[reportUnknownArgumentType]
        for number, (one, other) in enumerate(zip(stored, given, strict=True)):  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield from _walk(f"{path}.{number}", one, other)
    elif stored != given:
        yield f"{path}: stored {stored!r}, given {given!r}"
