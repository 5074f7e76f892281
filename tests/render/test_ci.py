"""Output for CI: GitHub workflow commands, the step summary and JUnit XML."""

import xml.etree.ElementTree as ET

import pytest
from render_support import HOSTILE, debate, scored_file, unjudged

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile, VoteReview
from debate_cli.render.text.ci import (
    format_junit,
    format_step_summary,
    format_workflow_command,
    format_workflow_commands,
)
from debate_cli.systems.base import JudgeVote, Requirement

MET, UNMET = GateResult("--fail-under", None), GateResult("--expect-winner", "--expect-winner: expected Ada")
JUDGED = scored_file(debate())
ATTACK = f"x\n::error file=evil::owned\r::set-env::|<b>[l](http://e){HOSTILE}%0A"
XML_ATTACK = f'"/><failure/>]]>&amp;{HOSTILE}\x00\ufffe\ud800\n'


def attacked(attack: str) -> CheckedFile:
    """A file with an attack in every text."""
    change = Requirement(dimension=attack, text=attack, judges=(attack,), weight=0.5)
    review = VoteReview(attack, attack, (JudgeVote(attack, "FAIL", (attack,)),), (change,))
    file = ScoredFile(attack, attack, attack, "complete", JUDGED.verdicts, attack)
    return CheckedFile(file, (GateResult(attack, attack),), reviews=(review,))


CHANGE = Requirement(dimension="risk", text="Risk: no rollback.", judges=("a", "b"), weight=0.6, line=7)
REVIEW = VoteReview(
    "panel", "r1", (JudgeVote("a", "FAIL", ("No rollback.",)), JudgeVote("c", "PASS", ("Fine.",))), (CHANGE,)
)
REVIEWED = CheckedFile(ScoredFile("a.json", "a", "docs/PLAN.md", "complete", (), "docs/PLAN.md"), reviews=(REVIEW,))


def test_annotations_are_on_the_judged_text() -> None:
    """With the line of the quoted passage; standard input has no file, so they are on the transcript."""
    expected = "line=7,title=panel%3A risk::Risk: no rollback. (60%25 of the weight: a, b)"
    assert list(format_workflow_commands([REVIEWED])) == [f"::warning file=docs/PLAN.md,{expected}"]
    piped = REVIEWED._replace(file=REVIEWED.file._replace(text="stdin"))
    assert list(format_workflow_commands([piped])) == [f"::warning file=a.json,{expected}"]
    assert "What must change in docs/PLAN.md" in format_step_summary([REVIEWED])


@pytest.mark.parametrize(("text", "failures"), [("docs/PLAN.md", 1), (None, 0)], ids=["text", "debate"])
def test_junit_has_a_case_per_judge(text: str | None, failures: int) -> None:
    """One that does not pass a text fails; a vote on a motion is no failure."""
    checked = REVIEWED._replace(file=REVIEWED.file._replace(text=text))
    (suite,) = ET.fromstring(format_junit([checked]))
    cases = [(case.get("classname"), case.get("name")) for case in suite.iter("testcase")]
    assert cases == [(text or "a.json", "panel r1, a"), (text or "a.json", "panel r1, c")]
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(failures))
    assert [case.text for case in suite.iter("system-out")][-1] == "votes PASS: Fine."


@pytest.mark.parametrize(
    ("checked", "level", "title"),
    [
        (CheckedFile(JUDGED, (UNMET,)), "error", "gate not met"),
        (CheckedFile(JUDGED, (MET,)), "notice", "verdict of structured"),
        (CheckedFile(scored_file(unjudged())), "warning", "verdict of structured"),
    ],
    ids=["failed gate", "verdict", "undetermined verdict"],
)
def test_workflow_commands_have_levels(checked: CheckedFile, level: str, title: str) -> None:
    """A met gate has no command."""
    commands = list(format_workflow_commands([checked]))
    assert commands[0].startswith(f"::{level} file=a.json,title={title}::")
    assert not any("fail-under" in command for command in commands)


def test_an_unusable_file_is_an_error() -> None:
    """The workflow command and JUnit have the reason; JUnit counts no failed gate."""
    unusable = [UnusableFile("b.json", "b.json: is cut off")]
    assert list(format_workflow_commands([], unusable)) == [
        "::error file=b.json,title=cannot be used::b.json: is cut off"
    ]
    root = ET.fromstring(format_junit([], unusable))
    assert [error.get("message") for error in root.iter("error")] == ["b.json: is cut off"]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "1")


@pytest.mark.parametrize(
    ("path", "message", "expected"),
    [
        ("a,b:c.json", "50% of it", "::notice file=a%2Cb%3Ac.json,title=t::50%25 of it"),
        ("a.json", "one\ntwo\r\nthree", "::notice file=a.json,title=t::one%0Atwo%0Athree"),
        ("a.json", "a: b, c", "::notice file=a.json,title=t::a: b, c"),
    ],
)
def test_separators_in_workflow_commands_are_escaped(path: str, message: str, expected: str) -> None:
    """Properties also escape commas and colons."""
    assert format_workflow_command("notice", path, "t", message) == expected


def test_untrusted_text_makes_no_workflow_command() -> None:
    """Every command is one line."""
    lines = list(format_workflow_commands([attacked(ATTACK)], [UnusableFile(ATTACK, ATTACK)]))
    assert not any("\n" in line or "\r" in line for line in lines)
    assert [line.split(" ")[0] for line in lines] == ["::error", "::notice", "::notice", "::warning", "::error"]


def test_the_step_summary_has_a_row_per_file() -> None:
    """The row has verdicts and gates; unusable files are listed below."""
    text = format_step_summary([CheckedFile(JUDGED, (UNMET, MET))], [UnusableFile("b", "b: bad")])
    (row,) = [line for line in text.splitlines() if line.startswith("| **")]
    assert all(part in row for part in ("structured: Bo wins narrowly, by ", "✗", "✓"))
    assert "- ✗ b: bad" in text


def test_untrusted_text_makes_no_markup_in_the_step_summary() -> None:
    """It adds no row, link or element."""
    text = format_step_summary([attacked(ATTACK)])
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 3
    assert not any(part in text for part in ("<b>", "[l]("))


def test_junit_has_a_suite_per_file_and_a_case_per_gate() -> None:
    """A failed gate has its reason as message and text; the counts add up."""
    source = format_junit(
        [CheckedFile(JUDGED, (MET, UNMET)), CheckedFile(JUDGED, (UNMET,))], [UnusableFile("b", "b: bad")]
    )
    root = ET.fromstring(source)
    assert [[case.get("name") for case in suite.iter("testcase")] for suite in root][:2] == [
        ["--fail-under", "--expect-winner"],
        ["--expect-winner"],
    ]
    assert [(item.get("message"), item.text) for item in root.iter("failure")] == [(UNMET.problem, UNMET.problem)] * 2
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "1")
    assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [("2", "1"), ("1", "1"), ("1", "0")]


def test_a_file_without_gates_is_one_passed_case_with_its_verdicts() -> None:
    """A report of scores alone is not empty; verdicts are properties."""
    root = ET.fromstring(format_junit([CheckedFile(JUDGED)]))
    (case,) = root.iter("testcase")
    assert (case.get("name"), case.get("classname"), len(case)) == ("scored", "a.json", 0)
    properties = {item.get("name"): item.get("value") for item in root.iter("property")}
    assert properties["id"] == debate().id
    assert properties["verdict.structured.r1"] == "Bo wins narrowly."


def test_untrusted_text_makes_no_element_in_junit() -> None:
    """The document parses and has the failures of one gate and one judge."""
    source = format_junit([attacked(XML_ATTACK)], [UnusableFile(XML_ATTACK, XML_ATTACK)])
    root = ET.fromstring(source)
    assert len(list(root.iter("failure"))) == 2
    assert "<failure/>" in (root[0].get("name") or "")
    assert "\x1b" not in source
