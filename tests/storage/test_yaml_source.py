"""YAML as data with places: hostile texts are faults, never a crash."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate_cli.storage.yaml_positions import MAX_YAML_BYTES, MAX_YAML_DEPTH, ParsedYaml, SourcePosition, parse_yaml

LAUGHS = "a: &a [1]\n" + "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}' if n else '*a'] * 10)}]\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# nothing", None),
        ("a: 1\nb: 1.5\nc: 1e3\nd: 0x1f\ne: -7", {"a": 1, "b": 1.5, "c": 1000.0, "d": 31, "e": -7}),
        ("a: true\nb: False\nc: ~\nd: null\ne:", {"a": True, "b": False, "c": None, "d": None, "e": None}),
        ("a: no\nb: on\nc: 2026-01-01\nd: 12:30", {"a": "no", "b": "on", "c": "2026-01-01", "d": "12:30"}),
        ("a: '1'\nb: \"true\"\nc: |\n  2\n", {"a": "1", "b": "true", "c": "2\n"}),
        ("1: a\ntrue: b", {"1": "a", "true": "b"}),
        ("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}", {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 3}}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: " + "9" * 200, {"a": "9" * 200}),
    ],
)
def test_scalars_follow_the_core_schema(text: str, data: Any) -> None:
    """Numbers, truth values and null are what YAML 1.2 says; everything else is text."""
    parsed = parse_yaml(text)
    assert (parsed.data, parsed.faults) == (data, ())


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\nb: 2\na: 3", 3, 1, "a second time"),
        ("a: {b: 1,\n    b: 2}", 2, 5, "a second time"),
        ("a: !!python/object:os.system x", 1, 4, "tags are not allowed"),
        ("a: !mine {b: 1}", 1, 4, "tags are not allowed"),
        ("!!str a: 1", 1, 1, "tags are not allowed"),
        ("a: *nobody", 1, 4, "no anchor"),
        ("a: &a [*a]", 1, 8, "no anchor"),
        ("a: 1\n---\nb: 2", 2, 1, "a second document"),
        ("? [1]\n: 2", 1, 3, "a key must be"),
        ("a: [1, 2", 1, 4, "never closed"),
        ("a: 'b", 1, 4, "never closed"),
        ("\ta: 1", 1, 1, "a tab"),
        ("a: b\nc: \x07", 2, 4, "control character"),
        ("a: {<<: 3}", 1, 5, "`<<` takes a mapping"),
        ("[" * 10_000, 1, MAX_YAML_DEPTH + 2, "deep"),
        ("- " * 10_000, 1, 2 * MAX_YAML_DEPTH + 3, "deep"),
        (LAUGHS, 5, 50, "aliases expanded"),
        ("a" * (MAX_YAML_BYTES + 1), 1, 1, "larger than 1024 KiB"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_fault_has_a_place(text: str, line: int, column: int, words: str) -> None:
    """What is wrong with a text is said with line and column, both from 1."""
    fault = parse_yaml(text).faults[0]
    assert (fault.position, words in fault.message) == (SourcePosition(line, column), True)


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
def test_every_value_has_a_place(path: tuple[str | int, ...], line: int, column: int) -> None:
    """A scalar and an item stand where they begin, a mapping or list where its key does."""
    assert parse_yaml("a:\n  b: 1\n  c:\n    - x\n    - d: y\n").positions[path] == SourcePosition(line, column)


@pytest.mark.parametrize(("path", "column"), [(("a",), 1), (("a", "b"), 5), (("a", "c"), 17), (("a", "c", 0, "d"), 22)])
def test_every_key_has_a_place(path: tuple[str | int, ...], column: int) -> None:
    """Whatever stands behind it: a text, a list, an alias."""
    assert parse_yaml("a: {b: &x text, c: [{d: *x}]}\n").key_positions[path] == SourcePosition(1, column)


@settings(deadline=None)
@given(st.text())
@example("a: &a\n<<: *a")
@example("{<<: [1, {a: b}]}")
def test_no_text_breaks_the_reader(text: str) -> None:
    """Whatever the text, there is data or a fault."""
    parsed = parse_yaml(text)
    assert parsed.faults or isinstance(parsed.data, dict | list | str | int | float | bool | None)


@settings(deadline=None)
@given(st.text("ab:- \n[]{},&*!#'\"|>?%@`<~0.\t", max_size=60))
def test_no_yaml_breaks_the_reader(text: str) -> None:
    """The same with texts made of YAML's own signs."""
    assert isinstance(parse_yaml(text), ParsedYaml)
