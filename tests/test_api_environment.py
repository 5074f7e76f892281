"""The Python API treats folder, `.env`, prompts and secrets of a configuration as the command line does."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import CONFIGS
from model_server import ModelServer, model_server

import debate_cli
from debate_cli.errors import ConfigError, UsageError
from debate_cli.resolved_secrets import recorded_secrets, secret_collector
from debate_cli.storage.transcript import to_transcript

MOCK = CONFIGS / "mock.yaml"
KEY = "canary-key-of-a-lab"
TWO = "debaters: [{name: Ada, side: for}, {name: Bo, side: against}]\n"
SERVED = (
    "topic: Trams?\nproviders: {lab: {kind: openai, base_url: 'URL', api_key_env: TEST_LAB_KEY}}\n"
    f"models: {{default: {{model: lab/m}}}}\njudging: {{systems: [structured]}}\n{TWO}"
    "prompts: {opening: mine.md}\n"
)
SCRIPTED = f"topic: Trams?\nmodels: {{default: {{model: mock/scripted, script: said.yaml}}}}\n{TWO}"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model server on this machine."""
    with model_server() as running:
        yield running


@pytest.fixture
def config(tmp_path: Path, server: ModelServer) -> debate_cli.DebateConfig:
    """A configuration in a separate folder, with a key in `.env` and a prompt file."""
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / ".env").write_text(f"TEST_LAB_KEY={KEY}\n")
    (home / "mine.md").write_text("Speak as the canary of my own prompt. {{count}} {{ids}} {{round}}")
    (home / "debate.yaml").write_text(SERVED.replace("URL", server.base_url))
    return debate_cli.load_config(home / "debate.yaml")


def ran(config: debate_cli.DebateConfig, folder: Path | None = None) -> debate_cli.Outcome:
    """The debate of `config`."""
    return asyncio.run(debate_cli.run_debate(config, folder=folder, debate_id="one"))


def sent(server: ModelServer, header: str) -> set[str]:
    """The values of a header in all requests."""
    return {value for each in server.headers for name, value in each.items() if name.lower() == header}


def test_key_and_prompt_beside_the_configuration_are_used(config: debate_cli.DebateConfig, server: ModelServer) -> None:
    """`.env` is read from the file's folder, not the working folder. What is stored equals the loaded configuration."""
    outcome = ran(config)
    assert outcome.debate.status == "complete"
    assert sent(server, "authorization") == {f"Bearer {KEY}"}
    assert sum("canary of my own prompt" in str(body["messages"]) for body in server.bodies) >= 2  # both openings
    assert type(outcome.debate.config) is debate_cli.DebateConfig
    assert to_transcript(outcome.debate).config.sha256() == config.sha256()


def test_no_secret_of_a_run_stays_in_the_process(config: debate_cli.DebateConfig) -> None:
    """Only a command collects secrets, because it prints lines."""
    assert ran(config).debate.status == "complete"
    assert recorded_secrets() == frozenset()
    with secret_collector():
        ran(config)
        assert KEY in recorded_secrets()
    assert recorded_secrets() == frozenset()


def test_a_changed_copy_knows_its_folder_still(config: debate_cli.DebateConfig, server: ModelServer) -> None:
    """`model_copy` is how a script changes a configuration."""
    outcome = ran(config.model_copy(update={"topic": "Ships?"}))
    assert (outcome.debate.topic, outcome.debate.status) == ("Ships?", "complete")
    assert any("canary of my own prompt" in str(body["messages"]) for body in server.bodies)


def test_no_key_is_written(config: debate_cli.DebateConfig, tmp_path: Path) -> None:
    """A topic that contains the key is stored, and sent, without it."""
    outcome = ran(config.model_copy(update={"topic": f"Is {KEY} good?"}), tmp_path / "out")
    assert outcome.path is not None
    assert KEY not in outcome.path.read_text()
    assert "Is [redacted] good?" in outcome.path.read_text()


def test_a_file_named_in_the_configuration_lies_beside_it(tmp_path: Path) -> None:
    """A mock's script is looked up in the configuration's folder, and an error names that path."""
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / "debate.yaml").write_text(SCRIPTED)
    with pytest.raises(ConfigError, match=str(home / "said.yaml")):
        ran(debate_cli.load_config(home / "debate.yaml"))


def test_another_configuration_judges(config: debate_cli.DebateConfig, server: ModelServer) -> None:
    """`judge` accepts another configuration, with its folder and key."""
    mock = debate_cli.DebateConfig.model_validate(
        {"topic": "t", "models": {"default": {"model": "mock/a"}},
         "debaters": [{"name": "Ada", "side": "for"}, {"name": "Bo", "side": "against"}]}
    )  # fmt: skip
    outcome = asyncio.run(debate_cli.judge(ran(mock).debate, config=config))
    assert [(verdict.system, verdict.run) for verdict in outcome.verdicts] == [("structured", "r2")]
    assert sent(server, "authorization") == {f"Bearer {KEY}"}


def test_a_judge_without_its_key_is_refused_before_any_call(server: ModelServer, tmp_path: Path) -> None:
    """The same error as on the command line, with variable and provider; nothing is written."""
    path = tmp_path / "debate.yaml"
    path.write_text(SERVED.replace("URL", server.base_url).replace("prompts: {opening: mine.md}\n", ""))
    with pytest.raises(UsageError, match="TEST_LAB_KEY is not set: provider lab"):
        ran(debate_cli.load_config(path), tmp_path / "out")
    assert not server.bodies
    assert not (tmp_path / "out").exists()


def test_a_prompt_of_a_configuration_without_a_file_is_looked_for_here() -> None:
    """It is looked up in the working folder; if it is missing, the error names the key."""
    config = debate_cli.DebateConfig.model_validate(
        {"topic": "t", "models": {"default": {"model": "mock/a"}}, "prompts": {"opening": "no-such-prompt.md"},
         "debaters": [{"name": "Ada", "side": "for"}, {"name": "Bo", "side": "against"}]}
    )  # fmt: skip
    with pytest.raises(ConfigError, match=r"prompts\.opening: there is no such file"):
        ran(config)


def test_a_configuration_that_was_read_equals_the_same_one_that_was_not(config: debate_cli.DebateConfig) -> None:
    """In both directions; a configuration with another value is not equal."""
    same = debate_cli.DebateConfig.model_validate(config.model_dump())
    assert config == same
    assert same == config
    assert config != same.model_copy(update={"topic": "Ships?"})
