"""What is wrong with a YAML text is said in words of people who write one, never in those of the parser."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from debate_cli.storage.yaml_positions import (
    ParseFailure,
    SourcePosition,
    explain_parse_failure,
    parse_failure_from_error,
    parse_yaml,
)

CASES: dict[str, tuple[str, int, int, str]] = {
    "colon in a text": ("topic: Tests: good?\n", 1, 13, "a colon inside a text needs quotes"),
    "two keys on a line": ("debaters:\n  - name: Pro side: for\n", 2, 19, "begin a key on a line of its own"),
    "key too deep": ("topic: x\n  debaters: []\n", 2, 3, "stands deeper than the one above"),
    "item's key too deep": ("- name: x\n    side: for\n", 2, 5, "stands deeper than the one above"),
    "colon in a second line": ("topic: a\n  long one: here\n", 2, 3, "a text that holds `: ` in quotes"),
    "no colon": ("topic x\ndebaters: []\n", 1, 1, "no colon follows"),
    "no colon later": ("topic: x\n# why\ndebaters\nseed: 1\n", 3, 1, "no colon follows"),
    "no blank": ("version: 1\ntopic:x\ndebaters: []\n", 2, 7, "a blank is missing after the colon"),
    "no blank in an item": ("debaters:\n  - name:Pro\n    side: for\n", 2, 10, "a blank is missing after the colon"),
    "text not indented": ("background: |\n  a\nb\nseed: 1\n", 3, 1, "indent a line that goes on with a text above"),
    "further left": ("  topic: x\ndebaters: []\n", 2, 1, "begin all of them in the same column"),
    "indented like nothing": ("limits:\n    timeout_s: 1\n  seed: 1\n", 3, 3, "fits nothing above"),
    "no item": ("debaters:\n  - name: x\n   side: for\n", 3, 4, "fits no item of the list above"),
    "item without a blank": ("debaters:\n  - name: x\n  -name: y\n", 3, 3, "a blank is missing after the `-`"),
    "item among keys": ("topic: x\n- y\n", 2, 1, "an item of a list stands among keys"),
    "list on the key's line": ("debaters: - name: x\n", 1, 11, "move the `-` to the next line"),
    "no key": (": x\n", 1, 1, "a key is missing before this colon"),
    "after a quote": ('topic: "a" b\n', 1, 12, "nothing may follow a closing quote"),
    "an apostrophe": ("topic: 'it's bad'\n", 1, 12, "write a quote within it twice"),
    "after a bracket": ("topic: [Draft] Tests\n", 1, 16, "put a text that begins with a bracket in quotes"),
    "too many brackets": ("a: [x]]\n", 1, 7, "this `]` closes nothing"),
    "comma at the end": ('topic: "x",\nseed: 1\n', 1, 11, "a line ends without `,`"),
    "tab": ("limits:\n\ttimeout_s: 1\n", 2, 1, "indent with blanks"),
    "tab in a text": ("topic: x\n\tdebaters: []\n", 2, 1, "indent with blanks"),
    "tab in a block": ("background: |\n\tx\n", 2, 1, "indent with blanks"),
    "at sign": ("topic: @x\n", 1, 8, "a text cannot begin with `@`"),
    "backtick": ("topic: `x`\n", 1, 8, "a text cannot begin with a backtick"),
    "percent": ("topic: %x\n", 1, 8, "a text cannot begin with `%`"),
    "star": ("topic: *very* good\n", 1, 8, "a text cannot begin with `*`"),
    "ampersand": ("topic: & co\n", 1, 8, "a text cannot begin with `&`"),
    "closing bracket": ("topic: ] x\n", 1, 8, "a text cannot begin with `]`"),
    "question mark": ("topic: ? x\n", 1, 8, "a text cannot begin with `?`"),
    "no value": ("a: [, x]\n", 1, 5, "a value is missing before this `,`"),
    "sign of a block": ("topic: > x\n", 1, 8, "begins on the next line"),
    "no depth": ("topic: |0\n  x\n", 1, 9, "is 1 to 9; leave it out"),
    "open quote": ("topic: 'b\nx: 1\n", 1, 8, "this quote is never closed"),
    "open quote before a document": ('topic: "b\n---\nx: 1\n', 1, 8, "this quote is never closed"),
    "no escape": ('topic: "C:\\xx"\n', 1, 11, "a backslash in double quotes"),
    "open list": ("a: [1, 2\n", 1, 4, "this `[` is never closed; add `]`"),
    "open list above a key": ("a: [1, 2\nb: 3\n", 1, 4, "this `[` is never closed; add `]`"),
    "open mapping": ("models: {default: {model: mock/a}\ndebaters: []\n", 1, 9, "this `{` is never closed; add `}`"),
    "no comma": ('a: ["b" "c"]\n', 1, 9, "a comma or `]` is missing before this"),
    "no comma in JSON": ('{\n  "a": "1"\n  "b": 2}\n', 3, 3, "the `{` of line 1, column 1 is still open"),
    "no pair": ("a: [x}\n", 1, 6, "is closed by `]`, not by `}`"),
    "variable": ("a: {base_url: ${LAB}}\n", 1, 15, "`${…}` between brackets needs quotes"),
    "tag": ("a: !x!y z\n", 1, 4, "tags are not allowed"),
    "directive": ("%YAML 1.2\na: b\n", 1, 1, "a line that begins with `%`"),
    "after the end": ("a: b\n...\nc: d\n", 3, 1, "`...` ends a document"),
    "after a mapping": ("{a: b}\nc: d\n", 2, 1, "write one mapping"),
    "no-break space": ("topic:\u00a0x\nseed: 1\n", 1, 7, "such as a no-break space"),
    "wide colon": ("topic：x\nseed: 1\n", 1, 6, "not the colon of YAML"),
    "conflict": ("topic: x\n<<<<<<< HEAD\nseed: 1\n=======\nseed: 2\n>>>>>>> b\n", 2, 1, "a merge conflict"),
    "Markdown at the end": ("topic: x\n```\n", 2, 1, "a Markdown code block"),
    "Markdown within a text": ("background: |\n  a\n  ```\nfoo: a: b\n", 4, 7, "a colon inside a text needs quotes"),
    "no-break space within a text": ("background: |\n  \u00a0a\nfoo: a: b\n", 3, 7, "a colon inside a text needs quotes"),
    "Markdown above what fits nothing": ("background: |\n  a\n  ```\n seed: 1\n", 4, 2, "fits nothing above"),
    "no-break space above an item's key": ("- name:\u00a0Pro\n  side: for\n", 1, 8, "such as a no-break space"),
    "Markdown": ("```yaml\ntopic: x\n```\n", 1, 1, "a Markdown code block"),
}  # fmt: skip
PARSERS_WORDS = re.compile(r"in this context|did not find|found |while |not allowed here|<[a-z ]+>|scalar|token|node")


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_named_where_it_was_made(name: str) -> None:
    """With line and column, both from 1, and what to do."""
    text, line, column, words = CASES[name]
    (fault,) = parse_yaml(text).faults
    assert (fault.position, words in fault.message) == (SourcePosition(line, column), True), fault


@pytest.mark.parametrize("name", CASES)
def test_the_words_do_not_depend_on_the_parser(name: str) -> None:
    """PyYAML's own parser, which stands in where the one in C is not there, is understood as well."""
    text, *_, words = CASES[name]
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        list(_events(text))
    assert words in explain_parse_failure(parse_failure_from_error(caught.value, text))[1]


def test_what_is_not_known_is_told_all_the_same() -> None:
    """A parser may learn new words."""
    stumble = ParseFailure("mush found", "while cooking", SourcePosition(2, 3), SourcePosition(1, 1), ["a: b", "c: d"])
    assert explain_parse_failure(stumble) == (
        SourcePosition(2, 3),
        "this cannot be read as YAML; look here for a missing quote, bracket or colon, and for wrong indentation",
    )


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a: ", "b", ": ", "- ", "\n", "  ", "\t", "[", "]", "{", "}", ",", "'", '"', "&", "*",
                                 "!", "|", ">", "%", "@", "`", "?", "#", "---", "...", "${", "\\", "\u00a0", "é"]),
                max_size=25).map("".join))  # fmt: skip
def test_no_text_brings_the_words_of_the_parser(text: str) -> None:
    """And none is told a place outside of it."""
    for fault in parse_yaml(text).faults:
        assert PARSERS_WORDS.search(fault.message) is None
        assert 1 <= fault.position.line <= text.count("\n") + 1


def _events(text: str) -> Any:
    return yaml.parse(text, Loader=yaml.SafeLoader)  # pyright: ignore[reportUnknownMemberType]
