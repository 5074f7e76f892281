"""Passages ordered by meaning: through an embeddings endpoint, counted, not repeated, and left out if it fails."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import debate
from openapi_support import problems
from search_support import FakeEmbeddings, embeddings_server

TEXTS = {
    "a.md": "Microservices of a startup: adopt them should a startup.",
    "b.md": "Microservices and a startup.",
    "c.md": "Startup of microservices, with a lemon.",
}


@pytest.fixture
def server() -> Generator[FakeEmbeddings]:
    """A local server with embeddings, to which texts with `lemon` are nearest."""
    with embeddings_server() as started:
        yield started


def _config(folder: Path, model: str, base_url: str) -> Path:
    (folder / "docs").mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (folder / "docs" / name).write_text(text)
    path = folder / "debate.yaml"
    data = {
        "topic": "Should a startup adopt microservices?",
        "evidence": {"sources": ["docs"], "rerank": {"model": model}, "passages": 2},
        "providers": {"lab": {"kind": "openai", "base_url": base_url, "api_key_env": None}},
        "models": {"default": {"model": "mock/m"}},
        "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
        "format": {"rounds": 1},
        "limits": {"max_attempts": 1},
    }
    path.write_text(yaml.safe_dump(data))
    return path


def _run(folder: Path, config: Path, *options: str) -> dict[str, Any]:
    done = debate("run", config, "--id", "d", "--out", "saved", "--quiet", "--force", *options, cwd=folder)
    assert done.code == 0, done.err
    return json.loads((folder / "saved" / "d.json").read_text())


def _shown(saved: dict[str, Any]) -> list[str]:
    sources = {passage["id"]: passage["source"] for passage in saved["passages"]}
    return [sources[passage] for passage in saved["turns"][0]["passages"]]


def test_the_nearest_passages_are_shown_first(server: FakeEmbeddings, tmp_path: Path) -> None:
    """The order is that of the similarity to the query; equal ones keep the order of the index. Tokens are counted."""
    saved = _run(tmp_path, _config(tmp_path, "lab/embed", server.base_url))
    assert _shown(saved) == ["docs/c.md", "docs/a.md"]
    (first, *_) = server.bodies
    assert problems("openai", "CreateEmbeddingRequest", first) == []
    assert (first["model"], len(first["input"])) == ("embed", 4)
    (record, _) = saved["searches"]
    assert (record["kind"], record["exchange"]["usage"]["input_tokens"]) == ("rerank", 70)
    assert "results" not in record


def test_a_failed_ordering_leaves_the_order_of_the_index(server: FakeEmbeddings, tmp_path: Path) -> None:
    """If ordering fails, passages keep the order of the index, and the speech has a warning."""
    server.fails = True
    saved = _run(tmp_path, _config(tmp_path, "lab/embed", server.base_url))
    assert _shown(saved) == ["docs/a.md", "docs/b.md"]
    warnings = saved["turns"][0]["warnings"]
    assert any(warning.startswith("search: ordering passages by meaning failed: lab") for warning in warnings)


@pytest.mark.parametrize("vectors", [[[1.0]], [[1.0], [2.0, 3.0]], [["x"]], "none"])
def test_embeddings_that_cannot_be_compared_are_a_failure(vectors: Any, server: FakeEmbeddings, tmp_path: Path) -> None:
    """A server that sends too few vectors, or none, costs the order only."""
    server.vectors = vectors
    saved = _run(tmp_path, _config(tmp_path, "lab/embed", server.base_url))
    assert {record["failure"]["cause"] for record in saved["searches"]} == {"BrokenBodyError"}


def test_a_rehearsal_orders_without_a_server(tmp_path: Path) -> None:
    """The mock rates by common words."""
    saved = _run(tmp_path, _config(tmp_path, "lab/embed", "http://127.0.0.1:9"), "--mock")
    assert {record["exchange"]["model"] for record in saved["searches"]} == {"mock/embed"}


def test_a_provider_without_embeddings_is_one_sentence(tmp_path: Path) -> None:
    """A provider without embeddings ends the run with one sentence before the first call."""
    done = debate("run", _config(tmp_path, "anthropic/m", "http://127.0.0.1:9"), "--no-save", cwd=tmp_path,
                  env={"ANTHROPIC_API_KEY": "sk-0123456789"})  # fmt: skip
    assert (done.code, "anthropic has no embeddings" in done.err) == (2, True), done.err


def test_check_names_host_and_key_of_the_reranking_model(tmp_path: Path) -> None:
    """`check` knows every server that a run would ask, and where its key is missing."""
    config = _config(tmp_path, "openai/embed", "http://127.0.0.1:9")
    done = debate("check", config, cwd=tmp_path, env={"OPENAI_API_KEY": ""})
    assert (done.code, "evidence.rerank.model: OPENAI_API_KEY is not set" in done.err) == (2, True), done.err
    config = _config(tmp_path, "lab/embed", "http://192.0.2.1:9/v1")
    done = debate("check", config, "--json", "--trust-host", "192.0.2.1:9", cwd=tmp_path)
    assert (done.code, [host["provider"] for host in json.loads(done.out)[0]["hosts"]]) == (0, ["lab"]), done.out
