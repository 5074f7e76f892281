"""Words laid out in lines: within the width, none lost, wide signs counted as wide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from debate_cli.render.live.column import Line, Paragraph, layout_lines, make_line, truncate_line

WORDS = st.text(st.sampled_from("ab 日本👍é\u0301-\n"), max_size=80)


def words(made: Line) -> str:
    """The words of a line."""
    return "".join(part for part, _ in made.spans)


@given(WORDS, st.integers(min_value=8, max_value=40))
def test_no_line_is_wider_than_the_column(text: str, width: int) -> None:
    """Whatever is laid out, with a rail before it or without."""
    paragraph = Paragraph(text, "", (("├─ ", ""),), (("│  ", ""),))
    assert all(made.cells == cell_len(words(made)) <= width for made in layout_lines([paragraph], width))


@given(WORDS, st.integers(min_value=4, max_value=40))
def test_no_word_is_lost(text: str, width: int) -> None:
    """All signs but the blanks at which lines are broken come out in their order."""
    assert "".join(map(words, layout_lines([Paragraph(text)], width))).replace(" ", "") == text.replace(
        " ", ""
    ).replace("\n", "")


def test_a_sign_without_width_stays_before_the_long_word_that_follows() -> None:
    """A combining mark takes no column, and is not left behind when the word after it is broken."""
    assert "".join(words(made) for made in layout_lines([Paragraph("\u0301 aa日")], 4)) == "\u0301 aa日"


@given(st.text(st.sampled_from("ab 日-"), max_size=60), st.text(st.sampled_from("ab 日-"), max_size=20))
def test_lines_that_are_full_do_not_change_when_words_follow(text: str, more: str) -> None:
    """What was drawn of a growing speech stays where it is, but for its last line."""
    before, after = layout_lines([Paragraph(text)], 12), layout_lines([Paragraph(text + more)], 12)
    assert after[: len(before) - 1] == before[:-1]


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("日本語の文章", 8, ["日本語の", "文章"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("  indented word", 20, ["  indented word"]),
        ("one\n\ntwo", 8, ["one", "", "two"]),
        ("", 8, [""]),
    ],
)
def test_where_lines_are_broken(text: str, width: int, rows: list[str]) -> None:
    """At blanks; inside a word only where it is longer than a line; at every line feed."""
    assert [words(made) for made in layout_lines([Paragraph(text)], width)] == rows


@pytest.mark.parametrize(("width", "left"), [(20, "日本 and more"), (6, "日本 …"), (4, "日 …"), (2, "…")])
def test_what_does_not_fit_is_cut(width: int, left: str) -> None:
    """A cut line says that it was cut, and half a wide sign is a blank."""
    made = truncate_line([("日本", "bold"), (" and more", "")], width)
    assert words(made).replace(" …", "…") == left.replace(" …", "…")
    assert made.cells <= width


def test_a_line_knows_its_width() -> None:
    """Wide signs take two columns."""
    assert make_line(("日本", ""), ("ab", "bold")).cells == 6
