"""Verdicts and gates for continuous integration: GitHub workflow commands, step summary, JUnit report."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from debate_cli.app.documents import STDIN_NAME
from debate_cli.app.score import CheckedFile, PanelReview, ScoredFile, UnusableFile
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import label_listed_verdict
from debate_cli.render.content.summary import describe_answer, label_change
from debate_cli.render.text.markdown import escape_markdown
from debate_cli.systems.base import RequiredChange

UNGATED_CASE = "scored"
"""Name of the test case for a file without gates."""
_NO_XML = re.compile(r"[\ufffe\uffff]")
AnnotationLevel = Literal["error", "warning", "notice"]
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def format_workflow_commands(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> Iterator[str]:
    """Yield one GitHub workflow command per finding. A command about a judged text names its file and line.

    Errors: unmet gates and unusable files. Warnings: undetermined verdicts and required changes of a text. Notices: all
    other verdicts.
    """
    for checked in files:
        path = _find_text_path(checked.file) or checked.file.path
        for sentence in checked.unmet:
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


def _list_changes(checked: CheckedFile) -> Iterator[tuple[PanelReview, RequiredChange]]:
    for review in checked.reviews:
        for change in review.required_changes:
            yield review, change


def format_workflow_command(
    level: AnnotationLevel, path: str, title: str, message: str, line: int | None = None
) -> str:
    """One workflow command. Text in it is escaped and cannot start another command."""
    place = "" if line is None else f",line={line}"
    named = f"file={_escape_command(path, _PROPERTY)}{place},title={_escape_command(title, _PROPERTY)}"
    return f"::{level} {named}::{_escape_command(message, _DATA)}"


def format_step_summary(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """Markdown: a row per file with its verdicts and gates, then the files that cannot be used."""
    unmet = sum(len(checked.unmet) for checked in files)
    parts = [
        f"{_format_quantity(len(files), 'debate')} scored",
        *([f"{_format_quantity(unmet, 'gate')} not met"] if unmet else []),
    ]
    lines = [f"## {', '.join(parts)}", ""]
    if files:
        lines += ["| debate | verdicts | gates |", "| --- | --- | --- |", *(_row(checked) for checked in files), ""]
    for checked in files:
        lines += _summarize_changes(checked)
    lines += [f"- ✗ {escape_markdown(file.message)}" for file in unusable]
    return "\n".join(lines).rstrip() + "\n\n"


def _summarize_changes(checked: CheckedFile) -> list[str]:
    changes = [
        f"- {escape_markdown(change.text)} ({escape_markdown(label_change(change))})"
        for _, change in _list_changes(checked)
    ]
    return [f"### What must change in {escape_markdown(checked.file.topic)}", "", *changes, ""] if changes else []


def _format_quantity(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


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
    scores = ", ".join(
        f"{name} {theme.format_number(score)}"
        for name, score in sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    )
    return f"{describe_answer(verdict, text)} {scores}".rstrip()


def _escape_command(text: str, escapes: dict[str, str]) -> str:
    plain = sanitize.sanitize_text(text).replace("##[", "## [")
    return "".join(escapes.get(sign, sign) for sign in plain)


def format_junit(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """A JUnit report: a suite per file, a test case per gate and per judge who voted.

    An unmet gate is a failure, and so is a vote that does not pass a text. An unusable file is an error.
    """
    root = ET.Element("testsuites", name="debate score")
    for checked in files:
        root.append(_suite(checked))
    for file in unusable:
        root.append(_error_suite(file))
    for counted in ("tests", "failures", "errors"):
        root.set(counted, str(sum(int(suite.get(counted, "0")) for suite in root)))
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True).decode() + "\n"


class _Case(NamedTuple):
    """A test case. It has passed if `problem` is None; else it has failed, with `type` as the kind of failure."""

    classname: str
    name: str
    problem: str | None = None
    type: str = "gate"
    output: str = ""
    """Output of a case that did not fail."""


def _suite(checked: CheckedFile) -> ET.Element:
    cases = [*_gate_cases(checked), *_judge_cases(checked)] or [_Case(checked.file.path, UNGATED_CASE)]
    failures = sum(case.problem is not None for case in cases)
    suite = _new_suite(checked.file.path, tests=len(cases), failures=failures)
    properties = ET.SubElement(suite, "properties")
    about = {"id": checked.file.id, "topic": checked.file.topic, "status": checked.file.status}
    for item in checked.file.verdicts:
        about[f"verdict.{item.system}.{item.run}"] = theme.describe_outcome(item, checked.file.text)
        option = item.notes.get("option")
        if isinstance(option, str):
            about[f"option.{item.system}.{item.run}"] = option
    for name, value in about.items():
        ET.SubElement(properties, "property", name=_xml_text(name), value=_xml_text(value))
    for case in cases:
        element = _case(suite, case.classname, case.name)
        if case.problem is not None:
            message = _xml_text(case.problem)
            ET.SubElement(element, "failure", type=case.type, message=message).text = message
        elif case.output:
            ET.SubElement(element, "system-out").text = _xml_text(case.output)
    return suite


def _gate_cases(checked: CheckedFile) -> list[_Case]:
    return [_Case(checked.file.path, result.gate, result.problem) for result in checked.gates]


def _judge_cases(checked: CheckedFile) -> Iterator[_Case]:
    """A case per judge. A vote against a text is a failure; a vote on a motion is not."""
    is_text = checked.file.text is not None
    subject = _find_text_path(checked.file) or checked.file.path
    for review in checked.reviews:
        for vote in review.votes:
            words = f"votes {vote.option}: {' '.join(vote.reasons)}"
            problem = words if is_text and vote.option != "PASS" else None
            yield _Case(subject, f"{review.system} {review.run}, {vote.judge}", problem, vote.option, words)


def _error_suite(file: UnusableFile) -> ET.Element:
    suite = _new_suite(file.path, tests=1, errors=1)
    error = ET.SubElement(
        _case(suite, file.path, UNGATED_CASE), "error", type="unusable", message=_xml_text(file.message)
    )
    error.text = _xml_text(file.message)
    return suite


def _new_suite(path: str, *, tests: int, failures: int = 0, errors: int = 0) -> ET.Element:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": 0, "time": 0}
    return ET.Element("testsuite", {"name": _xml_text(path)} | {name: str(count) for name, count in counts.items()})


def _case(suite: ET.Element, path: str, gate: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_xml_text(path), name=_xml_text(gate), time="0")


def _xml_text(text: str) -> str:
    return _NO_XML.sub("\ufffd", sanitize.sanitize_line(text))
