"""`debate init`: the models that it offers, and the files that it writes."""

import json
import re
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
from debate_cli.llm.usage import find_bundled_price
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
        Case((), {"OPENAI_API_KEY": "sk-1"}, "local", "openai/gpt-5.4-mini"),
        Case((), {}, "local", "local/smollm2"),
        Case((), {}, None, "mock/debater"),
        Case((), {"OPENAI_API_KEY": " "}, None, "mock/debater"),
    ],
    ids=lambda case: case.first,
)
def test_free_real_models_are_offered_first(case: Case) -> None:
    """Ollama's models come first, then models with a key, the embedded model and the mock."""
    assert discover_models(case.env, lambda _: case.ollama, embedded=case.extra is not None)[0].model == case.first


@pytest.mark.parametrize("name", SUGGESTED_MODELS)
def test_suggested_models_have_a_provider_and_a_price(name: str) -> None:
    """Each suggested model has a provider and a price, so that a cost limit works."""
    assert BUILTIN_PROVIDERS[name].api_key_env
    assert find_bundled_price(f"{name}/{SUGGESTED_MODELS[name]}") is not None


@pytest.mark.parametrize(
    ("model", "judge"),
    [("openai/a", "anthropic/b"), ("ollama/x", "ollama/y"), ("local/smollm2", "local/smollm2"), ("own/z", "own/z")],
)
def test_the_suggested_judge_is_another_model_that_costs_no_more(model: str, judge: str) -> None:
    """The suggested judge is another model that costs no more; without one, it is the debaters' model."""
    found = [
        DiscoveredModel("ollama/x", ""), DiscoveredModel("ollama/y", ""), DiscoveredModel("openai/a", "", is_paid=True), DiscoveredModel("anthropic/b", "", is_paid=True),
        DiscoveredModel("local/smollm2", "", is_toy=True),
    ]  # fmt: skip
    assert suggest_judge(model, found) == judge


def test_models_that_cannot_debate_are_not_offered() -> None:
    """Models for embeddings, and names with control characters or blanks, are not offered."""
    with listing(models("qwen3:8b", "nomic-embed-text", "evil\u001b[31m", "a b")) as address:
        assert list_server_models(f"{address}/v1") == ["qwen3:8b"]


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 3}', b'{"data": [3]}', b"\xff"])
def test_a_server_that_answers_something_else_offers_nothing(body: bytes) -> None:
    """A program that answers anything but a list of models offers no models."""
    with listing(body) as address:
        assert list_server_models(address) == []


def test_a_server_that_sends_byte_after_byte_offers_nothing() -> None:
    """An answer that takes longer than the deadline is not awaited."""
    ended = threading.Event()

    class Endless(Answering):
        def do_GET(self) -> None:  # noqa: N802 - the base class's name
            self.send_response(200)
            self.end_headers()
            while not ended.wait(0.01):
                self.wfile.write(b" ")

    with serving(Endless) as port:
        try:
            assert list_server_models(f"http://127.0.0.1:{port}", deadline_s=0.1) == []
        finally:
            ended.set()


def test_the_defaults_use_available_models(here: Path) -> None:
    """`--yes` uses Ollama's models; the result passes `check`, and the next command is printed."""
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
    """The list numbers the models; Enter takes the default."""
    env = {"OLLAMA_HOST": NOWHERE, "OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2"}
    code, drawn = run_on_terminal("init", cwd=here, keys="A tram?\n2\n\n", env=env)
    found = yaml.safe_load((here / "debate.yaml").read_text())
    assert code == 0
    assert "ANTHROPIC_API_KEY is set" in drawn
    assert [found["models"][role]["model"] for role in ("default", "judge")] == [
        "anthropic/claude-sonnet-5",
        "openai/gpt-5.4-mini",
    ]


def test_a_model_without_a_key_is_written_and_reported(here: Path) -> None:
    """The missing key is named before the next command; odd names survive YAML."""
    code, drawn = run_on_terminal(
        "init", cwd=here, keys="A tram?\ngroq/a, {b}: c\n\n", env={"OLLAMA_HOST": NOWHERE, "COLUMNS": "200"}
    )
    assert code == 0
    assert yaml.safe_load((here / "debate.yaml").read_text())["models"]["default"]["model"] == "groq/a, {b}: c"
    assert re.search(r"to do before running: .*GROQ_API_KEY is not set", drawn)


def test_unusual_folder_names_are_quoted(here: Path) -> None:
    """A folder's name is quoted in the command and in the comment of the file, and is no option there."""
    for folder in ("a b", "x\ny: [1", "-dash"):
        done = debate("init", "--yes", "--", folder, cwd=here, env={"OLLAMA_HOST": NOWHERE})
        assert done.code == 0
    assert "next: debate run ./-dash/debate.yaml" in done.err
    assert "`debate run ./-dash/debate.yaml`" in (here / "-dash" / "debate.yaml").read_text()
    assert "`debate run 'a b/debate.yaml'`" in (here / "a b" / "debate.yaml").read_text()
    assert yaml.safe_load((here / "x\ny: [1" / "debate.yaml").read_text())["version"] == 1


@pytest.mark.parametrize("name", ["z.yaml", "own/z.yml"])
def test_a_file_name_is_accepted_instead_of_a_folder(here: Path, name: str) -> None:
    """The schema is written beside it; a second file beside the same schema is fine."""
    assert debate("init", name, "--yes", cwd=here).code == 0
    path = here / name
    assert (path.is_file(), (path.parent / "debate.schema.json").is_file()) == (True, True)
    assert debate("init", path.with_stem("second"), "--yes", cwd=here).code == 0
    again = debate("init", name, "--yes", cwd=here)
    assert (again.code, "--force" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("link", "code", "words"),
    [
        ("own.yaml", 2, "own.yaml exists already; overwrite it with --force"),
        ("debate.schema.json", 2, "debate.schema.json exists already; overwrite it with --force"),
        ("own", 1, "own: cannot be created (a file or a broken link with this name exists); choose another folder"),
    ],
)
def test_a_broken_link_is_not_replaced(here: Path, link: str, code: int, words: str) -> None:
    """It counts as an existing file."""
    (here / link).symlink_to("nowhere")
    done = debate("init", "--yes", "own" if link == "own" else "own.yaml", cwd=here)
    assert (done.code, done.lines) == (code, [f"debate: {words}"])
    assert [path.name for path in here.iterdir()] == [link]


def test_an_unanswered_question_is_an_interruption(here: Path) -> None:
    """Ctrl-D at a question ends with exit code 130, and no file is written."""
    code, drawn = run_on_terminal("init", cwd=here, keys="\x04", env={"OLLAMA_HOST": NOWHERE})
    assert (code, "Aborted" in drawn, list(here.iterdir())) == (130, False, [])
