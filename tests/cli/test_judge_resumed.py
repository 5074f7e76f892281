"""Judging runs with a configuration of their own, interrupted and resumed."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, start_process, wait_until, write_config
from model_server import ModelServer, model_server

from debate_cli.domain.debate import usage_of_briefs
from debate_cli.storage.journal import Journal
from debate_cli.storage.transcript import load_transcript_file, transcript_to_events
from debate_cli.storage.transcript_store import open_debate

OTHER = """\
topic: Cats or dogs?
providers: {lab: {kind: openai, base_url: "URL", api_key_env: LAB_KEY, headers: {X-Team: "${TEAM}"}}}
models: {default: {model: lab/m}, another: {model: mock/another}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
judging: {systems: [structured, {kind: moderator, judge: another}]}
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
    """Resuming without the file uses the same server and key, and needs no debater."""
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
    """A killed judging run is resumed with the server that its journal names."""
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


def test_the_transcript_keeps_a_providers_settings_without_secrets(saved: Path) -> None:
    """It holds the names of variables, not their values."""
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


def test_a_missing_key_of_a_judging_run_is_reported_before_any_call(saved: Path) -> None:
    """Exit 2 and one line with the variable; the debate is unchanged."""
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
def test_an_added_run_without_a_verdict_is_a_failure(saved: Path, again: bool) -> None:
    """Exit 3 while its judge cannot be asked, even if the debate's own run has a verdict."""
    here = saved.parent.parent
    with model_server(failures=[503, 503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        done = debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV)
        if again:
            done = debate("run", "--resume", "saved", "--set", "limits.max_attempts=1", cwd=here, env=ENV)
    assert done.code == 3
    assert victories(saved) == {"r1": victories(saved)["r1"], "r2": "undetermined"}
    assert victories(saved)["r1"] != "undetermined"


def test_an_unfinished_run_does_not_fail_later_ones(saved: Path) -> None:
    """A later judging run with a verdict succeeds, although an earlier one is unfinished."""
    here = saved.parent.parent
    with model_server(failures=[503]) as server:
        write_config(here, OTHER.replace("URL", server.base_url), "other.yaml")
        assert debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV).code == 3
        later = debate("judge", saved, "--mock", "--system", "moderator", cwd=here, env=ENV)
    assert (later.code, "could not be asked" in later.err) == (0, False)


def test_a_judging_configuration_uses_its_own_models(saved: Path) -> None:
    """Without `models.judge` it uses its `models.default`, not the debate's judge."""
    here = saved.parent.parent
    assert "judge" in read(saved)["config"]["models"]
    write_config(here, OTHER.replace("lab/m", "mock/another").replace("URL", "http://127.0.0.1:9"), "other.yaml")
    assert debate("judge", saved, "--config", "other.yaml", cwd=here, env=ENV).code == 0
    asked = {assessment["exchange"]["model"] for assessment in read(saved)["assessments"] if assessment["run"] == "r2"}
    assert asked == {"mock/another"}


def test_the_costs_of_a_lost_judging_run_are_not_those_of_the_next(saved: Path) -> None:
    """The line that opens run r2 is damaged and cut off: its costs stay, and the next run is r3."""
    here = saved.parent.parent
    assert debate("judge", saved, "--mock", cwd=here).code == 0
    journal = saved.with_suffix(".jsonl")
    with Journal.create(journal, transcript_to_events(load_transcript_file(saved)), lambda text: text):
        saved.unlink()
    journal.write_bytes(journal.read_bytes().replace(b'"judging_opened"', b'"judging_closed"'))
    assert debate("run", "--resume", journal, "--up-to-damage", "-q", cwd=here).code == 0
    assert any(failure["task"].get("run") == "r2" for failure in read(saved)["failures"])
    calls = read(saved)["usage"]["calls"]
    assert debate("judge", saved, "--mock", cwd=here).code == 0
    judged = open_debate(saved).debate
    assert [run.id for run in judged.runs] == ["r1", "r3"]
    added = [item for item in judged.assessments if item.run == "r3"]
    assert usage_of_briefs(judged, lambda brief: brief.run == "r3").calls == len(added)
    assert judged.usage.calls == calls + len(added)
    assert debate("replay", saved, cwd=here).code == 0
