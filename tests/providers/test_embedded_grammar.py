"""Schemas of the embedded model are narrowed to what grammars enforce and small models can fill in."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.providers.embedded import narrow_schema

TEXT = {"type": "string", "maxLength": 160}


def list_of(items: dict[str, Any], least: int = 0, most: int = 3) -> dict[str, Any]:
    """A list schema."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


@pytest.mark.parametrize("plain", [True, False])
def test_fractions_are_chosen_from_a_list(plain: bool) -> None:
    """Grammars do not enforce the bounds of fractions, so a fraction is one of eleven values."""
    narrowed = narrow_schema({"type": "number", "minimum": 0, "maximum": 1}, plain=plain)
    assert narrowed == {"enum": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]}


def test_other_models_are_not_narrowed() -> None:
    """Only the packaged, very small model is limited to plain sentences."""
    assert narrow_schema(TEXT, plain=False) == TEXT


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Startups should not adopt microservices from day one.", True),
        ("It doesn't follow from what people say.", True),
        ("no capital letter at the start of this one.", False),
        ("Nothing ends this one in the way it should", False),
        ("https://example.com/never-seen", False),
        ("Counting 1,2,3,4,5,6,7,8,9 does not help.", False),
        ("Well.", False),
        ("Supercalifragilisticexpialidocious words are not for it.", False),
    ],
)
def test_plain_texts_are_sentences(text: str, fits: bool) -> None:
    """A plain sentence has words of letters, a capital first and punctuation last."""
    pattern = narrow_schema(TEXT, plain=True)["pattern"]
    assert (re.search(pattern, text) is not None) == fits


@pytest.mark.parametrize("most", [100, 300, 1400])
@given(data=st.data())
def test_plain_texts_keep_their_limit(data: st.DataObject, most: int) -> None:
    """Every text that the pattern accepts is within maxLength."""
    pattern = narrow_schema({"type": "string", "maxLength": most}, plain=True)["pattern"]
    text: str = data.draw(st.from_regex(str(pattern), fullmatch=True))
    assert len(text) <= most


@pytest.mark.parametrize("schema", [{"type": "string", "maxLength": 40}, {"type": "string", "pattern": "^x$"}])
def test_short_texts_and_patterns_are_unchanged(schema: dict[str, Any]) -> None:
    """A text that is too short for a sentence, or has a pattern, is not narrowed."""
    assert narrow_schema(schema, plain=True) == schema


def test_optional_quotes_are_omitted() -> None:
    """A very small model cannot quote, so a list of quotes that may be empty is empty."""
    quoted = list_of({"type": "object", "properties": {"quote": {"type": "string"}, "fault": {"enum": ["hollow"]}}})
    assert narrow_schema(quoted, plain=True) == {"enum": [[]]}
    assert narrow_schema(quoted, plain=False) == quoted
