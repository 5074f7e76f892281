"""Loads JSON and rejects repeated keys, because JSON parsers disagree on which of two equal keys counts."""

import json
from collections.abc import Callable
from typing import Any


class DuplicateKeyError(ValueError):
    """An object of a JSON text has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key `{key[:60]}` occurs twice in one object; keep one")


def load_unique_json(
    text: str | bytes,
    *,
    parse_constant: Callable[[str], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
) -> Any:
    """`json.loads`, but raises DuplicateKeyError for a repeated key."""
    return json.loads(text, object_pairs_hook=_to_dict, parse_constant=parse_constant, parse_float=parse_float)


def _to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise DuplicateKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))
    return found
