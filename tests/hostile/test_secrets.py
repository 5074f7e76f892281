"""Secrets that a server says back: in no file, on no stream, in no other request, however they are spelled."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, run_on_terminal, write_config
from echo_server import WHOLE, EchoServer, Heard, echo_server, spellings

KEY = "cnry/Zq8+7Xk9=Lm2Np4Qr"
"""Holds signs that URLs and base64 write otherwise."""
GATEWAY = 'gtw"Zq8\\7Xk-Vb3'
"""Holds signs that JSON writes otherwise."""
UNUSED = "zz-Hj5Kl7-unused-canary"
FROM_FILE = "dotenv-Wd3Rf9-canary"
ENV = {"LAB_KEY": KEY, "GATEWAY_TOKEN": GATEWAY, "ANTHROPIC_API_KEY": UNUSED}
SECRETS = (KEY, GATEWAY, UNUSED, FROM_FILE)
CONFIG = """\
topic: Should tests leak?
background: The token is ${GATEWAY_TOKEN}, which is nobody's business.
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
class Trail:
    """What commands left behind."""

    folder: Path
    said: Mapping[str, str]
    """Command -> stdout and stderr."""
    codes: Mapping[str, int]
    heard: tuple[Heard, ...]
    """What the server was sent."""

    def places(self) -> Iterator[tuple[str, str]]:
        """(where, text) of everything that was written."""
        yield from self.said.items()
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name not in OUR_OWN:
                yield str(path.relative_to(self.folder)), path.read_bytes().decode(errors="replace")

    def leaks(self) -> list[str]:
        """Where a secret stands, and how it is spelled there."""
        return [
            f"{where}: {SECRETS[number]} {way}"
            for where, text in self.places()
            for number in range(len(SECRETS))
            for way, spelled in spellings(SECRETS[number]).items()
            if spelled in text
        ]


def prepared(folder: Path, server: EchoServer) -> None:
    """A configuration with two providers, both of them the server; the key of one comes from a .env file."""
    write_config(folder, CONFIG.replace("URL", server.base_url), "c.yaml")
    (folder / ".env").write_text(f"OTHER_KEY={FROM_FILE}\n")


def commands(status: int) -> list[list[str]]:
    """What is run against a server that answers with `status`."""
    run = ["run", "c.yaml", "--id", "x", "--force"]
    found = [run, [*run, "--debug", "--record", "tape.json"], ["run", "--resume", "x", "--debug"]]
    if status == WHOLE:
        found += [
            [*run, "--json", "--report", "page.html"],
            [*run, "--dry-run"],
            [*run, "--dry-run", "--json"],
            ["judge", "transcripts/x.json", "--config", "c.yaml", "--system", "panel", "--debug"],
            ["replay", "transcripts/x.json", "--format", "markdown", "-o", "x.md"],
            ["score", "transcripts/x.json", "--json"],
            ["check", "c.yaml", "--debug"],
            ["models"],
        ]
    return found


@pytest.fixture(scope="module", params=[400, 401, 500, WHOLE])
def trail(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trail:
    """What all commands left behind whose server answers with one status."""
    folder = tmp_path_factory.mktemp("secrets") / "here"
    folder.mkdir()
    done: dict[str, CommandResult] = {}
    with echo_server(request.param) as server:
        prepared(folder, server)
        for command in commands(request.param):
            done[" ".join(command)] = debate(*command, cwd=folder, env=ENV)
    said = {name: f"{one.out}\n{one.err}" for name, one in done.items()}
    return Trail(folder, said, {name: one.code for name, one in done.items()}, tuple(server.heard))


def test_the_server_was_sent_the_secrets(trail: Trail) -> None:
    """Otherwise nothing could leak, and these tests would show nothing."""
    assert any(KEY in each.told for each in trail.heard)
    assert any(json.dumps(GATEWAY)[1:-1] in each.told for each in trail.heard)


def test_nothing_leaks(trail: Trail) -> None:
    """Neither into a file nor onto a stream, in no spelling."""
    assert trail.leaks() == []


@pytest.mark.parametrize("trail", [WHOLE], indirect=True)
def test_one_providers_key_is_not_told_to_another(trail: Trail) -> None:
    """What the debaters' server said back reaches the judges' server without the debaters' key."""
    of_judges = [each for each in trail.heard if FROM_FILE in each.told]
    assert of_judges
    assert [each for each in of_judges for way in spellings(KEY).values() if way in each.told + each.body] == []


def test_the_commands_did_what_they_do(trail: Trail) -> None:
    """An error ends a run with 3; answers that hold a secret are used without it."""
    runs = {code for name, code in trail.codes.items() if name.startswith(("run c.yaml", "judge"))}
    assert runs == ({0} if (trail.folder / "page.html").exists() else {3})


def test_a_terminal_shows_no_secret(here: Path) -> None:
    """Words that stream onto a terminal are held back until no secret can begin with them."""
    with echo_server(WHOLE) as server:
        prepared(here, server)
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
def test_a_key_in_the_configuration_is_refused_and_not_repeated(here: Path, line: str, debug: tuple[str, ...]) -> None:
    """Exit 2; the message says where it stands, not what it is."""
    key = "sk-canary-1234567890abcdef"
    write_config(
        here, "topic: t\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n" + line.replace("KEY", key)
    )
    done = debate("run", "debate.yaml", *debug, cwd=here)
    assert done.code == 2
    assert "debate.yaml" in done.err
    assert key not in done.out + done.err
