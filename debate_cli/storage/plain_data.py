"""Type guards for data from YAML or JSON, and a function that reads a value by key or index."""

from typing import Any, TypeGuard


def is_mapping(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether `value` is a mapping. Keys are always text, because our parsers create no other keys."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether `value` is a list."""
    return isinstance(value, list)


def get_child(value: Any, part: str | int) -> Any:
    """Return the value at a key or index of `value`; None if there is none."""
    if is_mapping(value):
        return value.get(part) if isinstance(part, str) else None
    if is_list(value) and isinstance(part, int) and part < len(value):
        return value[part]
    return None
