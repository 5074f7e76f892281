"""Secrets that a server echoes are in no file, on no stream and in no other request, in any spelling."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, run_on_terminal, write_config
from echo_server import WHOLE, EchoServer, Received, echo_server, spellings

KEY = "cnry/Zq8+7Xk9=Lm2Np4Qr"
"""Contains characters that URLs and base64 encode."""
GATEWAY = 'gtw"Zq8\\7Xk-Vb3'
"""Contains characters that JSON escapes."""
UNUSED = "zz-Hj5Kl7-unused-canary"
FROM_FILE = "dotenv-Wd3Rf9-canary"
ENV = {"LAB_KEY": KEY, "GATEWAY_TOKEN": GATEWAY, "DEBATE_VAR_GATEWAY_TOKEN": GATEWAY, "ANTHROPIC_API_KEY": UNUSED}
SECRETS = (KEY, GATEWAY, UNUSED, FROM_FILE)
CONFIG = """\
topic: Should tests leak?
background: The token is ${GATEWAY_TOKEN}, which is secret.
providers:
  lab:
    kind: openai
    base_url: "URL"
    api_key_env: LAB_KEY
    headers: {X-Gateway-Token: "${GATEWAY_TOKEN}"}
  other: {kind: openai, base_url: "URL", api_key_env: OTHER_KEY}
models: {default: {model: lab/m}, judge: {model: other/m}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
judging: {systems: [structured, moderator]}
limits: {max_attempts: 2}
"""
OUR_OWN = frozenset({".env", "c.yaml"})


@dataclass(frozen=True, slots=True)
class Traces:
    """Output, files and requests of some commands."""

    folder: Path
    said: Mapping[str, str]
    """Command -> stdout and stderr."""
    codes: Mapping[str, int]
    received: tuple[Received, ...]
    """The requests that the server received."""

    def places(self) -> Iterator[tuple[str, str]]:
        """(where, text) of everything that was written."""
        yield from self.said.items()
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name not in OUR_OWN:
                yield str(path.relative_to(self.folder)), path.read_bytes().decode(errors="replace")

    def leaks(self) -> list[str]:
        """Every place that holds a secret, and its spelling."""
        return [
            f"{where}: {SECRETS[number]} {way}"
            for where, text in self.places()
            for number in range(len(SECRETS))
            for way, spelled in spellings(SECRETS[number]).items()
            if spelled in text
        ]


def write_files(folder: Path, server: EchoServer) -> None:
    """A configuration with two providers, both the echo server; one key comes from a .env file."""
    write_config(folder, CONFIG.replace("URL", server.base_url), "c.yaml")
    (folder / ".env").write_text(f"OTHER_KEY={FROM_FILE}\n")


def commands(status: int) -> list[list[str]]:
    """The commands to run against a server that answers with `status`."""
    run = ["run", "c.yaml", "--id", "x", "--force"]
    found = [[*run, "--debug", "--record", "tape.json"], ["run", "--resume", "x", "--debug"]]
    if status == WHOLE:
        found += [
            run,
            [*run, "--json", "--report", "page.html"],
            [*run, "--dry-run"],
            [*run, "--dry-run", "--json"],
            ["judge", "transcripts/x.json", "--config", "c.yaml", "--system", "panel", "--debug"],
            ["judge", "transcripts/x.json", "--system", "panel", "--record", "judged.json"],
            ["replay", "transcripts/x.json", "--format", "markdown", "-o", "x.md"],
            ["score", "transcripts/x.json", "--json"],
            ["check", "c.yaml", "--debug"],
            ["models"],
        ]
    return found


@pytest.fixture(scope="module", params=[pytest.param(400, marks=pytest.mark.soak), 401, 500, WHOLE])
def traces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Traces:
    """The traces of all commands with a server that answers with one status."""
    folder = tmp_path_factory.mktemp("secrets") / "here"
    folder.mkdir()
    done: dict[str, CommandResult] = {}
    with echo_server(request.param) as server:
        write_files(folder, server)
        for command in commands(request.param):
            done[" ".join(command)] = debate(*command, cwd=folder, env=ENV)
    said = {name: f"{one.out}\n{one.err}" for name, one in done.items()}
    return Traces(folder, said, {name: one.code for name, one in done.items()}, tuple(server.received))


def test_the_server_received_the_secrets(traces: Traces) -> None:
    """Otherwise the other tests would prove nothing."""
    assert any(KEY in each.echo for each in traces.received)
    assert any(json.dumps(GATEWAY)[1:-1] in each.echo for each in traces.received)


def test_no_secret_leaks(traces: Traces) -> None:
    """No file and no stream has a secret in any spelling."""
    assert traces.leaks() == []


@pytest.mark.parametrize("traces", [WHOLE], indirect=True)
def test_a_key_does_not_reach_another_provider(traces: Traces) -> None:
    """An echoed key of the debaters' provider is not in requests to the judges' provider."""
    of_judges = [each for each in traces.received if FROM_FILE in each.echo]
    assert of_judges
    assert [each for each in of_judges for way in spellings(KEY).values() if way in each.echo + each.body] == []


def test_exit_codes(traces: Traces) -> None:
    """An error ends a run with 3; answers with a secret are used without it."""
    runs = {code for name, code in traces.codes.items() if name.startswith(("run c.yaml", "judge"))}
    assert runs == ({0} if (traces.folder / "page.html").exists() else {3})


def test_a_terminal_shows_no_secret(here: Path) -> None:
    """Streamed words are delayed until they cannot begin a secret."""
    with echo_server(WHOLE) as server:
        write_files(here, server)
        code, drawn = run_on_terminal("run", "c.yaml", "--no-save", cwd=here, env={**ENV, "COLUMNS": "100"})
    assert code == 0
    letters = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|[^\w/+=-]", "", drawn)
    assert KEY not in letters
    assert "Zq8" not in letters


@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["plain", "debug"])
@pytest.mark.parametrize(
    "line",
    [
        "providers: {lab: {kind: openai, base_url: 'http://127.0.0.1:1', api_key: KEY}}",
        "providers: {lab: {kind: openai, base_url: 'http://127.0.0.1:1', headers: {Authorization: 'Bearer KEY'}}}",
        "providers: {lab: {kind: openai, base_url: 'http://me:KEY@127.0.0.1:1'}}",
        "modelss: KEY",
        "limits: {max_tokens: KEY}",
        "KEY: 1",
        "background: 'KEY",
    ],
)
def test_a_key_in_the_configuration_is_refused(here: Path, line: str, debug: tuple[str, ...]) -> None:
    """A key in plain text ends with exit code 2, and the message does not repeat it."""
    key = "sk-canary-1234567890abcdef"
    write_config(
        here, "topic: t\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n" + line.replace("KEY", key)
    )
    done = debate("run", "debate.yaml", *debug, cwd=here)
    assert done.code == 2
    assert "debate.yaml" in done.err
    assert key not in done.out + done.err
