"""Formatted settings: plain words, cut if they are long."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.config_differences import format_setting


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


def test_a_long_value_is_cut() -> None:
    """The end of a cut value is marked."""
    assert format_setting(["logic"] * 100) == f"{'logic, ' * 7}logic,…"


@given(st.text(max_size=60))
def test_control_characters_are_escaped(text: str) -> None:
    """Control characters and other unprintable characters are escaped."""
    assert format_setting({text: text, "x": 1}).isprintable()
