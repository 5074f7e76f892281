"""Workflow commands and the step summary: what GitHub is told, and what no text can tell it."""

from __future__ import annotations

import pytest
from render_support import HOSTILE, debate, unscored

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile
from debate_cli.domain.debate import Debate
from debate_cli.render.ci import format_step_summary, format_workflow_command, format_workflow_commands
from debate_cli.systems.scoring import score

UNMET = GateResult("--expect-winner", "--expect-winner: expected Ada, but the verdict of structured is Bo")
ATTACK = f"x\n::error file=evil::owned\r::set-env::|<b>[l](http://e){HOSTILE}%0A"


def scored(told: Debate, path: str = "a.json") -> ScoredFile:
    """A file with its verdicts."""
    return ScoredFile(path, told.id, told.topic, told.status, score(told))


@pytest.mark.parametrize(
    ("checked", "level", "title"),
    [
        (CheckedFile(scored(debate()), (UNMET,)), "error", "gate not met"),
        (CheckedFile(scored(debate())), "notice", "verdict of structured"),
        (CheckedFile(scored(unscored())), "warning", "verdict of structured"),
    ],
    ids=["unmet", "judged", "undetermined"],
)
def test_each_thing_has_its_level(checked: CheckedFile, level: str, title: str) -> None:
    """An unmet gate is an error, a verdict a notice, one that could not be reached a warning."""
    first = next(format_workflow_commands([checked]))
    assert first.startswith(f"::{level} file=a.json,title={title}::")


def test_a_gate_that_is_met_is_not_told() -> None:
    """Nothing is wrong with it."""
    met = CheckedFile(scored(debate()), (GateResult("--fail-under", None),))
    assert [line for line in format_workflow_commands([met]) if "fail-under" in line] == []


def test_a_file_that_cannot_be_used_is_an_error() -> None:
    """With the sentence that says why."""
    assert list(format_workflow_commands([], [UnusableFile("b.json", "b.json: is cut off")])) == [
        "::error file=b.json,title=cannot be used::b.json: is cut off"
    ]


@pytest.mark.parametrize(
    ("path", "message", "expected"),
    [
        ("a,b:c.json", "50% of it", "::notice file=a%2Cb%3Ac.json,title=t::50%25 of it"),
        ("a.json", "one\ntwo\r\nthree", "::notice file=a.json,title=t::one%0Atwo%0Athree"),
        ("a.json", "a: b, c", "::notice file=a.json,title=t::a: b, c"),
    ],
)
def test_signs_that_mean_something_are_escaped(path: str, message: str, expected: str) -> None:
    """In properties also what parts them."""
    assert format_workflow_command("notice", path, "t", message) == expected


def test_no_text_makes_a_command() -> None:
    """One line each, whatever stands in it."""
    hostile = ScoredFile(ATTACK, ATTACK, ATTACK, "complete", score(debate()))
    lines = list(
        format_workflow_commands([CheckedFile(hostile, (GateResult("g", ATTACK),))], [UnusableFile(ATTACK, ATTACK)])
    )
    assert [line.count("\n") + line.count("\r") for line in lines] == [0] * len(lines)
    assert [line.split(" ")[0] for line in lines] == ["::error", "::notice", "::notice", "::error"]


def test_the_summary_has_a_row_a_file() -> None:
    """With the verdict of each system and what became of each gate."""
    text = format_step_summary(
        [CheckedFile(scored(debate()), (UNMET, GateResult("--max-warnings", None)))], [UnusableFile("b", "b: bad")]
    )
    (row,) = [line for line in text.splitlines() if line.startswith("| **")]
    assert "structured: Bo wins narrowly." in row
    assert "✗" in row
    assert "✓" in row
    assert "- ✗ b: bad" in text


def test_no_text_makes_markup_in_the_summary() -> None:
    """Neither a row nor a link nor an element of its own."""
    text = format_step_summary(
        [CheckedFile(ScoredFile(ATTACK, ATTACK, ATTACK, "complete", ()), (GateResult("g", ATTACK),))]
    )
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert "<b>" not in text
    assert "[l](" not in text
