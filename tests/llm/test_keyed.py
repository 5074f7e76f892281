"""Lists that answer known items go out as objects with a key for each, and come back as lists."""

from __future__ import annotations

from typing import Any

import pytest

from debate_cli.llm.keyed import convert_list_to_object, find_key_member, restore_lists
from debate_cli.llm.schema_dialect import convert_schema


def item(key: str) -> dict[str, Any]:
    """The schema of the answer to one known item."""
    return {
        "type": "object",
        "properties": {"target": {"const": key}, "reasoning": {"type": "string"}},
        "required": ["target", "reasoning"],
        "additionalProperties": False,
    }


def answers(*keys: str) -> dict[str, Any]:
    """The schema of a list that answers each key in turn."""
    return {"type": "array", "prefixItems": [item(key) for key in keys], "minItems": len(keys), "maxItems": len(keys)}


def form(*keys: str) -> dict[str, Any]:
    """An object around it."""
    return {"type": "object", "properties": {"responses": answers(*keys)}, "required": ["responses"]}


def test_each_known_item_becomes_a_required_key() -> None:
    """Nothing can be left out or answered twice."""
    schema = convert_list_to_object(answers("PRO-1", "PRO-2"))
    assert schema["required"] == ["PRO-1", "PRO-2"]
    assert list(schema["properties"]["PRO-1"]["properties"]) == ["reasoning"]


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_dialects_without_prefix_items_get_the_object(dialect: Any) -> None:
    """The lowered schema has a key for each item and no prefixItems."""
    lowered = convert_schema(form("PRO-1", "PRO-2"), dialect)["properties"]["responses"]
    assert lowered["type"] == "object"
    assert lowered["required"] == ["PRO-1", "PRO-2"]
    assert lowered["additionalProperties"] is False


def test_grammars_keep_the_list() -> None:
    """`full` understands prefixItems."""
    assert "prefixItems" in convert_schema(form("PRO-1"), "full")["properties"]["responses"]


def test_an_answered_object_is_read_as_the_list() -> None:
    """The key comes back as the member that names the item, whatever the order."""
    answered = {"responses": {"PRO-2": {"reasoning": "b"}, "PRO-1": {"reasoning": "a"}}}
    assert restore_lists(answered, form("PRO-1", "PRO-2")) == {
        "responses": [{"target": "PRO-2", "reasoning": "b"}, {"target": "PRO-1", "reasoning": "a"}]
    }


def test_an_answered_list_stays_as_it_is() -> None:
    """Servers that know better are not corrected."""
    answered = {"responses": [{"target": "PRO-1", "reasoning": "a"}]}
    assert restore_lists(answered, form("PRO-1")) == answered


@pytest.mark.parametrize("keys", [("a b",), ("A", "A"), ("x" * 65,)], ids=["space", "twice", "long"])
def test_items_that_cannot_be_keys_stay_a_list(keys: tuple[str, ...]) -> None:
    """A key must be one that every provider takes, and unique."""
    assert find_key_member(answers(*keys)) is None
