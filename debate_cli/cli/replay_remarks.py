"""What `debate replay` says where the part that is asked for is not there, so that nobody waits for it."""

from __future__ import annotations

import shlex
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.plain.summary import summary_lines
from debate_cli.render.report import ReportPart


def explain_missing_part(debate: Debate, verdicts: tuple[Verdict, ...], part: ReportPart, path: Path) -> str | None:
    """A sentence on why the debate saved at `path` has no such part; None where it has."""
    there = (
        bool(debate.turns) or debate.document_name is not None
        if part == "turns"
        else _has_content(debate, verdicts, part)
    )
    return None if there else f"--only {part}: nothing to show, as {_missing_reason(debate, part, path)}"


def _has_content(debate: Debate, verdicts: tuple[Verdict, ...], part: ReportPart) -> bool:
    return any(line.strip() for line in summary_lines(debate, verdicts, only=part))


def _missing_reason(debate: Debate, part: ReportPart, path: Path) -> str:
    match part:
        case "turns":
            return "nobody has spoken yet"
        case "scores":
            return "no judge has given marks yet"
        case "trace":
            return (
                "a text has no claims that are answered"
                if debate.document_name is not None
                else "nobody has argued yet"
            )
        case "verdict":
            return "no judge was asked"
        case "briefing":
            way = (
                f"; add it with: debate judge {shlex.quote(str(path))} --system structured" if debate.arguments else ""
            )
            return f"only the structured system leads to a briefing, and it did not judge this{way}"
