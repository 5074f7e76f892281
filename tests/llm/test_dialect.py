"""A form's schema in the words of each provider: never narrower than the form, never with what the provider refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_schemas import FORMLIKE, SCHEMAS, VALUES, is_valid

from debate_cli.llm.schema_dialect import MAX_REPETITION, Dialect, convert_schema

EACH = {
    "type": "array",
    "prefixItems": [
        {
            "type": "object",
            "properties": {
                "id": {"type": "string", "const": key},
                "reason": {"type": "string", "minLength": 1, "maxLength": 160},
                "score": {"type": "integer", "minimum": 1, "maximum": 10},
            },
            "required": ["id", "reason", "score"],
            "additionalProperties": False,
        }
        for key in ("PRO-1", "PRO-2")
    ],
    "minItems": 2,
    "maxItems": 2,
}
PLAIN: tuple[Dialect, ...] = ("openai", "anthropic")


def keywords(schema: dict[str, Any]) -> Iterator[str]:
    """Every keyword that occurs in a schema, names of members left out."""
    yield from schema
    inner: list[Any] = [schema.get("items"), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    inner += schema.get("properties", {}).values()
    for part in inner:
        if part:
            yield from keywords(part)


def test_full_keeps_what_a_grammar_enforces() -> None:
    """For llama.cpp nothing of a form is lost."""
    assert convert_schema(EACH, "full") == EACH


@pytest.mark.parametrize("dialect", ["full", *PLAIN])
def test_unknown_keywords_are_left_out(dialect: Dialect) -> None:
    """A keyword that a provider may refuse is not sent."""
    schema = {"type": "string", "title": "T", "default": "x", "format": "date", "$id": "y", "description": "D"}
    assert convert_schema(schema, dialect) == {"type": "string", "description": "D"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": 1}, {"type": "integer", "enum": [1]}),
        ({"enum": ["a", None]}, {"enum": ["a", None]}),
        ({"type": "string", "pattern": "^A"}, {"type": "string", "description": "Matches ^A."}),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            {"type": "number", "description": "More than 0. Less than 1."},
        ),
        (
            {"type": "array", "items": {"const": "x"}, "maxItems": 3, "description": "Ids."},
            {
                "type": "array",
                "items": {"type": "string", "enum": ["x"]},
                "maxItems": 3,
                "description": "Ids. At most 3 items.",
            },
        ),
        (
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            {"anyOf": [{"type": "integer", "minimum": 1, "description": "At least 1."}, {"type": "null"}]},
        ),
        (
            {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
            {"items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        ),
        ({"prefixItems": [{"type": "string"}, {"type": "string"}]}, {"items": {"type": "string"}}),
    ],
)
def test_plain_dialects(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """Constants are enums of one, bounds are said in the description, a tuple is a list of any of its parts."""
    assert convert_schema(schema, "openai") == expected


def test_members_that_may_be_missing() -> None:
    """OpenAI wants every member required; Anthropic takes the list as it is; both want the object closed."""
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    assert convert_schema(schema, "openai")["required"] == ["a", "b"]
    assert convert_schema(schema, "anthropic")["required"] == ["a"]
    assert convert_schema(schema, "openai")["additionalProperties"] is False


@pytest.mark.parametrize(("pattern", "kept"), [("^A$", True), ("^A", False), ("A", False)])
def test_grammars_take_whole_patterns_only(pattern: str, kept: bool) -> None:
    """A pattern that is not anchored on both sides is said in words."""
    lowered = convert_schema({"type": "string", "pattern": pattern}, "full")
    assert ("pattern" in lowered, lowered.get("description")) == (kept, None if kept else f"Matches {pattern}.")


@pytest.mark.parametrize("keyword", ["maxLength", "maxItems"])
def test_what_is_too_long_for_a_grammar_becomes_words(keyword: str) -> None:
    """llama.cpp refuses a grammar that repeats a rule thousands of times."""
    assert keyword in convert_schema({keyword: MAX_REPETITION}, "full")
    assert "At most 2001" in convert_schema({keyword: MAX_REPETITION + 1}, "full")["description"]
    assert keyword not in convert_schema({keyword: MAX_REPETITION + 1}, "full")


@given(FORMLIKE, VALUES, st.sampled_from(["full", "openai", "anthropic"]))
def test_never_narrower_than_the_form(schema: dict[str, Any], value: Any, dialect: Dialect) -> None:
    """What a form takes, its lowered schema takes."""
    if is_valid(value, schema):
        assert is_valid(value, convert_schema(schema, dialect))


@given(SCHEMAS, st.sampled_from(PLAIN))
def test_plain_dialects_hold_what_strict_modes_take(schema: dict[str, Any], dialect: Dialect) -> None:
    """Only what strict modes take is left, and the given schema is as it was."""
    before = copy.deepcopy(schema)
    allowed = {"type", "description", "enum", "properties", "required", "additionalProperties", "items", "anyOf"}
    allowed |= {"minItems", "maxItems", "minimum", "maximum"} if dialect == "openai" else set()
    assert set(keywords(convert_schema(schema, dialect))) <= allowed
    assert schema == before


@given(SCHEMAS)
def test_lowering_for_grammars_changes_no_meaning(schema: dict[str, Any]) -> None:
    """Forms are made of what grammars take, and keep their order."""
    assert json.dumps(convert_schema(schema, "full")) == json.dumps(schema)
