"""A setting's value in words: no quotes, no brackets, and two that differ look different."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.setting_words import ROOM, pair, words

TEXTS = st.text(alphabet="ab c", max_size=200).map(lambda text: " ".join(text.split()))


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
    assert words(value) == said


def test_long_texts_are_shown_where_they_part() -> None:
    """Both begin alike, so their beginnings would say nothing."""
    begin = "The company has eighteen months of money left, no platform team, and sells to three banks in "
    one, other = pair(f"{begin}Italy, which are slow to pay.", f"{begin}Spain, which are slow to pay.")
    assert ("Italy" in one, "Spain" in other) == (True, True)


@given(TEXTS, TEXTS)
def test_two_that_differ_look_different(first: str, second: str) -> None:
    """In the room that there is, whatever they have in common."""
    one, other = pair(first, second)
    assert max(len(one), len(other)) <= ROOM
    assert (one == other) == (words(first) == words(second))
