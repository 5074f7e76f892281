"""What people write is taken as they mean it: other names, empty sections, partial settings, truth values, literal keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from debate_cli.domain.config import DebateConfig
from debate_cli.errors import ConfigError
from debate_cli.storage.config_file import read_config_file

HEAD = """\
topic: Should tests be fun?
models: {default: {model: mock/debater}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
"""
LONG = "[opening, cross_examination, rebuttal, closing]"
SHORT = "[opening, closing]"
KEY = "sk-abcdefghijklmnopqrstuv"


def load(more: str, *, env: Mapping[str, str] | None = None, options: tuple[tuple[str, str], ...] = ()) -> DebateConfig:
    """The smallest configuration with `more` beneath it."""
    return read_config_file(None, text=HEAD + more, env=env or {}, overrides=options).config


def problems(more: str, *, options: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """The lines of the error that it gives."""
    with pytest.raises(ConfigError) as caught:
        load(more, options=options)
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("written", "env", "options", "phases"),
    [
        ("phases", {}, [("format.rounds", SHORT)], ("opening", "closing")),
        ("rounds", {}, [("format.phases", SHORT)], ("opening", "closing")),
        ("phases", {"DEBATE__FORMAT__ROUNDS": SHORT}, [], ("opening", "closing")),
        ("rounds", {"DEBATE__FORMAT__PHASES": SHORT}, [], ("opening", "closing")),
        ("phases", {"DEBATE__FORMAT__PHASES": "[]"}, [("format.rounds", SHORT)], ("opening", "closing")),
        ("phases", {}, [("format.rounds.1", "rebuttal")], ("opening", "rebuttal", "rebuttal", "closing")),
    ],
)
def test_two_names_of_one_key_are_one_key_in_every_layer(
    written: str, env: dict[str, str], options: list[tuple[str, str]], phases: tuple[str, ...]
) -> None:
    """`rounds` over `phases` and the reverse: the option counts before the variable, that before the file."""
    more = f"format: {{{written}: {LONG}}}"
    assert load(more, env=env, options=tuple(options)).format.phases == phases


def test_both_names_in_one_file_are_told_as_such() -> None:
    """One of them is to go."""
    assert problems(f"format: {{phases: {LONG}, rounds: {LONG}}}") == [
        "stdin:4:67: format.rounds: `rounds` and `phases` are two names of one key; keep one"
    ]


def test_what_is_wrong_with_the_phases_is_placed_where_they_stand() -> None:
    """Under their other name, too."""
    assert problems("format: {rounds: [opening]}")[0].startswith("stdin:4:10: format.phases: ")


@pytest.mark.parametrize(
    ("kind", "given", "bounds"),
    [
        ("structured", "{clear: 6}", (1, 6)),
        ("moderator", "{clear: 6}", (1, 6)),
        ("live", "{clear: 11}", (2, 11)),
        ("structured", "{draw: 2}", (2, 3)),
        ("moderator", "{draw: 2}", (2, 5)),
        ("live", "{draw: 3}", (3, 10)),
        ("live", "", (2, 10)),
        ("live", "{}", (2, 10)),
    ],
)
def test_a_threshold_that_is_left_out_is_the_systems_own(kind: str, given: str, bounds: tuple[float, float]) -> None:
    """Each system has defaults of its own."""
    system: Any = load(f"judging: {{systems: [{{kind: {kind}, thresholds: {given}}}]}}").judging.systems[0]
    assert (system.thresholds.draw, system.thresholds.clear) == bounds


def test_an_empty_section_takes_its_defaults() -> None:
    """As one is left with whose keys are all commented out."""
    empty = "format:\nproviders:\njudging:\nlimits:\noutput:\nprompts:\n"
    assert load(empty) == load("")


@pytest.mark.parametrize("more", ["judging: {systems: }", "format: {phases: }", "judging: {systems: [{kind: structured, weights: }]}"])  # fmt: skip
def test_an_empty_part_of_a_section_does_too(more: str) -> None:
    """Lists and mappings within it."""
    assert load(more) == load("")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("limits: {max_tokens: true}", "stdin:4:22: limits.max_tokens: must be a whole number"),
        ("limits: {timeout_s: true}", "stdin:4:21: limits.timeout_s: must be a number"),
        ("format: {arguments: true}", "stdin:4:21: format.arguments: must be a whole number"),
        ("seed: false", "stdin:4:7: seed: must be a whole number"),
        ("judging: {systems: [{kind: live, thresholds: {draw: true}}]}",
         "stdin:4:53: judging.systems.0.thresholds.draw: must be a number"),
    ],
)  # fmt: skip
def test_a_truth_value_is_no_number(more: str, line: str) -> None:
    """`true` is not 1."""
    assert problems(more) == [line]


def test_a_number_may_come_as_text() -> None:
    """As a variable gives it; a truth value as well."""
    more = "format: {arguments: '${N}'}\njudging: {systems: [{kind: live, feedback: '${F}'}]}"
    config = load(more, env={"N": "4", "F": "false"})
    assert (config.format.arguments, config.judging.systems[0].model_dump()["feedback"]) == (4, False)


def test_a_topic_of_blanks_is_none() -> None:
    """There is nothing in it to debate."""
    assert problems("", options=(("topic", "'  '"),)) == [
        "--set: topic: holds blanks only; write what is to be debated"
    ]


@pytest.mark.parametrize(
    ("version", "said"),
    [("'1'", "must be the number 1, without quotes"), ("'2'", "must be 1"), ("true", "must be 1")],
)
def test_a_version_in_quotes_is_told_what_it_lacks(version: str, said: str) -> None:
    """The same sign as it should be is no suggestion."""
    assert problems(f"version: {version}") == [f"stdin:4:10: version: {said}"]


@pytest.mark.parametrize(
    "more",
    [
        f"providers: {{lab: {{kind: openai, base_url: 'http://h/v1', api_key: {KEY}}}}}",
        f"'{KEY}': 1",
        f"seed: {KEY}",
        f"format: {{{KEY}: 1}}",
    ],
)
def test_a_key_in_plain_text_is_one_fault(more: str) -> None:
    """Whatever else is wrong with that place comes of it."""
    (line,) = problems(more)
    assert line.endswith(": a key stands here in plain text; put it in an environment variable and name that")
