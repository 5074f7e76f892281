"""A key whose name is misspelt is one fault: what is missing by that name is not told beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.app.config_resolution import resolve_config
from debate_cli.errors import ConfigError

TOPIC = "topic: Should tests be fun?\n"
MODELS = "models: {default: {model: mock/a}}\n"
TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"


def problems(tmp_path: Path, text: str) -> list[str]:
    """What is wrong with a configuration, its folder left out."""
    path = tmp_path / "debate.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        resolve_config(path, {})
    return [line.removeprefix(f"{tmp_path}/") for line in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"topik: x\n{MODELS}{TWO}", "debate.yaml:1:1: topik: there is no such key here; did you mean `topic`?"),
        (TOPIC + MODELS + TWO.replace("debaters", "debatrs"),
         "debate.yaml:3:1: debatrs: there is no such key here; did you mean `debaters`?"),
        (TOPIC + MODELS + TWO.replace("name: Pro", "nam: Pro"),
         "debate.yaml:3:13: debaters.0.nam: there is no such key here; did you mean `name`?"),
    ],
)  # fmt: skip
def test_a_misspelt_key_that_must_be_there_is_one_fault(tmp_path: Path, text: str, line: str) -> None:
    """At the place of the wrong word."""
    assert problems(tmp_path, text) == [line]


def test_a_key_that_is_missing_beside_a_stranger_is_told_still(tmp_path: Path) -> None:
    """A word that is close to none was not meant for it."""
    assert problems(tmp_path, f"xyzzy: 1\n{MODELS}{TWO}") == [
        "debate.yaml:1:1: topic: is missing; add it",
        "debate.yaml:1:1: xyzzy: there is no such key here; remove it, or correct its name",
    ]


def test_the_rest_is_checked_as_it_was_meant(tmp_path: Path) -> None:
    """Other faults come in the same run."""
    assert problems(tmp_path, f"topik: x\n{MODELS}{TWO.replace('against', 'for')}") == [
        "debate.yaml:1:1: topik: there is no such key here; did you mean `topic`?",
        "debate.yaml:3:54: debaters.1.side: both debaters are on one side; make one `for` and one `against`",
    ]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("lab: {base_url: 'http://127.0.0.1:9/v1'}",
         "4:13: providers.lab.kind: is missing; add `kind: openai` for a server that speaks OpenAI's protocol"),
        ("my.lab: {base_url: 'http://127.0.0.1:9/v1'}", "4:13: providers.my.lab.kind: is missing; add `kind: openai`"),
        ("lab: {kind: openai, base_url: 'http://127.0.0.1:9/v1', headers: {'a b': c}}",
         "4:85: providers.lab.headers.a b: is not a header that HTTP can send"),
        ("openai: {base_url: 'http://127.0.0.1:9/v1'}",
         "4:32: providers.openai.base_url: sends openai's requests to another server"),
    ],
)  # fmt: skip
def test_a_provider_that_makes_no_sense_is_told_with_its_place(tmp_path: Path, row: str, line: str) -> None:
    """File, line, column and key; a new row without `kind` is told which it probably is."""
    (told,) = problems(tmp_path, f"{TOPIC}{MODELS}{TWO}providers: {{{row}}}\n")
    assert told.startswith(f"debate.yaml:{line}")


def test_what_the_domain_says_of_a_provider_is_not_said_twice(tmp_path: Path) -> None:
    """An address that is none is one fault."""
    text = f"{TOPIC}{MODELS}{TWO}providers: {{lab: {{kind: openai, base_url: 'ftp://x'}}}}\n"
    assert len(problems(tmp_path, text)) == 1


def test_a_prompt_of_no_such_name_is_told_before_its_file_is_looked_for(tmp_path: Path) -> None:
    """At the place of the name; a file of a prompt that there is, at its own."""
    assert problems(tmp_path, f"{TOPIC}{MODELS}{TWO}prompts: {{opning: a.md, closing: b.md}}\n") == [
        "debate.yaml:4:11: prompts.opning: there is no prompt of this name; did you mean `opening`?",
        "debate.yaml:4:34: prompts.closing: there is no such file beside the configuration; create it, or correct the name",
    ]
