"""Untrusted text loses what a terminal would obey, and nothing else."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import HOSTILE, shown
from rich.text import Text

from debate_cli.render.sanitize import escape_json, sanitize_line, sanitize_text
from debate_cli.render.terminal import join_text, terminal_line, terminal_text

FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff]")
NOISE = st.text(
    st.one_of(st.sampled_from("\x1b\x9b\x9d\x90[]\\;m0?P\x07\u202e\r\n"), st.characters(codec=None)), max_size=60
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x1b\\words", "words"),
        ("\x9b2Jwords", "words"),
        ("\x1bPq#0\x1b\\words", "words"),
        ("a\x1bcb", "ab"),
        ("\x1b[\x1b[31m31mtwice", "31mtwice"),
        ("over\rwritten", "over\nwritten"),
        ("bell\x07", "bell"),
        ("\u202egnp.exe\u202c", "gnp.exe"),
        ("tag\U000e0041", "tag"),
        ("lone \ud800", "lone \ufffd"),
        ("[bold]kept[/bold]", "[bold]kept[/bold]"),
        ("tab\tand\nbreak", "tab\tand\nbreak"),
        ("Straße 日本 é 👍🏽", "Straße 日本 é 👍🏽"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    """Sequences, controls, bidi controls and invisible tags go; words, markup and scripts stay."""
    assert sanitize_text(text) == left


@given(NOISE)
def test_nothing_that_is_obeyed_is_left(text: str) -> None:
    """Whatever is put in, no control character comes out."""
    assert FORBIDDEN.search(sanitize_text(text)) is None


@given(NOISE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    """What was cleaned is clean."""
    assert sanitize_text(sanitize_text(text)) == sanitize_text(text)


def test_a_long_run_of_openers_is_cleaned_in_time() -> None:
    """Sequences that never end do not make the work grow with the square of their number."""
    assert sanitize_text("\x1b]" * 200_000) == ""


def test_a_line_is_one_line() -> None:
    """A name cannot begin a line of its own."""
    assert sanitize_line("Ada\nVerdict: Ada wins\u2028!") == "Ada Verdict: Ada wins !"


@pytest.mark.parametrize(
    "text", [terminal_text(HOSTILE), terminal_line(HOSTILE), join_text(terminal_text(HOSTILE), ("own", "bold"))]
)
def test_no_markup_is_read(text: Text) -> None:
    """Rich markup in untrusted text is shown as it stands."""
    assert "[bold red]markup[/]" in shown(text)


def test_a_coloured_terminal_gets_no_foreign_sequence() -> None:
    """On a terminal with colours, only our own sequences are sent."""
    sent = shown(terminal_text(HOSTILE, "bold"), colour=True)
    assert set(re.findall(r"\x1b.[0-9;]*.", sent)) <= {"\x1b[1m", "\x1b[0m"}


UNPAIRED = NOISE.filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
"""Two halves of a sign that stand beside each other are that sign, once they are escapes."""


@given(st.recursive(UNPAIRED, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(UNPAIRED, inner, max_size=3)))
def test_an_escaped_document_says_the_same(value: object) -> None:
    """Whatever stands in its strings and keys."""
    assert json.loads(escape_json(json.dumps(value, ensure_ascii=False))) == value


@given(NOISE)
def test_an_escaped_document_has_nothing_that_a_terminal_obeys(text: str) -> None:
    """Nor what it would not show."""
    assert not FORBIDDEN.search(escape_json(json.dumps(text, ensure_ascii=False)))


def test_an_escaped_document_stays_readable() -> None:
    """Letters of all languages are left as they are."""
    document = json.dumps(["Straße 日本 é 👍🏽"], ensure_ascii=False, indent=2)
    assert escape_json(document) == document
