"""A setting's value in words: no quotes, no brackets; two that differ look different, if need be as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.config_differences import MAX_SETTING_CHARS, format_setting, format_setting_pair

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(["", "a", "a ", "not set", "true", "1", "none", "\x1b[31m"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "x"]), inner, max_size=2),
)
TEXTS = st.text(alphabet="ab c", max_size=200)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not set"),
        (True, "true"),
        (2.0, "2"),
        (0.25, "0.25"),
        (7, "7"),
        ("", "empty"),
        ("two\n lines", "two lines"),
        ([], "none"),
        (["logic", "risk"], "logic, risk"),
        ({"draw": 1, "clear": 3, "tie": None}, "draw 1, clear 3"),
        ({"model": "mock/a", "faults": None}, "mock/a"),
        ([{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}], "Pro, Con"),
        ({}, "none"),
    ],
    ids=repr,
)
def test_a_value_in_words(value: Any, said: str) -> None:
    """As a person would say it."""
    assert format_setting(value) == said


def test_long_texts_are_shown_where_they_part() -> None:
    """Both begin alike, so their beginnings would say nothing."""
    begin = "The company has eighteen months of money left, no platform team, and sells to three banks in "
    one, other = format_setting_pair(f"{begin}Italy, which are slow to pay.", f"{begin}Spain, which are slow to pay.")
    assert ("Italy" in one, "Spain" in other) == (True, True)


@given(TEXTS | VALUES, TEXTS | VALUES)
def test_two_that_differ_look_different(first: Any, second: Any) -> None:
    """In the room that there is, whatever they have in common."""
    one, other = format_setting_pair(first, second)
    assert max(len(one), len(other)) <= MAX_SETTING_CHARS
    if json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        assert one != other


@given(st.text(max_size=60))
def test_nothing_is_told_that_a_terminal_acts_on(text: str) -> None:
    """Control characters and what cannot be seen are spelt out."""
    assert format_setting({text: text, "x": 1}).isprintable()
