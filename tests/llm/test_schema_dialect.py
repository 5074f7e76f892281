"""Schema conversion: never narrower than the form, without keywords that the provider rejects."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from debate_cli.llm.form import find_violations
from debate_cli.llm.schema_dialect import MAX_REPETITION, Dialect, convert_schema, find_key_member, restore_lists

DIALECTS: tuple[Dialect, ...] = ("full", "openai", "anthropic")
Json = dict[str, Any]

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from([0.5, 1.0, 2.5, "", "a", "PRO-1"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)
LEAVES: st.SearchStrategy[Json] = st.sampled_from([
    {"type": "boolean"},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "integer", "minimum": 1, "maximum": 3},
    {"type": "string", "minLength": 1},
    {"type": "string", "enum": ["a", "PRO-1"]},
    {"type": "integer", "enum": [1, 2]},
])  # fmt: skip


@st.composite
def form_objects(draw: st.DrawFn, part: st.SearchStrategy[Json]) -> Json:
    """A closed object that requires all members."""
    members = draw(st.dictionaries(NAMES, part, max_size=3))
    return {"type": "object", "properties": members, "required": sorted(members), "additionalProperties": False}


FORMLIKE: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda part: form_objects(part) | part.map(lambda item: {"type": "array", "items": item, "maxItems": 2}),
    max_leaves=6,
)


def is_valid(value: Any, schema: Json) -> bool:
    """Validity by the reference implementation."""
    return not list(Draft202012Validator(schema).iter_errors(value))  # pyright: ignore[reportUnknownMemberType]


def keywords(schema: Json) -> Iterator[str]:
    """Every keyword that occurs in a schema, without property names."""
    yield from schema
    for part in (schema.get("items"), *schema.get("properties", {}).values()):
        if part:
            yield from keywords(part)


@given(VALUES, FORMLIKE)
def test_the_check_of_forms_agrees_with_the_reference(value: Any, schema: Json) -> None:
    """A value violates a schema exactly if the reference implementation says so."""
    assert bool(list(find_violations(value, schema))) != is_valid(value, schema)


def valid_values(schema: Json) -> st.SearchStrategy[Any]:
    """Values that a schema of FORMLIKE accepts."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({name: valid_values(part) for name, part in schema["properties"].items()})
        case "array":
            return st.lists(valid_values(schema["items"]), max_size=schema["maxItems"])
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "number":
            return st.floats(schema["minimum"], schema["maximum"])
        case "string":
            return st.text(min_size=schema["minLength"])
        case _:
            return st.booleans()


@given(FORMLIKE, st.sampled_from(DIALECTS), st.booleans(), st.data())
def test_never_narrower_than_the_form(schema: Json, dialect: Dialect, share: bool, data: st.DataObject) -> None:
    """The converted schema accepts every value that the form accepts, with and without references."""
    value = data.draw(valid_values(schema))
    assert is_valid(value, convert_schema(schema, dialect, use_references=share))


@given(FORMLIKE, st.sampled_from(DIALECTS))
def test_a_dialect_has_only_supported_keywords(schema: Json, dialect: Dialect) -> None:
    """The full dialect keeps the schema as it is. Strict dialects lose keywords. The argument is not changed."""
    before = copy.deepcopy(schema)
    allowed = {"type", "description", "enum", "properties", "required", "additionalProperties", "items"}
    bounds = {"minItems", "maxItems", "minimum", "maximum"}
    converted = convert_schema(schema, dialect)
    assert set(keywords(converted)) <= allowed | (set[str]() if dialect == "anthropic" else {*bounds, "minLength"})
    assert dialect != "full" or json.dumps(converted) == json.dumps(schema)
    assert schema == before


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "const": 1}, {"type": "integer", "enum": [1]}),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 3, "description": "Ids."},
            {"type": "array", "items": {"type": "string"}, "maxItems": 3, "description": "Ids. At most 3 items."},
        ),
        (
            {"type": "string", "minLength": 2, "maxLength": 9},
            {"type": "string", "description": "From 2 to 9 characters."},
        ),
        (
            {"type": "array", "items": {}, "minItems": 2, "maxItems": 2},
            {"type": "array", "items": {}, "minItems": 2, "maxItems": 2, "description": "Exactly 2 items."},
        ),
        ({"type": "string", "minLength": 2}, {"type": "string", "description": "At least 2 characters."}),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]},
            {
                "type": "object",
                "properties": {"a": {}, "b": {}},
                "required": ["a", "b"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_the_strict_dialect(schema: Json, expected: Json) -> None:
    """Constants become enums, bounds go into the description, objects are closed and require every member."""
    assert convert_schema(schema, "openai") == expected


@pytest.mark.parametrize("keyword", ["maxLength", "maxItems"])
def test_large_repetitions_go_into_the_description(keyword: str) -> None:
    """llama.cpp refuses a grammar that repeats a rule thousands of times."""
    assert keyword in convert_schema({keyword: MAX_REPETITION}, "full")
    large = convert_schema({keyword: MAX_REPETITION + 1}, "full")
    assert keyword not in large
    assert "At most 2001" in large["description"]


def answers(*keys: str) -> Json:
    """An object with a list that has one entry per key."""
    entries = [
        {
            "type": "object",
            "properties": {"target": {"type": "string", "const": key}, "reasoning": {"type": "string"}},
            "required": ["target", "reasoning"],
            "additionalProperties": False,
        }
        for key in keys
    ]
    responses = {"type": "array", "prefixItems": entries, "minItems": len(keys), "maxItems": len(keys)}
    return {"type": "object", "properties": {"responses": responses}, "required": ["responses"]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_known_item_becomes_a_required_key(dialect: Dialect) -> None:
    """The list becomes an object with one required property per item, without the identifying member."""
    converted = convert_schema(answers("PRO-1", "PRO-2"), dialect)["properties"]["responses"]
    assert (converted["type"], converted["required"]) == ("object", ["PRO-1", "PRO-2"])
    assert converted["additionalProperties"] is False
    assert list(converted["properties"]["PRO-1"]["properties"]) == ["reasoning"]


@pytest.mark.parametrize("keys", [("a b",), ("A", "A"), ("x" * 65,)], ids=["space", "twice", "long"])
def test_items_that_cannot_be_keys_stay_a_list(keys: tuple[str, ...]) -> None:
    """A key must be unique and accepted by every provider. Otherwise the entries share one schema."""
    schema = answers(*keys)
    assert find_key_member(schema["properties"]["responses"]) is None
    converted = convert_schema(schema, "openai")["properties"]["responses"]
    assert converted["items"]["properties"]["target"]["enum"] == list(dict.fromkeys(keys))


def test_an_answered_object_is_read_as_the_list() -> None:
    """The key becomes the identifying member again, in any order. A list in the answer is not changed."""
    answered = {"responses": {"PRO-2": {"reasoning": "b"}, "PRO-1": {"reasoning": "a"}}}
    expected = {"responses": [{"target": "PRO-2", "reasoning": "b"}, {"target": "PRO-1", "reasoning": "a"}]}
    assert restore_lists(answered, answers("PRO-1", "PRO-2")) == expected
    assert restore_lists(expected, answers("PRO-1", "PRO-2")) == expected


PERSON: Json = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("first_name", "last_name", "place_of_birth")},
    "required": ["first_name", "last_name", "place_of_birth"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_repeated_part_is_defined_once(dialect: Dialect) -> None:
    """With references, equal objects of a schema become references to one definition."""
    schema = {"type": "object", "properties": {"winner": PERSON, "loser": PERSON}, "required": ["winner", "loser"]}
    converted = convert_schema(schema, dialect, use_references=True)
    assert converted["properties"] == {"winner": {"$ref": "#/$defs/winner"}, "loser": {"$ref": "#/$defs/winner"}}
    assert converted["$defs"] == {"winner": convert_schema(PERSON, dialect)}
    once = {"type": "object", "properties": {"winner": PERSON}, "required": ["winner"]}
    assert convert_schema(once, "full", use_references=True) == once
