"""Lists that answer known items one by one, as objects with a key for each, and back.

A list of which every item names what it is about can leave one out, or answer one twice; an object with a required key
for each cannot, in any provider's schema language. So such lists are asked for as objects where `prefixItems` is not
understood, and read as lists whichever way they came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

JsonObject = dict[str, Any]
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What every provider takes as the name of a property."""


def find_key_member(schema: Mapping[str, Any]) -> str | None:
    """The member by which each item of the list `schema` names what it is about; None where it is no such list."""
    parts: list[JsonObject] = schema.get("prefixItems", [])
    found = {_const_members(part) for part in parts}
    if len(found) != 1:
        return None
    (members,) = found
    keys = [part["properties"][members[0]]["const"] for part in parts] if len(members) == 1 else []
    fit = all(isinstance(key, str) and _PROPERTY_NAME.fullmatch(key) for key in keys)
    return members[0] if keys and fit and len(set(keys)) == len(keys) else None


def convert_list_to_object(schema: Mapping[str, Any]) -> JsonObject:
    """The list `schema` as an object with a required key for each item. It must have a `naming_member`."""
    member = find_key_member(schema)
    properties: JsonObject = {}
    for part in schema["prefixItems"]:
        rest = {name: inner for name, inner in part["properties"].items() if name != member}
        required = [name for name in part.get("required", rest) if name != member]
        properties[part["properties"][member]["const"]] = {**part, "properties": rest, "required": required}
    described = {"description": schema["description"]} if "description" in schema else {}
    return {
        "type": "object",
        **described,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def restore_lists(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value` with every object that stands where `schema` has such a list turned into the list."""
    member = find_key_member(schema) if isinstance(value, dict) and "prefixItems" in schema else None
    if member is not None:
        named = cast("JsonObject", value)
        return [{member: key, **item} if isinstance(item, dict) else item for key, item in named.items()]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        parts: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
        members = cast("JsonObject", value)
        return {name: restore_lists(inner, parts[name]) if name in parts else inner for name, inner in members.items()}
    return value


def _const_members(part: JsonObject) -> tuple[str, ...]:
    return tuple(name for name, inner in part.get("properties", {}).items() if "const" in inner)
