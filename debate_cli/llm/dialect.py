"""The JSON Schema of a form in the words that a provider takes. What is lost on the way is checked when we read.

Three dialects. `full` is for grammars (llama.cpp, vLLM): bounds and `prefixItems` are enforced there, so they stay.
`openai` and `anthropic` know no `prefixItems`: lists that answer known items one by one become objects with a key for
each (`llm.keyed`), or lists of one merged shape where that cannot be; bounds that are not taken become words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from debate_cli.llm.keyed import keyed, naming_member
from debate_cli.llm.schema_check import type_of

Dialect = Literal["full", "openai", "anthropic"]
Json = dict[str, Any]

LONGEST_REPETITION = 2000
"""A longer maxLength or maxItems is more than llama.cpp's grammars take."""

_SHAPE = ("type", "description", "enum", "const", "required", "additionalProperties")
_BOUNDS = (
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
)
_COUNTS = ("minItems", "maxItems", "minimum", "maximum")
"""Bounds that OpenAI's structured output takes, and Anthropic's does not."""
_REPEATING = ("maxItems", "maxLength")
_PARTS = frozenset({"properties", "items", "anyOf", "prefixItems"})
_FULL = frozenset({*_SHAPE, *_BOUNDS, *_PARTS, "pattern"})


def lower(schema: Mapping[str, Any], dialect: Dialect) -> Json:
    """`schema` in `dialect`; keywords that the dialect does not know are left out. The argument is not changed."""
    return _full(schema) if dialect == "full" else _plain(schema, every_member=dialect == "openai")


def _full(schema: Mapping[str, Any]) -> Json:
    """Everything that a grammar enforces, in its order; what it cannot is said in words."""
    pattern = schema.get("pattern", "")
    anchored = pattern.startswith("^") and pattern.endswith("$")
    lost = {key: schema[key] for key in _REPEATING if schema.get(key, 0) > LONGEST_REPETITION}
    lost |= {"pattern": pattern} if pattern and not anchored else {}
    parts = _parts(schema, _full)
    if "prefixItems" in schema:
        parts["prefixItems"] = [_full(part) for part in schema["prefixItems"]]
    lowered = {key: parts.get(key, value) for key, value in schema.items() if key in _FULL and key not in lost}
    return _described(lowered, lost) if lost else lowered


def _plain(schema: Mapping[str, Any], *, every_member: bool) -> Json:
    """Closed objects, one shape for all items of a list, no bounds."""

    def deeper(part: Mapping[str, Any]) -> Json:
        return _plain(part, every_member=every_member)

    if naming_member(schema) is not None:
        return _plain(keyed(schema), every_member=every_member)

    lowered: Json = {key: schema[key] for key in _SHAPE if key in schema and key != "const"}
    if "const" in schema:
        lowered["enum"] = [schema["const"]]
    if "enum" in lowered and "type" not in lowered:
        lowered |= _type_of_all(lowered["enum"])
    lowered |= _parts(schema, deeper)
    if "properties" in schema:
        lowered["additionalProperties"] = False
        if every_member:
            lowered["required"] = list(schema["properties"])
    if every_member:
        lowered |= {key: schema[key] for key in _COUNTS if key in schema}
    if "prefixItems" in schema:
        lowered["items"] = _merged([deeper(part) for part in schema["prefixItems"]])
    return _described(lowered, schema)


def _parts(schema: Mapping[str, Any], deeper: Any) -> Json:
    """The schemas within a schema, each lowered by `deeper`."""
    parts: Json = {}
    if "properties" in schema:
        parts["properties"] = {name: deeper(part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), Mapping):
        parts["items"] = deeper(schema["items"])
    if "anyOf" in schema:
        parts["anyOf"] = [deeper(part) for part in schema["anyOf"]]
    return parts


def _merged(parts: Sequence[Json]) -> Json:
    """One schema that every one of `parts` is a case of."""
    first = parts[0]
    if all(part == first for part in parts):
        return first
    if all("enum" in part and part.get("type") == first.get("type") for part in parts):
        options = [option for part in parts for option in part["enum"]]
        return first | {"enum": list(dict.fromkeys(options))}
    if all("properties" in part and _frame(part) == _frame(first) for part in parts):
        names = first["properties"]
        return first | {"properties": {name: _merged([part["properties"][name] for part in parts]) for name in names}}
    return {"anyOf": [part for index, part in enumerate(parts) if part not in parts[:index]]}


def _frame(part: Json) -> tuple[Any, ...]:
    """What two object schemas must share to be merged member by member."""
    return tuple(part["properties"]), part.get("required"), part.get("description")


def _type_of_all(options: Sequence[Any]) -> Json:
    """`type` of an enum; nothing where its options differ in it."""
    kinds = {type_of(option) for option in options}
    return {"type": kinds.pop()} if len(kinds) == 1 else {}


def _described(lowered: Json, bounds: Mapping[str, Any]) -> Json:
    """`lowered` with `bounds` said at the end of its description."""
    words = " ".join(part for part in (lowered.get("description", ""), *_words(bounds)) if part)
    return lowered | {"description": words} if words else lowered


def _words(bounds: Mapping[str, Any]) -> Iterator[str]:
    for low, high, unit in (
        ("minItems", "maxItems", " items"),
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ):
        least, most = bounds.get(low), bounds.get(high)
        if least is not None and least == most:
            yield f"Exactly {least}{unit}{_named(bounds)}."
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


def _named(bounds: Mapping[str, Any]) -> str:
    """What the items of a list that answers known ones are to be about."""
    parts: Sequence[Mapping[str, Any]] = bounds.get("prefixItems", ())
    names = [
        str(member["const"])
        for part in parts
        for member in (part, *part.get("properties", {}).values())
        if "const" in member
    ]
    return f", in this order: {', '.join(names)}" if len(names) == len(parts) > 0 else ""
