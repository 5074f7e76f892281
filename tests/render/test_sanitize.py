"""Sanitizing removes from untrusted text what a terminal would obey, and nothing else."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import HOSTILE, render_text
from rich.text import Text

from debate_cli.domain.message_text import sanitize_text
from debate_cli.render.sanitize import escape_json, sanitize_line
from debate_cli.render.terminal.drawing import join_text, terminal_line, terminal_text

FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff]")
NOISE = st.text(
    st.one_of(st.sampled_from("\x1b\x9b\x9d\x90[]\\;m0?P\x07\u202e\r\n"), st.characters(codec=None)), max_size=60
)


@pytest.mark.parametrize(
    ("text", "sanitized"),
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
        ("tag\U000e0041, \u206a, \U0001d173", "tag, , "),
        ("lone \ud800", "lone \ufffd"),
        ("[bold]kept[/bold]", "[bold]kept[/bold]"),
        ("tab\tand\nbreak", "tab\tand\nbreak"),
        ("Straße 日本 é 👍🏽", "Straße 日本 é 👍🏽"),
        ("❤️ 👨‍👩‍👧 葛󠄀 می‌خواهم", "❤️ 👨‍👩‍👧 葛󠄀 می‌خواهم"),
        pytest.param("\x1b]" * 200_000, "", id="long run of openers, in linear time"),
    ],
)
def test_control_sequences_are_removed(text: str, sanitized: str) -> None:
    """Sequences, controls, bidi controls and invisible tags go; words, markup and scripts stay."""
    assert sanitize_text(text) == sanitized


@given(NOISE)
def test_no_text_keeps_a_control_character(text: str) -> None:
    """Sanitizing is idempotent; escaped JSON has no control character either."""
    sanitized = sanitize_text(text)
    assert FORBIDDEN.search(sanitized) is None
    assert sanitize_text(sanitized) == sanitized
    assert not FORBIDDEN.search(escape_json(json.dumps(text, ensure_ascii=False)))


def test_a_sanitized_line_is_one_line() -> None:
    """A name cannot begin a line."""
    assert sanitize_line("Ada\nVerdict: Ada wins\u2028!") == "Ada Verdict: Ada wins !"


@pytest.mark.parametrize(
    "text", [terminal_text(HOSTILE), terminal_line(HOSTILE), join_text(terminal_text(HOSTILE), ("own", "bold"))]
)
def test_rich_markup_is_not_interpreted(text: Text) -> None:
    """It is printed as it is."""
    assert "[bold red]markup[/]" in render_text(text)


def test_a_colour_terminal_gets_only_our_sequences() -> None:
    """Sequences of the text are removed."""
    output = render_text(terminal_text(HOSTILE, "bold"), colour=True)
    assert set(re.findall(r"\x1b.[0-9;]*.", output)) <= {"\x1b[1m", "\x1b[0m"}


UNPAIRED = NOISE.filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
"""Adjacent surrogate halves become one character once they are escaped."""


@given(st.recursive(UNPAIRED, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(UNPAIRED, inner, max_size=3)))
def test_escaped_json_has_the_same_value(value: object) -> None:
    """Strings and keys are unchanged after parsing."""
    assert json.loads(escape_json(json.dumps(value, ensure_ascii=False))) == value


def test_escaped_json_keeps_letters_of_all_languages() -> None:
    """Only control characters are escaped."""
    document = json.dumps(["Straße 日本 é 👍🏽"], ensure_ascii=False, indent=2)
    assert escape_json(document) == document
