"""Verdicts and gates for continuous integration: GitHub workflow commands and step summary, JUnit report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Literal

from debate_cli.app.score import CheckedFile, UnusableFile
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import label_listed_verdict
from debate_cli.render.markdown import escape_markdown, format_margin

UNGATED_CASE = "scored"
"""Name of the test case of a file without gates."""
_NO_XML = re.compile(r"[\ufffe\uffff]")
AnnotationLevel = Literal["error", "warning", "notice"]
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def format_workflow_commands(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> Iterator[str]:
    """Yield one workflow command per line.

    Errors: gates that are not met, files that cannot be used. Warnings: undetermined verdicts. Notices: all other verdicts.
    """
    for checked in files:
        path = checked.file.path
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
    for file in unusable:
        yield format_workflow_command("error", file.path, "cannot be used", file.message)


def format_workflow_command(level: AnnotationLevel, path: str, title: str, message: str) -> str:
    """One workflow command. Text in it is escaped and cannot start another command."""
    named = f"file={_escape_command(path, _PROPERTY)},title={_escape_command(title, _PROPERTY)}"
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
    lines += [f"- ✗ {escape_markdown(file.message)}" for file in unusable]
    return "\n".join(lines).rstrip() + "\n\n"


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
    return f"{theme.describe_outcome(verdict, text)}{format_margin(verdict)} {scores}".rstrip()


def _escape_command(text: str, escapes: dict[str, str]) -> str:
    plain = sanitize.sanitize_text(text).replace("##[", "## [")
    return "".join(escapes.get(sign, sign) for sign in plain)


def format_junit(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """A JUnit report: a suite per file, a test case per gate. An unmet gate is a failure, an unusable file an error."""
    root = ET.Element("testsuites", name="debate score")
    for checked in files:
        root.append(_suite(checked))
    for file in unusable:
        root.append(_error_suite(file))
    for counted in ("tests", "failures", "errors"):
        root.set(counted, str(sum(int(suite.get(counted, "0")) for suite in root)))
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True).decode() + "\n"


def _suite(checked: CheckedFile) -> ET.Element:
    cases = [(result.gate, result.problem) for result in checked.gates] or [(UNGATED_CASE, None)]
    failures = sum(problem is not None for _, problem in cases)
    suite = _new_suite(checked.file.path, tests=len(cases), failures=failures)
    properties = ET.SubElement(suite, "properties")
    about = {"id": checked.file.id, "topic": checked.file.topic, "status": checked.file.status}
    verdicts = {
        f"verdict.{item.system}.{item.run}": theme.describe_outcome(item, checked.file.text)
        for item in checked.file.verdicts
    }
    for name, value in (about | verdicts).items():
        ET.SubElement(properties, "property", name=_xml_text(name), value=_xml_text(value))
    for gate, problem in cases:
        case = _case(suite, checked.file.path, gate)
        if problem is not None:
            ET.SubElement(case, "failure", type="gate", message=_xml_text(problem)).text = _xml_text(problem)
    return suite


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
    """Sanitize text and replace characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", sanitize.sanitize_line(text))
