"""One run names every fault, each with its place: what is misspelt or wrong hides nothing that does not come of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from debate_cli.app.config_resolution import prepare_run, resolve_config
from debate_cli.errors import ConfigError, MissingKeyError

TOPIC = "topic: Should tests be fun?\n"
MODELS = "models: {default: {model: mock/a}}\n"
TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
FINE = TOPIC + MODELS + TWO
NO_PHASES = "format: {phases: [opening]}\n"


def told(folder: Path, text: str) -> list[str]:
    """Place and key path of all that is wrong with a configuration whose models are to be asked."""
    path = folder / "debate.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        prepare_run(resolve_config(path, {}, asked=True), {})
    parts = [line.removeprefix(f"{folder}/debate.yaml:").split(": ") for line in caught.value.problems]
    return [f"{place} {key}" for place, key, *_ in parts]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (f"{FINE}modles: {{x: {{model: mock/x}}}}\n{NO_PHASES}", ["4:1 modles", "5:10 format.phases"]),
        (f"{FINE}modles: {{x: {{model: mock/x}}}}\njudging: {{systems: [{{kind: live, judge: x}}]}}\n", ["4:1 modles"]),
        (f"{FINE}modles: {{x: {{model: gpt}}}}\n", ["4:1 modles", "4:21 modles.x.model"]),
        (FINE.replace("models", "modles") + NO_PHASES, ["2:1 modles", "4:10 format.phases"]),
        (FINE.replace("models", "modles").replace("mock/a", "mok/a"), ["2:1 modles", "2:27 modles.default.model"]),
        (f"{FINE}fromat: {{phases: [opening]}}\n", ["4:1 fromat", "4:10 fromat.phases"]),
    ],
)
def test_a_misspelt_section_is_read_as_it_was_meant(tmp_path: Path, text: str, places: list[str]) -> None:
    """Beside the right one or in its place; what is wrong in it is placed where it stands."""
    assert told(tmp_path, text) == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (MODELS + TWO, ["1:1 topic"]),
        (FINE.replace("mock/a", "gpt"), ["2:27 models.default.model"]),
        (FINE.replace("name: Pro, ", ""), ["3:12 debaters.0.name"]),
        (FINE.replace("side: for", "sid: for"), ["3:24 debaters.0.sid"]),
        (TOPIC + "models: 5\n" + TWO, ["2:9 models"]),
        (TOPIC + MODELS + "debaters: 5\n", ["3:11 debaters"]),
        (TOPIC + MODELS + "debaters: [5, {name: Con, side: against}]\n", ["3:12 debaters.0"]),
    ],
)
def test_what_has_to_be_there_hides_nothing(tmp_path: Path, text: str, places: list[str]) -> None:
    """What is missing or wrong is taken for something right; a fault elsewhere is told in the same run."""
    phases = f"{text.count(chr(10)) + 1}:10 format.phases"
    assert told(tmp_path, text + NO_PHASES) == [*places, phases]


LATE = """\
topic: x
models:
  default: {model: mok/a}
  judge: {model: lab/x}
  said: {model: mock/scripted, script: gone.yaml}
debaters:
  - {name: Pro, side: for, model: openai/gpt-5}
  - {name: Con, side: against, model: said}
  - {name: Third, side: other}
judging: {systems: [live, {kind: moderator, judge: mok/b}]}
limits: {max_cost_usd: 1}
providers: {lab: {kind: openai, base_url: "http://127.0.0.1:9/v1"}}
"""
LATE_PLACES = [
    "3:20 models.default.model",
    "5:40 models.said.script",
    "7:35 debaters.0.model",
    "10:52 judging.systems.1.judge",
    "11:24 limits.max_cost_usd",
]


def test_what_keeps_models_from_being_asked_has_its_place(tmp_path: Path) -> None:
    """Unknown providers, a script that is not there, a key that is not set, a price that is not known."""
    assert sorted(told(tmp_path, LATE)) == sorted(LATE_PLACES)


@pytest.mark.parametrize(
    ("more", "place"), [("seed: x\n", "13:7 seed"), (NO_PHASES, "13:10 format.phases"), ("sed: 1\n", "13:1 sed")]
)
def test_it_is_told_with_all_the_rest(tmp_path: Path, more: str, place: str) -> None:
    """A value of the wrong kind, a fault of the whole or an unknown key hides none of it."""
    assert told(tmp_path, LATE + more) == [*LATE_PLACES, place]


@pytest.mark.parametrize("more", ["", "seed: x\n", NO_PHASES])
def test_a_prompt_is_placed_whatever_else_is_wrong(tmp_path: Path, more: str) -> None:
    """An unknown placeholder and an unknown prompt."""
    (tmp_path / "own.md").write_text("Say {{nonsense}}.")
    found = told(tmp_path, f"{FINE}prompts: {{opening: own.md, nope: own.md}}\n{more}")
    assert found[:2] == ["4:20 prompts.opening", "4:28 prompts.nope"]


@pytest.mark.parametrize(
    "more",
    [
        "providers: {ollama: {price: {input: x, output: 0}}}\nlimits: {max_cost_usd: 1}\n",
        "providers: 7\nlimits: {max_cost_usd: 1}\n",
    ],
)
def test_what_comes_of_a_fault_is_not_told(tmp_path: Path, more: str) -> None:
    """A price that cannot be read is no price that is missing."""
    assert len(told(tmp_path, FINE.replace("mock/a", "ollama/a-cloud") + more)) == 1


def test_a_key_that_is_not_set_is_still_told_apart(tmp_path: Path) -> None:
    """By the class of the error, and once for two models."""
    text = FINE.replace("{model: mock/a}", "{model: openai/a}, judge: {model: openai/b}")
    path = tmp_path / "debate.yaml"
    path.write_text(text)
    with pytest.raises(
        MissingKeyError, match=r"debate.yaml:2:27: models\.default\.model: OPENAI_API_KEY is not set"
    ) as caught:
        prepare_run(resolve_config(path, {}), {})
    assert len(caught.value.problems) == 1


def test_models_that_are_not_asked_are_not_looked_at(tmp_path: Path) -> None:
    """With the mock in their place, say, only what is wrong with the configuration itself is told."""
    path = tmp_path / "debate.yaml"
    path.write_text(FINE.replace("mock/a", "openai/a") + "seed: x\n")
    with pytest.raises(ConfigError) as caught:
        resolve_config(path, {})
    assert len(caught.value.problems) == 1
