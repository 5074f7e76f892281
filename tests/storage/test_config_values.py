"""The values of a configuration: precedence, overrides, variables, the environment, defaults, two names of one key."""

import json
from pathlib import Path
from typing import Any

import pytest
from config_file_support import load, problems

from debate_cli.storage.config_file import read_config_file
from debate_cli.storage.variables import load_environment

LONG = "[opening, cross_examination, rebuttal, closing]"
SHORT = "[opening, closing]"


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
    """The last option wins, then earlier options, the environment, the file."""
    assert load("format: {arguments: 4}", env=env, overrides=overrides).config.format.arguments == arguments


def test_topic_and_folder_variables_are_plain_text() -> None:
    """DEBATE_TOPIC and DEBATE_OUT are plain text, and DEBATE_SEED is parsed as YAML."""
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
    """A key path may contain indices from 0, and creates missing mappings."""
    if path is None:
        assert problems(overrides=[(key, value)]) == [f"--set: {key}: must be text; put it in quotes"]
        return
    config = load(overrides=[(key, value)]).config
    found = (
        [d.model for d in config.debaters] if key.startswith("debaters") else [s.kind for s in config.judging.systems]
    )
    assert found == path


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("fromat.x", "3", "--set: fromat: unknown key; did you mean `format`?"),
        ("format.argumens", "3", "--set: format.argumens: unknown key; did you mean `arguments`?"),
        (
            "debaters.5.model",
            "x",
            "--set: debaters.5.model: `5` is not an index; write a number from 0 to 2 (2 adds an item)",
        ),
        ("topic.a", "x", "--set: topic.a: the value before `.a` has no keys; remove `.a`"),
        ("seed", "[", "--set: seed: not valid YAML"),
        ("a..b", "1", "--set: a..b: not a key path"),
        ("judging.systems", "[strutured]", "--set: judging.systems.0.kind: must be"),
        (
            "debaters",
            "[{name: Pro, side: agianst}, {name: Con, side: against}]",
            "--set: debaters.0.side: `agianst` is not a side",
        ),
    ],
)
def test_a_wrong_option_is_named_as_one(key: str, value: str, line: str) -> None:
    """The error names the option, not a line of the file."""
    assert problems(overrides=[(key, value)])[0].startswith(line)


def test_an_override_of_one_alias_leaves_the_other() -> None:
    """Values that share an anchor are separate once one of them is changed."""
    people = "debaters: [&a {name: A, side: for, system: x}, {<<: *a, name: B, side: against}]"
    text = f"topic: t\nmodels: {{default: &m {{model: mock/d}}, judge: *m}}\n{people}"
    loaded = read_config_file(None, text=text, env={}, overrides=[("models.judge.model", "mock/j")])
    assert {name: spec.model for name, spec in loaded.config.models.items()} == {"default": "mock/d", "judge": "mock/j"}


@pytest.mark.parametrize(
    ("written", "given", "filled"),
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
def test_variables_fill_scalars(written: str, given: dict[str, str], filled: str) -> None:
    """The value of a variable never becomes structure or another variable."""
    more = f"background: {json.dumps(written)}\nvars: {json.dumps(given)}"
    assert load(more).config.background == filled


def test_a_variable_can_be_a_number_or_a_boolean() -> None:
    """Its text is converted where a number or a boolean is expected."""
    more = (
        "format: {arguments: '${N}'}\njudging: {systems: [{kind: live, feedback: '${F}'}]}\nvars: {N: '4', F: 'false'}"
    )
    config = load(more).config
    assert (config.format.arguments, config.judging.systems[0].model_dump()["feedback"]) == (4, False)


@pytest.mark.parametrize(
    ("file", "env", "options", "filled"),
    [
        ("vars: {A: file}", {}, [], "file"),
        ("vars: {A: file}", {"DEBATE_VAR_A": "own"}, [], "own"),
        ("vars: {A: file}", {"DEBATE_VAR_A": "own"}, [("vars.A", "option")], "option"),
        ("", {"DEBATE_VAR_A": "[own"}, [], "[own"),
        ("", {"A": "environment"}, [], "default"),
    ],
)
def test_texts_take_given_variables_only(
    file: str, env: dict[str, str], options: list[tuple[str, str]], filled: str
) -> None:
    """A text takes an option, then DEBATE_VAR_NAME, then `vars`, and never the environment."""
    assert load(f"background: '${{A:-default}}'\n{file}", env=env, overrides=options).config.background == filled


def test_a_variable_of_the_environment_is_not_read_for_a_text() -> None:
    """The error says how to give the variable."""
    (line,) = problems("background: ${DB_PASSWORD}", env={"DB_PASSWORD": "canary-4711"})
    assert line == (
        "stdin:4:13: background: the variable DB_PASSWORD has no value; set it with --var DB_PASSWORD=... or "
        "DEBATE_VAR_DB_PASSWORD, or write `${DB_PASSWORD:-default}`"
    )


def test_a_misspelt_variable_is_corrected() -> None:
    """The error names the most similar variable that has a value."""
    (line,) = problems("background: ${TAEM}\nvars: {TEAM: platform}")
    assert line == "stdin:4:13: background: the variable TAEM has no value; did you mean `TEAM`?"


def test_unused_variables_are_not_kept() -> None:
    """Variables that no text uses are not stored."""
    more = "background: ${A}\nvars: {A: x, B: y}"
    assert load(more, env={"DEBATE_VAR_C": "z"}).config.vars == {"A": "x"}


def test_a_variable_that_no_text_uses_is_checked_like_one_in_use() -> None:
    """A value of `vars` that is no text is an error, whether a text uses the variable or not."""
    lines = problems("background: ${A}\nvars: {A: 1, B: 2, C: [d]}")
    keys = ["stdin:5:11: vars.A", "stdin:5:17: vars.B", "stdin:5:20: vars.C"]
    assert [line.partition(": must be text")[0] for line in lines] == keys


def test_providers_read_the_environment_only() -> None:
    """Provider settings do not read the variables of texts."""
    provider = (
        "providers: {lab: {kind: openai, api_key_env: null, base_url: '${LAB_URL}'}}\nvars: {LAB_URL: 'http://v/v1'}"
    )
    assert load(provider, env={"LAB_URL": "http://e/v1"}).config.providers["lab"].base_url == "http://e/v1"
    assert "the environment variable LAB_URL is not set" in problems(provider)[0]


@pytest.mark.parametrize("written", ["${NOT_SET}", "${}", "${1A}", "${A B}"])
def test_a_variable_that_cannot_be_resolved_is_an_error(written: str) -> None:
    """A variable that is not set, or not valid, is an error with a position."""
    assert problems(f"background: '{written}'", env={"A": "x"})[0].startswith("stdin:4:13: background: ")


@pytest.mark.parametrize(
    ("written", "env", "options", "phases"),
    [
        ("phases", {}, [("format.rounds", SHORT)], ("opening", "closing")),
        ("rounds", {}, [("format.phases", SHORT)], ("opening", "closing")),
        ("phases", {"DEBATE__FORMAT__ROUNDS": SHORT}, [], ("opening", "closing")),
        ("rounds", {"DEBATE__FORMAT__PHASES": SHORT}, [], ("opening", "closing")),
        ("phases", {"DEBATE__FORMAT__PHASES": "[]"}, [("format.rounds", SHORT)], ("opening", "closing")),
        ("phases", {}, [("format.rounds.1", "rebuttal")], ("opening", "rebuttal", "rebuttal", "closing")),
        ("phases", {}, [("format.rounds", "1")], ("opening",)),
    ],
)
def test_two_names_of_one_key_are_one_key_in_every_layer(
    written: str, env: dict[str, str], options: list[tuple[str, str]], phases: tuple[str, ...]
) -> None:
    """`rounds` and `phases` override each other from any layer."""
    assert load(f"format: {{{written}: {LONG}}}", env=env, overrides=options).config.format.phases == phases


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("rounds: 0", "4:18: format.rounds: must be at least 1"),
        ("rounds: []", "4:10: format.rounds: the first phase must be `opening` and the last phase `closing`; add both"),
        ("rounds: true", "4:18: format.rounds: must be a whole number"),
        ("rounds: many", "4:18: format.rounds: must be a whole number"),
        ("rounds: 4, phases: [opening]", "4:1: format: `rounds` and `phases` both define rounds; keep one"),
        ("kind: free_flowing, turns: 2, rounds: 4", "4:1: format: `rounds` and `turns` both define rounds; keep one"),
        ("kind: semi_structured, rounds: 2", "4:41: format.rounds: a semi-structured debate asks its questions"),
    ],
)
def test_a_wrong_number_of_rounds_is_an_error(written: str, expected: str) -> None:
    """The message names the key that must change."""
    (found,) = problems(f"format: {{{written}}}")
    assert found.startswith(f"stdin:{expected}")


@pytest.mark.parametrize(
    ("kind", "given", "bounds"),
    [
        ("structured", "{clear: 6}", (1, 6)),
        ("moderator", "{draw: 2}", (2, 5)),
        ("live", "{clear: 11}", (2, 11)),
        ("live", "", (2, 10)),
        ("live", "{}", (2, 10)),
    ],
)
def test_a_missing_threshold_is_the_default_of_its_system(kind: str, given: str, bounds: tuple[float, float]) -> None:
    """A bound that is left out gets the default of its system."""
    config = load(f"judging: {{systems: [{{kind: {kind}, thresholds: {given}}}]}}").config
    system: Any = config.judging.systems[0]
    assert (system.thresholds.draw, system.thresholds.clear) == bounds


@pytest.mark.parametrize(
    "empty",
    [
        "format:\nproviders:\njudging:\nlimits:\noutput:\nprompts:\n",
        "judging: {systems: }",
        "format: {phases: }",
        "judging: {systems: [{kind: structured, weights: }]}",
    ],
)
def test_an_empty_section_takes_its_defaults(empty: str) -> None:
    """A section whose keys are all commented out is as good as absent."""
    assert load(empty).config == load("").config


def test_a_dotenv_file_adds_and_never_overrides(tmp_path: Path) -> None:
    """The environment of the process wins; values are not expanded."""
    (tmp_path / ".env").write_text("A=file\nB='b'\nexport C=c # so\nD\nF=x${HOME}y\n")
    found = load_environment(tmp_path, {"A": "own"})
    assert found == {"A": "own", "B": "b", "C": "c", "F": "x${HOME}y"}
    assert [name for name in found if found.is_from_dotenv(name)] == ["B", "C", "F"]


@pytest.mark.parametrize(
    "name",
    ["OPENAI_BASE_URL", "MY_BASE_URL", "OLLAMA_HOST", "HTTPS_PROXY", "all_proxy", "DEBATE_TOPIC", "DEBATE__SEED",
     "DEBATE_VAR_TEAM", "DEBATE_TRUSTED_HOSTS", "XDG_CACHE_HOME"],
)  # fmt: skip
def test_a_dotenv_file_gives_keys_only(tmp_path: Path, name: str) -> None:
    """Addresses, proxies and settings are ignored with one note."""
    (tmp_path / ".env").write_text(f"LAB_KEY=k\n{name}=x\n")
    found = load_environment(tmp_path, {})
    assert found == {"LAB_KEY": "k"}
    assert found.notes == (
        f"{tmp_path / '.env'}: these variables are ignored, because only API keys are read from .env: {name}",
    )


def test_a_dotenv_link_out_of_its_folder_is_ignored(tmp_path: Path) -> None:
    """A downloaded folder cannot lend itself the keys of another one."""
    (tmp_path / "victim.env").write_text("LAB_KEY=k\n")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".env").symlink_to("../victim.env")
    found = load_environment(tmp_path / "here", {})
    assert (dict(found), len(found.notes)) == ({}, 1)
