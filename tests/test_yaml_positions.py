"""YAML text as data with positions. Hostile text gives an error with a position, never a crash."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate_cli.yaml_positions import (
    MAX_YAML_BYTES,
    MAX_YAML_DEPTH,
    ParsedYaml,
    SourcePosition,
    YamlFault,
    dump_yaml,
    parse_yaml,
)

LAUGHS = "a: &a [1]\n" + "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 10)}]\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# nothing", None),
        ("a: 1\nb: 1.5\nc: 1e3\nd: 0x1f\ne: -7", {"a": 1, "b": 1.5, "c": 1000.0, "d": "0x1f", "e": -7}),
        ("a: true\nb: False\nc: ~\nd: null\ne:", {"a": True, "b": False, "c": None, "d": None, "e": None}),
        ("a: no\nb: on\nc: 2026-01-01\nd: 12:30", {"a": "no", "b": "on", "c": "2026-01-01", "d": "12:30"}),
        ("a: '1'\nb: \"true\"\nc: |\n  2\n", {"a": "1", "b": "true", "c": "2\n"}),
        ("1: a\ntrue: b", {"1": "a", "true": "b"}),
        ("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}", {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 3}}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: " + "9" * 200, {"a": "9" * 200}),
        ('{"a": "\\uD83D\\ude00 \\u00e9"}', {"a": "😀 é"}),
        ("a: \\ud83d\\ude00", {"a": "\\ud83d\\ude00"}),
    ],
)
def test_scalars_follow_the_core_schema(text: str, data: Any) -> None:
    """Numbers, booleans and null are those of YAML 1.2; everything else is text."""
    parsed = parse_yaml(text)
    assert (parsed.data, parsed.faults) == (data, ())


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
DATA = st.recursive(
    TEXTS
    | st.integers(-(10**90), 10**90)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXTS, part, max_size=3),
    max_leaves=6,
)


@given(DATA, st.sampled_from([20, 110]))
@example({"key\x85": "a\x85b"}, 110)
@example({"\u202e 1": ["\\u202e", "'\u2066", "\u200b" * 40]}, 20)
@example(["\u2028", "\ufeff", "\x00", "😀 \x07", "1e3", "yes", "two\nlines\n"], 20)
def test_written_data_is_read_back_unchanged(data: Any, width: int) -> None:
    """Also texts that look like numbers, line breaks of every kind, and control characters."""
    parsed = parse_yaml(dump_yaml(data, width))
    assert (parsed.data, parsed.faults) == (data, ())


def test_format_characters_are_escaped() -> None:
    """Written YAML has no character that reverses or hides a text. Those that join letters or emoji stay."""
    hidden, joiners = "\u061c\u200b\u200e\u202e\u2060\u2066\ufff9", "\u200c\u200d"
    written = dump_yaml({f"key{hidden}": hidden + joiners}, 110)
    assert written == '"key{0}": "{0}{1}"\n'.format(ascii(hidden)[1:-1], joiners)
    assert parse_yaml(written).data == {f"key{hidden}": hidden + joiners}


def test_scalars_stay_text_on_request() -> None:
    """A number, `yes` or an empty field stays as written."""
    parsed = parse_yaml("a: 1.50\nb: yes\nc:\nd: [~]", scalars_as_text=True)
    assert (parsed.data, parsed.faults) == ({"a": "1.50", "b": "yes", "c": "", "d": ["~"]}, ())


@pytest.mark.parametrize("text", ["a: *so", "a: &x b"])
def test_a_text_that_begins_like_an_anchor_needs_quotes(text: str) -> None:
    """Otherwise its first word would be lost."""
    (fault,) = parse_yaml(text, scalars_as_text=True).faults
    assert (fault.position, "needs quotes" in fault.message) == (SourcePosition(1, 4), True)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\nb: 2\na: 3", 3, 1, "duplicate key"),
        ("a: {b: 1,\n    b: 2}", 2, 5, "duplicate key"),
        ("a: !!python/object:os.system x", 1, 4, "tags are not allowed"),
        ("a: !mine {b: 1}", 1, 4, "tags are not allowed"),
        ("!!str a: 1", 1, 1, "tags are not allowed"),
        ("a: &a [*a]", 1, 4, "deep"),
        ("a: 1\n---\nb: 2", 2, 1, "a second document"),
        ("? [1]\n: 2", 1, 3, "a key must be"),
        ("a: b\nc: \x07", 2, 4, "control character"),
        ("a: {<<: 3}", 1, 5, "`<<` needs a mapping"),
        ("[" * 900, 1, MAX_YAML_DEPTH + 1, "deep"),
        ("- " * 10_000, 1, 2 * MAX_YAML_DEPTH + 1, "deep"),
        ("- a\n" * 50_000, 20_000, 3, "more than 20000 values"),
        (LAUGHS, 1, 8, "where each alias counts as a copy"),
        ("a" * (MAX_YAML_BYTES + 1), 1, 1, "larger than 1024 KiB"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_fault_has_a_position(text: str, line: int, column: int, words: str) -> None:
    """Tags, duplicate keys, size, depth and alias expansion are refused with line and column."""
    fault = parse_yaml(text).faults[0]
    assert (fault.position, words in fault.message) == (SourcePosition(line, column), True), fault


def test_a_text_that_libyaml_refuses_as_too_deep_is_too_deep() -> None:
    """PyYAML from 6.0.4 on fails before its first event. The message is the same."""
    (fault,) = parse_yaml("[" * 10_000).faults
    assert fault.message.startswith(f"nested more than {MAX_YAML_DEPTH} levels deep")


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("topic: Tests: good?\n", 1, 13, "mapping values are not allowed"),
        ("topic: x\n# why\ndebaters\nseed: 1\n", 4, 1, "could not find expected ':'"),
        ("limits:\n    timeout_s: 1\n  seed: 1\n", 3, 3, "did not find expected key"),
        ("limits:\n\ttimeout_s: 1\n", 2, 1, "cannot start any token"),
        ("topic: 'b\nx: 1\n", 3, 1, "found unexpected end of stream"),
        ("a: *nobody", 1, 4, "undefined alias"),
    ],
)
def test_a_syntax_error_has_a_position(text: str, line: int, column: int, words: str) -> None:
    """A syntax error has the parser's words, line and column from 1, and advice."""
    (fault,) = parse_yaml(text).faults
    assert fault == YamlFault(SourcePosition(line, column), fault.message)
    assert fault.message.startswith("not valid YAML (")
    assert words in fault.message


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("a",), 1, 1),
        (("a", "b"), 2, 6),
        (("a", "c"), 3, 3),
        (("a", "c", 0), 4, 7),
        (("a", "c", 1), 5, 7),
        (("a", "c", 1, "d"), 5, 10),
    ],
)
def test_every_value_has_a_position(path: tuple[str | int, ...], line: int, column: int) -> None:
    """A scalar and an item of a list have their own position; another value has that of its key."""
    assert parse_yaml("a:\n  b: 1\n  c:\n    - x\n    - d: y\n").positions[path].value == SourcePosition(line, column)


@settings(deadline=None)
@given(st.text() | st.text("ab:- \n[]{},&*!#'\"|>?%@`<~0.\t$\\", max_size=60))
@example("a: &a\n<<: *a")
@example("{<<: [1, {a: b}]}")
@example("? *a")
def test_no_text_breaks_the_parser(text: str) -> None:
    """Every text gives data or an error with a position inside the text."""
    parsed = parse_yaml(text)
    assert isinstance(parsed, ParsedYaml)
    for fault in parsed.faults:
        assert 1 <= fault.position.line <= len(text.splitlines()) + 1
