"""Citations in a transcript are checked against the passages that it holds, in JSON and on every page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate, run_on_terminal

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
    """`score --write` keeps passages and citations, and adds their keys to no transcript that lacks them."""
    path = _transcript(tmp_path, citations=[{"source": "S1", "quote": "Latency rose 43 percent"}])
    before = json.loads(path.read_text())
    debate("score", path, "--write", cwd=tmp_path)
    after = json.loads(path.read_text())
    assert [item["id"] for item in after["passages"]] == ["S1", "S2"]
    assert after["turns"][0]["arguments"] == before["turns"][0]["arguments"]
    assert "citations" not in after["turns"][0]["arguments"][1]


def test_a_passage_id_that_is_listed_twice_is_an_error(tmp_path: Path) -> None:
    """Two passages with one id are refused, because a citation could mean either of them."""
    path = _transcript(tmp_path, citations=[], passages=[SUMMARY, SUMMARY])
    result = debate("score", path, cwd=tmp_path)
    assert (result.code, "passages: `S2` is listed twice" in result.err) == (2, True)


def test_the_page_marks_quotes_in_their_passages(tmp_path: Path) -> None:
    """The page shows each cited passage: verified words and the words that an altered quote replaces are marked.

    Beneath an altered quote are the words of its source.
    """
    cited = [{"source": "S1", "quote": quote} for quote in CITED]
    page = debate("replay", _transcript(tmp_path, citations=cited), "--format", "html", cwd=tmp_path).out
    assert '<mark class="quoted">Latency rose 43 percent in 2024</mark>' in page
    assert '<mark class="altered">outage was not caused by the deploy</mark>' in page
    assert "The source says: “outage was not caused by the deploy”" in page


OUTCOMES = {
    "Latency rose 43 percent in 2024": ("S1", "✓ verified"),
    "The latency rose 43 percent in 2024": ("S1", "≈ near"),
    "the outage was caused by the deploy": ("S1", "✗ altered"),
    "teams with platforms are happier": ("S1", "✗ not found"),
    "a source that was never shown": ("S9", "✗ no such source"),
    "the outage was not caused by the deploy": ("S2", "? not checked"),
}
"""Quote -> the source it is cited from, and the result of its check as it is shown."""


@pytest.mark.parametrize("how", ["terminal", "plain", "markdown", "html"])
def test_each_quote_stands_in_the_speech_with_its_result(how: str, tmp_path: Path) -> None:
    """A quote of a summary, and one of an unknown source, never look like checked ones."""
    cited = [{"source": source, "quote": quote} for quote, (source, _) in OUTCOMES.items()]
    path = _transcript(tmp_path, citations=cited)
    if how == "terminal":
        _, page = run_on_terminal("replay", path, cwd=tmp_path, columns=200, env={"TERM": "xterm", "NO_COLOR": "1"})
    else:
        options = [] if how == "plain" else ["--format", how]
        page = debate("replay", path, *options, cwd=tmp_path).out
    lines = [re.sub(r"<[^>]+>|\x1b\[[0-9;]*m", "", line) for line in page.splitlines()]
    for quote, (_, shown) in OUTCOMES.items():
        (line, *_) = [line for line in lines if f"“{quote}”" in line]
        assert shown.split(" ", 1)[how == "plain"] in line, (quote, line)
        assert ("verified" in line) is (shown == "✓ verified")


def test_quote_and_passage_of_the_page_link_to_each_other(tmp_path: Path) -> None:
    """The quote in the speech leads to its comparison below the passage, and back."""
    cited = [{"source": source, "quote": quote} for quote, (source, _) in OUTCOMES.items()]
    page = debate("replay", _transcript(tmp_path, citations=cited), "--format", "html", cwd=tmp_path).out
    for number in range(1, len(cited) + 1):
        for name in (f"source-{number}", f"citation-{number}"):
            assert (page.count(f'id="{name}"'), page.count(f'href="#{name}"')) == (1, 1), name


@pytest.mark.parametrize(
    ("source", "is_link"),
    [
        ("https://a.example/page?x=1", True),
        ("javascript:alert(1)", False),
        ("https://bank.example@evil.example/", False),
        ("data:text/html,x", False),
        ("notes/https://a.example", False),
        ("https://b\u00e4nk.example/", False),
    ],
)
def test_only_plain_web_addresses_are_links(source: str, tmp_path: Path, *, is_link: bool) -> None:
    """A source is a link only if it is a plain http address; every other source is shown as text."""
    passages = [SUMMARY | {"source": source}]
    path = _transcript(tmp_path, citations=[{"source": "S2", "quote": "Latency rose 43 percent"}], passages=passages)
    page = debate("replay", path, "--format", "html", cwd=tmp_path).out
    assert (f'<a href="{source}" rel="noopener noreferrer nofollow">' in page) is is_link
    assert page.count('<a href="') - page.count('<a href="#') == is_link
