"""Look-ups of the system `sources`: what is named without a citation, where it is looked up, and what an answer rests on."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_support import debate
from search_support import searxng_server

EXAMPLE = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
TEXT = "The outage was not caused by the deploy. Latency rose 43 percent in 2024."
PASSAGES = [
    {"id": "S1", "source": "a.md", "text": TEXT},
    {"id": "S2", "source": "https://a.example/", "text": TEXT, "origin": "summary"},
]


def _example(folder: Path) -> Path:
    """A saved debate without passages; five arguments name something and cite nothing."""
    path = folder / "plain.json"
    path.write_text(EXAMPLE.read_text())
    return path


def _config(folder: Path, **parts: Any) -> Path:
    """A configuration whose judges are mocks."""
    path = folder / "judging.yaml"
    path.write_text(yaml.safe_dump({"topic": "t", "models": {"judge": {"model": "mock/j"}}, **parts}))
    return path


def _judge(folder: Path, *options: str | Path) -> dict[str, Any]:
    """The saved debate after `debate judge --system sources` with `options`."""
    path = _example(folder)
    done = debate("judge", path, "--system", "sources", "--quiet", *options, cwd=folder)
    assert done.code == 0, done.err
    return json.loads(path.read_text())


def _findings(saved: dict[str, Any]) -> list[dict[str, Any]]:
    given = [item for item in saved["assessments"] if item["system"] == "sources"]
    return [finding for item in given for finding in item["findings"] if finding["kind"] == "source_lookup"]


def test_without_a_lookup_the_only_answer_is_unknown(tmp_path: Path) -> None:
    """The form asks about each uncited claim, offers only `unknown`, and asks for no passage."""
    saved = _judge(tmp_path, "--mock", "--record", "tape.jsonl")
    asked = [json.loads(line)["request"] for line in (tmp_path / "tape.jsonl").read_text().splitlines()[1:]]
    (claim, *_) = asked[0]["schema"]["json"]["properties"]["claims"]["prefixItems"]
    assert claim["properties"]["exists"]["enum"] == ["unknown"]
    assert {"passage", "quote"}.isdisjoint(claim["properties"])
    assert [(item["item"], item["exists"]) for item in _findings(saved)] == [
        (item, "unknown") for item in ("PRO-2", "PRO-3", "CON-1", "CON-2", "CON-3")
    ]


def test_a_lookup_searches_each_claim_and_keeps_what_was_found(tmp_path: Path) -> None:
    """Each claim has one search. The file has the passages and searches, and is scored as before."""
    with searxng_server() as server:
        config = _config(tmp_path, evidence={"web": {"provider": "searxng", "base_url": server.base_url}})
        saved = _judge(tmp_path, "--config", config, "--lookup", "web")
        claims = [argument["evidence"] for turn in saved["turns"] for argument in turn.get("arguments", ())]
        assert set(server.queries) <= set(claims)
        assert len(server.queries) == len(_findings(saved)) == 5
    (assessment,) = [item for item in saved["assessments"] if item["system"] == "sources"]
    assert assessment["passages"] == [passage["id"] for passage in saved["passages"]]
    assert {passage["origin"] for passage in saved["passages"]} == {"web"}
    assert saved["usage"]["searches"] == 5
    assert all("results" not in search for search in saved["searches"])
    checked = debate("score", tmp_path / "plain.json", "--check", "--runs", "all", cwd=tmp_path)
    assert checked.code == 0, checked.err


def test_a_failed_lookup_is_a_warning_of_the_judge(tmp_path: Path) -> None:
    """The judge goes on after a failed search, and each claim is unknown."""
    with searxng_server() as server:
        server.fails = True
        web = {"provider": "searxng", "base_url": server.base_url}
        config = _config(tmp_path, evidence={"web": web}, limits={"max_attempts": 1})
        saved = _judge(tmp_path, "--config", config, "--lookup", "web")
    assert {item["exists"] for item in _findings(saved)} == {"unknown"}
    (assessment,) = [item for item in saved["assessments"] if item["system"] == "sources"]
    assert any(warning.startswith("search: the web search failed") for warning in assessment["warnings"])


@pytest.mark.parametrize(
    ("passage", "quote", "exists", "outcome"),
    [
        ("S1", "Latency rose 43 percent in 2024", "yes", "verified"),
        ("S1", "Latency rose 13 percent in 2024", "unknown", "altered"),
        ("S1", "no such words at all", "unknown", "not_found"),
        ("S9", "Latency rose 43 percent in 2024", "unknown", "no_such_source"),
        ("S2", "Latency rose 43 percent in 2024", "yes", "unchecked"),
        ("", "", "unknown", None),
    ],
)
def test_an_answer_counts_only_with_words_of_its_passage(
    passage: str, quote: str, exists: str, outcome: str | None, tmp_path: Path
) -> None:
    """Scoring checks the quote without a model. A quote of a summary is unchecked."""
    data = json.loads(EXAMPLE.read_text())
    finding = {"kind": "source_lookup", "turn": 0, "item": "PRO-2", "exists": "yes", "passage": passage, "quote": quote}
    data["config"]["judging"] = {"systems": [{"kind": "sources"}]}
    subject: dict[str, Any] = {"moment": "round", "round": 1, "turns": []}
    assessment = {
        "run": "r1", "system": "sources", "assessor": "judge", "subject": subject, "findings": [finding],
        "exchange": data["assessments"][0]["exchange"],
    }  # fmt: skip
    data |= {"passages": PASSAGES, "assessments": [assessment], "verdicts": []}
    path = tmp_path / "judged.json"
    path.write_text(json.dumps(data))
    notes = debate("score", path, "--json", cwd=tmp_path).json[0]["verdicts"][0]["notes"]
    first = notes["lookups"][0]
    assert (first["item"], first["exists"], first["outcome"]) == ("PRO-2", exists, outcome)
    assert [row["uncited"] for row in notes["debaters"]] == [2, 3]


def test_a_source_that_does_not_exist_is_looked_up(tmp_path: Path) -> None:
    """A citation of a passage that the debate does not have names a source."""
    data = json.loads(EXAMPLE.read_text())
    data["turns"][0]["arguments"][0]["citations"] = [{"source": "Smith 2020", "quote": "Latency rose by a third"}]
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(data))
    done = debate("judge", path, "--system", "sources", "--lookup", "web", "--mock", "--quiet", cwd=tmp_path)
    assert done.code == 0, done.err
    saved = json.loads(path.read_text())
    assert "Smith 2020: Latency rose by a third" in [search["query"] for search in saved["searches"]]
    assert "Smith 2020" in [finding["source"] for finding in _findings(saved)]


def test_the_replay_shows_what_an_answer_rests_on(tmp_path: Path) -> None:
    """Plain lines, Markdown and HTML have the table of claims without a passage."""
    _judge(tmp_path, "--mock", "--lookup", "web")
    for how in ((), ("--format", "markdown"), ("--format", "html")):
        page = debate("replay", tmp_path / "plain.json", *how, cwd=tmp_path, env={"COLUMNS": "300"}).out
        assert "ources: claims without a passage" in page


def test_answers_are_shown_as_they_come(tmp_path: Path) -> None:
    """The report on a judge has each look-up with the check of its quote. Without the quoted words, it is unknown."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Public incident reports track outages per quarter: 43 in 2024.")
    done = debate("judge", _example(tmp_path), "--system", "sources", "--mock", "--evidence", "docs", cwd=tmp_path)
    lines = [line for line in done.out.splitlines() if "the evidence of" in line]
    assert len(lines) == 5
    assert all("not known to exist" in line for line in lines if "verified in S1" not in line)


def test_files_are_looked_in_with_an_option(tmp_path: Path) -> None:
    """`--evidence DIR` needs no configuration and no search. The file does not keep the path."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Public incident reports track outages per quarter: 43 in 2024.")
    saved = _judge(tmp_path, "--mock", "--evidence", tmp_path / "docs")
    assert [passage["source"] for passage in saved["passages"]] == ["docs/a.md"]
    assert "searches" not in saved
    assert str(tmp_path) not in json.dumps(saved)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--system", "panel", "--evidence", "docs"), "--evidence: no chosen system (panel) looks up facts"),
        (("--system", "sources", "--evidence", "docs", "--lookup", "web"), "use --lookup both"),
        (("--system", "sources", "--evidence", "absent"), "absent: no such file or folder"),
        (("--system", "sources", "--lookup", "corpus"), "no files are given"),
        (("--system", "structured", "--lookup", "web"), "no chosen system (structured) looks up facts"),
        (("--system", "sources", "--lookup", "web", "--model", "mistral/m"), "mistral has no web search"),
        (("--system", "sources", "--lookup", "web", "--model", "openai/m"), "OPENAI_API_KEY is not set"),
    ],
)
def test_a_lookup_that_cannot_be_made_is_one_sentence(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """It says what to do, ends the command before the first call, and leaves the debate unchanged."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Some words.")
    before, model = _example(tmp_path).read_text(), () if "--model" in options else ("--mock",)
    environment = {"MISTRAL_API_KEY": "k-0123456789"}
    done = debate("judge", tmp_path / "plain.json", *model, *options, cwd=tmp_path, env=environment)
    assert (done.code, words in done.err) == (2, True), done.err
    assert (tmp_path / "plain.json").read_text() == before


def test_a_dry_run_counts_searches_beside_the_judge(tmp_path: Path) -> None:
    """The plan has one call of the judge for the round, and one web search for each claim."""
    done = debate(
        "judge", _example(tmp_path), "--system", "sources", "--lookup", "web", "--model", "anthropic/claude-sonnet-5",
        "--dry-run", "--json", cwd=tmp_path, env={"ANTHROPIC_API_KEY": "sk-0123456789"},
    )  # fmt: skip
    plan = done.json[0]["plan"]
    assert {role["role"]: role["planned"]["calls"] for role in plan["roles"]} == {
        "r2 sources judge": 1,
        "web search": 5,
    }
    assert plan["assessments"] == 1
