"""Formats verdicts and gates for continuous integration: GitHub workflow commands, step summary, JUnit report."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Literal

from debate_cli.app.documents import STDIN_NAME
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile, VoteReview
from debate_cli.domain.message_text import count_noun, sanitize_text
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import label_listed_verdict
from debate_cli.render.content.summary import label_requirement
from debate_cli.render.text.markdown import escape_markdown
from debate_cli.systems.base import Requirement
from debate_cli.systems.scales import describe_answer, describe_outcome, format_ranked_scores

UNGATED_CASE = "scored"
"""Name of the JUnit test case of a file that has neither gates nor judges' votes."""
_NO_XML = re.compile(r"[\ufffe\uffff]")
AnnotationLevel = Literal["error", "warning", "notice"]
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def format_workflow_commands(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> Iterator[str]:
    """Yield a GitHub workflow command per verdict, unmet gate, required change and unusable file.

    Errors: unmet gates and unusable files. Warnings: undetermined verdicts and required changes. Notices: other
    verdicts.
    """
    for checked in files:
        path = _find_text_path(checked.file) or checked.file.path
        for sentence in checked.gate_problems:
            yield format_workflow_command("error", path, "gate not met", sentence)
        for verdict in checked.file.verdicts:
            level = "warning" if verdict.victory == "undetermined" else "notice"
            yield format_workflow_command(
                level,
                path,
                f"verdict of {label_listed_verdict(verdict, checked.file.verdicts)}",
                _verdict(verdict, checked.file.text),
            )
        for review, change in _list_changes(checked):
            title = f"{review.system}: {change.dimension or 'must change'}"
            message = f"{change.text} ({change.weight:.0%} of the weight: {', '.join(change.judges)})"
            yield format_workflow_command("warning", path, title, message, change.line)
    for file in unusable:
        yield format_workflow_command("error", file.path, "cannot be used", file.message)


def _find_text_path(file: ScoredFile) -> str | None:
    return None if file.text == STDIN_NAME else file.text


def _list_changes(checked: CheckedFile) -> Iterator[tuple[VoteReview, Requirement]]:
    for review in checked.reviews:
        for change in review.required_changes:
            yield review, change


def format_workflow_command(
    level: AnnotationLevel, path: str, title: str, message: str, line: int | None = None
) -> str:
    """Return one workflow command. All text in the command is escaped."""
    place = "" if line is None else f",line={line}"
    named = f"file={_escape_command(path, _PROPERTY)}{place},title={_escape_command(title, _PROPERTY)}"
    return f"::{level} {named}::{_escape_command(message, _DATA)}"


def format_step_summary(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """Return Markdown: a table of debates, then a list `What must change` for each debate, then the unusable files."""
    unmet = sum(len(checked.gate_problems) for checked in files)
    head = f"{count_noun(len(files), 'debate')} scored"
    lines = [f"## {head}{f', gates not met: {unmet}' if unmet else ''}", ""]
    if files:
        lines += ["| debate | verdicts | gates |", "| --- | --- | --- |", *(_row(checked) for checked in files), ""]
    for checked in files:
        changes = [
            f"- {escape_markdown(change.text)} ({escape_markdown(label_requirement(change))})"
            for _, change in _list_changes(checked)
        ]
        if changes:
            lines += [f"### What must change in {escape_markdown(checked.file.topic)}", "", *changes, ""]
    lines += [f"- ✗ {escape_markdown(file.message)}" for file in unusable]
    return "\n".join(lines).rstrip() + "\n\n"


def _row(checked: CheckedFile) -> str:
    verdicts = [
        f"{escape_markdown(label_listed_verdict(item, checked.file.verdicts))}: {escape_markdown(_verdict(item, checked.file.text))}"
        for item in checked.file.verdicts
    ] or ["none"]
    gates = [
        f"✗ {escape_markdown(result.problem)}" if result.problem is not None else f"✓ {escape_markdown(result.gate)}"
        for result in checked.gates
    ]
    about = f"**{escape_markdown(checked.file.id)}**<br>{escape_markdown(checked.file.topic)}"
    return f"| {about} | {'<br>'.join(verdicts)} | {'<br>'.join(gates) or '—'} |"


def _verdict(verdict: Verdict, text: str | None) -> str:
    return f"{describe_answer(verdict, text)} {format_ranked_scores(verdict)}".rstrip()


def _escape_command(text: str, escapes: dict[str, str]) -> str:
    plain = sanitize_text(text).replace("##[", "## [")
    return "".join(escapes.get(sign, sign) for sign in plain)


def format_junit(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """Return a JUnit report with a suite per file, and a test case per gate and per judge's vote.

    Failures: unmet gates, and votes that do not pass a judged document. Errors: unusable files.
    """
    root = ET.Element("testsuites", name="debate score")
    for checked in files:
        _add_suite(root, checked)
    for file in unusable:
        suite = ET.SubElement(root, "testsuite", name=_xml_text(file.path))
        _add_problem(_add_case(suite, file.path, UNGATED_CASE), "error", "unusable", file.message)
    for suite in root:
        for counted, name in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            suite.set(counted, str(len(list(suite.iter(name)))))
        suite.attrib |= {"skipped": "0", "time": "0"}
    for counted in ("tests", "failures", "errors"):
        root.set(counted, str(sum(int(suite.get(counted, "0")) for suite in root)))
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True).decode() + "\n"


def _add_suite(root: ET.Element, checked: CheckedFile) -> None:
    file = checked.file
    suite = ET.SubElement(root, "testsuite", name=_xml_text(file.path))
    about = {"id": file.id, "topic": file.topic, "status": file.status}
    for item in file.verdicts:
        about[f"verdict.{item.system}.{item.run}"] = describe_outcome(item, file.text)
        if isinstance(option := item.notes.get("option"), str):
            about[f"option.{item.system}.{item.run}"] = option
    properties = ET.SubElement(suite, "properties")
    for name, value in about.items():
        ET.SubElement(properties, "property", name=_xml_text(name), value=_xml_text(value))
    for result in checked.gates:
        case = _add_case(suite, file.path, result.gate)
        if result.problem is not None:
            _add_problem(case, "failure", "gate", result.problem)
    for review in checked.reviews:
        for vote in review.votes:
            case = _add_case(suite, _find_text_path(file) or file.path, f"{review.system} {review.run}, {vote.judge}")
            words = f"votes {vote.option}: {' '.join(vote.reasons)}"
            is_accepted = theme.option_badge(review.system, vote.option).tone == "good"
            if file.text is not None and not is_accepted:  # a vote against a motion is no failure
                _add_problem(case, "failure", vote.option, words)
            else:
                ET.SubElement(case, "system-out").text = _xml_text(words)
    if suite.find("testcase") is None:
        _add_case(suite, file.path, UNGATED_CASE)


def _add_case(suite: ET.Element, path: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_xml_text(path), name=_xml_text(name), time="0")


def _add_problem(case: ET.Element, tag: str, kind: str, message: str) -> None:
    ET.SubElement(case, tag, type=kind, message=_xml_text(message)).text = _xml_text(message)


def _xml_text(text: str) -> str:
    return _NO_XML.sub("\ufffd", sanitize.sanitize_line(text))
