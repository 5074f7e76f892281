"""Forms that models fill in, their JSON Schemas, and the check of values against these schemas.

Forms have lists of {name, value} objects instead of dictionaries with arbitrary keys. In a form, the reason for a score
precedes the score.

The JSON Schema of a form limits the length of texts and the range of scores. The pydantic model of a form does not.
"""

import json
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.yaml_positions import KeyPath

JsonSchema = dict[str, Any]
MAX_REASON_CHARS = 160
MAX_SHOWN_CHARS = 60
"""Maximum number of characters of a value that an error message quotes."""


class FormModel(BaseModel):
    """Base class of forms: strict types, no unknown fields, no NaN."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


FormT = TypeVar("FormT", bound=FormModel)


@dataclass(frozen=True, slots=True)
class Form(Generic[FormT]):
    """A form that a language model fills in.

    `model`: the form's pydantic model. `schema` can be stricter: for example, it can allow only certain names.
    """

    name: str
    """Name of the form in a request: 1 to 64 ASCII letters, digits, `_` and `-`, which all providers accept."""
    model: type[FormT]
    schema: JsonSchema
    """JSON Schema without `$ref`. Every value that fits the schema also fits `model`."""
    lenient: bool = False
    """Whether an answer is accepted if it fits `model` but not `schema`, e.g. because a list is too long. If false, the
    language model is asked again."""


def text(most: int = MAX_REASON_CHARS, *, least: int = 1, **field: Any) -> Any:
    """Define a form field for a text of `least` to `most` characters."""
    return Field(json_schema_extra={"minLength": least, "maxLength": most}, **field)


def whole_number(low: int, high: int, **field: Any) -> Any:
    """Define a form field for an integer from `low` to `high`."""
    return Field(json_schema_extra={"type": "integer", "minimum": low, "maximum": high}, **field)


def share() -> Any:
    """Define a form field for a number from 0 to 1."""
    return Field(json_schema_extra={"minimum": 0, "maximum": 1})


def items(most: int, *, least: int = 0, chars: int | None = None, **field: Any) -> Any:
    """Define a form field for a list of `least` to `most` items.

    `chars`: maximum length of each item if the items are texts; None if they are not texts.
    """
    bounds: JsonSchema = {"minItems": least, "maxItems": most}
    if chars is not None:
        bounds["items"] = {"type": "string", "minLength": 1, "maxLength": chars}
    return Field(json_schema_extra=bounds, **field)


def keep_if(wanted: bool) -> JsonSchema | None:
    """Return `{}` if `wanted`, else None.

    In the arguments of `derive_schema`, `{}` keeps a property and None removes the property.
    """
    return {} if wanted else None


def one_of(values: Iterable[str | int]) -> JsonSchema:
    """Return the JSON Schema keywords that allow only `values`.

    Returns no keywords if `values` is empty, because providers reject an empty `enum`.
    """
    choices = list(values)
    return {"enum": choices} if choices else {}


def some_of(values: Iterable[str], *, least: int = 0) -> JsonSchema:
    """Return the JSON Schema keywords of a list with at least `least` items. Each item is one of `values`."""
    choices = list(values)
    return {"items": one_of(choices), "minItems": least, "maxItems": len(choices)}


def each_of(key: str, values: Iterable[str]) -> JsonSchema:
    """Return the JSON Schema keywords of a list with one object for each of `values`.

    Each object has its value in the property `key`. Example: for `each_of("participant", ["Pro", "Con"])`, the list is
    `[{"participant": "Pro", …}, {"participant": "Con", …}]`.
    """
    return {"prefixItems": [{"properties": {key: {"const": value}}} for value in values]}


def derive_schema(model: type[FormModel], **narrowing: JsonSchema | None) -> JsonSchema:
    """Return the JSON Schema of `model`, with changed or removed properties.

    The argument `NAME=keywords` adds JSON Schema keywords to the property NAME. `NAME=None` removes the property.
    """
    return _narrow(_full_schema(model), narrowing)


def person_schema(form: Form[Any]) -> JsonSchema:
    """Return the JSON Schema of `form`, with descriptions for a person. Fields that have a default are optional."""
    raw = form.model.model_json_schema()
    return _add_descriptions(form.schema, raw, raw.get("$defs", {}))


def _add_descriptions(part: JsonSchema, raw: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    explained = dict(part)
    if raw.get("description"):
        explained["description"] = raw["description"]
    raw = _follow(raw, definitions)
    if "properties" in part:
        known = raw.get("properties", {})
        properties = {
            name: _add_descriptions(item, known.get(name, {}), definitions) for name, item in part["properties"].items()
        }
        required = [name for name in raw.get("required", ()) if name in properties]
        explained |= {"properties": properties, "required": required}
    inner = raw.get("items", {})
    if "prefixItems" in part:
        explained["prefixItems"] = [_add_descriptions(item, inner, definitions) for item in part["prefixItems"]]
    if "items" in part:
        explained["items"] = _add_descriptions(part["items"], inner, definitions)
    return explained


def _follow(part: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    while "$ref" in part or "anyOf" in part:
        if "$ref" in part:
            part = definitions[part["$ref"].rpartition("/")[2]]
        else:
            part = next(option for option in part["anyOf"] if option.get("type") != "null")
    return part


@lru_cache(maxsize=64)
def _full_schema(model: type[FormModel]) -> JsonSchema:
    schema = model.model_json_schema()
    return _simplify(schema, schema.get("$defs", {}))


_UNUSED_KEYWORDS = {"$defs", "$ref", "anyOf", "title", "default", "description"}


def _simplify(part: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    whole = _follow(part, definitions) | part
    kept = {key: value for key, value in whole.items() if key not in _UNUSED_KEYWORDS}
    if "properties" in kept:
        kept["properties"] = {name: _simplify(item, definitions) for name, item in kept["properties"].items()}
        kept["required"] = list(kept["properties"])
    if "items" in kept:
        kept["items"] = _simplify(kept["items"], definitions)
    return kept


def _narrow(schema: JsonSchema, narrowing: Mapping[str, JsonSchema | None]) -> JsonSchema:
    narrowed = dict(schema)
    if "items" in schema:
        narrowed["items"] = _narrow(schema["items"], narrowing)
    if "properties" in schema:
        properties = {
            name: _merge(_narrow(part, narrowing), cast("JsonSchema", narrowing.get(name, {})))
            for name, part in schema["properties"].items()
            if narrowing.get(name, {}) is not None
        }
        narrowed |= {"properties": properties, "required": list(properties)}
    return narrowed


def _merge(schema: JsonSchema, change: JsonSchema) -> JsonSchema:
    if "prefixItems" in change:
        entries = [_merge(schema["items"], part) for part in change["prefixItems"]]
        return {"type": "array", "prefixItems": entries, "minItems": len(entries), "maxItems": len(entries)}
    replaced = {"minLength", "maxLength"} if {"enum", "const"} & change.keys() else set[str]()
    merged = {key: value for key, value in schema.items() if key not in replaced}
    for key, value in change.items():
        if key == "items":
            merged[key] = _merge(merged[key], value)
        elif key == "properties":
            merged[key] = merged[key] | {name: _merge(merged[key][name], part) for name, part in value.items()}
        else:
            merged[key] = value
    return merged


# Check of a value ------------------------------------------------------------------------------------------------


class Violation(NamedTuple):
    """A fault of a JSON value: where the value does not fit the JSON Schema, and why."""

    path: KeyPath
    fault: str
    """The fault in words, for example `must be at least 1, not 0`."""
    value: Any
    schema: Mapping[str, Any]
    is_wrong_type: bool = False
    """Whether the value has the wrong type."""

    def __str__(self) -> str:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return f"{place.removeprefix('.') or 'the object'}: {self.fault}"


_JSON_TYPES: Mapping[type, str] = {bool: "boolean", str: "string", int: "integer", dict: "object", list: "array"}
_BOUND_PHRASES = {
    "minItems": "have at least {} items",
    "maxItems": "have at most {} items",
    "minLength": "have at least {} characters",
    "minimum": "be at least {}, not {}",
    "maximum": "be at most {}, not {}",
}


def find_violations(value: Any, schema: Mapping[str, Any], path: KeyPath = ()) -> Iterator[Violation]:
    """Yield each part of `value` (parsed JSON) that does not fit `schema`, the JSON Schema of a form.

    A text longer than `maxLength` is accepted. Entries of a list with `prefixItems` may come in any order.
    """
    wanted = schema.get("type")
    found = _json_type(value)
    if wanted not in {None, found} and (wanted, found) != ("number", "integer"):
        yield Violation(path, f"must be {wanted}, not {found}", value, schema, is_wrong_type=True)
        return
    options: Sequence[Any] | None = [schema["const"]] if "const" in schema else schema.get("enum")
    if options is not None and value not in options:
        expected = f"{'' if 'const' in schema else 'one of '}{', '.join(map(_format_value, options))}"
        yield Violation(path, f"must be {expected}, not {_format_value(value)}", value, schema)
    if isinstance(value, dict):
        yield from _check_members(cast("JsonSchema", value), schema, path)
    elif isinstance(value, list):
        yield from _check_entries(cast("list[Any]", value), schema, path)
    yield from _check_bounds(value, schema, path)


def _check_bounds(value: Any, schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    size: Any = len(cast("str | list[Any]", value)) if isinstance(value, str | list) else value
    for keyword, words in _BOUND_PHRASES.items():
        bound = schema.get(keyword)
        if bound is not None and (size < bound if keyword.startswith("min") else size > bound):
            yield Violation(path, f"must {words.format(bound, size)}", value, schema)


def _check_members(members: Mapping[str, Any], schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    parts: Mapping[str, JsonSchema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in members:
            yield Violation(path, f"lacks {name}", members, schema)
    for name, value in members.items():
        if name in parts:
            yield from find_violations(value, parts[name], (*path, name))
        elif schema.get("additionalProperties") is False:
            yield Violation(path, f"must not have {_format_value(name)}", members, schema)


def _check_entries(entries: Sequence[Any], schema: Mapping[str, Any], path: KeyPath) -> Iterator[Violation]:
    open_parts: list[JsonSchema] = list(schema.get("prefixItems", ()))
    for index, entry in enumerate(entries):
        part: JsonSchema = schema.get("items", {})
        if open_parts:
            fitting = (part for part in open_parts if isinstance(entry, dict) and _constants(part) <= entry.items())
            part = next(fitting, open_parts[0])
            open_parts.remove(part)
        yield from find_violations(entry, part, (*path, index))


def _constants(part: JsonSchema) -> ItemsView[str, Any]:
    return {name: inner["const"] for name, inner in part.get("properties", {}).items() if "const" in inner}.items()


def _json_type(value: Any) -> str:
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return _JSON_TYPES.get(cast("type[object]", type(value)), "null")


def _format_value(value: Any) -> str:
    text = sanitize_for_prompt(json.dumps(value, ensure_ascii=False)[: 2 * MAX_SHOWN_CHARS])
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
