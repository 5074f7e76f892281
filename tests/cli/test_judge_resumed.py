"""A judging run that was added under a configuration of its own, and could not be finished: it goes on where that said."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, start_process, wait_until, write_config
from model_server import ModelServer, model_server

OTHER = """\
topic: Cats or dogs?
providers: {lab: {kind: openai, base_url: "URL", api_key_env: LAB_KEY, headers: {X-Team: "${TEAM}"}}}
models: {default: {model: lab/m}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
judging: {systems: [structured]}
limits: {max_attempts: 1}
"""
ENV = {"LAB_KEY": "canary-key-of-the-lab", "TEAM": "canary-of-the-team"}


def read(path: Path) -> dict[str, Any]:
    """A saved transcript."""
    return json.loads(path.read_text())


def victories(path: Path) -> dict[str, str]:
    """How the deciding system of each judging run ended."""
    return {
        verdict["run"]: verdict["victory"] for verdict in read(path)["verdicts"] if verdict["system"] == "structured"
    }


def sent(server: ModelServer, header: str) -> set[str]:
    """The values of a header in all requests."""
    return {value for each in server.headers for name, value in each.items() if name.lower() == header}


def test_a_resumed_judging_run_asks_the_server_of_its_own_configuration(saved: Path) -> None:
    """Judging fails with 3; resuming without that file reaches the same server with the same key, and needs no debater."""
    here = saved.parent.parent
    with model_server(failures=[503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        failed = debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV)
        assert (failed.code, victories(saved)["r2"]) == (3, "undetermined"), failed.err
        assert f"debate run --resume {saved}" in failed.err
        (here / "other.yaml").unlink()
        done = debate("run", "--resume", "saved", "-q", cwd=here, env=ENV)
        assert done.code == 0, done.err
        assert sent(server, "authorization") == {f"Bearer {ENV['LAB_KEY']}"}
        assert sent(server, "x-team") == {ENV["TEAM"]}
        assert len(server.bodies) == 2
    assert victories(saved)["r2"] != "undetermined"


def test_a_killed_judging_run_asks_the_server_of_its_own_configuration(saved: Path) -> None:
    """The journal tells where, too."""
    here = saved.parent.parent
    with model_server(latency_s=3600) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        with start_process("judge", saved, "--config", "other.yaml", cwd=here, env=ENV) as running:
            wait_until(lambda: server.bodies, "the judge's question")
            running.signal(signal.SIGKILL)
            running.wait()
        server.latency_s = 0.0
        done = debate("run", "--resume", "saved", "-q", cwd=here, env=ENV)
        assert (done.code, len(server.bodies)) == (0, 2), done.err
    assert victories(saved)["r2"] != "undetermined"


def test_what_reaches_a_server_is_kept_without_its_secrets(saved: Path) -> None:
    """The transcript holds the names of variables, none of their values."""
    here = saved.parent.parent
    with model_server(failures=[503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV)
        (added,) = read(saved)["runs"]
        assert added["providers"] == {
            "lab": {"kind": "openai", "base_url": server.base_url, "api_key_env": "LAB_KEY",
                    "headers": {"X-Team": "${TEAM}"}},
        }  # fmt: skip
    assert not any(secret in saved.read_text() for secret in ENV.values())


def test_a_resumed_judging_run_misses_its_key_before_it_asks(saved: Path) -> None:
    """Exit 2, and one line that names the variable; the debate stays as it is."""
    here = saved.parent.parent
    with model_server(failures=[503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV)
        before = saved.read_bytes()
        done = debate("run", "--resume", "saved", cwd=here, env={"TEAM": "x"})
        assert (done.code, len(server.bodies)) == (2, 1)
    assert len([line for line in done.lines if "LAB_KEY is not set" in line]) == 1
    assert saved.read_bytes() == before


@pytest.mark.parametrize("again", [False, True], ids=["judged", "resumed"])
def test_an_open_verdict_of_an_added_run_is_no_success(saved: Path, again: bool) -> None:
    """Exit 3 as long as its judge could not be asked, though the debate's own run has a verdict."""
    here = saved.parent.parent
    with model_server(failures=[503, 503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        done = debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV)
        if again:
            done = debate("run", "--resume", "saved", "--set", "limits.max_attempts=1", cwd=here, env=ENV)
    assert done.code == 3
    assert victories(saved) == {"r1": victories(saved)["r1"], "r2": "undetermined"}
    assert victories(saved)["r1"] != "undetermined"


def test_a_judge_that_could_not_be_asked_does_not_spoil_later_judgings(saved: Path) -> None:
    """What another run left open is no failure of this one, which has its verdict."""
    here = saved.parent.parent
    with model_server(failures=[503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        assert debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV).code == 3
        later = debate("judge", saved, "--mock", "--system", "moderator", cwd=here, env=ENV)
    assert (later.code, "could not be asked" in later.err) == (0, False)


def test_a_judge_of_another_configuration_is_never_the_debates_own(saved: Path) -> None:
    """Without `models.judge` it is that file's `models.default`, though the debate's configuration has a `judge`."""
    here = saved.parent.parent
    assert "judge" in read(saved)["config"]["models"]
    write_config(here, OTHER.replace("lab/m", "mock/another").replace("URL", "http://127.0.0.1:9"), "other.yaml")
    assert debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV).code == 0
    asked = {told["exchange"]["model"] for told in read(saved)["assessments"] if told["run"] == "r2"}
    assert asked == {"mock/another"}
