"""The system `sources`: credit per citation that is in its source and supports the argument."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate

from debate_cli import load_transcript, score
from debate_cli.evidence.source_checks import names_a_source
from debate_cli.render.content.summary import explain_scores
from debate_cli.render.text.plain import closing_lines
from debate_cli.systems.registry import get_system

EXAMPLE = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
TEXT = "The outage was not caused by the deploy. Latency rose 43 percent in 2024."
VERIFIED, ALTERED, ABSENT = (
    "Latency rose 43 percent in 2024",
    "the outage was caused by the deploy",
    "no such words at all",
)
SUMMARY = {"id": "S2", "source": "https://a.example/", "text": TEXT, "origin": "summary"}


def _saved(folder: Path, citations: dict[str, list[tuple[str, str, str]]]) -> Path:
    """A debate in which each debater's first argument has (source, quote, supports) as citations."""
    data = json.loads(EXAMPLE.read_text())
    findings: list[dict[str, Any]] = []
    for turn in data["turns"][:2]:
        argument = turn["arguments"][0]
        own = citations[turn["speaker"]]
        argument["citations"] = [{"source": source, "quote": quote} for source, quote, _ in own]
        findings += [
            {"kind": "source_support", "turn": turn["index"], "item": argument["id"], "source": source, "quote": quote,
             "supports": supports}
            for source, quote, supports in own
        ]  # fmt: skip
    exchange = data["assessments"][0]["exchange"]
    subject: dict[str, Any] = {"moment": "round", "round": 1, "turns": []}
    assessment: dict[str, Any] = {
        "run": "r1", "system": "sources", "assessor": "judge", "subject": subject, "findings": findings, "exchange": exchange,
    }  # fmt: skip
    data["config"]["judging"] = {"systems": [{"kind": "sources"}]}
    data |= {
        "passages": [{"id": "S1", "source": "a.md", "text": TEXT}, SUMMARY],
        "assessments": [assessment],
        "verdicts": [],
    }
    path = folder / "judged.json"
    path.write_text(json.dumps(data))
    return path


def _judged(folder: Path, citations: dict[str, list[tuple[str, str, str]]]) -> Any:
    """The verdict on such a debate."""
    done = debate("score", _saved(folder, citations), "--json", cwd=folder)
    assert done.code == 0, done.err
    return done.json[0]["verdicts"][0]


@pytest.mark.parametrize(
    ("pro", "con", "scores", "victory"),
    [
        ([("S1", VERIFIED, "yes")], [("S1", VERIFIED, "partly")], {"Pro": 1.0, "Con": 0.5}, "clear"),
        ([("S1", VERIFIED, "yes")], [("S1", ALTERED, "yes")], {"Pro": 1.0, "Con": 0.0}, "clear"),
        ([("S1", VERIFIED, "no")], [("S9", VERIFIED, "yes")], {"Pro": 0.0, "Con": 0.0}, "draw"),
        ([("S1", VERIFIED, "contradicts")], [("S1", ABSENT, "yes")], {"Pro": 0.0, "Con": 0.0}, "draw"),
        (
            [("S1", VERIFIED, "yes"), ("S1", ABSENT, "unknown"), ("S2", VERIFIED, "yes")],
            [("S1", VERIFIED, "yes"), ("S1", ALTERED, "no")],
            {"Pro": 1.0, "Con": 0.5},
            "clear",
        ),
        ([("S2", VERIFIED, "yes")], [("S1", VERIFIED, "unknown")], {"Pro": 0.0, "Con": 0.0}, "undetermined"),
        ([], [("S1", VERIFIED, "partly")], {"Pro": 0.0, "Con": 0.5}, "clear"),
    ],
)
def test_credit_is_for_words_that_are_there_and_support(
    pro: list[tuple[str, str, str]],
    con: list[tuple[str, str, str]],
    scores: dict[str, float],
    victory: str,
    tmp_path: Path,
) -> None:
    """Support gives 1, partial support ½, and all else 0. Unchecked citations and unknown answers do not count."""
    verdict = _judged(tmp_path, {"Pro": pro, "Con": con})
    assert (verdict["scores"], verdict["victory"]) == (scores, victory)


def test_counts_stand_beside_the_score(tmp_path: Path) -> None:
    """The notes count altered, missing and contradicted citations."""
    cited = [("S1", ALTERED, "yes"), ("S1", ABSENT, "no"), ("S9", VERIFIED, "no"), ("S1", VERIFIED, "contradicts")]
    row = _judged(tmp_path, {"Pro": cited, "Con": []})["notes"]["debaters"][0]
    assert (row["citations"], row["altered"], row["not_found"], row["contradicted"]) == (4, 1, 2, 1)


def test_the_conclusion_lists_reliable_sources_and_those_to_check(tmp_path: Path) -> None:
    """Altered quotes come first. Sources with partial, unknown or unchecked support are in neither list."""
    pro = [("S1", VERIFIED, "yes"), ("S1", ABSENT, "no"), ("S1", VERIFIED[:-8], "partly"), ("S2", VERIFIED, "yes")]
    con = [("S9", VERIFIED, "unknown"), ("S1", "caused by the deploy", "contradicts"), ("S1", ALTERED, "yes")]
    loaded = load_transcript(_saved(tmp_path, {"Pro": pro, "Con": con}))
    shown = closing_lines(loaded, score(loaded))
    lines = [line for line in shown if line.startswith(("Rely on: S", "Check first: S"))]
    assert "Check first: and 1 more" in shown
    assert lines == [
        "Rely on: S1  a.md: verified, supports PRO-1",
        "Check first: S1  a.md: altered in CON-1: “not” was left out",
        "Check first: S1  a.md: not found in PRO-1",
        "Check first: S9  no such source in CON-1",
    ]


def test_a_debate_without_citations_is_undetermined_and_says_so(tmp_path: Path) -> None:
    """The verdict says that no debater cites a source."""
    verdict = _judged(tmp_path, {"Pro": [], "Con": []})
    assert (verdict["victory"], verdict["notes"]["missing"]) == ("undetermined", ["No debater cites a source."])


@pytest.mark.parametrize(
    ("evidence", "is_named"),
    [
        ("Costs rose 43 percent.", True),
        ("A study of teams shows it.", True),
        ("See the figures of Eurostat.", True),
        ("Anyone who has tried it knows.", False),
        ("Compare both designs in a table.", False),
    ],
)
def test_evidence_that_names_something_to_look_up(evidence: str, *, is_named: bool) -> None:
    """Evidence names something if it has a figure, a study or an institution."""
    assert names_a_source(evidence) is is_named


def test_a_debate_that_names_no_source_is_not_judged(tmp_path: Path) -> None:
    """Judging by sources alone is refused. With a second system, only that system judges."""
    data = json.loads(EXAMPLE.read_text())
    for turn in data["turns"]:
        for argument in turn.get("arguments", ()):
            argument["evidence"] = "Anyone who has tried it knows."
    (tmp_path / "plain.json").write_text(json.dumps(data))
    done = debate("judge", "plain.json", "--system", "sources", "--mock", cwd=tmp_path)
    assert (
        done.code,
        "neither cites nor names a source, so the judging system `sources` cannot judge it" in done.err,
    ) == (
        2,
        True,
    ), done.err
    done = debate(
        "judge", "plain.json", "--system", "sources", "--system", "structured", "--mock", "--json", cwd=tmp_path
    )
    assert (done.code, [item["system"] for item in done.json[0]["verdicts"]]) == (0, ["structured"]), done.err
    assert "sources is left out: neither cites nor names a source" in done.err


def test_a_speech_without_parts_is_searched_as_a_whole(tmp_path: Path) -> None:
    """A judge is asked about an imported speech that names a study, and not about one that names nothing."""
    (tmp_path / "hearing.txt").write_text("Ann: A study of 2019 found it.\n\nBo: I do not believe it.\n")
    debate("import", "hearing.txt", "--topic", "Close it?", "-o", "hearing.json", cwd=tmp_path)
    done = debate("judge", "hearing.json", "--system", "sources", "--mock", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    (assessment,) = json.loads((tmp_path / "hearing.json").read_text())["assessments"]
    assert {finding["item"] for finding in assessment["findings"]} == {"PRO-1"}


def test_a_later_judging_checks_the_citations_of_a_saved_debate(tmp_path: Path) -> None:
    """`debate judge ID --system sources` needs no documents, because the debate holds its passages."""
    config = Path(__file__).parents[2] / "configs" / "evidence.yaml"
    debate(
        "run", config, "--set", "judging.systems=[structured]", "--id", "a", "--out", "saved", "--quiet", cwd=tmp_path
    )
    done = debate("judge", "saved/a.json", "--system", "sources", "--mock", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    (again,) = debate("score", "saved/a.json", "--json", "--system", "sources", "--check", cwd=tmp_path).json
    assert again["verdicts"][0]["system"] == "sources"
    assert again["verdicts"][0]["victory"] != "undetermined"


def test_an_unknown_answer_does_not_hide_an_invented_quote(tmp_path: Path) -> None:
    """Without a citation that counts the verdict is undetermined, and it still names the invented quotes."""
    path = _saved(tmp_path, {"Pro": [("S1", ABSENT, "unknown"), ("S1", ALTERED, "unknown")], "Con": []})
    loaded = load_transcript(path)
    (verdict,) = score(loaded)
    assert verdict.victory == "undetermined"
    assert explain_scores(verdict) == "Altered quotes: Pro 1. Quotes not found: Pro 1."
    report = get_system("sources").live_report(loaded.assessments[0], loaded)
    assert [sentence.partition(":")[0] for sentence in report.sentences] == ["not found", "altered"]
