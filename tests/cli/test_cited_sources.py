"""Citations in a transcript are checked against the passages that it holds, in JSON and on every page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate

EXAMPLE = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
TEXT = "The outage was not caused by the deploy. Latency rose 43 percent in 2024."
SUMMARY = {"id": "S2", "source": "https://a.example/", "title": "Page", "text": TEXT, "origin": "summary"}
CITED = {
    "Latency rose 43 percent in 2024": "verified",
    "The latency rose 43 percent in 2024": "near",
    "the outage was caused by the deploy": "altered",
    "teams with platforms are happier": "not_found",
}


def _transcript(folder: Path, *, citations: list[dict[str, str]], **changes: Any) -> Path:
    """A debate whose first argument has `citations`."""
    data = json.loads(EXAMPLE.read_text())
    data["turns"][0]["arguments"][0]["citations"] = citations
    passage = {
        "id": "S1",
        "source": "incidents.md",
        "title": "Incidents",
        "text": TEXT,
        "locator": None,
        "origin": "corpus",
    }
    path = folder / "cited.json"
    path.write_text(json.dumps({**data, "passages": [passage, SUMMARY], **changes}))
    return path


def test_score_gives_the_check_of_each_citation(tmp_path: Path) -> None:
    """`score --json` lists turn, item, source, quote, outcome, the passage's words and the difference."""
    cited = [{"source": "S1", "quote": quote} for quote in CITED]
    cited += [
        {"source": "S9", "quote": "Latency rose 43 percent"},
        {"source": "S2", "quote": "Latency rose 43 percent"},
    ]
    path = _transcript(tmp_path, citations=cited)
    sources = debate("score", path, "--json", cwd=tmp_path).json[0]["sources"]
    assert [item["outcome"] for item in sources] == [*CITED.values(), "no_such_source", "unchecked"]
    assert sources[2] == {
        "kind": "source_check",
        "turn": 0,
        "item": "PRO-1",
        "source": "S1",
        "quote": "the outage was caused by the deploy",
        "outcome": "altered",
        "passage_words": "outage was not caused by the deploy",
        "difference": "“not” was left out",
    }


def test_responses_and_closings_cite_too(tmp_path: Path) -> None:
    """The item of a citation in a response is the argument that it answers, in a closing `closing`."""
    data = json.loads(EXAMPLE.read_text())
    cited = {"citations": [{"source": "S1", "quote": "Latency rose 43 percent"}]}
    turns = data["turns"]
    for turn in turns:
        if turn.get("responses"):
            turn["responses"][0] |= cited
        if turn.get("closing"):
            turn["closing"] |= cited
    path = _transcript(tmp_path, citations=[], turns=turns)
    items = [item["item"] for item in debate("score", path, "--json", cwd=tmp_path).json[0]["sources"]]
    targets = [turn["responses"][0]["target"] for turn in turns if turn.get("responses")]
    assert items == [*targets, "closing", "closing"]


@pytest.mark.parametrize("how", [(), ("--format", "markdown"), ("--format", "html")])
def test_every_page_shows_the_altered_quote_with_both_wordings(how: tuple[str, ...], tmp_path: Path) -> None:
    """Plain lines, Markdown and HTML show the quote, its outcome and what was left out."""
    path = _transcript(tmp_path, citations=[{"source": "S1", "quote": "the outage was caused by the deploy"}])
    page = debate("replay", path, *how, cwd=tmp_path, env={"COLUMNS": "300"}).out
    assert all(part in page for part in ("the outage was caused by the deploy", "altered", "“not” was left out"))


def test_passages_and_citations_survive_a_rewrite(tmp_path: Path) -> None:
    """`score --write` keeps them, and a transcript without any stays without the keys."""
    path = _transcript(tmp_path, citations=[{"source": "S1", "quote": "Latency rose 43 percent"}])
    before = json.loads(path.read_text())
    debate("score", path, "--write", cwd=tmp_path)
    after = json.loads(path.read_text())
    assert [item["id"] for item in after["passages"]] == ["S1", "S2"]
    assert after["turns"][0]["arguments"] == before["turns"][0]["arguments"]
    assert "citations" not in after["turns"][0]["arguments"][1]


def test_a_passage_id_that_is_listed_twice_is_an_error(tmp_path: Path) -> None:
    """A citation of it could mean two texts."""
    path = _transcript(tmp_path, citations=[], passages=[SUMMARY, SUMMARY])
    result = debate("score", path, cwd=tmp_path)
    assert (result.code, "passages: `S2` is listed twice" in result.err) == (2, True)


def test_the_page_marks_quotes_in_their_passages(tmp_path: Path) -> None:
    """The page shows each cited passage: verified words and the words that an altered quote replaces are marked."""
    cited = [{"source": "S1", "quote": quote} for quote in CITED]
    page = debate("replay", _transcript(tmp_path, citations=cited), "--format", "html", cwd=tmp_path).out
    assert '<mark class="quoted">Latency rose 43 percent in 2024</mark>' in page
    assert '<mark class="altered">outage was not caused by the deploy</mark>' in page
