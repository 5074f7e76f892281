"""Strings of a prescribed form, and answers to requests that hold anything."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.providers.mock.forms import write
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_pattern import formed

OBJECT: dict[str, object] = {
    "type": "object",
    "properties": {"id": {"type": "string", "pattern": "^[A-Z]{2,4}-\\d+$"}},
    "required": ["id"],
}


def answered(schema: dict[str, object], *said: object) -> object:
    """The answer of a mock that said this before."""
    messages = tuple(Message("assistant", json.dumps(item)) for item in said)
    asked = Request(
        system="Rules.",
        messages=(Message("user", "Go."), *messages, Message("user", "Go on.")),
        purpose="opening",
        max_output_tokens=99,
        schema=OutputSchema("any", schema),
        rung="native",
    )
    return json.loads(write(asked, Dice("1")))


@pytest.mark.parametrize("pattern", ["^[a-z0-9-]{1,80}$", "^(PRO|CON)-[1-9][0-9]*$", "[^a-z]+", r"^\w+@\w+\.org$"])
def test_a_simple_pattern_is_kept_to(pattern: str) -> None:
    """The string fits, and is as long as it must be."""
    found = formed(pattern, None, 6, 80)
    assert found is not None
    assert (re.search(pattern, found) is not None, len(found) >= 6) == (True, True)


@pytest.mark.parametrize("pattern", ["(?=x)", "*", "[", "(a", "\\1"])
def test_a_pattern_that_is_not_understood_is_let_be(pattern: str) -> None:
    """No error, and no guess."""
    assert formed(pattern, None, 0, None) is None


@pytest.mark.parametrize("said", [{"arguments": 5}, {"claims": True}, {"responses": [1]}], ids=str)
def test_what_was_said_before_may_have_any_shape(said: object) -> None:
    """An own earlier message of another form is no obstacle."""
    jsonschema.validate(answered(OBJECT, said), OBJECT)


def test_all_parts_of_a_whole_are_kept_to() -> None:
    """`allOf` asks for one object with what each part asks for."""
    schema: dict[str, object] = {
        "allOf": [OBJECT, {"properties": {"day": {"format": "date", "type": "string"}}, "required": ["day"]}]
    }
    answer = answered(schema)
    jsonschema.validate(answer, schema)
    assert answer["day"] == "2026-03-14"  # pyright: ignore[reportIndexIssue,reportCallIssue,reportArgumentType,reportUnknownVariableType]
