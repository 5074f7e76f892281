"""Converts the JSON Schema of a form to the dialect of a provider.

The dialect `full` has bounds and patterns. The dialects `openai` and `anthropic` lack patterns and some or
all bounds, so descriptions state the bounds.

A schema can fix the items of a list, for example one item per debater. Such a list becomes an object with one required
key per item, because a model may skip or repeat items of a list. `restore_lists` converts the objects of an answer back
to lists.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, cast

Dialect = Literal["full", "openai", "anthropic"]
JsonObject = dict[str, Any]

MAX_REPETITION = 2000
"""Maximum value of `maxLength` and `maxItems` that the grammars of llama.cpp accept."""
MIN_SHARED_CHARS = 100
"""Minimum length of a repeated part of a schema that is moved to `$defs`, in characters of JSON."""

_SHAPE = {"type", "description", "enum", "required", "additionalProperties"}
_BOUNDS = {"minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"}
_VALUE_KEYWORDS: Mapping[Dialect, set[str]] = {
    "full": {*_SHAPE, *_BOUNDS, "const", "pattern"},
    "openai": {*_SHAPE, "minItems", "maxItems", "minimum", "maximum"},
    "anthropic": _SHAPE,
}
_PORTABLE_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def convert_schema(schema: Mapping[str, Any], dialect: Dialect, *, use_references: bool = False) -> JsonObject:
    """Convert `schema` to `dialect`, without the keywords that the dialect does not accept.

    If `use_references` is true, repeated parts are moved to `$defs`. The result is cached; do not change it.
    """
    return _convert_json(json.dumps(schema), dialect, use_references=use_references)


@lru_cache(maxsize=256)
def _convert_json(text: str, dialect: Dialect, *, use_references: bool) -> JsonObject:
    converted = _convert(json.loads(text), dialect)
    return _share_repeated_parts(converted) if use_references else converted


def _convert(schema: JsonObject, dialect: Dialect) -> JsonObject:
    if find_key_member(schema) is not None:
        schema = convert_list_to_object(schema)
    elif "prefixItems" in schema and dialect != "full":
        schema = _merge_entries(schema)
    parts = _map_parts(schema, lambda part, _name: _convert(part, dialect))
    converted = {
        key: value for key, value in parts.items() if key in {*_VALUE_KEYWORDS[dialect], *_KEYWORDS_WITH_SCHEMAS}
    }
    if dialect == "full":
        described = {key for key in ("maxItems", "maxLength") if schema.get(key, 0) > MAX_REPETITION}
        converted = {key: value for key, value in converted.items() if key not in described}
    else:
        described = _BOUNDS
        if "const" in schema:
            converted["enum"] = [schema["const"]]
        if "properties" in schema:
            converted["additionalProperties"] = False
    if dialect == "openai" and "properties" in schema:
        converted["required"] = list(schema["properties"])
    bounds = _format_bounds({key: schema[key] for key in described if key in schema})
    words = " ".join(part for part in (converted.get("description", ""), *bounds) if part)
    return converted | {"description": words} if words else converted


def _merge_entries(schema: JsonObject) -> JsonObject:
    parts: list[JsonObject] = schema["prefixItems"]
    properties: JsonObject = dict(parts[0]["properties"])
    for name, inner in properties.items():
        if "const" in inner:
            choices = [part["properties"][name]["const"] for part in parts]
            rest = {key: value for key, value in inner.items() if key != "const"}
            properties[name] = {**rest, "enum": list(dict.fromkeys(choices))}
    kept = {key: value for key, value in schema.items() if key != "prefixItems"}
    return {**kept, "items": {**parts[0], "properties": properties}}


_KEYWORDS_WITH_SCHEMAS = ("properties", "items", "prefixItems")


def _map_parts(schema: JsonObject, change: Callable[[JsonObject, str], JsonObject]) -> JsonObject:
    parts = dict(schema)
    if "properties" in schema:
        parts["properties"] = {name: change(part, name) for name, part in schema["properties"].items()}
    if "prefixItems" in schema:
        parts["prefixItems"] = [change(part, "part") for part in schema["prefixItems"]]
    if "items" in schema:
        parts["items"] = change(schema["items"], "part")
    return parts


def _format_bounds(bounds: Mapping[str, Any]) -> Iterator[str]:
    for low, high, unit in (
        ("minItems", "maxItems", " items"),
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ):
        least, most = bounds.get(low), bounds.get(high)
        if least is not None and least == most:
            yield f"Exactly {least}{unit}."
        elif least is not None and most is not None:
            yield f"From {least} to {most}{unit}."
        elif least is not None:
            yield f"At least {least}{unit}."
        elif most is not None:
            yield f"At most {most}{unit}."


# Lists of known items as objects ----------------------------------------------------------------------------------


def find_key_member(schema: Mapping[str, Any]) -> str | None:
    """Return the property that has a different constant in each item of a list; None if there is no such property.

    Example: `participant` for the items `{"participant": "Pro", …}` and `{"participant": "Con", …}`. The constants
    must be usable as keys of an object. `schema`: the JSON Schema of the list.
    """
    parts: list[JsonObject] = schema.get("prefixItems", [])
    found = {tuple(name for name, inner in part.get("properties", {}).items() if "const" in inner) for part in parts}
    if len(found) != 1 or len(members := found.pop()) != 1:
        return None
    keys = [part["properties"][members[0]]["const"] for part in parts]
    return members[0] if all(map(_PORTABLE_PROPERTY_NAME.fullmatch, keys)) and len(set(keys)) == len(keys) else None


def convert_list_to_object(schema: Mapping[str, Any]) -> JsonObject:
    """Convert `schema`, the JSON Schema of a list, to the JSON Schema of an object with one required key per list item.

    Each item of the list must have a different constant for one property, the property `find_key_member(schema)`. This
    constant becomes the item's key. Example: if the property is `participant`, the schema of
    `[{"participant": "Pro", …}, …]` becomes the schema of `{"Pro": {…}, …}`.

    Call this only if `find_key_member(schema)` is not None.
    """
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
    """Convert objects in `value`, an answer, back to the lists that `schema` asks for.

    `schema`: the JSON Schema before `convert_list_to_object` replaced these lists by objects.
    """
    if not isinstance(value, dict):
        return value
    members = cast("JsonObject", value)
    key_member = find_key_member(schema)
    if key_member is not None:
        return [{key_member: key, **item} if isinstance(item, dict) else item for key, item in members.items()]
    parts: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    return {name: restore_lists(inner, parts[name]) if name in parts else inner for name, inner in members.items()}


# References -------------------------------------------------------------------------------------------------------


def _share_repeated_parts(schema: JsonObject) -> JsonObject:
    counts: Counter[str] = Counter()
    definitions: dict[str, JsonObject] = {}
    names: dict[str, str] = {}

    def count(part: JsonObject, _name: str) -> JsonObject:
        key = json.dumps(part)
        counts[key] += 1
        return part if counts[key] > 1 else _map_parts(part, count)

    def share(part: JsonObject, name: str) -> JsonObject:
        key = json.dumps(part)
        if counts[key] == 1 or len(key) < MIN_SHARED_CHARS:
            return _map_parts(part, share)
        if key not in names:
            plain = re.sub(r"\W", "_", name)
            numbered = (f"{plain}_{number}" for number in range(2, len(definitions) + 3))
            names[key] = next(free for free in (plain, *numbered) if free not in definitions)
            definitions[names[key]] = {}  # reserves the name
            definitions[names[key]] = _map_parts(part, share)
        return {"$ref": f"#/$defs/{names[key]}"}

    count(schema, "")
    shared = _map_parts(schema, share)
    return {**shared, "$defs": definitions} if definitions else shared
