"""Whether quoted words were said."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from debate_cli.judging.quotes import MIN_QUOTE_CHARS, is_quoted_in, normalize_text

SPEECH = "In 2019, “three of five” teams — all small — went back.\nIt wasn’t cheap: costs rose by 40%."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("three of five", True),
        ("THREE OF FIVE", True),
        ('"three of five" teams - all small - went back', True),
        ("It wasn't cheap", True),
        ("went back. It wasn't cheap", True),
        ("In 2019 ... went back", True),
        ("In 2019 … costs rose by 40%", True),
        ("went back … In 2019", False),
        ("four of five", False),
        ("costs rose by 4 %", False),
        ("", False),
        ("...", False),
        ("In", False),
    ],
)
def test_matching_forgives_typography_and_nothing_else(quote: str, found: bool) -> None:
    """Case, white space, kinds of quotes and dashes, an ellipsis."""
    assert is_quoted_in(quote, SPEECH) == found


LETTERS = st.text(st.characters(categories=["L", "N"]), min_size=MIN_QUOTE_CHARS)
WORDS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" '-,;\n"))


@given(st.text(), st.builds("{}{}".format, LETTERS, WORDS), st.text())
def test_every_part_of_a_text_that_is_long_enough_was_said(before: str, quote: str, after: str) -> None:
    """Unless it falls apart at an ellipsis, which is not the point here."""
    assume("..." not in normalize_text(quote))
    assert is_quoted_in(quote, f"{before} {quote} {after}")
