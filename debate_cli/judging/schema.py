"""Small pieces of JSON Schema that forms are narrowed with. What the pieces are put together to stands beside each form.

Kept to what grammars of small local models enforce: no `$ref`, no `items: false` beside `prefixItems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Json = dict[str, Any]
"""A JSON Schema (2020-12)."""

REASON = 160
"""Characters that a reason may take, unless its form says otherwise."""


def text(most: int = REASON, *, least: int = 1) -> Json:
    """A string of `least` to `most` characters."""
    return {"type": "string", "minLength": least, "maxLength": most}


def integer(low: int, high: int) -> Json:
    """A whole number from `low` to `high`."""
    return {"type": "integer", "minimum": low, "maximum": high}


def number(low: float, high: float) -> Json:
    """A number from `low` to `high`."""
    return {"type": "number", "minimum": low, "maximum": high}


def one_of(values: Iterable[str | int]) -> Json:
    """One of `values`, which are all strings or all integers."""
    choices = list(values)
    kind = "integer" if choices and isinstance(choices[0], int) else "string"
    return {"type": kind, "enum": choices}


def const(value: str) -> Json:
    """Exactly `value`."""
    return {"type": "string", "const": value}


def obj(**properties: Json) -> Json:
    """A closed object that has all of `properties`, in their order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: Json, most: int, *, least: int = 0) -> Json:
    """A list of `least` to `most` of `items`."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def each(items: Sequence[Json]) -> Json:
    """A list that answers every one of `items` in their order; `items` must not be empty."""
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}
