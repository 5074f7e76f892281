"""Resuming a debate whose configuration contains a secret."""

from pathlib import Path

import pytest
from cli_support import debate, write_config

SECRET = "hunter2secretvalue"
CONFIG = """\
topic: x
background: "SECRET is here"
providers: {lab: {kind: openai, base_url: "http://127.0.0.1:9/v1", api_key_env: LAB_KEY}}
models: {bad: {model: lab/x}}
debaters: [{name: Pro, side: for, model: bad}, {name: Con, side: against, model: mock/mock}]
judging: {systems: [{kind: structured, judge: mock/mock}]}
limits: {max_attempts: 1, timeout_s: 3}
""".replace("SECRET", SECRET)
ENV = {"LAB_KEY": SECRET}


@pytest.fixture
def failed(here: Path) -> Path:
    """The folder of a debate that failed, as its provider could not be reached."""
    write_config(here, CONFIG)
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here, env=ENV).code == 3
    return here


def test_a_debate_with_a_redacted_secret_can_be_resumed(failed: Path) -> None:
    """A configuration whose secret is redacted in the transcript counts as equal."""
    assert debate("run", "debate.yaml", "--resume", "one", "-q", cwd=failed, env=ENV).code == 3


@pytest.mark.parametrize("forgotten", [[], ["--set", "providers.lab.api_key_env=null"]], ids=["known", "forgotten"])
def test_a_difference_is_shown_without_the_secret(failed: Path, forgotten: list[str]) -> None:
    """A refused difference shows neither the stored nor the given secret."""
    changes = ["--set", f"background={SECRET} was here", *forgotten]
    done = debate("run", "debate.yaml", "--resume", "one", *changes, cwd=failed, env=ENV)
    assert (done.code, SECRET in done.out + done.err) == (2, False)
    assert 'given "[redacted] was here"' in done.err
