"""Converts JSON Schemas to the dialect of a provider, and lists of known items to objects.

The schema of a form is never sent unchanged. `full` is for grammars (llama.cpp, vLLM), which enforce bounds and
patterns. `openai` and `anthropic` reject these, so bounds are written into descriptions and checked by the reader. In
every dialect a list with one entry per known item becomes an object with a required key per item, because a model can
skip or repeat entries of a list. `restore_lists` converts the answer back.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, cast

from debate_cli.llm.schema_check import json_type

Dialect = Literal["full", "openai", "anthropic"]
JsonObject = dict[str, Any]

MAX_REPETITION = 2000
"""Maximum of maxLength and maxItems in llama.cpp's grammars."""
MIN_SHARED_CHARS = 100
"""Shorter repeated parts of a schema are not replaced by a reference."""

_SHAPE_KEYWORDS = ("type", "description", "enum", "const", "required", "additionalProperties")
_BOUND_KEYWORDS = (
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
)
_OPENAI_BOUNDS = ("minItems", "maxItems", "minimum", "maximum")
"""Bounds that OpenAI's structured output accepts and Anthropic's does not."""
_REPETITION_BOUNDS = ("maxItems", "maxLength")
_SUBSCHEMA_KEYWORDS = frozenset({"properties", "items", "anyOf", "prefixItems"})
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""Pattern of property names that every provider accepts."""
_FULL_KEYWORDS = frozenset({*_SHAPE_KEYWORDS, *_BOUND_KEYWORDS, *_SUBSCHEMA_KEYWORDS, "pattern"})


def convert_schema(schema: Mapping[str, Any], dialect: Dialect, *, use_references: bool = False) -> JsonObject:
    """Convert `schema` to `dialect`, without keywords that the dialect does not know.

    With `use_references`, a part that occurs more than once is defined once under `$defs`. Not to be changed: all
    conversions of equal schemas share one result.
    """
    return _convert_json(json.dumps(schema), dialect, use_references=use_references)


@lru_cache(maxsize=256)
def _convert_json(text: str, dialect: Dialect, *, use_references: bool) -> JsonObject:
    schema: JsonObject = json.loads(text)
    converted = (
        _convert_full(schema) if dialect == "full" else _convert_strict(schema, every_member=dialect == "openai")
    )
    return _share_repeated_parts(converted) if use_references else converted


def _convert_full(schema: Mapping[str, Any]) -> JsonObject:
    """Keep what a grammar enforces; write the rest into descriptions."""
    if find_key_member(schema) is not None:
        return _convert_full(convert_list_to_object(schema))
    pattern = schema.get("pattern", "")
    anchored = pattern.startswith("^") and pattern.endswith("$")
    lost = {key: schema[key] for key in _REPETITION_BOUNDS if schema.get(key, 0) > MAX_REPETITION}
    lost |= {"pattern": pattern} if pattern and not anchored else {}
    parts = _convert_subschemas(schema, _convert_full)
    if "prefixItems" in schema:
        parts["prefixItems"] = [_convert_full(part) for part in schema["prefixItems"]]
    converted = {
        key: parts.get(key, value) for key, value in schema.items() if key in _FULL_KEYWORDS and key not in lost
    }
    return _append_bounds(converted, lost) if lost else converted


def _convert_strict(schema: Mapping[str, Any], *, every_member: bool) -> JsonObject:
    """Close objects, give all items of a list one schema, and write bounds into descriptions."""

    def deeper(part: Mapping[str, Any]) -> JsonObject:
        return _convert_strict(part, every_member=every_member)

    if find_key_member(schema) is not None:
        return _convert_strict(convert_list_to_object(schema), every_member=every_member)

    converted: JsonObject = {key: schema[key] for key in _SHAPE_KEYWORDS if key in schema and key != "const"}
    if "const" in schema:
        converted["enum"] = [schema["const"]]
    if "enum" in converted and "type" not in converted:
        converted |= _common_type(converted["enum"])
    converted |= _convert_subschemas(schema, deeper)
    if "properties" in schema:
        converted["additionalProperties"] = False
        if every_member:
            converted["required"] = list(schema["properties"])
    if every_member:
        converted |= {key: schema[key] for key in _OPENAI_BOUNDS if key in schema}
    if "prefixItems" in schema:
        converted["items"] = _merge_schemas([deeper(part) for part in schema["prefixItems"]])
    return _append_bounds(converted, schema)


def _convert_subschemas(schema: Mapping[str, Any], deeper: Callable[[Mapping[str, Any]], JsonObject]) -> JsonObject:
    parts: JsonObject = {}
    if "properties" in schema:
        parts["properties"] = {name: deeper(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        parts["items"] = deeper(schema["items"])
    if "anyOf" in schema:
        parts["anyOf"] = [deeper(part) for part in schema["anyOf"]]
    return parts


def _merge_schemas(parts: Sequence[JsonObject]) -> JsonObject:
    """A schema that accepts every value that one of `parts` accepts."""
    first = parts[0]
    if all(part == first for part in parts):
        return first
    if all("enum" in part and part.get("type") == first.get("type") for part in parts):
        options = [option for part in parts for option in part["enum"]]
        return first | {"enum": list(dict.fromkeys(options))}
    if all("properties" in part and _merge_key(part) == _merge_key(first) for part in parts):
        names = first["properties"]
        return first | {
            "properties": {name: _merge_schemas([part["properties"][name] for part in parts]) for name in names}
        }
    return {"anyOf": [part for index, part in enumerate(parts) if part not in parts[:index]]}


def _merge_key(part: JsonObject) -> tuple[Any, ...]:
    """Key for merging schemas: object schemas with equal keys are merged member by member."""
    return tuple(part["properties"]), part.get("required"), part.get("description")


def _common_type(options: Sequence[Any]) -> JsonObject:
    kinds = {json_type(option) for option in options}
    return {"type": kinds.pop()} if len(kinds) == 1 else {}


def _append_bounds(converted: JsonObject, bounds: Mapping[str, Any]) -> JsonObject:
    words = " ".join(part for part in (converted.get("description", ""), *_format_bounds(bounds)) if part)
    return converted | {"description": words} if words else converted


def _format_bounds(bounds: Mapping[str, Any]) -> Iterator[str]:
    for low, high, unit in (
        ("minItems", "maxItems", " items"),
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ):
        least, most = bounds.get(low), bounds.get(high)
        if least is not None and least == most:
            yield f"Exactly {least}{unit}{_format_item_names(bounds)}."
        elif least is not None and most is not None:
            yield f"From {least} to {most}{unit}."
        elif least is not None:
            yield f"At least {least}{unit}."
        elif most is not None:
            yield f"At most {most}{unit}."
    if "exclusiveMinimum" in bounds:
        yield f"More than {bounds['exclusiveMinimum']}."
    if "exclusiveMaximum" in bounds:
        yield f"Less than {bounds['exclusiveMaximum']}."
    if "pattern" in bounds:
        yield f"Matches {bounds['pattern']}."


def _format_item_names(bounds: Mapping[str, Any]) -> str:
    """Names of the items that a list must contain, if known."""
    parts: Sequence[Mapping[str, Any]] = bounds.get("prefixItems", ())
    names = [
        str(member["const"])
        for part in parts
        for member in (part, *part.get("properties", {}).values())
        if "const" in member
    ]
    return f", in this order: {', '.join(names)}" if len(names) == len(parts) > 0 else ""


# Lists of known items as objects ----------------------------------------------------------------------------------


def find_key_member(schema: Mapping[str, Any]) -> str | None:
    """The member that identifies each entry of the list `schema`, such as `participant`.

    None unless `schema` is a list with one entry for each of several known items.
    """
    parts: list[JsonObject] = schema.get("prefixItems", [])
    found = {_const_members(part) for part in parts}
    if len(found) != 1:
        return None
    (members,) = found
    keys = [part["properties"][members[0]]["const"] for part in parts] if len(members) == 1 else []
    fit = all(isinstance(key, str) and _PROPERTY_NAME.fullmatch(key) for key in keys)
    return members[0] if keys and fit and len(set(keys)) == len(keys) else None


def convert_list_to_object(schema: Mapping[str, Any]) -> JsonObject:
    """Convert the list `schema` to an object with a required key per item.

    `find_key_member(schema)` must not be None.
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
    """Convert objects in `value` back to the lists of `schema` that they replaced."""
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


# References -------------------------------------------------------------------------------------------------------


def _share_repeated_parts(schema: JsonObject) -> JsonObject:
    """Move repeated parts of `schema` to `$defs`, each named after the property of its first occurrence."""
    counts: Counter[str] = Counter()
    definitions: dict[str, JsonObject] = {}
    names: dict[str, str] = {}

    def count(part: JsonObject) -> JsonObject:
        key = json.dumps(part)
        counts[key] += 1
        if counts[key] == 1:
            _map_parts(part, lambda inner, _name: count(inner))
        return part

    def share(part: JsonObject, name: str) -> JsonObject:
        key = json.dumps(part)
        if counts[key] == 1 or len(key) < MIN_SHARED_CHARS:
            return _map_parts(part, share)
        if key not in names:
            names[key] = _unused_name(name, definitions)
            definitions[names[key]] = {}
            definitions[names[key]] = _map_parts(part, share)
        return {"$ref": f"#/$defs/{names[key]}"}

    count(schema)
    shared = _map_parts(schema, share)
    return {**shared, "$defs": definitions} if definitions else shared


def _map_parts(schema: JsonObject, change: Callable[[JsonObject, str], JsonObject]) -> JsonObject:
    """Apply `change` to the schemas inside `schema`, with the name of the property that contains them."""
    parts: JsonObject = {}
    for key, value in schema.items():
        if key == "properties":
            parts[key] = {member: change(part, member) for member, part in value.items()}
        elif key in {"anyOf", "prefixItems"}:
            parts[key] = [change(part, "part") for part in value]
        else:
            is_schema = key == "items" and isinstance(value, dict)
            parts[key] = change(cast("JsonObject", value), "part") if is_schema else value
    return parts


def _unused_name(name: str, taken: Mapping[str, JsonObject]) -> str:
    plain = re.sub(r"\W", "_", name)
    return next(
        each for each in (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3))) if each not in taken
    )
