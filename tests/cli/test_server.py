"""A whole debate against a server on 127.0.0.1 that speaks OpenAI's protocol: streams, keys, tokens, retries.

It is called vllm, for which schemas keep their bounds, so that the mock's answers fit at once.
"""

import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate, run_on_terminal, start_process, wait_until, write_config
from model_server import ModelServer, model_server

KEY = "sk-lab-0123456789abcdef0123456789abcdef"
CONFIG = """
topic: Should the town build a tram?
providers:
  vllm:
    base_url: "${LAB_URL}"
    api_key_env: LAB_KEY
    headers: {X-Team: "${TEAM}"}
    price: {input: 1, output: 2}
models: {default: {model: vllm/any}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
judging: {systems: [structured, moderator]}
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that answers everything."""
    with model_server() as running:
        yield running


def run(here: Path, server: ModelServer, *options: str) -> CommandResult:
    """The debate on that server."""
    write_config(here, CONFIG)
    env = {"LAB_URL": server.base_url, "LAB_KEY": KEY, "TEAM": "team-secret-4711"}
    return debate("run", "debate.yaml", "--id", "one", *options, cwd=here, env=env)


def read(here: Path) -> dict[str, Any]:
    """The saved transcript."""
    return json.loads((here / "transcripts/one.json").read_text())


@dataclass(frozen=True)
class Held:
    """A debate, recorded and with messages for debugging, and what its server received."""

    here: Path
    done: CommandResult
    server: ModelServer


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    """One debate for the tests that read what it left."""
    here = tmp_path_factory.mktemp("held") / "here"
    here.mkdir()
    with model_server() as server:
        return Held(here, run(here, server, "--record", "tape", "--debug"), server)


def test_a_debate_runs_to_its_verdict(held: Held) -> None:
    """Six speeches and both verdicts come by native structured output, without a repair."""
    done, stored = held.done, read(held.here)
    exchanges = [item["exchange"] for item in [*stored["turns"], *stored["assessments"]]]
    assert (done.code, stored["status"], len(stored["turns"])) == (0, "complete", 6), done.err
    assert {exchange["model"] for exchange in exchanges} == {"vllm/any"}
    assert {exchange["rung"] for exchange in exchanges} == {"native"}
    assert not any(exchange["repaired"] for exchange in exchanges)
    assert len(held.server.bodies) == stored["usage"]["calls"] == stored["usage"]["attempts"] == 11


def test_speeches_are_streamed(held: Held) -> None:
    """Each request of a debater asks for a stream with usage at its end."""
    streamed = [body for body in held.server.bodies if body.get("stream")]
    assert len(streamed) >= 6
    assert all(body["stream_options"] == {"include_usage": True} for body in streamed)


def test_a_model_on_this_machine_costs_nothing(here: Path, server: ModelServer) -> None:
    """A local model without price and key costs 0, so a cost limit does not stop it."""
    free = CONFIG.replace("    price: {input: 1, output: 2}\n", "").replace("api_key_env: LAB_KEY", "api_key_env: null")
    write_config(here, free + "limits: {max_cost_usd: 0.01}\n")
    env = {"LAB_URL": server.base_url, "TEAM": "team"}
    done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here, env=env)
    stored = read(here)
    assert (done.code, stored["status"], stored["usage"]["cost_usd"]) == (0, "complete", 0.0), done.err


def test_usage_equals_the_servers_count(held: Held) -> None:
    """Cost is the configured price times the tokens."""
    usage = read(held.here)["usage"]
    prompt = sum(count.input_tokens for count in held.server.counted)
    completion = sum(count.output_tokens for count in held.server.counted)
    assert (usage["input_tokens"], usage["output_tokens"]) == (prompt, completion)
    assert usage["cost_usd"] == pytest.approx((prompt * 1 + completion * 2) / 1e6)


def test_the_key_goes_only_to_the_server(held: Held) -> None:
    """Each request has it; no file and no output does. The same holds for a secret header."""
    headers = [{name.lower(): value for name, value in sent.items()} for sent in held.server.headers]
    assert {sent["authorization"] for sent in headers} == {f"Bearer {KEY}"}
    assert {sent["x-team"] for sent in headers} == {"team-secret-4711"}
    written = "".join(path.read_text() for path in held.here.rglob("*") if path.is_file())
    for secret in (KEY, "team-secret-4711"):
        assert secret not in written + held.done.out + held.done.err


@pytest.mark.parametrize("failures", [pytest.param([529], marks=pytest.mark.soak), [429, 500, 503]], ids=str)
def test_temporary_failures_are_retried(here: Path, failures: list[int]) -> None:
    """The debate is complete, and attempts are counted."""
    with model_server(failures=failures) as server:
        done = run(here, server)
        stored = read(here)
        assert (done.code, stored["status"], stored["failures"]) == (0, "complete", []), done.err
        assert stored["usage"]["attempts"] == len(server.bodies) == 11 + len(failures)
        rate_limited = sum(failure in {429, 529} for failure in failures)
        assert done.out.count("vllm limits requests: waiting ") == rate_limited
        assert done.out.count("retrying in") == len(failures) - rate_limited


@pytest.mark.parametrize("option", [pytest.param("--quiet", marks=pytest.mark.soak), "--json"])
def test_a_wait_after_429_is_shown_even_if_progress_is_not(here: Path, option: str) -> None:
    """A wait can take ten minutes, so it is named on stderr when no progress is shown."""
    with model_server(failures=[429]) as server:
        few = ("--set", "format.phases=[opening]", "--set", "judging.systems=[structured]")
        done = run(here, server, option, *few)
    assert done.code == 0
    assert [line for line in done.lines if line.startswith("note: vllm limits requests: waiting ")], done.err


def test_a_terminal_shows_a_wait_after_429_while_it_lasts(here: Path) -> None:
    """A line below the progress says how long the program has waited and for how long it waits at most."""
    write_config(here, CONFIG)
    with model_server(failures=[429]) as server:
        server.retry_after = 2
        env = {"LAB_URL": server.base_url, "LAB_KEY": KEY, "TEAM": "team-secret-4711", "TERM": "xterm"}
        few = ("--set", "format.phases=[opening]", "--set", "judging.systems=[structured]")
        code, drawn = run_on_terminal("run", "debate.yaml", *few, cwd=here, env=env)
    assert code == 0
    assert " of at most 600 s, next try in " in drawn


def test_a_server_without_schemas_gets_the_form_in_the_prompt(here: Path) -> None:
    """A 400 that names the parameter changes the way for all later calls of the model."""
    with model_server() as server:
        server.unsupported = "response_format"
        done = run(here, server)
        stored = read(here)
        assert (done.code, stored["status"]) == (0, "complete"), done.err
    modes = [item["exchange"]["rung"] for item in [*stored["turns"], *stored["assessments"]]]
    assert "native" not in modes


def test_no_call_is_repeated_after_a_kill(here: Path) -> None:
    """After a kill, only the calls in flight are made again."""
    write_config(here, CONFIG)
    with model_server(latency_s=0.1) as server:
        env = {"LAB_URL": server.base_url, "LAB_KEY": KEY, "TEAM": "t"}
        journal = here / "transcripts/one.jsonl"
        with start_process("run", "debate.yaml", "--id", "one", "-q", cwd=here, env=env) as running:
            wait_until(lambda: journal.exists() and journal.read_bytes().count(b'"type":"turned"') >= 2, "two speeches")
            running.signal(signal.SIGKILL)
            running.wait()
        events = [json.loads(line) for line in journal.read_bytes().splitlines()]
        answered = sum(event["type"] in {"turned", "assessed"} for event in events)
        asked = len(server.bodies)
        assert debate("run", "--resume", "one", "-q", cwd=here, env=env).code == 0
        assert len(server.bodies) - asked == 11 - answered


def test_a_server_that_ignores_schemas_is_asked_in_the_prompt(here: Path, server: ModelServer) -> None:
    """After two answers in plain text, a server that ignores schemas gets the form in the prompt, with one note."""
    server.ignores_schemas = True
    done = run(here, server, "--set", "format.order=sequential")
    stored = read(here)
    assert (done.code, stored["usage"]["attempts"]) == (0, stored["usage"]["calls"] + 2), done.err
    assert done.out.count("ignores the schema and answers in plain text") == 1
    asked = len(server.bodies)
    env = {"LAB_URL": server.base_url, "LAB_KEY": KEY, "TEAM": "team-secret-4711"}
    judged = debate("judge", "one", "--system", "live", "-q", cwd=here, env=env)
    assert judged.code == 0, judged.err
    assert len(server.bodies) > asked
    assert not any("response_format" in body for body in server.bodies[asked:])
