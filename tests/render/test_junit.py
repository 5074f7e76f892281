"""Gates as JUnit XML, read back as a parser reads it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from render_support import HOSTILE, debate

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile
from debate_cli.render.ci import format_junit
from debate_cli.systems.scoring import score

ATTACK = f'"/><failure/>]]>&amp;{HOSTILE}\x00\ufffe\ud800\n'
TOLD = debate()
FILE = ScoredFile("a.json", TOLD.id, TOLD.topic, TOLD.status, score(TOLD))
MET, UNMET = GateResult("--fail-under", None), GateResult("--expect-winner", "--expect-winner: expected Ada")


def parsed(*files: CheckedFile, unusable: tuple[UnusableFile, ...] = ()) -> ET.Element:
    """The root of the document."""
    return ET.fromstring(format_junit(files, unusable))


def test_a_suite_a_file_and_a_case_a_gate() -> None:
    """Both in the order given; a gate that is met has no failure."""
    root = parsed(CheckedFile(FILE, (MET, UNMET)), CheckedFile(FILE, (MET,)))
    assert [[case.get("name") for case in suite.iter("testcase")] for suite in root] == [
        ["--fail-under", "--expect-winner"],
        ["--fail-under"],
    ]
    assert [len(case) for case in root.iter("testcase")] == [0, 1, 0]


def test_a_failure_tells_why() -> None:
    """In its message and its text, for readers of either."""
    (failure,) = parsed(CheckedFile(FILE, (UNMET,))).iter("failure")
    assert (failure.get("message"), failure.text) == (UNMET.problem, UNMET.problem)


def test_a_file_that_cannot_be_used_is_an_error() -> None:
    """Not a failure of a gate."""
    root = parsed(unusable=(UnusableFile("bad.json", "bad.json: is cut off"),))
    assert [error.get("message") for error in root.iter("error")] == ["bad.json: is cut off"]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "1")


def test_the_counts_add_up() -> None:
    """Of each suite, and of all."""
    root = parsed(CheckedFile(FILE, (MET, UNMET)), CheckedFile(FILE, (UNMET,)), unusable=(UnusableFile("b", "b: bad"),))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "1")
    assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [("2", "1"), ("1", "1"), ("1", "0")]


def test_without_a_gate_a_file_has_one_case_that_passes() -> None:
    """So that a report of scores alone is not an empty one."""
    (case,) = parsed(CheckedFile(FILE)).iter("testcase")
    assert (case.get("name"), case.get("classname"), len(case)) == ("scored", "a.json", 0)


def test_the_verdicts_are_properties() -> None:
    """Each under its system and run."""
    properties = {item.get("name"): item.get("value") for item in parsed(CheckedFile(FILE)).iter("property")}
    assert properties["id"] == TOLD.id
    assert properties["verdict.structured.r1"] == "Bo wins narrowly."


def test_no_text_makes_an_element() -> None:
    """Whatever stands in a path, a topic or a message, the document has its elements only and can be parsed."""
    hostile = ScoredFile(ATTACK, ATTACK, ATTACK, "complete", ())
    root = parsed(CheckedFile(hostile, (GateResult(ATTACK, ATTACK),)), unusable=(UnusableFile(ATTACK, ATTACK),))
    assert len(list(root.iter("failure"))) == 1
    assert "<failure/>" in (root[0].get("name") or "")
    assert "\x1b" not in format_junit([CheckedFile(hostile)])
