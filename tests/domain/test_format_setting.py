"""Formatted settings: plain words; different values look different."""

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
def test_a_value_is_formatted_plainly(value: Any, said: str) -> None:
    """A value is shown without quotes and brackets."""
    assert format_setting(value) == said


def test_long_texts_show_their_first_difference() -> None:
    """Two long texts are cut where they begin to differ."""
    begin = "The company has eighteen months of money left, no platform team, and sells to three banks in "
    one, other = format_setting_pair(f"{begin}Italy, which are slow to pay.", f"{begin}Spain, which are slow to pay.")
    assert ("Italy" in one, "Spain" in other) == (True, True)


@given(TEXTS | VALUES, TEXTS | VALUES)
def test_different_values_look_different(first: Any, second: Any) -> None:
    """Two different values are shown as different texts of limited length."""
    one, other = format_setting_pair(first, second)
    assert max(len(one), len(other)) <= MAX_SETTING_CHARS
    if json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        assert one != other


@given(st.text(max_size=60))
def test_control_characters_are_escaped(text: str) -> None:
    """Control characters and other unprintable characters are escaped."""
    assert format_setting({text: text, "x": 1}).isprintable()
