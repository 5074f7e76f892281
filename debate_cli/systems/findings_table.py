"""Table of findings about single speeches: words addressed to the judge, contradictions, dropped premises, sources."""

from __future__ import annotations

from debate_cli.domain.assessment import Contradiction, DroppedPremise, Finding, Manipulation, SourceRemark
from debate_cli.domain.debate import Debate
from debate_cli.systems.tables import Badge, Table, TableRow, Who

MANIPULATION_BADGE = Badge("!", "manipulation", "bad")
CONTRADICTION_BADGE = Badge("✗", "contradiction", "bad")
DROPPED_PREMISE_BADGE = Badge("↓", "dropped premise", "mixed")
SOURCE_BADGE = Badge("?", "source", "info")


def build_findings_tables(debate: Debate) -> list[Table]:
    """One table with each finding once, even if several judges report it; none without findings."""
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    found = [
        _finding_row(finding)
        for assessment in debate.assessments
        if (assessment.run, assessment.system) in counted
        for finding in assessment.findings
    ]
    rows = tuple(dict.fromkeys(row for row in found if row is not None))
    return [Table("findings", ("finding", "by", "turn", "words"), rows)] if rows else []


def _finding_row(finding: Finding) -> TableRow | None:
    match finding:
        case Manipulation():
            turn = str(finding.turn + 1) if finding.turn is not None else None
            by = Who(finding.participant) if finding.participant is not None else "the text"
            return MANIPULATION_BADGE, by, turn, f"{finding.label}: “{finding.quote}”"
        case Contradiction():
            turns = f"{finding.earlier + 1} and {finding.later + 1}"
            return CONTRADICTION_BADGE, Who(finding.participant), turns, finding.explanation
        case DroppedPremise():
            turns = f"{finding.earlier + 1} to {finding.later + 1}"
            return DROPPED_PREMISE_BADGE, Who(finding.participant), turns, finding.premise
        case SourceRemark():
            return SOURCE_BADGE, Who(finding.participant), str(finding.turn + 1), f"{finding.source}: {finding.verdict}"
        case _:
            return None
