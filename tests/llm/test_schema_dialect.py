"""Schema conversion: never narrower than the form, without keywords that the provider rejects."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_schemas import FORMLIKE, SCHEMAS, VALUES, is_valid

from debate_cli.llm.schema_dialect import (
    MAX_REPETITION,
    Dialect,
    convert_list_to_object,
    convert_schema,
    find_key_member,
    restore_lists,
)

DIALECTS: tuple[Dialect, ...] = ("full", "openai", "anthropic")
PLAIN: tuple[Dialect, ...] = ("openai", "anthropic")


def keywords(schema: dict[str, Any]) -> Iterator[str]:
    """Every keyword that occurs in a schema, without property names."""
    yield from schema
    inner: list[Any] = [schema.get("items"), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    inner += schema.get("properties", {}).values()
    for part in inner:
        if part:
            yield from keywords(part)


@pytest.mark.parametrize("dialect", DIALECTS)
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
    """Constants become enums, bounds go into the description, a tuple becomes a list of any of its parts."""
    assert convert_schema(schema, "openai") == expected


def test_members_that_may_be_missing() -> None:
    """OpenAI requires every member, Anthropic keeps the list of required ones; both need closed objects."""
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    assert convert_schema(schema, "openai")["required"] == ["a", "b"]
    assert convert_schema(schema, "anthropic")["required"] == ["a"]
    assert convert_schema(schema, "openai")["additionalProperties"] is False


@pytest.mark.parametrize(("pattern", "kept"), [("^A$", True), ("^A", False), ("A", False)])
def test_grammars_take_whole_patterns_only(pattern: str, kept: bool) -> None:
    """A pattern that is not anchored on both sides goes into the description."""
    converted = convert_schema({"type": "string", "pattern": pattern}, "full")
    assert ("pattern" in converted, converted.get("description")) == (kept, None if kept else f"Matches {pattern}.")


@pytest.mark.parametrize("keyword", ["maxLength", "maxItems"])
def test_large_repetitions_go_into_the_description(keyword: str) -> None:
    """llama.cpp refuses a grammar that repeats a rule thousands of times."""
    assert keyword in convert_schema({keyword: MAX_REPETITION}, "full")
    assert "At most 2001" in convert_schema({keyword: MAX_REPETITION + 1}, "full")["description"]
    assert keyword not in convert_schema({keyword: MAX_REPETITION + 1}, "full")


@given(FORMLIKE, VALUES, st.sampled_from(DIALECTS))
def test_never_narrower_than_the_form(schema: dict[str, Any], value: Any, dialect: Dialect) -> None:
    """The converted schema accepts every value that the form accepts."""
    if is_valid(value, schema):
        assert is_valid(value, convert_schema(schema, dialect))


@given(SCHEMAS, st.sampled_from(PLAIN))
def test_strict_dialects_have_only_supported_keywords(schema: dict[str, Any], dialect: Dialect) -> None:
    """Only keywords of strict modes are left, and the argument is not changed."""
    before = copy.deepcopy(schema)
    allowed = {"type", "description", "enum", "properties", "required", "additionalProperties", "items", "anyOf"}
    allowed |= {"minItems", "maxItems", "minimum", "maximum"} if dialect == "openai" else set()
    assert set(keywords(convert_schema(schema, dialect))) <= allowed
    assert schema == before


@given(SCHEMAS)
def test_the_full_dialect_keeps_supported_keywords(schema: dict[str, Any]) -> None:
    """A schema of supported keywords stays the same, in the same order."""
    assert json.dumps(convert_schema(schema, "full")) == json.dumps(schema)


def item(key: str) -> dict[str, Any]:
    """The schema of the entry for one known item."""
    return {
        "type": "object",
        "properties": {"target": {"const": key}, "reasoning": {"type": "string"}},
        "required": ["target", "reasoning"],
        "additionalProperties": False,
    }


def answers(*keys: str) -> dict[str, Any]:
    """The schema of a list with one entry per key."""
    return {"type": "array", "prefixItems": [item(key) for key in keys], "minItems": len(keys), "maxItems": len(keys)}


def form(*keys: str) -> dict[str, Any]:
    """An object with such a list."""
    return {"type": "object", "properties": {"responses": answers(*keys)}, "required": ["responses"]}


def test_each_known_item_becomes_a_required_key() -> None:
    """The object has one required property per item, without the identifying member."""
    schema = convert_list_to_object(answers("PRO-1", "PRO-2"))
    assert schema["required"] == ["PRO-1", "PRO-2"]
    assert list(schema["properties"]["PRO-1"]["properties"]) == ["reasoning"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_gets_the_object(dialect: Dialect) -> None:
    """The converted schema has a required key per item and no prefixItems."""
    converted = convert_schema(form("PRO-1", "PRO-2"), dialect)["properties"]["responses"]
    assert converted["type"] == "object"
    assert converted["required"] == ["PRO-1", "PRO-2"]
    assert converted["additionalProperties"] is False


def test_an_answered_object_is_read_as_the_list() -> None:
    """The key becomes the identifying member again, in any order."""
    answered = {"responses": {"PRO-2": {"reasoning": "b"}, "PRO-1": {"reasoning": "a"}}}
    assert restore_lists(answered, form("PRO-1", "PRO-2")) == {
        "responses": [{"target": "PRO-2", "reasoning": "b"}, {"target": "PRO-1", "reasoning": "a"}]
    }


def test_an_answered_list_stays_as_it_is() -> None:
    """A list in the answer is not changed."""
    answered = {"responses": [{"target": "PRO-1", "reasoning": "a"}]}
    assert restore_lists(answered, form("PRO-1")) == answered


@pytest.mark.parametrize("keys", [("a b",), ("A", "A"), ("x" * 65,)], ids=["space", "twice", "long"])
def test_items_that_cannot_be_keys_stay_a_list(keys: tuple[str, ...]) -> None:
    """A key must be unique and accepted by every provider."""
    assert find_key_member(answers(*keys)) is None


PERSON = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("first_name", "last_name", "place_of_birth")},
    "required": ["first_name", "last_name", "place_of_birth"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_repeated_part_is_defined_once(dialect: Dialect) -> None:
    """With references, equal objects become references to one definition that accepts the same values."""
    schema = {"type": "object", "properties": {"winner": PERSON, "loser": PERSON}, "required": ["winner", "loser"]}
    converted = convert_schema(schema, dialect, use_references=True)
    assert converted["properties"] == {"winner": {"$ref": "#/$defs/winner"}, "loser": {"$ref": "#/$defs/winner"}}
    assert converted["$defs"]["winner"] == convert_schema(PERSON, dialect)


def test_parts_that_occur_once_stay_in_place() -> None:
    """Without repeated parts a schema has no `$defs`."""
    schema = {"type": "object", "properties": {"winner": PERSON}, "required": ["winner"]}
    assert convert_schema(schema, "full", use_references=True) == schema


@given(FORMLIKE, VALUES, st.sampled_from(DIALECTS))
def test_references_change_no_meaning(schema: dict[str, Any], value: Any, dialect: Dialect) -> None:
    """A schema with references accepts the same values as the schema without."""
    plain, shared = (convert_schema(schema, dialect, use_references=use) for use in (False, True))
    assert is_valid(value, plain) == is_valid(value, shared)
