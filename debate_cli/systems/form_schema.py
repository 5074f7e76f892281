"""Small pieces of JSON Schema that forms are narrowed with. What the pieces are put together to stands beside each form.

Kept to what grammars of small local models enforce: no `$ref`, no `items: false` beside `prefixItems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

JsonSchema = dict[str, Any]
"""A JSON Schema (2020-12)."""

MAX_REASON_CHARS = 160
"""Characters that a reason may take, unless its form says otherwise."""


def string(most: int = MAX_REASON_CHARS, *, least: int = 1) -> JsonSchema:
    """A string of `least` to `most` characters."""
    return {"type": "string", "minLength": least, "maxLength": most}


def integer_between(low: int, high: int) -> JsonSchema:
    """A whole number from `low` to `high`."""
    return {"type": "integer", "minimum": low, "maximum": high}


def number_between(low: float, high: float) -> JsonSchema:
    """A number from `low` to `high`."""
    return {"type": "number", "minimum": low, "maximum": high}


def one_of(values: Iterable[str | int]) -> JsonSchema:
    """One of `values`, which are all strings or all integers."""
    choices = list(values)
    kind = "integer" if choices and isinstance(choices[0], int) else "string"
    return {"type": kind, "enum": choices}


def const(value: str) -> JsonSchema:
    """Exactly `value`."""
    return {"type": "string", "const": value}


def object_of(**properties: JsonSchema) -> JsonSchema:
    """A closed object that has all of `properties`, in their order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array_of(items: JsonSchema, most: int, *, least: int = 0) -> JsonSchema:
    """A list of `least` to `most` of `items`."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def fixed_array(items: Sequence[JsonSchema]) -> JsonSchema:
    """A list that answers every one of `items` in their order; `items` must not be empty."""
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}
