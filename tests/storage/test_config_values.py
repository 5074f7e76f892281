"""Where the values of a configuration come from: options before the environment before the file, and variables."""

from __future__ import annotations

import json

import pytest
from config_file_support import load, problems

from debate_cli.storage.config_file import read_config_file


@pytest.mark.parametrize(
    ("env", "overrides", "arguments"),
    [
        ({}, [], 4),
        ({"DEBATE__FORMAT__ARGUMENTS": "5"}, [], 5),
        ({"DEBATE_FORMAT__ARGUMENTS": "5"}, [], 5),
        ({"DEBATE__FORMAT__ARGUMENTS": "5"}, [("format.arguments", "6")], 6),
        ({}, [("format.arguments", "6"), ("format.arguments", "7")], 7),
        ({}, [("format", "{arguments: 8}")], 8),
    ],
)
def test_options_go_before_environment_before_file(
    env: dict[str, str], overrides: list[tuple[str, str]], arguments: int
) -> None:
    """The last option counts before the others, those before the environment, that before the file."""
    assert load("format: {arguments: 4}", env=env, overrides=overrides).config.format.arguments == arguments


def test_the_environment_has_words_of_its_own_for_what_changes_often() -> None:
    """Topic and folder are taken as they are, whatever YAML would make of them."""
    config = load(env={"DEBATE_TOPIC": "Is it: yes?", "DEBATE_SEED": "9", "DEBATE_OUT": "1"}).config
    assert (config.topic, config.seed, config.output.dir) == ("Is it: yes?", 9, "1")


@pytest.mark.parametrize(
    ("key", "value", "path"),
    [
        ("debaters.0.model", "lab/a", ["lab/a", None]),
        ("debaters.1.model", "{}", None),
        ("judging.systems.0", "live", ["live"]),
        ("judging.systems.0.kind", "panel", ["panel"]),
    ],
)
def test_a_key_path_reaches_into_lists(key: str, value: str, path: list[str | None] | None) -> None:
    """Indices count from 0; what is not there yet is made."""
    if path is None:
        assert problems(overrides=[(key, value)])[0].startswith(f"--set: {key}: must be text, not a mapping; ")
        return
    config = load(overrides=[(key, value)]).config
    found = (
        [d.model for d in config.debaters] if key.startswith("debaters") else [s.kind for s in config.judging.systems]
    )
    assert found == path


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("fromat.x", "3", "--set: fromat: there is no such key here; did you mean `format`?"),
        ("format.argumens", "3", "--set: format.argumens: there is no such key here; did you mean `arguments`?"),
        ("debaters.5.model", "x", "--set: debaters.5.model: `5` is no place in a list of 2; count from 0"),
        ("topic.a", "x", "--set: topic.a: what stands before `a` is a single value and has no parts"),
        ("seed", "[", "--set: seed: a value or a closing bracket is missing"),
        ("a..b", "1", "--set: a..b: this is no key path"),
        ("judging.systems", "[strutured]", "--set: judging.systems.0.kind: must be"),
        (
            "debaters",
            "[{name: Pro, side: agianst}, {name: Con, side: against}]",
            "--set: debaters.0.side: of two debaters",
        ),
    ],
)
def test_a_wrong_option_is_named_as_one(key: str, value: str, line: str) -> None:
    """No line of the file is blamed for what stands on the command line."""
    assert problems(overrides=[(key, value)])[0].startswith(line)


def test_an_override_of_one_alias_leaves_the_other() -> None:
    """Two debaters written as one anchor are two once one of them is changed."""
    people = "debaters: [&a {name: A, side: for, system: x}, {<<: *a, name: B, side: against}]"
    text = f"topic: t\nmodels: {{default: &m {{model: mock/d}}, judge: *m}}\n{people}"
    loaded = read_config_file(None, text=text, env={}, overrides=[("models.judge.model", "mock/j")])
    assert {name: spec.model for name, spec in loaded.config.models.items()} == {"default": "mock/d", "judge": "mock/j"}


@pytest.mark.parametrize(
    ("written", "env", "filled"),
    [
        ("${A}", {"A": "x"}, "x"),
        ("a ${A} b ${B}", {"A": "x", "B": "y"}, "a x b y"),
        ("${A:-none}", {}, "none"),
        ("${A:-none}", {"A": ""}, "none"),
        ("${A:-none}", {"A": "x"}, "x"),
        ("${A}", {"A": "{b: c}\n- ${A}"}, "{b: c}\n- ${A}"),
        ("$${A} costs $5", {"A": "x"}, "${A} costs $5"),
    ],
)
def test_variables_fill_scalars(written: str, env: dict[str, str], filled: str) -> None:
    """After parsing and once: what a variable holds never becomes structure or another variable."""
    assert load(f"background: {json.dumps(written)}", env=env).config.background == filled


def test_a_variable_can_be_a_number() -> None:
    """Where a number is wanted, its digits will do."""
    assert load("seed: ${SEED}", env={"SEED": "11"}).config.seed == 11


@pytest.mark.parametrize("written", ["${NOT_SET}", "${}", "${1A}", "${A B}"])
def test_a_variable_that_is_none_is_an_error(written: str) -> None:
    """Unset, or no variable at all."""
    assert problems(f"background: '{written}'", env={"A": "x"})[0].startswith("stdin:4:13: background: ")
