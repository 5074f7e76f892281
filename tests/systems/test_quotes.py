"""Whether a quote is in a text."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from debate_cli.judge_input.quotes import (
    MIN_QUOTE_CHARS,
    find_quoted_line,
    find_quoted_passages,
    is_quoted_in,
    normalize_text,
)

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
        ("In 2019, ITEM-1 teams", True),
        ("ITEM-1: costs rose", True),
        ("costs ITEM-1 In 2019", False),
        ("ITEM-1", False),
        ("four of five", False),
        ("costs rose by 4 %", False),
        ("", False),
        ("...", False),
        ("In", False),
    ],
)
def test_matching_ignores_typography(quote: str, found: bool) -> None:
    """Case, white space, quotation marks and dashes do not matter. An ellipsis or the alias of a name skips words."""
    assert is_quoted_in(quote, SPEECH) == found


LETTERS = st.text(st.characters(categories=["L", "N"]), min_size=MIN_QUOTE_CHARS)
WORDS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" '-,;\n"))


@given(st.text(), st.builds("{}{}".format, LETTERS, WORDS), st.text())
def test_every_long_enough_part_of_a_text_is_found(before: str, quote: str, after: str) -> None:
    """Each long part of a text is found in it, unless it has an ellipsis or an alias."""
    assume("..." not in normalize_text(quote))
    assume("item-" not in normalize_text(quote))
    assert is_quoted_in(quote, f"{before} {quote} {after}")


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("We ship on Friday", 3),
        ("“we SHIP on friday.”", 3),
        ("the backup is tested yearly", 5),
        ("We ship … tested", 3),
        ("tested … We ship", None),
        ("never said", None),
        ("on", None),
    ],
)
def test_the_line_of_a_quote_in_a_text(quote: str, line: int | None) -> None:
    """Lines count from 1. A quote may span two lines, and very short quotes are not searched."""
    assert find_quoted_line(quote, "# Plan\n\nWe ship on Friday.\n\nThe backup is\n  tested yearly.\n") == line


def test_passages_in_double_quotation_marks() -> None:
    """Passages are found in quotation marks of any typography. Apostrophes and inches are no quotation marks."""
    text = 'Risk: “we ship” and "on Friday" «am Freitag», „sofort“; it\'s 5" wide'
    assert find_quoted_passages(text) == ["we ship", "on Friday", "am Freitag", "sofort"]
