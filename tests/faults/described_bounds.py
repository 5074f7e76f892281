"""Restores bounds of a schema from its descriptions, so that the mock behind the server satisfies them."""

import re
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
_EXACTLY = re.compile(r"Exactly (\d+) items(?:, in this order: ([^.]+))?\.")
_ITEMS = re.compile(r"(From|At least|At most) (\d+)(?: to (\d+))? items\.")
_RANGE = re.compile(r"From (-?[\d.]+?) to (-?[\d.]+?)\.(?:\s|\Z)")


def restore_bounds(schema: Mapping[str, Any]) -> Json:
    """`schema` with the list lengths, list items and number ranges that its descriptions name."""
    words = str(schema.get("description", ""))
    full: Json = dict(schema)
    if "properties" in schema:
        full["properties"] = {name: restore_bounds(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        full["items"] = restore_bounds(schema["items"])
    if schema.get("type") == "array":
        full |= _lengths(words)
        full |= _listed(full.get("items", {}), words)
    elif schema.get("type") in {"integer", "number"} and (found := _RANGE.search(words)):
        full |= {"minimum": float(found.group(1)), "maximum": float(found.group(2))}
    return full


def _lengths(words: str) -> Json:
    if exactly := _EXACTLY.search(words):
        return {"minItems": int(exactly.group(1)), "maxItems": int(exactly.group(1))}
    found = _ITEMS.search(words)
    if found is None:
        return {}
    kind, low, high = found.groups()
    least = {} if kind == "At most" else {"minItems": int(low)}
    most = {} if kind == "At least" else {"maxItems": int(high or low)}
    return least | most


def _listed(item: Json, words: str) -> Json:
    """`prefixItems` for the items that the description names, in order."""
    found = _EXACTLY.search(words)
    if found is None or found.group(2) is None:
        return {}
    return {"prefixItems": [_about(item, name) for name in found.group(2).split(", ")], "items": False}


def _about(item: Json, name: str) -> Json:
    if name in item.get("enum", ()):
        return {"const": name}
    parts: Json = item["properties"]
    narrowed = {key: {"const": name} if name in part.get("enum", ()) else part for key, part in parts.items()}
    return {**item, "properties": narrowed}
