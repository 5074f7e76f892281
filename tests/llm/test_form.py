"""The check of a value against the schema of a form."""

from typing import Any

import pytest

from debate_cli.llm.form import find_violations

PAIR: dict[str, Any] = {
    "type": "array",
    "prefixItems": [
        {"type": "object", "properties": {"id": {"const": key}}, "required": ["id"], "additionalProperties": False}
        for key in ("A", "B")
    ],
    "minItems": 2,
    "maxItems": 2,
}
WHOLE: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 10}
VIOLATIONS: list[tuple[Any, dict[str, Any], list[str]]] = [
    ([{"id": "B"}, {"id": "A"}], PAIR, []),
    ([{"id": "A"}, {"id": "A"}], PAIR, ['[1].id: must be "B", not "A"']),
    ([{"id": "A"}], PAIR, ["the object: must have at least 2 items"]),
    ([{"id": "A"}, {"id": "B"}, {"id": "C"}], PAIR, ["the object: must have at most 2 items"]),
    (
        {"a": {"b": ["x"]}},
        {"properties": {"a": {"properties": {"b": {"items": WHOLE}}}}},
        ["a.b[0]: must be integer, not string"],
    ),
    ({}, {"required": ["a"]}, ["the object: lacks a"]),
    (
        {"a": 1, "b\u202e": 2},
        {"properties": {"a": {}}, "additionalProperties": False},
        ['the object: must not have "b"'],
    ),
    ("x" * 99, {"enum": ["y", 1]}, [f'the object: must be one of "y", 1, not "{"x" * 59}…']),
    ("", {"type": "string", "minLength": 1}, ["the object: must have at least 1 characters"]),
    ("long text", {"type": "string", "maxLength": 3}, []),
    (11, WHOLE, ["the object: must be at most 10, not 11"]),
    (0, WHOLE, ["the object: must be at least 1, not 0"]),
    (1.0, WHOLE, []),
    (1.5, WHOLE, ["the object: must be integer, not number"]),
    (True, WHOLE, ["the object: must be integer, not boolean"]),
    (None, WHOLE, ["the object: must be integer, not null"]),
    (1, {"type": "number"}, []),
    ([], {"type": "object"}, ["the object: must be object, not array"]),
]


@pytest.mark.parametrize(("value", "schema", "faults"), VIOLATIONS)
def test_a_violation_names_place_and_value(value: Any, schema: dict[str, Any], faults: list[str]) -> None:
    """Path, expectation and actual value, short and without hidden characters. `maxLength` is ignored."""
    assert [str(each) for each in find_violations(value, schema)] == faults
