"""The JSON Schema of a form in the words that a provider takes. What is lost on the way is checked when we read.

Three dialects. `full` is for grammars (llama.cpp, vLLM): bounds and `prefixItems` are enforced there, so they stay.
`openai` and `anthropic` know no `prefixItems`: lists that answer known items one by one become objects with a key for
each (`llm.keyed`), or lists of one merged shape where that cannot be; bounds that are not taken become words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from debate_cli.llm.keyed import convert_list_to_object, find_key_member
from debate_cli.llm.schema_check import json_type

Dialect = Literal["full", "openai", "anthropic"]
JsonObject = dict[str, Any]

MAX_REPETITION = 2000
"""A longer maxLength or maxItems is more than llama.cpp's grammars take."""

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
"""Bounds that OpenAI's structured output takes, and Anthropic's does not."""
_REPETITION_BOUNDS = ("maxItems", "maxLength")
_SUBSCHEMA_KEYWORDS = frozenset({"properties", "items", "anyOf", "prefixItems"})
_FULL_KEYWORDS = frozenset({*_SHAPE_KEYWORDS, *_BOUND_KEYWORDS, *_SUBSCHEMA_KEYWORDS, "pattern"})


def convert_schema(schema: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """`schema` in `dialect`; keywords that the dialect does not know are left out. The argument is not changed."""
    return _convert_full(schema) if dialect == "full" else _convert_strict(schema, every_member=dialect == "openai")


def _convert_full(schema: Mapping[str, Any]) -> JsonObject:
    """Everything that a grammar enforces, in its order; what it cannot is said in words."""
    pattern = schema.get("pattern", "")
    anchored = pattern.startswith("^") and pattern.endswith("$")
    lost = {key: schema[key] for key in _REPETITION_BOUNDS if schema.get(key, 0) > MAX_REPETITION}
    lost |= {"pattern": pattern} if pattern and not anchored else {}
    parts = _convert_subschemas(schema, _convert_full)
    if "prefixItems" in schema:
        parts["prefixItems"] = [_convert_full(part) for part in schema["prefixItems"]]
    lowered = {key: parts.get(key, value) for key, value in schema.items() if key in _FULL_KEYWORDS and key not in lost}
    return _append_bounds(lowered, lost) if lost else lowered


def _convert_strict(schema: Mapping[str, Any], *, every_member: bool) -> JsonObject:
    """Closed objects, one shape for all items of a list, no bounds."""

    def deeper(part: Mapping[str, Any]) -> JsonObject:
        return _convert_strict(part, every_member=every_member)

    if find_key_member(schema) is not None:
        return _convert_strict(convert_list_to_object(schema), every_member=every_member)

    lowered: JsonObject = {key: schema[key] for key in _SHAPE_KEYWORDS if key in schema and key != "const"}
    if "const" in schema:
        lowered["enum"] = [schema["const"]]
    if "enum" in lowered and "type" not in lowered:
        lowered |= _common_type(lowered["enum"])
    lowered |= _convert_subschemas(schema, deeper)
    if "properties" in schema:
        lowered["additionalProperties"] = False
        if every_member:
            lowered["required"] = list(schema["properties"])
    if every_member:
        lowered |= {key: schema[key] for key in _OPENAI_BOUNDS if key in schema}
    if "prefixItems" in schema:
        lowered["items"] = _merge_schemas([deeper(part) for part in schema["prefixItems"]])
    return _append_bounds(lowered, schema)


def _convert_subschemas(schema: Mapping[str, Any], deeper: Any) -> JsonObject:
    """The schemas within a schema, each lowered by `deeper`."""
    parts: JsonObject = {}
    if "properties" in schema:
        parts["properties"] = {name: deeper(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        parts["items"] = deeper(schema["items"])
    if "anyOf" in schema:
        parts["anyOf"] = [deeper(part) for part in schema["anyOf"]]
    return parts


def _merge_schemas(parts: Sequence[JsonObject]) -> JsonObject:
    """One schema that every one of `parts` is a case of."""
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
    """What two object schemas must share to be merged member by member."""
    return tuple(part["properties"]), part.get("required"), part.get("description")


def _common_type(options: Sequence[Any]) -> JsonObject:
    """`type` of an enum; nothing where its options differ in it."""
    kinds = {json_type(option) for option in options}
    return {"type": kinds.pop()} if len(kinds) == 1 else {}


def _append_bounds(lowered: JsonObject, bounds: Mapping[str, Any]) -> JsonObject:
    """`lowered` with `bounds` said at the end of its description."""
    words = " ".join(part for part in (lowered.get("description", ""), *_format_bounds(bounds)) if part)
    return lowered | {"description": words} if words else lowered


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
    """What the items of a list that answers known ones are to be about."""
    parts: Sequence[Mapping[str, Any]] = bounds.get("prefixItems", ())
    names = [
        str(member["const"])
        for part in parts
        for member in (part, *part.get("properties", {}).values())
        if "const" in member
    ]
    return f", in this order: {', '.join(names)}" if len(names) == len(parts) > 0 else ""
