"""`run_debate` and `judge` check a configuration that was built or changed in Python as `load_config` checks a file."""

import asyncio
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, run_python

import debate_cli
from debate_cli.domain.config import ModelSpec
from debate_cli.errors import ConfigError
from debate_cli.providers.mock.model import MockModel

MOCK = CONFIGS / "mock.yaml"
ANN, BO = {"name": "Ann", "side": "for"}, {"name": "Bo", "side": "against"}
VALID: dict[str, Any] = {
    "topic": "Trams?",
    "models": {"default": {"model": "mock/a"}},
    "debaters": [ANN, BO],
    "judging": {"systems": [{"kind": "structured"}]},
}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"debaters": [ANN]}, "debaters: a debate needs at least two debaters"),
    ({"debaters": [ANN, {**BO, "name": "\uff21nn"}]}, "debaters.1.name: an earlier debater has this name"),
    ({"debaters": [ANN, {**BO, "name": "\uff45ven"}]}, "debaters.1.name: no debater may be called"),
    ({"judging": {"systems": [{"kind": "structured"}], "decides": "panel"}}, "judging.decides: `panel` is not among"),
    ({"judging": {"systems": [{"kind": "gut"}]}}, "judging.systems.0.kind: must be one of"),
    (
        {"judging": {"systems": [{"kind": "panel", "judges": [{"id": "J", "persona": "zzz"}]}]}},
        "judging.systems.0.judges.0",
    ),
    ({"models": {}}, "debaters.0: names no model; add `model`, or set `models.default`"),
    ({"providers": {"lab": {}}}, "providers.lab.kind: is missing"),
]
"""Changes of VALID, and the sentence of the error. A changed value is valid in itself, so `model_validate` accepts it.

All contradictions: `domain/test_config_checks.py`.
"""


def ran(config: debate_cli.DebateConfig, **arguments: Any) -> debate_cli.Outcome:
    """The debate of `config`."""
    return asyncio.run(debate_cli.run_debate(config, debate_id="one", **arguments))


@pytest.mark.parametrize(("change", "sentence"), WRONG)
@pytest.mark.parametrize("is_read", [False, True])
def test_a_wrong_configuration_is_refused_with_the_sentence_of_a_file(
    change: dict[str, Any], sentence: str, is_read: bool
) -> None:
    """Built with `model_validate`, or a changed copy of one from a file; `load_config` says the same."""
    config = debate_cli.DebateConfig.model_validate({**VALID, **change})
    if is_read:
        read = debate_cli.load_config(MOCK, overrides=VALID)
        config = read.model_copy(update={name: getattr(config, name) for name in change})
    with pytest.raises(ConfigError) as caught:
        ran(config)
    assert sentence in str(caught.value)
    with pytest.raises(ConfigError) as loaded:
        asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK, overrides={**VALID, **change})))
    assert sentence in str(loaded.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"topic": 5}, "topic: must be text"),
        ({"debaters": [ANN, {**BO, "sid": "for"}]}, "debaters.1.sid: unknown key"),
        ({"debaters": None}, "debaters: a debate needs"),
        ({"models": {"default": {"model": "gpt"}}}, "models.default.model: must be `provider/model`"),
    ],
)
def test_values_of_a_changed_copy_are_validated(change: dict[str, Any], sentence: str) -> None:
    """`model_copy` itself accepts anything. The error does not name a line of the file, where the value is not."""
    with pytest.raises(ConfigError) as caught:
        ran(debate_cli.load_config(MOCK).model_copy(update=change))
    assert f"{MOCK}: {sentence}" in str(caught.value)
    with pytest.raises(ConfigError) as built:
        ran(debate_cli.DebateConfig.model_validate(VALID).model_copy(update=change))
    assert f"the configuration: {sentence}" in str(built.value)


def test_plain_data_in_a_changed_copy_is_used() -> None:
    """Mappings become debaters; the settings of the judging systems stay."""
    settings = {"systems": [{"kind": "structured", "weights": {"logic": 1}}]}
    config = debate_cli.DebateConfig.model_validate({**VALID, "judging": settings})
    outcome = ran(config.model_copy(update={"debaters": [ANN, {**BO, "name": "Zoe"}]}))
    assert [person.name for person in outcome.debate.participants] == ["Ann", "Zoe"]
    assert outcome.debate.config.judging == config.judging


def test_models_of_the_caller_complete_a_configuration() -> None:
    """A configuration without models is valid if `models` has the model of every debater and judge."""
    config = debate_cli.DebateConfig.model_validate({**VALID, "models": {}})
    model = MockModel(ModelSpec(model="mock/any"), seed=1, folder=Path())
    assert ran(config, models={"default": model}).halted is None


def test_a_wrong_configuration_does_not_judge() -> None:
    """`judge` needs no debaters or models, but checks what is there."""
    debate = ran(debate_cli.DebateConfig.model_validate(VALID)).debate
    wrong = debate.config.model_copy(update={"judging": {"systems": ["structured"], "decides": "panel"}})
    with pytest.raises(ConfigError, match=r"judging\.decides: `panel` is not among"):
        asyncio.run(debate_cli.judge(debate, config=wrong))
    bare = debate_cli.DebateConfig.model_validate({"topic": "t", "judging": {"systems": []}})
    outcome = asyncio.run(debate_cli.judge(debate, config=bare, model="mock/judge"))
    assert [verdict.system for verdict in outcome.verdicts] == ["structured"]


def test_a_configuration_is_pickled_without_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is equal and usable in another process, and uses the keys that it finds there."""
    monkeypatch.setenv("TEST_LAB_KEY", "canary-key-of-a-lab")
    (tmp_path / "debate.yaml").write_text(
        "topic: Trams?\nproviders: {lab: {kind: openai, base_url: 'http://127.0.0.1:9/v1', api_key_env: TEST_LAB_KEY}}\n"
        "models: {default: {model: lab/m}}\ndebaters: [{name: Ann, side: for}, {name: Bo, side: against}]\n"
    )
    config = debate_cli.load_config(tmp_path / "debate.yaml")
    data = pickle.dumps(config)
    assert b"canary" not in data
    assert os.environ["PATH"].encode() not in data
    assert pickle.loads(data) == config
    monkeypatch.delenv("TEST_LAB_KEY")
    with pytest.raises(ConfigError, match="TEST_LAB_KEY is not set"):
        ran(pickle.loads(data))
    (tmp_path / "data").write_bytes(pickle.dumps(debate_cli.load_config(MOCK)))
    script = (
        "import asyncio, pathlib, pickle, debate_cli\n"
        "config = pickle.loads(pathlib.Path('data').read_bytes())\n"
        "print(asyncio.run(debate_cli.run_debate(config)).debate.status)\n"
    )
    assert run_python("-c", script, cwd=tmp_path).out == "complete\n"
