"""`debate init` offers what is at hand, and ends in a configuration that can be run."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from cli_support import debate, run_on_terminal
from serving_support import Answering, serving

from debate_cli.app.model_discovery import (
    SUGGESTED_MODELS,
    DiscoveredModel,
    discover_models,
    list_server_models,
    suggest_judge,
)
from debate_cli.llm.prices import find_bundled_price
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS

NOWHERE = "http://127.0.0.1:9"


@contextmanager
def listing(body: bytes) -> Generator[str]:
    """A server that answers every GET with `body`; its address without a path."""

    class Listing(Answering):
        def do_GET(self) -> None:  # noqa: N802 - the base class's name
            self.send(200, "application/json", body)

    with serving(Listing) as port:
        yield f"http://127.0.0.1:{port}"


def models(*names: str) -> bytes:
    """What an OpenAI-compatible server says of its models."""
    return json.dumps({"data": [{"id": name} for name in names]}).encode()


@dataclass(frozen=True)
class Case:
    """What is around, and the first model that is offered then."""

    ollama: tuple[str, ...]
    env: dict[str, str]
    extra: str | None
    first: str


@pytest.mark.parametrize(
    "case",
    [
        Case(("qwen3:8b",), {"OPENAI_API_KEY": "sk-1"}, "local", "ollama/qwen3:8b"),
        Case((), {"OPENAI_API_KEY": "sk-1"}, "local", "openai/gpt-5-mini"),
        Case((), {}, "local", "local/smollm2"),
        Case((), {}, None, "mock/debater"),
        Case((), {"OPENAI_API_KEY": " "}, None, "mock/debater"),
    ],
    ids=lambda case: case.first,
)
def test_what_costs_nothing_and_is_real_comes_first(case: Case) -> None:
    """Then what has a key, then the small embedded model, and the mock where there is nothing else."""
    assert discover_models(case.env, lambda _: case.ollama, embedded=case.extra is not None)[0].model == case.first


@pytest.mark.parametrize("name", SUGGESTED_MODELS)
def test_what_is_suggested_has_a_provider_and_a_price(name: str) -> None:
    """So that a budget in money can be kept with it."""
    assert BUILTIN_PROVIDERS[name].api_key_env
    assert find_bundled_price(f"{name}/{SUGGESTED_MODELS[name]}") is not None


@pytest.mark.parametrize(
    ("model", "judge"),
    [("openai/a", "anthropic/b"), ("ollama/x", "ollama/y"), ("local/smollm2", "local/smollm2"), ("own/z", "own/z")],
)
def test_a_judge_is_another_model_that_costs_no_more(model: str, judge: str) -> None:
    """Nobody pays for a judge by pressing Enter; where there is no other one it is the debaters' own."""
    found = [
        DiscoveredModel("ollama/x", ""), DiscoveredModel("ollama/y", ""), DiscoveredModel("openai/a", "", is_paid=True), DiscoveredModel("anthropic/b", "", is_paid=True),
        DiscoveredModel("local/smollm2", "", is_toy=True),
    ]  # fmt: skip
    assert suggest_judge(model, found) == judge


def test_models_that_cannot_debate_are_not_offered() -> None:
    """Nor names that no model has: they come from a server, and go into a file and onto a terminal."""
    with listing(models("qwen3:8b", "nomic-embed-text", "evil\u001b[31m", "a b")) as address:
        assert list_server_models(f"{address}/v1") == ["qwen3:8b"]


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 3}', b'{"data": [3]}', b"\xff"])
def test_a_server_that_answers_something_else_offers_nothing(body: bytes) -> None:
    """It may be anything that listens there."""
    with listing(body) as address:
        assert list_server_models(address) == []


def test_where_nobody_answers_nothing_is_offered() -> None:
    """And nothing fails."""
    assert list_server_models(NOWHERE) == []


def test_the_defaults_take_what_is_at_hand(here: Path) -> None:
    """Ollama's models with --yes; the result passes `check`, and the next command is told."""
    with listing(models("qwen3:8b", "llama3.2")) as address:
        done = debate("init", "--yes", cwd=here, env={"OLLAMA_HOST": address})
        assert debate("check", "debate.yaml", cwd=here, env={"OLLAMA_HOST": address}).code == 0
    found = yaml.safe_load((here / "debate.yaml").read_text())["models"]
    assert {role: spec["model"] for role, spec in found.items()} == {
        "default": "ollama/qwen3:8b",
        "judge": "ollama/llama3.2",
    }
    assert done.lines[-1].startswith("next: debate run debate.yaml ")


def test_a_model_is_chosen_by_its_number(here: Path) -> None:
    """The list names them; Enter takes the default."""
    env = {"OLLAMA_HOST": NOWHERE, "OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2"}
    code, drawn = run_on_terminal("init", cwd=here, keys="A tram?\n2\n\n", env=env)
    found = yaml.safe_load((here / "debate.yaml").read_text())
    assert code == 0
    assert "ANTHROPIC_API_KEY is set" in drawn
    assert [found["models"][role]["model"] for role in ("default", "judge")] == [
        "anthropic/claude-sonnet-5",
        "openai/gpt-5-mini",
    ]


def test_a_model_that_cannot_be_asked_yet_is_written_and_told(here: Path) -> None:
    """A key that is still missing is named before the next command; odd names survive YAML."""
    code, drawn = run_on_terminal(
        "init", cwd=here, keys="A tram?\ngroq/a, {b}: c\n\n", env={"OLLAMA_HOST": NOWHERE, "COLUMNS": "200"}
    )
    assert code == 0
    assert yaml.safe_load((here / "debate.yaml").read_text())["models"]["default"]["model"] == "groq/a, {b}: c"
    assert re.search(r"before it can run: .*GROQ_API_KEY is not set", drawn)


@contextmanager
def speaking(*pieces: bytes, pause: threading.Event | None = None) -> Generator[str]:
    """A server that says `pieces` to whoever comes, HTTP or not, then waits for `pause`; its address."""

    class Speaking(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for piece in pieces:
                self.wfile.write(piece)
            if pause is not None:
                pause.wait()

    with serving(Speaking) as port:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            if pause is not None:
                pause.set()


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.0 200 OK\r\nContent-Length: 900\r\n\r\n{", b""], ids=["ssh", "short", "none"]
)  # fmt: skip
def test_what_speaks_no_http_offers_nothing(said: bytes) -> None:
    """Any program may listen where Ollama would."""
    with speaking(said) as address:
        assert list_server_models(address) == []


def test_an_answer_nested_without_end_offers_nothing() -> None:
    """It is deeper than what reads it."""
    with listing(b"[" * 900_000) as address:
        assert list_server_models(address) == []


def test_a_server_that_comes_to_no_end_is_left_at_the_deadline() -> None:
    """Its connection stands open for as long as this test does not let go of it."""
    with speaking(b"HTTP/1.0 200 OK\r\n", pause=threading.Event()) as address:
        assert list_server_models(address, deadline_s=0.05) == []


def test_a_folder_with_odd_signs_makes_a_command_to_copy_and_a_file_that_can_be_read(here: Path) -> None:
    """A blank is quoted; a line break ends no comment."""
    for folder in ("a b", "x\ny: [1"):
        assert debate("init", folder, "--yes", cwd=here, env={"OLLAMA_HOST": NOWHERE}).code == 0
    assert "`debate run 'a b/debate.yaml'`" in (here / "a b" / "debate.yaml").read_text()
    assert yaml.safe_load((here / "x\ny: [1" / "debate.yaml").read_text())["version"] == 1


@pytest.mark.parametrize("name", ["z.yaml", "own/z.yml"])
def test_a_name_of_a_file_is_the_file(here: Path, name: str) -> None:
    """It is written with the schema beside it; a second one beside the same schema too."""
    assert debate("init", name, "--yes", cwd=here).code == 0
    path = here / name
    assert (path.is_file(), (path.parent / "debate.schema.json").is_file()) == (True, True)
    assert debate("init", path.with_stem("second"), "--yes", cwd=here).code == 0
    again = debate("init", name, "--yes", cwd=here)
    assert (again.code, "--force" in again.err) == (2, True)


def test_a_question_left_unanswered_is_an_interruption(here: Path) -> None:
    """Ctrl-D at a question: exit 130 without a word, and nothing is written."""
    code, drawn = run_on_terminal("init", cwd=here, keys="\x04", env={"OLLAMA_HOST": NOWHERE})
    assert (code, "Aborted" in drawn, list(here.iterdir())) == (130, False, [])
