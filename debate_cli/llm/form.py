"""Forms that models fill in, and the JSON Schemas that describe them.

A form is a pydantic model, kept apart from the domain's values. Its schema is derived from it and narrowed for one
question: which ids exist, how many items a list may have. Rules for forms: lists of {name, value} objects instead of
open dictionaries; the reason before the score that it explains. Only the schema has lengths and ranges, because small
models obey them. The form itself accepts longer texts, and its reader clamps scores.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

JsonSchema = dict[str, Any]
"""A JSON Schema (2020-12)."""
MAX_REASON_CHARS = 160


class FormModel(BaseModel):
    """Base class of forms: strict types, no unknown fields, no NaN."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


FormT = TypeVar("FormT", bound=FormModel)


@dataclass(frozen=True, slots=True)
class Form(Generic[FormT]):
    """A form model and its schema, narrowed for one question."""

    name: str
    """[a-zA-Z0-9_-]{1,64}"""
    model: type[FormT]
    schema: JsonSchema
    """Closed objects that require every property, without `$ref`. A list that must answer known items has `prefixItems`
    with a `const` each. Every value that fits the schema also fits `model`."""
    lenient: bool = False
    """Whether an answer that fits `model` but violates `schema` is valid, so that the caller handles the difference.
    Otherwise the model is asked again."""


def text(most: int = MAX_REASON_CHARS, *, least: int = 1, **field: Any) -> Any:
    """Text field of `least` to `most` characters. `field` are arguments of pydantic's `Field`."""
    return Field(json_schema_extra={"minLength": least, "maxLength": most}, **field)


def whole_number(low: int, high: int, **field: Any) -> Any:
    """Field of an integer from `low` to `high`. `field` are arguments of pydantic's `Field`."""
    return Field(json_schema_extra={"type": "integer", "minimum": low, "maximum": high}, **field)


def share() -> Any:
    """Field of a number from 0 to 1."""
    return Field(json_schema_extra={"minimum": 0, "maximum": 1})


def items(most: int, *, least: int = 0, chars: int | None = None, **field: Any) -> Any:
    """Field of a list of `least` to `most` items. With `chars`, each item is a text of at most that length."""
    bounds: JsonSchema = {"minItems": least, "maxItems": most}
    if chars is not None:
        bounds["items"] = {"type": "string", "minLength": 1, "maxLength": chars}
    return Field(json_schema_extra=bounds, **field)


def keep_if(wanted: bool) -> JsonSchema | None:
    """Keep a property if `wanted`, else leave it out."""
    return {} if wanted else None


def one_of(values: Iterable[str | int]) -> JsonSchema:
    """Narrow a property to one of `values`.

    If there are no values, the property is not narrowed, because providers reject an empty choice.
    """
    choices = list(values)
    return {"enum": choices} if choices else {}


def some_of(values: Iterable[str], *, least: int = 0) -> JsonSchema:
    """Narrow a list to items from `values`."""
    choices = list(values)
    return {"items": one_of(choices), "minItems": least, "maxItems": len(choices)}


def each_of(key: str, values: Iterable[str]) -> JsonSchema:
    """Narrow a list to one entry per value, in order. The property `key` of each entry has that value."""
    return {"prefixItems": [{"properties": {key: {"const": value}}} for value in values]}


def derive_schema(model: type[FormModel], **narrowing: JsonSchema | None) -> JsonSchema:
    """The schema of `model`. `narrowing`: property, at any depth -> keywords for its schema; None removes the property."""
    return _narrow(_full_schema(model), narrowing)


def person_schema(form: Form[Any]) -> JsonSchema:
    """The schema of `form` for a person: it has descriptions, and does not require fields with a default."""
    raw = form.model.model_json_schema()
    return _explain(form.schema, raw, raw.get("$defs", {}))


def _explain(part: JsonSchema, raw: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """Add descriptions and required keys to `part`, taken from `raw`, the schema before it was narrowed."""
    explained = dict(part)
    if raw.get("description"):
        explained["description"] = raw["description"]
    while "$ref" in raw or "anyOf" in raw:
        raw = (
            definitions[raw["$ref"].rpartition("/")[2]]
            if "$ref" in raw
            else next(option for option in raw["anyOf"] if option.get("type") != "null")
        )
    if "properties" in part:
        known = raw.get("properties", {})
        properties = {
            name: _explain(item, known.get(name, {}), definitions) for name, item in part["properties"].items()
        }
        required = [name for name in raw.get("required", ()) if name in properties]
        explained |= {"properties": properties, "required": required}
    inner = raw.get("items", {})
    if "prefixItems" in part:
        explained["prefixItems"] = [_explain(item, inner, definitions) for item in part["prefixItems"]]
    if isinstance(part.get("items"), dict):
        explained["items"] = _explain(part["items"], inner, definitions)
    return explained


@lru_cache(maxsize=64)
def _full_schema(model: type[FormModel]) -> JsonSchema:
    schema = model.model_json_schema()
    return _resolve(schema, schema.get("$defs", {}))


def _resolve(part: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    """Remove references, titles, defaults and null from `part`, and require every property."""
    if "$ref" in part:
        return _resolve(definitions[part["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in part:
        extra = {key: value for key, value in part.items() if key != "anyOf"}
        return _resolve(next(option for option in part["anyOf"] if option.get("type") != "null") | extra, definitions)
    kept = {key: value for key, value in part.items() if key not in {"$defs", "title", "default", "description"}}
    if "properties" in kept:
        kept["properties"] = {name: _resolve(item, definitions) for name, item in kept["properties"].items()}
        kept["required"] = list(kept["properties"])
    if "items" in kept:
        kept["items"] = _resolve(kept["items"], definitions)
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
    """`schema` with the keywords of `change` in place of its own. `items` and `properties` are merged recursively."""
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
