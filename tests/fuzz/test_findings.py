"""Regression tests of fuzzing findings: tracebacks, hangs, and errors that broke out of their line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import json_repair
import pytest
from fuzz_seeds import GOOD, seeds
from fuzz_targets import assert_plain_error
from llm_support import OPINION

from debate_cli.errors import ConfigError, TranscriptError
from debate_cli.llm.json_reply import (
    MAX_OBJECTS,
    MAX_REPAIR_CHARS,
    MAX_WRAPPERS,
    parse_reply,
    repair_json,
)
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.config_file import read_config_file
from debate_cli.storage.transcript import parse_transcript


def problems(text: str) -> tuple[str, ...]:
    """The errors of a configuration."""
    with pytest.raises(ConfigError) as caught:
        read_config_file(Path("debate.yaml"), text=text, env={})
    return caught.value.problems


def document(**changes: Any) -> bytes:
    """A transcript with some keys changed."""
    return json.dumps({**json.loads(seeds("transcript")[0]), **changes}).encode()


@pytest.mark.parametrize("text", ['{"```json```1', '{"a": 2, "```json```3', 'So: {"```json```[1]}'])
def test_a_crash_of_json_repair_is_no_form(text: str) -> None:
    """The library raises AssertionError on these."""
    with pytest.raises(AssertionError):
        json_repair.loads(text[text.index("{") :], skip_json_loads=True)
    assert parse_reply(text, OPINION).form is None


@pytest.mark.parametrize(
    ("before", "unit"),
    [
        ('{"a" ', '{"b" '),
        pytest.param('{"a" ', "(", marks=pytest.mark.soak),
        pytest.param('{"a" ', '<"', marks=pytest.mark.soak),
        ('{"a" ', '{"a": [1 2, '),
        pytest.param('{"a": [', '"a"1', marks=pytest.mark.soak),
        ('{"a": [', "],[1"),
        ('{"a": [', '{"a": 1 "a": 2}'),
        ('{"a": [{}, ', '"a": 1},'),
        ('{"a": "[' + "x" * 50_000, '"x '),
        ('{"a": "\\u005b' + "x" * 50_000, '"x '),
        ('{"a": [' + "1," * 28_000 + "{},", '"a": 1},'),
    ],
)
def test_repair_of_quadratic_input_is_refused(before: str, unit: str) -> None:
    """json_repair would take quadratic time. The first rows are refused after too many reads, the others for too many visits."""
    assert repair_json(before + unit * ((MAX_REPAIR_CHARS - len(before)) // len(unit))) is None


DAMAGES: dict[str, Callable[[str], str]] = {
    "missing comma": lambda text: text.replace('", "', '" "', 1),
    "cut off": lambda text: text[: len(text) // 2],
    "single quotes": lambda text: text.replace('"', "'"),
    "trailing commas": lambda text: text.replace("}", ",}"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_long_answer_with_small_faults_is_repaired(damage: Callable[[str], str]) -> None:
    """A limit that refuses hostile texts of this length lets a long answer of a model pass."""
    marks = [{"item": f"PRO-{number}", "reason": "The claim holds in part: " + "a word " * 9} for number in range(500)]
    text = json.dumps({"marks": marks})
    broken = damage(text)
    assert 20_000 < len(broken) < MAX_REPAIR_CHARS
    repaired = repair_json(broken)
    assert repaired is not None
    assert repaired["marks"][:200] == marks[:200]
    assert {type(mark["item"]) for mark in repaired["marks"]} == {str}


def test_too_many_objects_are_no_answer() -> None:
    """The question asks for exactly one."""
    assert parse_reply(GOOD * MAX_OBJECTS, OPINION).outcome == "valid"
    assert parse_reply(GOOD * (MAX_OBJECTS + 1), OPINION).outcome == "no_object"


@pytest.mark.parametrize(("depth", "outcome"), [(MAX_WRAPPERS, "valid"), (MAX_WRAPPERS + 1, "invalid")])
def test_unwrapping_is_bounded(depth: int, outcome: str) -> None:
    """Each level of wrapping costs one validation."""
    assert parse_reply('{"a": ' * depth + GOOD + "}" * depth, OPINION).outcome == outcome


def test_marks_upon_one_letter_are_few() -> None:
    """Normalising them takes quadratic time; invisible characters between them do not reset the count."""
    assert sanitize_for_prompt("a" + "\u0301\u0323\u200b" * 5000 + "b") == sanitize_for_prompt(
        "a" + "\u0301\u0323" * 5000 + "b"
    )
    assert len(sanitize_for_prompt("a" + "\u0301\u0323" * 5000)) < 100


def test_the_number_of_reported_errors_is_bounded() -> None:
    """The last line says that there are more."""
    shown = problems("".join(f"x{number}: 1\n" for number in range(MAX_PROBLEMS + 50)))
    assert len(shown) == MAX_PROBLEMS + 1
    assert shown[-1] == "debate.yaml: there are more errors; correct these first"


@pytest.mark.parametrize(
    "text",
    [
        'judging: {systems: [{kind: panel, personas: ["\\e[31mq\\n"]}]}',
        '"\\e[31m\\n": 1',
        'models: {"sma\\e[31ml": {model: x/y}}\ndebaters: [{name: a, side: for, model: small}, {name: b, side: against}]',
        f"? {'k' * 5000}\n: 1",
        f"judging: {{systems: [{{kind: panel, personas: [{'q' * 5000}]}}]}}",
    ],
)
def test_names_in_a_file_cannot_break_out_of_an_error(text: str) -> None:
    """Control sequences and line breaks are escaped, long names cut."""
    whole = text if "debaters" in text else f"debaters: [{{name: a, side: for}}, {{name: b, side: against}}]\n{text}"
    assert_plain_error(problems(f"topic: x\n{whole}"), "debate.yaml")


@pytest.mark.parametrize(
    ("written", "filled"),
    [("${A:-b} ${", None), ("$${A} ${A:-b", None), ("${A:-b} $${", "b ${"), ("$${", "${"), ("${A:-b}}", "b}")],
)
def test_a_variable_without_an_end_is_an_error_after_others(written: str, filled: str | None) -> None:
    """The end is searched up to the last brace only."""
    text = f"topic: '{written}'\nmodels: {{default: {{model: mock/x}}}}\ndebaters: [{{name: a, side: for}}, {{name: b, side: against}}]"
    if filled is None:
        assert any("does not begin a variable" in line for line in problems(text))
    else:
        assert read_config_file(None, text=text, env={}).config.topic == filled


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"schema_version": ' + b"9" * 4000 + b"}", "written by a newer version"),
        (b'{"schema_version": ' + b"9" * 5000 + b"}", "number out of range"),
    ],
)
def test_a_version_with_many_digits_is_not_repeated(data: bytes, words: str) -> None:
    """The error is short and does not mention Python."""
    with pytest.raises(TranscriptError, match=words) as caught:
        parse_transcript(data, "a.json")
    assert_plain_error([str(caught.value)], "a.json")


def test_a_huge_revision_is_refused() -> None:
    """Scoring would loop over all up to it."""
    assessment = json.loads(seeds("transcript")[0])["assessments"][0]
    with pytest.raises(TranscriptError, match="revision"):
        parse_transcript(document(assessments=[{**assessment, "revision": 10**30}]), "a.json")
