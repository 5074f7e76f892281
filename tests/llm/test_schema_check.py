"""The schema check agrees with the reference implementation; `maxLength` is ignored on purpose."""

from typing import Any

import pytest
from hypothesis import given
from llm_schemas import SCHEMAS, VALUES, is_valid

from debate_cli.llm.schema_check import find_violations, is_equal_json, json_type


@given(VALUES, SCHEMAS)
def test_agrees_with_the_reference(value: Any, schema: dict[str, Any]) -> None:
    """A value violates a schema exactly if the reference implementation says so."""
    assert bool(list(find_violations(value, schema))) != is_valid(value, schema)


PAIR = {
    "type": "array",
    "prefixItems": [
        {"type": "object", "properties": {"id": {"const": key}}, "required": ["id"], "additionalProperties": False}
        for key in ("A", "B")
    ],
    "minItems": 2,
    "maxItems": 2,
}


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ([{"id": "A"}, {"id": "B"}], []),
        ([{"id": "B"}, {"id": "A"}], []),
        ([{"id": "A"}, {"id": "A"}], ['[1].id: must be "B", not "A"']),
        ([{"id": "A"}], ["the object: must have at least 2 items"]),
        ([{"id": "A"}, {"id": "B"}, {"id": "C"}], ["the object: must have at most 2 items"]),
    ],
)
def test_a_list_of_known_items(value: Any, faults: list[str]) -> None:
    """Every known item must be answered once, in any order."""
    assert [str(each) for each in find_violations(value, PAIR)] == faults


VIOLATIONS: list[tuple[Any, dict[str, Any], str]] = [
    (
        {"a": {"b": ["x"]}},
        {"properties": {"a": {"properties": {"b": {"items": {"type": "integer"}}}}}},
        "a.b[0]: must be integer, not string",
    ),
    ({}, {"required": ["a"]}, "the object: lacks a"),
    ({"a": 1, "b\u202e": 2}, {"properties": {"a": {}}, "additionalProperties": False}, 'the object: must not have "b"'),
    ({"a": "x" * 99}, {"properties": {"a": {"enum": ["y", 1]}}}, f'a: must be one of "y", 1, not "{"x" * 59}…'),
    (11, {"maximum": 10}, "the object: must be at most 10, not 11"),
    ([1, 2], {"prefixItems": [{}], "items": False}, "the object: must have no more than 1 items"),
    ([1, "x"], {"prefixItems": [{}], "items": {"type": "integer"}}, "[1]: must be integer, not string"),
]


@pytest.mark.parametrize(("value", "schema", "fault"), VIOLATIONS)
def test_a_violation_names_place_and_value(value: Any, schema: dict[str, Any], fault: str) -> None:
    """Path, expectation and actual value, short and without hidden characters."""
    assert [str(each) for each in find_violations(value, schema)] == [fault]


def test_a_long_text_is_not_a_violation() -> None:
    """The keyword maxLength only keeps grammars short."""
    assert list(find_violations("long text", {"type": "string", "maxLength": 3})) == []


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1], [True], False),
        ({"a": 1}, {"a": 1.0}, True),
        ("1", 1, False),
    ],
)
def test_equal_json(left: Any, right: Any, expected: bool) -> None:
    """1 equals 1.0; booleans are not numbers."""
    assert is_equal_json(left, right) is expected


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (1.5, "number"),
        ("", "string"),
        (None, "null"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_types(value: Any, name: str) -> None:
    """Types are named as JSON Schema does."""
    assert json_type(value) == name
