"""Gates as a JUnit report, as continuous integration reads it: a suite a file, a test case a gate. No Rich."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from debate_cli.render import sanitize, theme
from debate_cli.render.score_rows import CheckedFile, UnusableFile

UNGATED_CASE = "scored"
"""Name of the one test case of a file for which no gate is asked."""
_NO_XML = re.compile(r"[\ufffe\uffff]")


def format_junit(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """The document. A gate that is not met is a failure, a file that could not be scored an error."""
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
    """Untrusted text without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", sanitize.sanitize_line(text))
