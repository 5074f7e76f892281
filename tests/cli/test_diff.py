"""`debate diff`: two debates, or two judging runs of one."""

import json
from pathlib import Path

import pytest
from cli_support import CommandResult, debate
from saved_support import debate_judged_twice, write_transcript_file


def diff(two_saved: Path, *words: str | Path) -> CommandResult:
    """`debate diff` beside the folder of the saved debates."""
    return debate("diff", *words, cwd=two_saved.parent.parent)


def test_diff_compares_two_debates(two_saved: Path) -> None:
    """`diff` shows winner, scores and settings of two debates, given by id or path, and that only the mock spoke."""
    done = diff(two_saved, "one", "transcripts/two.json")
    assert (done.code, done.lines) == (0, ["REHEARSAL: mock provider, no model was called"])
    assert "structured  other outcome  (A: Bo, narrow, margin 1.1" in done.out
    assert "moderator  Bo  (A " in done.out
    assert "seed  A: not set, B: 2" in done.out


def test_diff_begins_with_a_summary(two_saved: Path) -> None:
    """Sentences say how both are decided and how many claims and settings differ."""
    lines = diff(two_saved, "one", "two").out.splitlines()
    assert lines[:4] == [
        "== In short ==",
        "The outcomes differ (structured).",
        "A: Bo wins narrowly, by 1.1 of 10 points.",
        "B: Ada wins narrowly, by 2.55 of 10 points.",
    ]
    assert "Settings that differ: 1. Not compared: limits and output." in lines


def test_diff_compares_two_runs_of_one_debate(two_saved: Path) -> None:
    """The second run's structured verdict equals the first; the moderator judged once."""
    write_transcript_file(two_saved, debate_judged_twice())
    found = diff(two_saved, "one", "--runs", "r1,r2", "--json").json
    assert [(item["system"], item["outcome"]) for item in found["verdicts"]] == [
        ("structured", "same"),
        ("moderator", "one_sided"),
    ]
    assert (found["a"]["run"], found["b"]["run"], found["alike"]) == ("r1", "r2", False)


def test_json_is_one_document(two_saved: Path) -> None:
    """`diff --json` prints one document with both sides and their differences."""
    done = diff(two_saved, "one", "two", "--json")
    found = done.json
    assert done.lines == ["REHEARSAL: mock provider, no model was called"]
    assert list(found) == [
        "a", "b", "alike", "verdicts", "standings", "compared_claims", "judged_claims", "settings",
    ]  # fmt: skip
    assert found["a"] == {
        "path": "transcripts/one.json",
        "id": "one",
        "run": "latest",
        "topic": "Should a startup of under ten people adopt microservices from day one?",
        "status": "complete",
        "debaters": {"Ada": "mock/debater", "Bo": "mock/debater"},
        "judges": {"structured": ["mock/judge"], "moderator": ["mock/judge"]},
        "cost_usd": 0.022,
        "judging_cost_usd": 0.01,
    }
    assert found["settings"] == [{"key": "seed", "a": None, "b": 2}]


def test_a_debate_equals_itself(two_saved: Path) -> None:
    """One sentence says that nothing differs."""
    assert "Nothing differs" in diff(two_saved, "one", "one").out
    assert diff(two_saved, "one", "one", "--json").json["alike"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("one",), "--runs r1,r2"),
        (("one", "--runs", "r1"), "give two judging runs"),
        (("one", "--runs", "r1,r9"), "the debate has r1"),
        (("one", "three"), "`three`: there is no such debate"),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_refused(two_saved: Path, words: tuple[str, ...], said: str) -> None:
    """A comparison that is impossible ends with exit code 2 and one line."""
    done = diff(two_saved, *words)
    assert (done.code, done.out, len(done.lines), said in done.err) == (2, "", 1, True)


def test_a_draw_differs_from_an_undetermined_result(two_saved: Path) -> None:
    """Neither has a winner, but the outcomes are not the same."""
    saved = json.loads(two_saved.read_text())
    saved["assessments"] = []
    (two_saved.parent / "none.json").write_text(json.dumps(saved))
    done = diff(two_saved, "one", "none")
    assert "The outcomes differ (structured).\nA: Bo wins narrowly" in done.out
    even = json.loads(two_saved.read_text())
    for mark in (mark for each in even["assessments"] for mark in each["marks"]):
        mark["value"] = 5
    (two_saved.parent / "even.json").write_text(json.dumps(even))
    done = diff(two_saved, "even", "none")
    assert "The outcomes differ (structured).\nA: A draw" in done.out, done.out
