"""Plain data, as YAML and JSON hold it, told apart for the type checker."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether `value` is a mapping; keys are text wherever our parsers made it."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether `value` is a list."""
    return isinstance(value, list)


def deep_copy(value: Any) -> Any:
    """A copy in which nothing is shared, with `value` or within itself (as aliases of YAML share)."""
    if is_mapping(value):
        return {key: deep_copy(item) for key, item in value.items()}
    if is_list(value):
        return [deep_copy(item) for item in value]
    return value


def get_child(value: Any, part: str | int) -> Any:
    """What stands at a key or index of `value`; None where nothing does."""
    if is_mapping(value):
        return value.get(part) if isinstance(part, str) else None
    if is_list(value) and isinstance(part, int) and part < len(value):
        return value[part]
    return None
