"""Sheet of what was noticed about single speeches: words addressed to the judge, contradictions, dropped premises, sources."""

from __future__ import annotations

from debate_cli.domain.assessment import Contradiction, DroppedPremise, Finding, Manipulation, SourceCheck
from debate_cli.domain.debate import Debate
from debate_cli.render.look import BLUE, GOLD, RED, Sign
from debate_cli.render.sheets.sheet import Row, Sheet, Who

MANIPULATION = Sign("!", "manipulation", RED)
CONTRADICTION = Sign("✗", "contradiction", RED)
DROPPED = Sign("↓", "dropped premise", GOLD)
SOURCE = Sign("?", "source", BLUE)


def sheets(debate: Debate) -> list[Sheet]:
    """One sheet, each finding once however many judges report it; none where nothing was noticed."""
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active()}
    found = [
        _row(finding)
        for assessment in debate.assessments
        if (assessment.run, assessment.system) in counted
        for finding in assessment.findings
    ]
    rows = tuple(dict.fromkeys(row for row in found if row is not None))
    return [Sheet("findings", ("finding", "by", "turn", "words"), rows)] if rows else []


def manipulation_words(finding: Manipulation) -> str:
    """The finding in a sentence."""
    by = f"by {finding.participant}" if finding.participant is not None else "in the text"
    where = f" in turn {finding.turn}" if finding.turn is not None else ""
    return f"! manipulation {by}{where} ({finding.technique}): “{finding.quote}”"


def _row(finding: Finding) -> Row | None:
    match finding:
        case Manipulation():
            turn = str(finding.turn) if finding.turn is not None else None
            by = Who(finding.participant) if finding.participant is not None else "the text"
            return MANIPULATION, by, turn, f"{finding.technique}: “{finding.quote}”"
        case Contradiction():
            turns = f"{finding.earlier} and {finding.later}"
            return CONTRADICTION, Who(finding.participant), turns, finding.explanation
        case DroppedPremise():
            turns = f"{finding.earlier} to {finding.later}"
            return DROPPED, Who(finding.participant), turns, finding.premise
        case SourceCheck():
            return SOURCE, Who(finding.participant), str(finding.turn), f"{finding.source}: {finding.verdict}"
        case _:
            return None
