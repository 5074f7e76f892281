"""A sentence for the user in a window: lines end between words; what may be copied from it is not broken by us."""

from __future__ import annotations

import pytest
from debate_cli.render.drawn.wrapped import wrap_sentence
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

PATH = "/home/mira/debates/2026/on-the-four-day-week.json"
SENTENCES = {
    "key": "bad.yaml:4:12: OPENAI_API_KEY is not set; set it in .env, or `debate run --mock` (debate explain missing-key)",
    "path": f"debate: {PATH}: there is no such file; name one that there is",
    "saved": "saved: /home/mira/my debates/on work.json",
    "way": f"next: debate run {PATH}   (or rehearse it: debate run {PATH} --mock)",
    "blanks": "go on with: debate run --resume '/home/mira/my debates; old/on work.json' --max-tokens N (or --max-cost USD)",
}


@pytest.mark.parametrize("width", [40, 50, 60])
@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("key", "(debate explain missing-key)"),
        ("key", "`debate run --mock`"),
        ("path", f"{PATH}:"),
        ("saved", "/home/mira/my debates/on work.json"),
        ("way", f"debate run {PATH}"),
        ("way", f"debate run {PATH} --mock)"),
        ("blanks", "debate run --resume '/home/mira/my debates; old/on work.json' --max-tokens N"),
    ],
)
def test_a_path_or_command_stands_on_one_line(sentence: str, kept: str, width: int) -> None:
    """Also where that is wider than the window: then the terminal breaks it, and it is copied in one piece."""
    assert any(kept in row for row in wrap_sentence(SENTENCES[sentence], width))


def test_further_lines_are_indented() -> None:
    """So that the next fault is told from them; what has no room behind the indent begins at the edge."""
    told = "bad.yaml:3:5: side: is missing; a-word-of-20-letters"
    assert wrap_sentence(told, 21) == ["bad.yaml:3:5: side:", "  is missing;", "a-word-of-20-letters"]


def test_what_is_indented_stays_so() -> None:
    """A line on a detail of the one above it."""
    assert wrap_sentence("  debaters.0.name: was Ada, is now Bo", 24) == [
        "  debaters.0.name: was",
        "    Ada, is now Bo",
    ]


@given(st.text(st.sampled_from("ab`-(:;') 漢é"), max_size=80), st.integers(1, 60))
def test_nothing_but_blanks_is_lost(words: str, width: int) -> None:
    """And nothing is added but the indent."""
    assert "".join("".join(wrap_sentence(words, width)).split()) == "".join(words.split())


@given(st.lists(st.text("ab:;漢", min_size=1, max_size=6), min_size=1, max_size=30), st.integers(14, 60))
def test_no_line_of_short_words_is_wider_than_the_window(words: list[str], width: int) -> None:
    """Signs of double width count twice."""
    assert all(cell_len(row) <= width for row in wrap_sentence(" ".join(words), width))
